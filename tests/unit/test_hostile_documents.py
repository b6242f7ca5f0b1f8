"""Documents that lie about sizes and positions: what a reader makes of them is always an answer that the host takes.

An answer that breaks the protocol says "treat the document as hostile" and drops everything. That is for a worker that was
taken over, not for a number in a file.
"""

from __future__ import annotations

import pytest

from builders import docx, whole_way
from builders.pptx import presentation, slide
from builders.xlsx import workbook

HUGE = "2147483647"


def merged_cell(span: str) -> str:
    return f'<w:tc><w:tcPr><w:gridSpan w:val="{span}"/></w:tcPr>{docx.p("x")}</w:tc>'


WIDE_ROW = f"<w:tr>{merged_cell('4096')}</w:tr>"


def slide_table(attributes: str) -> bytes:
    cell = f"<a:tc {attributes}><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc>"
    frame = f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr>{cell}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    return presentation(slide(frame))


@pytest.mark.parametrize(
    "data",
    [
        docx.docx(f"<w:tbl><w:tr>{merged_cell(HUGE)}</w:tr></w:tbl>"),
        docx.docx(f"<w:tbl>{WIDE_ROW * 2000}</w:tbl>"),
        slide_table(f'gridSpan="{HUGE}" rowSpan="{HUGE}"'),
        slide_table('gridSpan="-5" rowSpan="0"'),
    ],
    ids=["one span", "many rows of spans", "slide", "slide, negative"],
)
def test_spans_do_not_make_a_table_too_large_for_the_host(data: bytes) -> None:
    document = whole_way.read(data).document
    assert document is not None
    assert document.tables[0].cells[0].text == "x"


def test_spans_that_are_left_out_are_said() -> None:
    document = whole_way.read(docx.docx(f"<w:tbl>{WIDE_ROW * 2000}</w:tbl>")).document
    assert document is not None
    assert {c.col_span for c in document.tables[0].cells} == {1}
    assert "table-spans" in [w.code for w in document.warnings]


@pytest.mark.parametrize("row", ["<w:tc/>" * 20_000, merged_cell("4096") * 5], ids=["cells", "spans side by side"])
def test_a_table_wider_than_any_is_over_a_limit(row: str) -> None:
    failure = whole_way.read(docx.docx(f"<w:tbl><w:tr>{row}</w:tr></w:tbl>")).failure
    assert failure is not None
    assert (failure.code, failure.kind) == ("limit", "cells")


def test_a_table_larger_than_a_frame_is_read() -> None:
    rows = [["some text that takes room"] * 40] * 1200
    document = whole_way.read(docx.docx(docx.table(*rows))).document
    assert document is not None
    assert len(document.tables[0].cells) == 40 * 1200


def test_rows_and_columns_beyond_those_of_a_spreadsheet_are_read_from_a_csv() -> None:
    document = whole_way.read(b"a,b\n" + b"\n" * 1_100_000 + b"," * 20_000 + b"far\n", ".csv").document
    assert document is not None
    assert document.sheets[0].cells[-1].text == "far"


def test_too_many_columns_are_over_a_limit() -> None:
    failure = whole_way.read(b"a," * 100_001 + b"\n", ".csv").failure
    assert failure is not None
    assert (failure.code, failure.kind) == ("limit", "cells")


def test_positions_that_no_sheet_has() -> None:
    cells = '<row r="99999999999"><c r="ZZZZZZ99999999999"><v>1</v></c><c r="A-1"><v>2</v></c></row>'
    collector = whole_way.read(workbook(f"<sheetData>{cells}</sheetData>"))
    assert collector.document is not None
