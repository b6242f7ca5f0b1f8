"""Tables of PDFs: drawn with lines, or only by the places of words; and what looks like one and is none."""

from __future__ import annotations

import pytest

from builders.pdf import document, lines, show
from fumehood_sandbox.contract import Document, Format, Request
from fumehood_sandbox.extraction import CollectingSink, Extraction
from fumehood_sandbox.extractors.pages.tables import Rule, Word, find_tables
from fumehood_sandbox.extractors.pages.tables.rules import rules_of

pytest.importorskip("pymupdf")


def read(*pages: str, **more: str) -> Document:
    from fumehood_sandbox.extractors.pdf import extract

    found = Document(Format("pdf"))
    extract(Extraction(document(list(pages), **more), Request(declared_extension=".pdf"), found, CollectingSink(found)))
    return found


def grid(table) -> dict[tuple[int, int], str]:
    return {(cell.row, cell.col): cell.text for cell in table.cells if cell.text}


def spans(table) -> dict[str, tuple[int, int]]:
    return {c.text: (c.row_span, c.col_span) for c in table.cells if (c.row_span, c.col_span) != (1, 1)}


def line(x0: float, y0: float, x1: float, y1: float) -> str:
    return f"{x0} {y0} m {x1} {y1} l S\n"


def columns(*rows: tuple[str, ...], x: tuple[float, ...] = (72, 200, 300, 400), y: float = 700, leading: float = 14) -> str:
    """Rows of texts at these places."""
    return "".join(show(text, x[j], y - i * leading) for i, row in enumerate(rows) for j, text in enumerate(row) if text)


FRUIT = (
    ("Fruit", "2022", "2023", "2024"),
    ("Apples", "12.5", "13.0", "14.1"),
    ("Pears", "8.1", "7.9", "8.4"),
    ("Plums", "3", "4", "5"),
)


def test_words_under_one_another_are_a_table_in_its_place() -> None:
    doc = read(
        lines(["Before the table stands a sentence."], y=760) + columns(*FRUIT) + show("After it another one stands.", y=600)
    )
    (table,) = doc.tables
    assert grid(table) == {(i, j): text for i, row in enumerate(FRUIT, 1) for j, text in enumerate(row, 1)}
    assert (table.n_rows, table.n_cols, table.header_rows, table.page) == (4, 4, 1, 1)
    order = [b.text or b.type for b in doc.blocks if not (b.table_id and b.type != "table")]
    assert order == ["Before the table stands a sentence.", "table", "After it another one stands."]
    cells = [(b.row, b.col, b.text) for b in doc.blocks if b.table_id == table.id and b.type != "table"]
    assert cells[:2] == [(1, 1, "Fruit"), (1, 2, "2022")]
    assert doc.counts["tables"] == 1


def test_a_heading_over_two_columns_spans_them() -> None:
    head = show("Kilograms by year", 230, 714) + show("Rest", 400, 714)
    (table,) = read(head + columns(*FRUIT)).tables
    assert spans(table) == {"Kilograms by year": (1, 2)}
    assert grid(table)[1, 4] == "Rest"


def test_a_cell_that_goes_on_below_is_one_cell() -> None:
    rows = (
        ("Name", "Sum", "Remark", ""),
        ("Ann", "1", "arrived early and", ""),
        ("", "", "left late", ""),
        ("Bob", "2", "none", ""),
        ("Cy", "3", "none", ""),
    )
    (table,) = read(columns(*rows)).tables
    assert grid(table)[2, 3] == "arrived early and\nleft late"
    assert table.n_rows == 4


def test_prose_beside_a_table_is_no_column_of_it() -> None:
    beside = [
        "a text that stands beside the",
        "table goes on from one line",
        "to the next and then into",
        "another one and it ends",
    ]
    rows = [(*row[:3], text) for row, text in zip(FRUIT, beside, strict=True)]
    doc = read(columns(*rows, x=(72, 150, 210, 300)))
    assert [table.n_cols for table in doc.tables] == [3]
    assert [b.text for b in doc.blocks if not b.table_id] == [" ".join(beside)]


def test_numbers_close_together_are_cells_of_their_own() -> None:
    words = [Word((x, 100 + 12 * i, x + 40, 110 + 12 * i), "1,234") for i in range(4) for x in (100, 144, 188)]
    words += [Word((20, 100 + 12 * i, 60, 110 + 12 * i), "label") for i in range(4)]
    (table,) = find_tables(words, [], [])
    assert (table.n_rows, table.n_cols) == (4, 4)


