"""A long answer is read from a file: nobody can tell, but for the memory that it takes and what a full disk does."""

from __future__ import annotations

import errno
import gc
import json
import os
import stat
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from builders import documents
from builders.frames import collected, frames, sent
from fumehood.documents import assets, render_html, render_markdown, render_text, spool
from fumehood.documents.sanitise import find_invisible
from fumehood.documents.serialise import iter_json, plain, to_json
from fumehood.documents.spool import Spooled
from fumehood.documents.validate import AssetPiece
from fumehood.documents.views import apply_view
from fumehood.errors import FumehoodError
from fumehood.results import ExtractResult
from fumehood.store.weight import disk_bytes, document_bytes
from fumehood_sandbox.contract import Block, Cell, Comment, Document, Format, Note, Page, Run, Sheet, SheetCell, Slide, Table
from fumehood_sandbox.frames import ProtocolError


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "fumehood"


def descriptors() -> int:
    gc.collect()  # what other tests have left is not ours
    return _open_now()


def _open_now() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def everything() -> Document:
    """Nested tables, notes, comments, headers, text boxes, slides, pages; sheets sparse, hidden in part."""
    blocks = [
        Block("b1", "heading", "One", level=1, page=1),
        Block("b2", "table", table_id="t1"),
        Block("b3", text="outer", table_id="t1", row=1, col=1),
        Block("b4", "table", table_id="t2"),
        Block("b5", text="inner | pipe", table_id="t2", row=1, col=1),
        Block("b6", text="a", table_id="t1", row=2, col=1),
        Block("b7", "list_item", "b", table_id="t1", row=2, col=1),
        Block(
            "b8", text="zero\u200bwidth and \x1b[31mred", runs=[Run("zero\u200bwidth and ", note_id="n1"), Run("\x1b[31mred")]
        ),
        Block("b9", text="beside", part="textbox", page=2),
        *(Block(f"b{n}", text="running", part="header") for n in range(10, 13)),
        Block("b13", text="noted", part="footnote", note_id="n1"),
        Block("b14", text="lost", part="endnote", note_id=None),
        Block("b15", "table", table_id="t3"),
    ]
    tables = [
        Table("t1", 2, 1, cells=[Cell(1, 1, text="outer", table_id="t2"), Cell(2, 1, text="a\nb")]),
        Table("t2", 1, 1, cells=[Cell(1, 1, text="inner | pipe")]),
        Table("t3", 1, 2, caption="C\u202e", cells=[Cell(1, 1, text="x"), Cell(1, 2, text="y\u202e")]),
    ]
    sheets = [
        Sheet(
            "S",
            hidden_rows=[2],
            hidden_cols=[2],
            cells=[_cell(1, 2), _cell(1, 1), _cell(2, 1, hidden="hidden_row"), _cell(2, 2)],
        ),
        Sheet("Far", cells=[_cell(1, 1), _cell(90_000, 300, comment="so\u2028far")]),
        Sheet("None"),
    ]
    return Document(
        Format("docx"),
        blocks=blocks,
        tables=tables,
        sheets=sheets,
        slides=[Slide(2, "B"), Slide(1, "A", block_ids=["b1"], notes="said")],
        pages=[Page(1, "i"), Page(2)],
        notes=[Note("n1", ref_block_id="b8"), Note("n2", "endnote", "text alone")],
        comments=[Comment("c1", "Ann", text="?"), Comment("c2", "Bob", text="!", parent_id="c1")],
    )


def _cell(row: int, col: int, hidden: str | None = None, comment: str | None = None) -> SheetCell:
    return SheetCell(f"R{row}C{col}", row, col, "number", row * col, f"{row}×{col}", hidden=hidden, comment=comment)


