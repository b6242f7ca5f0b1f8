"""Tables: places in the grid, spans, nesting, what stands where it should not."""

from __future__ import annotations

from builders.docx import docx, p, read, table


def test_tables_with_spans_nesting_and_header_rows() -> None:
    wide = "<w:tcPr><w:gridSpan w:val='2'/></w:tcPr>" + p("wide")
    top = "<w:tcPr><w:vMerge w:val='restart'/></w:tcPr>" + p("tall")
    below = "<w:tcPr><w:vMerge/></w:tcPr>" + p("")
    head = "<w:trPr><w:tblHeader/></w:trPr>"
    late = "<w:trPr><w:gridBefore w:val='1'/></w:trPr>"
    body = table([head, wide, "h3"], [top, "b", "c"], [below, table(["in"]) + p("after"), "f"], [late, "y", "z"])
    document = read(docx(body))
    outer = next(tab for tab in document.tables if tab.id == "t1")
    assert [(c.row, c.col, c.row_span, c.col_span, c.text.strip()) for c in outer.cells] == [
        (1, 1, 1, 2, "wide"), (1, 3, 1, 1, "h3"), (2, 1, 2, 1, "tall"), (2, 2, 1, 1, "b"), (2, 3, 1, 1, "c"),
        (3, 2, 1, 1, "after"), (3, 3, 1, 1, "f"), (4, 2, 1, 1, "y"), (4, 3, 1, 1, "z"),
    ]  # fmt: skip
    assert (outer.n_rows, outer.n_cols, outer.header_rows) == (4, 3, 1)
    assert [c.table_id for c in outer.cells if c.table_id] == ["t2"]
    assert document.counts["tables"] == 2
    assert [(b.table_id, b.row, b.col) for b in document.blocks if b.text == "in"] == [("t2", 1, 1)]


def test_rows_and_cells_in_content_controls() -> None:
    cell = f"<w:sdt><w:sdtContent><w:tc>{p('c')}</w:tc></w:sdtContent></w:sdt>"
    row = f"<w:sdt><w:sdtContent><w:tr>{cell}</w:tr></w:sdtContent></w:sdt>"
    assert [c.text for c in read(docx(f"<w:tbl>{row}</w:tbl>")).tables[0].cells] == ["c"]


def test_text_where_no_text_should_stand_is_read() -> None:
    document = read(docx(f"<w:tbl>{p('loose')}<w:tr>{p('looser')}<w:tc>{p('in')}</w:tc></w:tr></w:tbl>"))
    assert [b.text for b in document.blocks if b.text] == ["loose", "looser", "in"]
    assert [w.code for w in document.warnings] == []
