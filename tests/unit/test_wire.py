"""What the worker writes, read back by what the host reads with."""

from __future__ import annotations

import os
import sys
import threading
import types
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from fumehood.documents import gather
from fumehood.documents.collect import Collector
from fumehood.documents.validate import parse_part
from fumehood_sandbox import contract, methods, supervise, wire, worker
from fumehood_sandbox.attachments import attach
from fumehood_sandbox.contract import Block, Cell, Document, Format, Image, Progress, Request, Run, Sheet, SheetCell, Table
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.frames import MAX_FRAME, FrameType, ResponseDecoder


@pytest.fixture(autouse=True, params=["in memory", "in a file"])
def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every test runs twice: what is short is held in memory, what is long in a file, and nobody can tell."""
    if request.param == "in a file":
        monkeypatch.setattr(gather, "MAX_IN_MEMORY", -1)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def through(write: Callable[[wire.Answer], None], *, assets: bool = False) -> Collector:
    """Run *write* on one end of a pipe and the host's collector on the other."""
    reader, writer = os.pipe()
    collector = Collector(want_assets=assets)
    errors: list[BaseException] = []

    def work() -> None:
        try:
            answer = wire.Answer(writer)
            answer.allow(1 << 30)
            answer.frame(FrameType.READY, b"{}")
            write(answer)
            answer.end()
        except BaseException as error:  # noqa: BLE001 - raised again below, in the test's own thread
            errors.append(error)
        finally:
            os.close(writer)

    thread = threading.Thread(target=work)
    thread.start()
    decoder = ResponseDecoder()
    while data := os.read(reader, 65536):
        for frame in decoder.feed(data):
            collector.add(frame)
    os.close(reader)
    thread.join()
    if errors:
        raise errors[0]
    decoder.close()
    return collector


def sent(build: Callable[[wire.FrameSink], None], document: Document | None = None) -> Document:
    def write(answer: wire.Answer) -> None:
        sink = wire.FrameSink(answer, 1)
        build(sink)
        sink.result(document or Document(format=Format("text")))

    found = through(write).document
    assert found is not None
    return found


def test_the_last_small_frames_are_one_write_and_large_ones_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    write = os.write
    monkeypatch.setattr(os, "write", lambda out, data: written.append(len(data)) or write(out, data))

    def answered(text: str) -> Document | None:
        def work(answer: wire.Answer) -> None:
            sink = wire.FrameSink(answer, 1)
            written.clear()
            answer.hold()
            sink.result(Document(format=Format("text"), metadata={"title": text}, blocks=[Block("b1", "paragraph", text)]))

        return through(work).document

    for text, writes in (("a word", 1), ("x" * 100_000, 3)):
        document = answered(text)
        assert document is not None
        assert document.blocks[0].text == document.metadata["title"] == text
        assert len(written) == writes


def test_every_kind_arrives_as_it_was() -> None:
    blocks = [
        Block("b1", text="a", runs=[Run("a", bold=True, in_accepted=False)], mark_in_original=False),
        Block("b2", "heading", level=1),
    ]
    table = Table("t1", n_rows=1, n_cols=1, cells=[Cell(1, 1, text="x", row_span=1, in_original=False)])
    cells = [
        SheetCell("A1", 1, 1, "bool", value=False, cached=False),
        SheetCell("A2", 2, 1, "number", 1.5),
        SheetCell("A3", 3, 1),
    ]

    def build(sink: wire.FrameSink) -> None:
        sink.items("blocks", blocks)
        sink.items("tables", [table])
        sink.items("sheets", [Sheet("S", state="hidden")])
        sink.items("cells", cells, 0)
        sink.progress(Progress(1, 2, "sheet"))
        sink.items("blocks", [Block("b3")])

    found = sent(build, Document(format=Format("docx"), outline=[contract.OutlineItem("x", block_id="b1")]))
    assert found.blocks == [*blocks, Block("b3")]
    assert found.tables == [table]
    assert found.sheets[0].cells == cells
    assert found.outline == [contract.OutlineItem("x", block_id="b1")]


def test_what_is_left_unsaid_is_what_the_contract_takes_as_given() -> None:
    """For every class that is streamed: an item of nothing but defaults comes back equal, and short."""
    needed = {
        "id": "x1",
        "text": "t",
        "name": "n",
        "ref": "A1",
        "row": 1,
        "col": 1,
        "index": 1,
        "title": "t",
        "target": "u",
        "type": "insert",
    }
    shapes: dict[str, Any] = {
        "blocks": Block,
        "revisions": contract.Revision,
        "comments": contract.Comment,
        "slides": contract.Slide,
    }
    shapes |= {"images": Image, "pages": contract.Page, "links": contract.Link, "notes": contract.Note, "table_cells": Cell}
    for kind, shape in shapes.items():
        required = {f.name: needed[f.name] for f in fields(shape) if f.name in needed and f.name not in {"text", "name"}}
        if kind in {"blocks", "notes"}:
            required.pop("type", None)
        item = shape(**required)
        payload = b'{"attempt":1,"kind":"%s","items":[' % kind.encode() + wire.encode(item) + b"]}"
        assert parse_part(payload) == [item]
        assert len(wire.encode(item)) < 60


