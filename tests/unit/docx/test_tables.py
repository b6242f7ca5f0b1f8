"""Tables: places in the grid, spans, nesting, what stands where it should not."""

from __future__ import annotations

import pytest

from builders.docx import WHO, docx, markdown, p, read, style, table


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


def cells(body: str) -> list[tuple[int, int, int, int, str]]:
    return [(c.row, c.col, c.row_span, c.col_span, c.text) for c in read(docx(body)).tables[0].cells]


def tc(text: str, properties: str = "") -> str:
    """A cell for `table`: its properties, then a paragraph."""
    return f"<w:tcPr>{properties}</w:tcPr>{p(text)}"


RESTART, GOES_ON, WIDE = "<w:vMerge w:val='restart'/>", "<w:vMerge/>", "<w:gridSpan w:val='2'/>"


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        # a block of two rows and two columns
        ([[tc("a", WIDE + RESTART), "b"], [tc("", WIDE + GOES_ON), "c"]], [(1, 1, 2, 2, "a"), (1, 3, 1, 1, "b"), (2, 3, 1, 1, "c")]),
        # two merges under each other
        ([[tc("a", RESTART)], [tc("", GOES_ON)], [tc("b", RESTART)], [tc("", GOES_ON)]], [(1, 1, 2, 1, "a"), (3, 1, 2, 1, "b")]),
        # a merge that nothing began is a cell
        ([["x"], [tc("a", GOES_ON)]], [(1, 1, 1, 1, "x"), (2, 1, 1, 1, "a")]),
        # text in a cell that goes on is not lost
        ([[tc("a", RESTART)], [tc("b", GOES_ON)]], [(1, 1, 2, 1, "a\nb")]),
        # the older merge across (17.4.22)
        ([[tc("a", "<w:hMerge w:val='restart'/>"), tc("", "<w:hMerge/>"), "b"]], [(1, 1, 1, 2, "a"), (1, 3, 1, 1, "b")]),
        # columns left out before and after
        ([["<w:trPr><w:gridBefore w:val='2'/><w:gridAfter w:val='1'/></w:trPr>", "a"], ["b"]], [(1, 3, 1, 1, "a"), (2, 1, 1, 1, "b")]),
        # rows of unequal length
        ([["a", "b", "c"], ["d"]], [(1, 1, 1, 1, "a"), (1, 2, 1, 1, "b"), (1, 3, 1, 1, "c"), (2, 1, 1, 1, "d")]),
        # a span that no table has
        ([[tc("a", "<w:gridSpan w:val='99999999'/>"), "b"]], [(1, 1, 1, 4096, "a"), (1, 4097, 1, 1, "b")]),
        ([[tc("a", "<w:gridSpan w:val='-3'/>"), "b"]], [(1, 1, 1, 1, "a"), (1, 2, 1, 1, "b")]),
    ],
)  # fmt: skip
def test_cells_stand_in_the_places_of_the_grid(rows: list[list[str]], found: list[tuple[int, int, int, int, str]]) -> None:
    assert cells(table(*rows)) == found


def test_header_rows_are_those_at_the_top() -> None:
    """17.4.49: a row is repeated only when those above it are."""
    head = "<w:trPr><w:tblHeader/></w:trPr>"
    assert read(docx(table([head, "a"], [head, "b"], ["c"], [head, "d"]))).tables[0].header_rows == 2
    assert read(docx(table(["a"], [head, "b"]))).tables[0].header_rows == 0
    assert read(docx(table(["<w:trPr><w:tblHeader w:val='0'/></w:trPr>", "a"]))).tables[0].header_rows == 0


def test_what_a_table_says_of_itself() -> None:
    properties = "<w:tblPr><w:tblStyle w:val='G'/><w:tblCaption w:val='Fares'/></w:tblPr>"
    body = table(["a"]).replace("<w:tblPr/>", properties)
    found = read(docx(body, styles=style("G", "Table Grid", kind="table")))
    assert (found.tables[0].style, found.tables[0].caption) == ("Table Grid", "Fares")
    assert markdown(docx(body)) == "*Fares*\n\n| a |\n| --- |"


