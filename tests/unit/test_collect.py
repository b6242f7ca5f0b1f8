"""The order of frames, attempts, owners, and the consistency of what parts say of each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fumehood.documents import collect, gather
from fumehood.documents.collect import Collector
from fumehood_sandbox.contract import Document, Progress
from fumehood_sandbox.frames import Frame, FrameType, ProtocolError


@pytest.fixture(autouse=True, params=["in memory", "in a file"])
def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every test runs twice: what is short is held in memory, what is long in a file, and nobody can tell."""
    if request.param == "in a file":
        monkeypatch.setattr(gather, "MAX_IN_MEMORY", -1)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


READY = Frame(FrameType.READY, b"{}")


def part(kind: str, *items: Any, owner: Any = None, attempt: int = 1) -> Frame:
    shape = {"attempt": attempt, "kind": kind, "owner": owner, "items": list(items)}
    return Frame(FrameType.PART, json.dumps(shape).encode())


def result(attempt: int = 1, **document: Any) -> Frame:
    shape = {"attempt": attempt, "document": {"format": {"family": "docx"}, **document}, "cpu_ms": 12, "peak_memory_mb": 34}
    return Frame(FrameType.RESULT, json.dumps(shape).encode())


def asset(name: str, data: bytes, *, last: bool = True, attempt: int = 1) -> Frame:
    head = json.dumps({"attempt": attempt, "id": name, "last": last}).encode()
    return Frame(FrameType.ASSET, len(head).to_bytes(2, "big") + head + data)


def collected(*frames: Frame, **options: Any) -> Collector:
    collector = Collector(**options)
    for frame in (READY, *frames):
        collector.add(frame)
    return collector


def document(*frames: Frame, **options: Any) -> Document:
    found = collected(*frames, **options).document
    assert found is not None
    return found


def block(name: str, **more: Any) -> dict[str, Any]:
    return {"id": name, **more}


def cell(row: int = 1, col: int = 1, **more: Any) -> dict[str, Any]:
    return {"row": row, "col": col, **more}


def test_parts_join_in_order() -> None:
    found = document(
        part("blocks", block("b1", text="one"), block("b2")),
        part("tables", {"id": "t1", "n_rows": 1, "n_cols": 2, "cells": [cell()]}),
        part("table_cells", cell(1, 2, text="x"), owner="t1"),
        part("sheets", {"name": "A"}, {"name": "B"}),
        part("cells", ["A1", 1, 1, "number", 1.5, "1.5"], owner=1),
        part("blocks", block("b3")),
        result(counts={"paragraphs": 3}),
    )
    assert [b.id for b in found.blocks] == ["b1", "b2", "b3"]
    assert [c.text for c in found.tables[0].cells] == ["", "x"]
    assert [len(s.cells) for s in found.sheets] == [0, 1]
    assert found.counts == {"paragraphs": 3}


def test_costs_are_taken_from_the_result() -> None:
    collector = collected(result())
    assert (collector.cpu_ms, collector.peak_memory_mb) == (12, 34)


def test_long_text_continues() -> None:
    found = document(part("blocks", block("b1", text="a")), part("block_text", "b", "c", owner="b1"), result())
    assert found.blocks[0].text == "abc"


def test_a_failed_attempt_is_dropped() -> None:
    found = document(
        part("blocks", block("b1", text="half")),
        asset("i1", b"x", last=False),
        part("blocks", block("b1", text="whole"), attempt=2),
        result(attempt=2),
        want_assets=True,
    )
    assert [b.text for b in found.blocks] == ["whole"]


def test_an_attempt_without_parts_gives_an_empty_document() -> None:
    assert document(part("blocks", block("b1")), result(attempt=2)).blocks == []


def test_progress_is_passed_on() -> None:
    seen: list[Progress] = []
    collected(Frame(FrameType.PROGRESS, b'{"done":3,"total":9,"unit":"page"}'), on_progress=seen.append)
    assert seen == [Progress(3, 9, "page")]


def test_assets_are_joined_and_belong_to_images() -> None:
    frames = [asset("i1", b"ab", last=False), asset("i1", b"cd"), part("images", {"id": "i1"})]
    assert collected(*frames, result(), want_assets=True).assets == {"i1": b"abcd"}


def test_partial_keeps_what_came() -> None:
    found = collected(part("blocks", block("b1", table_id="t9"))).partial()
    assert [b.id for b in found.blocks] == ["b1"]
    assert found.blocks[0].table_id is None


FORMAT = part("format", {"family": "docx", "name": "Word document"})


def test_partial_has_the_format_and_where_it_stopped() -> None:
    collector = collected(FORMAT, part("blocks", block("b1")), Frame(FrameType.PROGRESS, b'{"done":7,"unit":"page"}'))
    found = collector.partial()
    assert (found.format.family, found.format.name) == ("docx", "Word document")
    assert (found.partial, found.stopped_at, collector.items) == (True, {"page": 7}, 1)