def test_what_json_cannot_carry_is_mended() -> None:
    def build(sink: wire.FrameSink) -> None:
        sink.items("sheets", [Sheet("S")])
        sink.items("cells", [SheetCell("A1", 1, 1, value=10**30, text="a\ud800b")], 0)

    found = sent(build)
    cell = found.sheets[0].cells[0]
    assert (cell.value, cell.text) == (str(10**30), "a\ufffdb")


def test_text_longer_than_a_frame() -> None:
    text = "ä" * (3 * MAX_FRAME)
    found = sent(
        lambda sink: sink.items("blocks", [Block("b1", text="before"), Block("b2", text=text), Block("b3", text="after")])
    )
    assert [b.id for b in found.blocks] == ["b1", "b2", "b3"]
    assert found.blocks[1].text == text


def test_another_item_longer_than_a_frame_is_a_limit() -> None:
    with pytest.raises(ExtractError) as caught:
        sent(lambda sink: sink.items("links", [contract.Link("u" * (MAX_FRAME + 1))]))
    assert (caught.value.code, caught.value.kind) == ("limit", "output")


def test_output_over_the_cap_is_a_limit_and_can_still_be_said() -> None:
    def write(answer: wire.Answer) -> None:
        answer.allow(MAX_FRAME + 1000)
        sink = wire.FrameSink(answer, 1)
        with pytest.raises(ExtractError):
            sink.items("blocks", [Block(f"b{number}", text="x" * 100_000) for number in range(100)])
        wire.send_failure(answer, contract.Failure("limit", "too much", "output"))

    collector = through(write)
    assert collector.failure is not None
    assert collector.failure.code == "limit"


def test_too_many_items_are_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MAX_ITEMS", 3)
    with pytest.raises(ExtractError) as caught:
        sent(lambda sink: sink.items("links", [contract.Link("u")] * 4))
    assert (caught.value.code, caught.value.kind) == ("limit", "items")


def test_assets_in_pieces() -> None:
    data = os.urandom(3 * 1024 * 1024 + 5)

    def write(answer: wire.Answer) -> None:
        sink = wire.FrameSink(answer, 1)
        sink.asset("i1", data)
        sink.asset("i2", b"")
        sink.items("images", [Image("i1"), Image("i2")])
        sink.result(Document(format=Format("docx")))

    assert through(write, assets=True).assets == {"i1": data, "i2": b""}


def test_progress_is_said_at_most_ten_times_a_second() -> None:
    def write(answer: wire.Answer) -> None:
        sink = wire.FrameSink(answer, 1)
        for number in range(1000):
            sink.progress(Progress(number, None, "page"))
        sink.result(Document(format=Format("pdf")))

    assert through(write)._progressed < 50


def test_costs_are_measured() -> None:
    used = wire.usage()
    assert used["peak_memory_mb"] > 5
    assert used["cpu_ms"] > 0


# -- what is left when a document is not read to its end ----------------------------------------------------------------


def test_what_waits_goes_out_with_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(wire.time, "monotonic", lambda: now[0])
    arrived: list[int] = []

    class Counted(wire.Answer):
        def frame(self, kind: FrameType, payload: bytes) -> None:
            arrived.append(payload.count(b'"id"'))

    reader, writer = os.pipe()
    sink = wire.FrameSink(Counted(writer), 1)
    for number, at in enumerate(
        [0.0, 0.003, 0.005, 0.012, 0.014, 0.029, 0.031, 0.050, 0.052]
    ):  # soon at first, then less often
        now[0] = 100 + at
        sink.items("blocks", [Block(f"b{number}")])
    assert arrived == [3, 2, 2, 2]
    sink.items("blocks", [Block("b9")])
    now[0] = 101
    sink.progress(Progress(1, 2, "page"))
    assert arrived[:5] == [3, 2, 2, 2, 1]
    os.close(reader)
    os.close(writer)


def _fails(error: BaseException) -> Callable[[Extraction], None]:
    def method(x: Extraction) -> None:
        x.progress(3, 9, "page")
        x.block(Block("b1", text="read"))
        x.block(Block("b2"))
        raise error

    return method