def test_tables_in_tables_keep_their_order_and_their_cells() -> None:
    inner = table([table(["deepest"]) + p("deep"), "x"])
    document = read(docx(table([p("before") + inner + p("after"), "beside"])))
    assert [(b.type, b.text, b.table_id) for b in document.blocks] == [
        ("table", "", "t1"), ("paragraph", "before", "t1"), ("table", "", "t2"), ("table", "", "t3"), ("paragraph", "deepest", "t3"),
        ("paragraph", "deep", "t2"), ("paragraph", "x", "t2"), ("paragraph", "after", "t1"), ("paragraph", "beside", "t1"),
    ]  # fmt: skip
    by_id = {tab.id: tab for tab in document.tables}
    assert (by_id["t1"].cells[0].table_id, by_id["t2"].cells[0].table_id) == ("t2", "t3")
    assert (by_id["t1"].cells[0].text, by_id["t2"].cells[0].text) == ("before\nafter", "deep")


ROW_GONE, ROW_COME = f"<w:trPr><w:del {WHO}/></w:trPr>", f"<w:trPr><w:ins {WHO}/></w:trPr>"


def test_deleted_and_inserted_rows_and_cells() -> None:
    rows = table(["a", "b"], [ROW_GONE, "c", "d"], [ROW_COME, "e", "f"], ["g", tc("h", f"<w:cellDel {WHO}/>")])
    data = docx(rows)
    assert markdown(data) == "| a | b |\n| --- | --- |\n| e | f |\n| g |  |"
    assert markdown(data, "original") == "| a | b |\n| --- | --- |\n| c | d |\n| g | h |"
    assert [(r.type, r.text) for r in read(data).revisions] == [
        ("row_delete", "c\td"),
        ("row_insert", "e\tf"),
        ("cell_delete", "h"),
    ]


def test_a_table_of_which_every_row_is_deleted_is_gone() -> None:
    data = docx(p("a") + table([ROW_GONE, "x"]) + p("b"))
    assert markdown(data) == "a\n\nb"
    assert markdown(data, "original") == "a\n\n| x |\n| --- |\n\nb"


def test_empty_tables_rows_and_cells() -> None:
    document = read(docx("<w:tbl/>" + "<w:tbl><w:tr/></w:tbl>" + "<w:tbl><w:tr><w:tc/></w:tr></w:tbl>" + p("x")))
    assert [len(tab.cells) for tab in document.tables] == [0, 0, 1]
    assert document.counts["tables"] == 3
    assert markdown(docx("<w:tbl><w:tr/></w:tbl>" + p("x"))) == "x"


def test_columns_left_out_are_empty_cells_in_html() -> None:
    late = "<w:trPr><w:gridBefore w:val='2'/></w:trPr>"
    data = docx(table([tc("a", RESTART), "b", tc("c", WIDE)], [tc("", GOES_ON), "d", "e", "f"], [late, "g", "h"]))
    assert markdown(data) == (
        '<table>\n<tr>\n<td rowspan="2">a</td>\n<td>b</td>\n<td colspan="2">c</td>\n</tr>\n'
        "<tr>\n<td>d</td>\n<td>e</td>\n<td>f</td>\n</tr>\n"
        '<tr>\n<td colspan="2"></td>\n<td>g</td>\n<td>h</td>\n</tr>\n</table>'
    )


def test_a_row_without_a_column_ends_a_merge_there() -> None:
    def cell(text: str, merge: str = "") -> str:
        return f"<w:tc><w:tcPr>{merge}</w:tcPr>{p(text)}</w:tc>"

    begin, go_on = "<w:vMerge w:val='restart'/>", "<w:vMerge/>"
    rows = [cell("a", begin) + cell("b", begin), cell("", go_on), cell("c", go_on) + cell("d", go_on)]
    table = read(docx(f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>")).tables[0]
    assert [(c.row, c.col, c.row_span, c.text) for c in table.cells] == [(1, 1, 3, "a\nc"), (1, 2, 1, "b"), (3, 2, 1, "d")]


def test_what_merged_cells_say_is_one_text() -> None:
    rows = "".join(f"<w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr>{p(str(n))}</w:tc></w:tr>" for n in range(50))
    table = read(docx(f"<w:tbl>{rows}</w:tbl>")).tables[0]
    assert [(c.row_span, c.text) for c in table.cells] == [(50, "\n".join(map(str, range(50))))]