MAKERS: dict[str, Callable[[], Document]] = {
    "everything": everything,
    "ferry": documents.ferry,
    "hostile": documents.hostile,
    "workbook": documents.workbook,
    "slides": documents.slides,
    "prose": lambda: documents.prose(50),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_every_rendering_is_the_same(make: Callable[[], Document]) -> None:
    came = sent(make())
    held, spooled = collected(came, in_a_file=False), collected(came, in_a_file=True)
    assert disk_bytes(spooled) > 0 == disk_bytes(held)
    assert plain(spooled) == plain(held)
    for view in ("accepted", "original", "markup"):
        one, other = apply_view(held, view), apply_view(spooled, view)
        assert plain(other) == plain(one)
        for renderer in (render_markdown, render_text, render_html):
            assert renderer.render(other) == renderer.render(one)
        shown = ExtractResult("p", other, None, {"bytes": 1})
        assert json.loads(to_json(shown)) == shown.to_dict()
        assert b"".join(iter_json(shown)) == to_json(ExtractResult("p", one, None, {"bytes": 1}))
    assert find_invisible(spooled) == find_invisible(held)


def long_document(count: int) -> Document:
    return Document(Format("text"), blocks=[Block(f"b{n}", text=f"line {n} " * 10) for n in range(1, count + 1)])


def test_a_sequence_like_a_list() -> None:
    held = long_document(20_000)
    expected = list(held.blocks)
    blocks = collected(sent(held), in_a_file=True).blocks
    assert isinstance(blocks, Spooled)
    assert len(blocks) == 20_000
    assert list(blocks) == list(blocks) == expected
    assert blocks == expected
    for at in (0, 1, 9_999, 19_999, -1, -20_000):
        assert blocks[at] == expected[at]
    assert blocks[19_998:] == expected[19_998:]
    assert blocks[::-5_000] == expected[::-5_000]
    assert Block("b7", text="line 7 " * 10) in blocks
    for outside in (20_000, -20_001):
        with pytest.raises(IndexError):
            blocks[outside]


def test_threads_may_look_at_once() -> None:
    blocks = collected(sent(long_document(20_000)), in_a_file=True).blocks
    wrong: list[int] = []

    def look(start: int) -> None:
        wrong.extend(at for at in range(start, 20_000, 97) if blocks[at].id != f"b{at + 1}")

    threads = [threading.Thread(target=look, args=(start,)) for start in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_file_has_no_name_is_private_and_goes_with_its_document(cache: Path) -> None:
    before = descriptors()
    document = collected(sent(documents.ferry()), in_a_file=True)
    assert descriptors() == before + 1
    facts = os.fstat(document.blocks.file._descriptor)
    assert (facts.st_nlink, stat.S_IMODE(facts.st_mode)) == (0, 0o600)
    assert list(cache.iterdir()) == []
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    view = apply_view(document, "original")
    del document
    assert view.blocks[0].id == "b1"
    del view, facts
    gc.disable()
    try:
        document = collected(sent(everything()), in_a_file=True)
        assert document.sheets[0].cells[0].row == 1
        del document
        assert _open_now() == before, "closed without the cycle collector's help"
    finally:
        gc.enable()


def test_a_full_disk_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    came = sent(long_document(20_000))
    before = descriptors()
    real = os.pwrite

    def full(descriptor: int, data: bytes, offset: int) -> int:
        if offset > 500_000:
            raise OSError(errno.ENOSPC, "full")
        return real(descriptor, data, offset)

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(FumehoodError, match="no space left on device") as caught:
        collected(came, in_a_file=True)
    assert caught.value.code == "internal"
    del caught
    assert descriptors() == before


def test_no_folder_to_write_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(FumehoodError, match="cache folder"):
        collected(sent(documents.ferry()), in_a_file=True)


def test_a_file_system_without_nameless_files(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    came = sent(documents.ferry())
    monkeypatch.delattr(os, "O_TMPFILE")
    document = collected(came, in_a_file=True)
    assert list(cache.iterdir()) == []
    assert document.blocks[0].id == "b1"


def test_memory_does_not_grow_with_the_answer() -> None:
    """Four times the answer, the same peak: a part of what it would take to hold it."""

    def peak(count: int) -> int:
        came = sent(long_document(count))
        gc.collect()
        tracemalloc.start()
        try:
            document = collected(came, in_a_file=True)
            assert sum(len(block.text) for block in document.blocks) > count * 90
            for _ in render_markdown.iter_markdown(apply_view(document, "accepted")):
                pass
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    short, long = peak(10_000), peak(40_000)
    assert long < 2 * short
    assert document_bytes(collected(sent(long_document(20_000)), in_a_file=True)) < 16 * 1024 * 1024


@pytest.mark.parametrize("characters", ["abcd", "aé漢😀"])
def test_a_text_longer_than_frames_is_put_together(characters: str) -> None:
    text = characters * 1_500_000
    came = sent(Document(Format("text"), blocks=[Block("b1", text=text), Block("b2", text="after")]))
    document = collected(came, in_a_file=True)
    tracemalloc.start()
    try:
        blocks = iter(document.blocks)
        assert next(blocks).text == text
        if text.isascii():
            assert tracemalloc.get_traced_memory()[1] < 1.5 * len(text), "held once"
        assert next(blocks).text == "after"
    finally:
        tracemalloc.stop()


def test_a_long_sheet_out_of_order_is_listed() -> None:
    """Sorting it would hold it: each cell says its place instead."""
    document = Document(Format("xlsx"), sheets=[Sheet("S", cells=[_cell(3, 1), _cell(1, 1), _cell(2, 2)])])
    came = sent(document)
    assert "| 1×1 |" in render_markdown.render(collected(came, in_a_file=False))
    assert "- A3: 3×1\n- A1: 1×1\n- B2: 2×2" in render_markdown.render(collected(came, in_a_file=True))


@pytest.mark.parametrize(
    ("many", "message"),
    [
        (lambda sink: sink.items("blocks", [Block(f"x-{n}") for n in range(20_001)]), "not numbered"),
        (lambda sink: sink.items("slides", [Slide(n) for n in range(200_001)]), "than allowed"),
    ],
    ids=["ids of no number", "slides"],
)
def test_what_would_have_to_be_held_is_bounded(many, message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        collected(frames(many, Document(Format("text"))), in_a_file=True)


def test_an_answer_in_too_many_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "MAX_CHUNKS", 10)

    def build(sink) -> None:
        sink.items("sheets", [Sheet("A"), Sheet("B")])
        for n in range(20):
            sink.items("cells", [_cell(n + 1, 1)], n % 2)

    with pytest.raises(ProtocolError, match="pieces"):
        collected(frames(build, Document(Format("xlsx"))), in_a_file=True)


def test_many_images_go_to_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    before = descriptors()
    monkeypatch.setattr(assets, "MAX_IN_MEMORY", 1000)
    images = assets.Assets()
    images.add(AssetPiece(1, "i1", last=True, data=b"a" * 400))
    images.add(AssetPiece(1, "i2", last=False, data=b"b" * 400))
    assert (images.disk, descriptors()) == (0, before)
    images.add(AssetPiece(1, "i3", last=True, data=b"c" * 400))
    images.add(AssetPiece(1, "i2", last=False, data=b"d" * 400))
    assert images.unfinished
    assert set(images) == {"i1", "i3"}
    images.add(AssetPiece(1, "i2", last=True, data=b""))
    assert dict(images) == {"i1": b"a" * 400, "i2": b"b" * 400 + b"d" * 400, "i3": b"c" * 400}
    assert (images.disk, images.memory) == (1600, 1500)
    assert dict(images.of({"i3", "i9"})) == {"i3": b"c" * 400}
    with pytest.raises(ProtocolError):
        images.add(AssetPiece(1, "i3", last=True, data=b""))
    del images
    assert descriptors() == before