@pytest.mark.parametrize(
    ("unit", "frames"),
    [
        ("page", [part("pages", {"index": 8, "kind": "text"}, {"index": 9, "kind": "text"})]),
        ("slide", [part("slides", {"index": 8}, {"index": 9})]),
        ("sheet", [part("sheets", *[{"name": f"S{n}"} for n in range(9)])]),
        (
            "row",
            [
                part("sheets", {"name": "S"}),
                part("cells", ["A8", 8, 1, "text", "x", ""], ["A9", 9, 1, "text", "x", ""], owner=0),
            ],
        ),
    ],
)
def test_partial_stopped_no_earlier_than_what_it_has(unit: str, frames: list[Frame]) -> None:
    """Parts come more often than progress is told: whoever reads on from there must not read anything twice."""
    progress = json.dumps({"done": 7, "unit": unit}).encode()
    assert collected(FORMAT, Frame(FrameType.PROGRESS, progress), *frames).partial().stopped_at == {unit: 9}
    progress = json.dumps({"done": 11, "unit": unit}).encode()
    assert collected(FORMAT, Frame(FrameType.PROGRESS, progress), *frames).partial().stopped_at == {unit: 11}


def test_partial_without_progress_counts_blocks() -> None:
    found = collected(FORMAT, part("blocks", block("b1"), block("b2"))).partial()
    assert found.stopped_at == {"block": 2}


def test_partial_of_nothing_has_no_items() -> None:
    assert collected(FORMAT).items == 0
    assert collected().partial().format.family == "unknown"


def test_partial_is_the_attempt_that_read_the_most() -> None:
    frames = [
        part("blocks", block("b1", text="first"), block("b2")),
        Frame(FrameType.PROGRESS, b'{"done":2,"unit":"block"}'),
        part("blocks", block("b1", text="second"), attempt=2),
        Frame(FrameType.PROGRESS, b'{"done":1,"unit":"page"}'),
    ]
    found = collected(FORMAT, *frames).partial()
    assert ([b.text for b in found.blocks], found.stopped_at) == (["first", ""], {"block": 2})
    found = collected(FORMAT, *frames, part("blocks", block("b2"), block("b3"), attempt=3)).partial()
    assert [b.id for b in found.blocks] == ["b1", "b2"]
    found = collected(*frames, part("blocks", block("c1"), block("c2"), block("c3"), attempt=3)).partial()
    assert ([b.id for b in found.blocks], found.stopped_at) == (["c1", "c2", "c3"], {"block": 3})


def test_two_attempts_are_together_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collect, "MAX_ITEMS", 3)
    collector = collected(part("blocks", block("b1"), block("b2")), part("blocks", block("c1"), block("c2"), attempt=2))
    assert [b.id for b in collector.partial().blocks] == ["c1", "c2"]


def test_partial_says_what_was_tried() -> None:
    failed = Frame(FrameType.ERROR, b'{"code":"corrupt","tried":[{"name":"ooxml","ok":false,"reason":"corrupt"}]}')
    found = collected(part("blocks", block("b1")), failed).partial()
    assert [(m.name, m.ok) for m in found.methods] == [("ooxml", False)]


BROKEN = {
    "the format twice": [FORMAT, FORMAT],
    "the format after a part": [part("blocks", block("b1")), FORMAT],
    "two formats": [part("format", {"family": "a"}, {"family": "b"})],
    "no format": [part("format")],
    "no READY": [],
    "READY twice": [READY],
    "a frame after the result": [result(), part("blocks")],
    "two results": [result(), result()],
    "an earlier attempt": [part("blocks", attempt=2), part("blocks", attempt=1)],
    "cells of no sheet": [part("cells", owner=0)],
    "cells of a missing sheet": [part("sheets", {"name": "A"}), part("cells", owner=1)],
    "cells of a dropped sheet": [part("sheets", {"name": "A"}), part("cells", owner=0, attempt=2)],
    "cells by name": [part("sheets", {"name": "A"}), part("cells", owner="A")],
    "cells of no table": [part("table_cells", owner="t1")],
    "text of no block": [part("block_text", "x", owner="b1"), result()],
    "text without an owner": [part("block_text", "x")],
    "a block id twice": [part("blocks", block("b1")), part("blocks", block("b1")), result()],
    "an empty id": [part("blocks", block("")), result()],
    "a table id twice": [part("tables", {"id": "t1"}, {"id": "t1"}), result()],
    "an asset nobody asked for": [asset("i1", b"x")],
    "a streamed list in the result": [result(blocks=[block("b1")])],
    "a cell at row 0": [part("tables", {"id": "t1", "cells": [cell(0, 1)]}), result()],
    "a span of nothing": [part("tables", {"id": "t1", "cells": [cell(row_span=0)]}), result()],
    "a table of 2**53 rows": [part("tables", {"id": "t1", "n_rows": 2**53}), result()],
    "a table that is all grid": [part("tables", {"id": "t1", "n_rows": 1_000_000, "n_cols": 16_000}), result()],
    "a span over everything": [part("tables", {"id": "t1", "cells": [cell(col_span=2**40)]}), result()],
    "a table in itself": [part("tables", {"id": "t1", "cells": [cell(table_id="t1")]}), result()],
    "tables in each other": [
        part("tables", {"id": "t1", "cells": [cell(table_id="t2")]}, {"id": "t2", "cells": [cell(table_id="t1")]}),
        result(),
    ],
    "a table in two": [
        part("tables", {"id": "a", "cells": [cell(table_id="c")]}, {"id": "b", "cells": [cell(table_id="c")]}, {"id": "c"}),
        result(),
    ],
    "a cell out of any sheet": [
        part("sheets", {"name": "A"}),
        part("cells", ["A1", 2**31, 1, "text", None, ""], owner=0),
        result(),
    ],
    "a broken document in an attachment": [
        part("attachments", {"document": {"format": {"family": "docx"}, "blocks": [block("b1"), block("b1")]}}),
        result(),
    ],
}