FAILURES = {
    "limit": (ExtractError("limit", "too much", kind="cells"), "limit"),
    "memory": (MemoryError(), "out-of-memory"),
    "recursion": (RecursionError(), "limit"),
    "any": (ValueError("x"), "corrupt"),
    "import": (ImportError("x"), "corrupt"),
}


@pytest.mark.parametrize("error", FAILURES.values(), ids=FAILURES)
def test_a_failure_comes_after_all_that_was_read(monkeypatch: pytest.MonkeyPatch, error: tuple[BaseException, str]) -> None:
    """Also when a second method then fails earlier than the first."""

    def second(x: Extraction) -> None:
        x.block(Block("c1"))
        raise ExtractError("corrupt", "no better")

    module = types.ModuleType("chain_under_test")
    module.first, module.second = _fails(error[0]), second  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "chain_under_test", module)
    steps = (methods.Step("first", "chain_under_test:first"), methods.Step("second", "chain_under_test:second"))
    monkeypatch.setitem(methods.CHAINS, "text", steps)
    collector = through(lambda answer: worker._work(Request(), b"some text\n", answer))
    assert collector.failure is not None
    assert collector.failure.code == error[1]
    found = collector.partial()
    assert (found.format.family, [b.id for b in found.blocks]) == ("text", ["b1", "b2"])
    assert found.stopped_at == {"page": 3}


def test_a_fault_outside_of_the_methods_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(data: bytes, request: Request, found: Format, sink_for: methods.SinkFactory) -> Extraction:
        sink_for(1, Document(found)).items("blocks", [Block("b1")])
        raise LookupError

    monkeypatch.setattr(methods, "run", run)
    collector = through(lambda answer: worker._work(Request(), b"some text\n", answer))
    assert collector.failure is not None
    assert (collector.failure.code, [b.id for b in collector.partial().blocks]) == ("internal", ["b1"])


def test_a_failure_is_told_when_what_was_read_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(data: bytes, request: Request, found: Format, sink_for: methods.SinkFactory) -> Extraction:
        sink = sink_for(1, Document(found))
        sink.items("blocks", [Block("b1")])
        monkeypatch.setattr(sink, "flush", out_of_memory)
        raise MemoryError

    def out_of_memory() -> None:
        raise MemoryError

    monkeypatch.setattr(methods, "run", run)
    collector = through(lambda answer: worker._work(Request(), b"some text\n", answer))
    assert collector.failure is not None
    assert collector.failure.code == "out-of-memory"


def test_a_process_that_was_killed_for_its_memory_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "oom_kills", lambda: 1)
    monkeypatch.setattr(worker, "oom_kills", lambda: 1)
    collector = through(lambda answer: worker._work(Request(), b"some text\n", answer))
    assert collector.failure is not None
    assert (collector.failure.code, collector.partial().blocks[0].text) == ("out-of-memory", "some text")


COUNTERS = {
    "v2": ("low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 1\n", 2),
    "v1": ("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n", 1),
    "none": ("oom_kill_disable 1\nunder_oom 0\noom_kill 0\n", 0),
    "an older kernel": ("oom_kill_disable 0\nunder_oom 1\n", 0),
    "nonsense": ("oom_kill oom_kill many", 0),
}


@pytest.mark.parametrize("counter", COUNTERS.values(), ids=COUNTERS)
def test_the_kernels_count_of_kills(tmp_path: Path, counter: tuple[str, int]) -> None:
    (tmp_path / "there").write_text(counter[0])
    assert supervise.oom_kills((str(tmp_path / "missing"), str(tmp_path), str(tmp_path / "there"))) == counter[1]
    assert supervise.oom_kills((str(tmp_path / "missing"),)) == 0


def test_embedded_documents_fit_their_frames() -> None:
    """As much as there may be of one, with as many keys as there may be, is taken by the host; the rest was left out and said."""
    outer = Document(Format("docx"))

    def build(sink: wire.FrameSink) -> None:
        x = Extraction(b"", Request(), outer, sink)
        attach(x, "rows.csv", "text/csv", b"".join(b"a%d,b,c,d,e,f,g,h\n" % row for row in range(4000)))
        attach(x, "words.txt", "text/plain", b"\n\n".join(b"%d " % n + b"word " * 6000 for n in range(130)))
        attach(x, "small.txt", "text/plain", b"small")

    found = sent(build, outer)
    rows, words, small = (attachment.document for attachment in found.attachments)
    assert rows is not None
    assert rows.partial
    assert 10_000 < sum(len(sheet.cells) for sheet in rows.sheets) < 32_000
    assert words is not None
    assert words.partial
    assert 90 < len(words.blocks) < 130
    assert small is not None
    assert not small.partial
    assert [(w.code, w.where) for w in found.warnings] == [("attachment-cut", "rows.csv"), ("attachment-cut", "words.txt")]