def test_lines_draw_cells_and_spans() -> None:
    """Three columns and three rows; the first row is one cell over the last two columns, the first column one over two rows."""
    drawn = "".join(line(72, y, 372, y) for y in (720, 690, 630))
    drawn += (
        line(172, 660, 372, 660)
        + line(72, 720, 72, 630)
        + line(172, 720, 172, 630)
        + line(372, 720, 372, 630)
        + line(272, 690, 272, 630)
    )
    text = show("Key", 80, 700) + show("Both", 180, 700) + show("Tall", 80, 650) + show("a", 180, 670) + show("b", 280, 670)
    text += show("c", 180, 640) + show("d", 280, 640)
    (table,) = read(drawn + text).tables
    assert grid(table) == {(1, 1): "Key", (1, 2): "Both", (2, 1): "Tall", (2, 2): "a", (2, 3): "b", (3, 2): "c", (3, 3): "d"}
    assert spans(table) == {"Both": (1, 2), "Tall": (2, 1)}


def test_thin_rectangles_and_boxes_are_lines_too() -> None:
    boxes = "".join(f"{72 + 100 * j} {700 - 20 * i} 100 20 re S\n" for i in range(3) for j in range(2))
    text = "".join(show(f"r{i}c{j}", 80 + 100 * j, 705 - 20 * i) for i in range(3) for j in range(2))
    (table,) = read(boxes + text).tables
    assert grid(table) == {(i + 1, j + 1): f"r{i}c{j}" for i in range(3) for j in range(2)}
    thin = "".join(f"72 {y} 200 0.5 re f\n" for y in (660, 680, 700, 720)) + "".join(
        f"{x} 660 0.5 60 re f\n" for x in (72, 172, 272)
    )
    (table,) = read(thin + text).tables
    assert len(grid(table)) == 6


def test_numbers_stacked_in_drawn_cells_are_rows() -> None:
    drawn = "".join(line(72, y, 372, y) for y in (720, 700, 640)) + "".join(line(x, 720, x, 640) for x in (72, 172, 272, 372))
    rows = (("Group", "One", "Two"), ("young", "1,530", "1,029"), ("old", "1,253", "855"), ("all", "2,783", "1,884"))
    (table,) = read(drawn + columns(*rows, x=(80, 180, 280), y=706, leading=18)).tables
    assert [grid(table)[i, 2] for i in (1, 2, 3, 4)] == ["One", "1,530", "1,253", "2,783"]


def test_lines_below_every_row_without_columns_leave_them_to_the_words() -> None:
    drawn = "".join(f"72 {y} 400 14 re S\n" for y in (696, 682, 668, 654))
    (table,) = read(drawn + columns(*FRUIT)).tables
    assert (table.n_rows, table.n_cols) == (4, 4)
    assert spans(table) == {}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("prose in two columns", "".join(
            show(f"left {i} the quick brown fox jumps", 72, 700 - 13 * i) + show(f"right {i} over the lazy dogs today", 330, 700 - 13 * i)
            for i in range(12)
        )),
        ("a list", columns(*((f"{i}.", f"item number {i} of the list") for i in range(1, 7)), x=(72, 100))),
        ("a table of contents", columns(*((f"Chapter {i} ..................", str(i * 10)) for i in range(1, 7)), x=(72, 400))),
        ("a label and its value", columns(("Name:", "Ann"), x=(72, 300))),
        ("a frame around text", "72 600 400 120 re S\n" + lines(["Text in a frame.", "More of it."], 80, 700)),
        ("a page's frame", "0 0 612 792 re S\n" + line(0, 400, 612, 400) + lines(["Some text", "and more"], 80, 700)),
    ],
)  # fmt: skip
def test_what_is_no_table(name: str, content: str) -> None:
    assert read(content).tables == [], name


def test_a_page_that_is_turned_has_its_tables() -> None:
    """Its content runs up the page, which is then shown with its left side on top (ISO 32000-1 table 30, Rotate)."""
    (table,) = read(f"q 0 1 -1 0 612 0 cm {columns(*FRUIT, y=500)} Q", page_entries="/Rotate 90").tables
    assert grid(table) == {(i, j): text for i, row in enumerate(FRUIT, 1) for j, text in enumerate(row, 1)}


def test_hidden_words_are_no_cells() -> None:
    hidden = "".join(show("secret", x, 700 - 14 * i, extra="3 Tr") for i in range(4) for x in (72, 300))
    doc = read(hidden + show("0 Tr visible", 72, 500, extra="0 Tr"))
    assert doc.tables == []
    assert [b.hidden for b in doc.blocks if "secret" in b.text]


def test_lines_that_go_on_are_one_and_a_page_of_paths_is_left_alone() -> None:
    visible = (0.0, 0.0, 612.0, 792.0)
    pieces = [{"type": "s", "color": (0,), "items": [("l", (72 + 10 * i, 100), (82 + 10 * i, 100.4))]} for i in range(5)]
    across, down = rules_of(pieces, visible)
    assert down == []
    assert [(round(r.at), r.start, r.end) for r in across] == [(100, 72, 122)]
    assert rules_of([{"type": "s", "color": (0,), "items": [("l", (0, i), (99, i)) for i in range(30_000)]}], visible) == (
        [],
        [],
    )
    many = [Rule(i, 0, 500) for i in range(0, 7000, 10)]
    assert find_tables([Word((10, 10, 20, 20), "a")], many, many) == []
