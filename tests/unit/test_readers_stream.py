"""Readers hand on what they have read while they read: a document that dies half-way leaves it with the host.

`Watched` notes what each item says at the moment when it is handed on: nothing may be filled in later.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from builders import docx as word
from builders.pptx import presentation, slide
from builders.xlsx import workbook
from fumehood_sandbox import xmlsafe
from fumehood_sandbox.contract import Document, Format, PartKind, Progress, Request
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors import docx, pptx, xlsx


class Watched:
    """A sink that keeps copies, in order."""

    def __init__(self) -> None:
        self.calls: list[tuple[PartKind, list[Any]]] = []
        self.progressed: list[Progress] = []

    def items(self, kind: PartKind, items: list[Any], owner: int | str | None = None) -> None:
        del owner
        self.calls.append((kind, copy.deepcopy(items)))

    def asset(self, image_id: str, data: bytes) -> None: ...

    def progress(self, progress: Progress) -> None:
        self.progressed.append(progress)
        self.calls.append(("blocks", []))

    def all(self, kind: PartKind) -> list[Any]:
        return [item for called, items in self.calls if called == kind for item in items]

    def sizes(self, kind: PartKind) -> list[int]:
        return [len(items) for called, items in self.calls if called == kind and items]

    def first(self, kind: PartKind) -> int:
        return next(at for at, (called, items) in enumerate(self.calls) if called == kind and items)


def read(extract: Callable[[Extraction], None], data: bytes, family: str) -> Watched:
    sink = Watched()
    extract(Extraction(data, Request(), Document(Format(family)), sink))
    return sink


def read_docx(body: str, **parts: str) -> Watched:
    return read(docx.extract, word.docx(body, **parts), "docx")


# --- docx ------------------------------------------------------------------------------------------------------------


def test_paragraphs_go_out_in_batches() -> None:
    sink = read_docx("".join(word.p(f"text {n}") for n in range(3000)))
    assert [b.text for b in sink.all("blocks")] == [f"text {n}" for n in range(3000)]
    assert max(sink.sizes("blocks")) <= 512
    assert [p.done for p in sink.progressed] == sorted(p.done for p in sink.progressed)


def test_the_rows_of_a_long_table_go_out_before_its_end() -> None:
    sink = read_docx(word.table(*([f"cell {n}", "x"] for n in range(2000))))
    assert max(sink.sizes("blocks")) <= 600
    assert sink.first("blocks") < sink.first("tables")
    assert [b.id for b in sink.all("blocks")] == [f"b{n}" for n in range(1, 4002)]
    first = sink.all("blocks")[0]
    assert (first.type, first.in_accepted, first.in_original) == ("table", True, True)


def test_a_table_waits_while_it_is_open_in_which_views_it_is() -> None:
    gone = f"<w:trPr><w:del {word.WHO}/></w:trPr>"
    sink = read_docx(word.p("before") + word.table(*([gone, f"cell {n}"] for n in range(1000))))
    before, table, cell, *_ = sink.all("blocks")
    assert (before.text, table.type, cell.text) == ("before", "table", "cell 0")
    assert (table.in_accepted, table.in_original, cell.in_accepted) == (False, True, False)
    assert [r.text for r in sink.all("revisions")] == [f"cell {n}" for n in range(1000)]


def test_a_revision_goes_out_with_its_text() -> None:
    """A row that is revised ends behind the nested table that fills more than a batch."""
    inner = word.table(*([f"inner {n}"] for n in range(700)))
    row = f"<w:trPr><w:ins {word.WHO}/></w:trPr>"
    sink = read_docx(word.table(["kept"], [row, f"{word.p('first')}{inner}{word.p('last')}"], ["behind"]))
    (revision,) = sink.all("revisions")
    assert (revision.type, revision.text) == ("row_insert", "first\nlast")
    assert [b.id for b in sink.all("blocks")] == [f"b{n}" for n in range(1, len(sink.all("blocks")) + 1)]


def test_what_was_read_before_the_end_is_there() -> None:
    """The document is refused by its last table; what stands before it has been handed on."""
    wide = f"<w:tbl><w:tr>{'<w:tc/>' * 20_000}</w:tr></w:tbl>"
    sink = Watched()
    data = word.docx("".join(word.p(f"text {n}") for n in range(2000)) + word.table(*(["x"] for _ in range(1000))) + wide)
    with pytest.raises(ExtractError):
        docx.extract(Extraction(data, Request(), Document(Format("docx")), sink))
    assert len(sink.all("blocks")) > 2700


def test_comments_and_notes_go_out_one_by_one() -> None:
    comments = "".join(
        f'<w:comment w:id="{n}" w:author="Ann"><w:p w14:paraId="{n:08X}"><w:r><w:t>about {n}</w:t></w:r></w:p></w:comment>'
        for n in range(1000)
    )
    extended = "".join(f'<w15:commentEx w15:paraId="{n:08X}" w15:paraIdParent="{n + 1:08X}"/>' for n in range(0, 1000, 2))
    sink = read_docx(word.p("x"), comments=comments, commentsExtended=extended)
    found = sink.all("comments")
    assert [c.text for c in found] == [f"about {n}" for n in range(1000)]
    assert found[0].parent_id == found[1].id, "a comment may answer a later one"
    assert max(sink.sizes("comments")) == 1
    assert max(sink.sizes("blocks")) <= 512


def test_one_long_paragraph_shows_signs_of_life() -> None:
    sink = read_docx(word.p(*(word.t("x", "<w:b/>") if n % 2 else word.t("y") for n in range(20_000))))
    assert len(sink.progressed) >= 4
    assert len(sink.all("blocks")[0].runs) == 20_000


def test_a_large_part_shows_signs_of_life_while_it_is_parsed() -> None:
    lived: list[int] = []
    xmlsafe.parse(b"<a>" + b"<b>x</b>" * 700_000 + b"</a>", alive=lambda: lived.append(1))
    assert len(lived) == 5
    sink = read_docx(word.p("x" * 3_000_000))
    first = sink.first("blocks")
    assert any(not items for _, items in sink.calls[:first])


# --- xlsx ------------------------------------------------------------------------------------------------------------


def rows(first: int, last: int, attributes: str = "") -> str:
    return "".join(
        f'<row r="{r}" {attributes}>' + "".join(f'<c r="{c}{r}"><v>{r}</v></c>' for c in "ABCDE") + "</row>"
        for r in range(first, last)
    )


def test_a_large_sheet_goes_out_while_it_is_read() -> None:
    behind = (
        '<mergeCells><mergeCell ref="A1:B2"/></mergeCells><hyperlinks><hyperlink ref="C7000" location="here"/></hyperlinks>'
    )
    hidden = rows(7000, 7001, 'hidden="1"')
    sheet = f"<sheetData>{rows(1, 7000)}{hidden}</sheetData>{behind}<headerFooter><oddHeader>Head</oddHeader></headerFooter>"
    sink = read(xlsx.extract, workbook(sheet), "xlsx")
    assert max(sink.sizes("cells")) <= 2000
    (told,) = sink.all("sheets")
    assert (told.merged, told.hidden_rows) == (["A1:B2"], [7000])
    assert sink.first("sheets") < sink.first("cells")
    cells = sink.all("cells")
    assert [c.ref for c in cells] == [f"{c}{r}" for r in range(1, 7001) for c in "ABCDE"]
    assert [(c.ref, c.link) for c in cells if c.link] == [("C7000", "#here")]
    assert {c.hidden for c in cells[-5:]} == {"hidden_row"}
    assert [b.text for b in sink.all("blocks")] == ["Head"]


def test_a_large_sheet_that_breaks_off_keeps_what_stood_before() -> None:
    sheet = f"<sheetData>{rows(1, 6001)}<row r='6001'><c r='A6001'><v>last</v></c><c r='B6001'></row></sheetData>"
    sink = Watched()
    x = Extraction(workbook(sheet), Request(), Document(Format("xlsx")), sink)
    xlsx.extract(x)
    cells = sink.all("cells")
    assert (len(cells), cells[-1].ref, cells[-1].text) == (30_001, "A6001", "last")
    assert [w.code for w in x.document.warnings] == ["sheet-unreadable"]


def test_the_first_cells_are_with_the_host_when_a_sheet_is_over_a_limit() -> None:
    sheet = f'<sheetData>{rows(1, 6001)}<row r="99999999999"><c r="A99999999999"><v>1</v></c></row></sheetData>'
    sink = Watched()
    with pytest.raises(ExtractError):
        xlsx.extract(Extraction(workbook(sheet), Request(), Document(Format("xlsx")), sink))
    assert len(sink.all("cells")) >= 20_000


def test_one_row_of_very_many_cells_is_bounded() -> None:
    """No sheet has such a row; its cells are given while it is still open."""
    cells = "".join("<c><v>1</v></c>" for _ in range(50_000))
    sink = read(xlsx.extract, workbook(f"<sheetData><row>{cells}</row></sheetData>"), "xlsx")
    found = sink.all("cells")
    assert (len(found), found[0].ref, found[-1].col) == (50_000, "A1", 16_384)


# --- pptx ------------------------------------------------------------------------------------------------------------


def test_the_rows_of_a_slides_table_go_out_before_its_end() -> None:
    cell = "<a:tc><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc>"
    table = f"<a:tbl>{f'<a:tr>{cell * 3}</a:tr>' * 200}</a:tbl>"
    frame = f"<p:graphicFrame><a:graphic><a:graphicData>{table}</a:graphicData></a:graphic></p:graphicFrame>"
    sink = read(pptx.extract, presentation(slide(frame)), "pptx")
    assert max(sink.sizes("blocks")) == 1
    assert sink.first("blocks") < sink.first("tables")
    assert len(sink.all("tables")[0].cells) == 600