@pytest.mark.parametrize("frames", BROKEN.values(), ids=BROKEN)
def test_broken_answers(frames: list[Frame]) -> None:
    if not frames:
        with pytest.raises(ProtocolError):
            Collector().add(result())
        return
    with pytest.raises(ProtocolError):
        collected(*frames)


@pytest.mark.parametrize(
    "frames",
    [
        [asset("i1", b"x"), asset("i1", b"y")],
        [asset("i1", b"x", last=False), part("images", {"id": "i1"}), result()],
        [asset("i1", b"x"), result()],
    ],
    ids=["twice", "without its end", "of no image"],
)
def test_broken_assets(frames: list[Frame]) -> None:
    with pytest.raises(ProtocolError):
        collected(*frames, want_assets=True)


def test_the_number_of_items_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collect, "MAX_ITEMS", 3)
    with pytest.raises(ProtocolError, match="items"):
        collected(part("links", {"target": "a"}, {"target": "b"}), part("links", {"target": "c"}, {"target": "d"}))


def test_references_to_nothing_are_blanked_and_counted() -> None:
    found = document(
        part("blocks", block("b1", table_id="t9", image_id="i9", note_id="n9", runs=[{"image_id": "i9", "note_id": "n9"}])),
        part("tables", {"id": "t1", "cells": [cell(table_id="t9")]}),
        part("slides", {"index": 1, "block_ids": ["b1", "b9"]}),
        part("outline", {"title": "x", "block_id": "b9"}),
        part("notes", {"id": "n1", "ref_block_id": "b9"}),
        result(),
    )
    first = found.blocks[0]
    assert (first.table_id, first.image_id, first.note_id, first.runs[0].image_id, first.runs[0].note_id) == (None,) * 5
    assert found.tables[0].cells[0].table_id is None
    assert found.slides[0].block_ids == ["b1"]
    assert found.outline[0].block_id is None
    assert found.notes[0].ref_block_id is None
    assert [(w.code, w.count) for w in found.warnings] == [("dangling-reference", 9)]


def test_references_to_something_are_kept() -> None:
    found = document(
        part("blocks", block("b1", table_id="t1", image_id="i1", note_id="n1")),
        part("tables", {"id": "t1", "cells": [cell(table_id="t2")]}, {"id": "t2"}),
        part("images", {"id": "i1"}),
        part("notes", {"id": "n1", "ref_block_id": "b1"}),
        result(),
    )
    assert (found.blocks[0].table_id, found.blocks[0].image_id, found.blocks[0].note_id) == ("t1", "i1", "n1")
    assert found.tables[0].cells[0].table_id == "t2"
    assert found.warnings == []


def test_a_table_grows_to_its_cells() -> None:
    table = document(part("tables", {"id": "t1", "cells": [cell(2, 3, col_span=2)]}), result()).tables[0]
    assert (table.n_rows, table.n_cols) == (2, 4)


def test_only_a_nested_document_may_call_itself_partial() -> None:
    nested = {"format": {"family": "pdf"}, "partial": True, "view": "original", "stopped_at": {"page": 3}, "doc_id": "x"}
    found = document(part("attachments", {"name": "a", "document": nested}), result(partial=True))
    inner = found.attachments[0].document
    assert inner is not None
    assert (found.partial, inner.partial) == (False, True)
    assert (inner.view, inner.stopped_at, inner.doc_id) == (None, None, "")
