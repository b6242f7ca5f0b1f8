"""Which rows and columns of a table or sheet are used, without ever counting up to a number that a document names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from fumehood.documents.stretches import reason
from fumehood_sandbox.contract import Document, Sheet, SheetCell, Table

#: A grid may have this many places for each cell that is there, and this many beside, before it is shown as a list.
_PLACES_PER_CELL: Final = 20
_PLACES_FREE: Final = 2000


@dataclass(frozen=True, slots=True)
class Grid:
    """The used rows and columns in order; *sparse* when drawing them as a grid would be mostly empty places."""

    rows: list[int]
    cols: list[int]
    sparse: bool


def _grid(places: Iterable[tuple[int, int]]) -> Grid:
    used = set(places)
    rows = sorted({row for row, _ in used})
    cols = sorted({col for _, col in used})
    sparse = len(rows) * len(cols) > _PLACES_FREE + _PLACES_PER_CELL * len(used) or _scattered(rows) or _scattered(cols)
    return Grid(rows, cols, sparse)


def _scattered(numbers: list[int]) -> bool:
    """Whether leaving the unused ones out would put together what stands far apart."""
    return bool(numbers) and _far_apart(numbers[0], numbers[-1], len(numbers))


def _far_apart(first: int, last: int, count: int) -> bool:
    return last - first >= 100 + 10 * count


def shown_text(cell: SheetCell) -> str:
    """What a reader is shown of *cell*: its text, or its formula where the file holds no value that it came to."""
    return cell.formula or "" if cell.cached is False and not cell.text else cell.text


def table_grid(table: Table) -> Grid:
    return _grid((cell.row, cell.col) for cell in table.cells)


@dataclass(frozen=True, slots=True)
class SheetGrid:
    """The used columns of a sheet in order, and its cells row by row. *sparse* as for `Grid`.

    Only cells that show something count; rows and columns without any are left out.
    """

    cols: list[int]
    sparse: bool
    _cells: Sequence[SheetCell]
    _marks: HiddenMarks
    _has_comments: bool

    def rows(self) -> Iterator[tuple[int, list[tuple[SheetCell, str]]]]:
        """Each row with the cells in it that show something, and what stands before their text.

        Of two cells at one place the last one is shown.
        """
        shown = (cell for cell in self._cells if shown_text(cell).strip())
        for row, cells in groupby(shown, key=lambda cell: cell.row):
            by_column = {cell.col: cell for cell in cells}
            yield row, self._marks.of_row([by_column[col] for col in sorted(by_column)])

    def commented(self, document: Document) -> Iterator[SheetCell]:
        """The cells that someone has commented on, where *document* does not list comments, with their authors, by itself."""
        if document.comments:
            return iter(())
        return (cell for cell in self._cells if cell.comment) if self._has_comments else iter(())


def sheet_grid(sheet: Sheet) -> SheetGrid:
    """How to show *sheet*. Its cells are walked through, never held: there may be a million."""
    cells: Sequence[SheetCell] = sheet.cells
    used = rows = 0
    cols: set[int] = set()
    first = last = 0
    in_order = True
    has_comments = False
    for cell in cells:
        has_comments = has_comments or cell.comment is not None
        if not shown_text(cell).strip():
            continue
        used += 1
        cols.add(cell.col)
        if cell.row != last or not rows:
            in_order = in_order and (not rows or cell.row > last)
            first, last, rows = first or cell.row, cell.row, rows + 1
    marks = HiddenMarks(sheet)
    if not in_order and not isinstance(cells, list):  # too many to sort: one by one, each with its place
        return SheetGrid(sorted(cols), True, cells, marks, has_comments)
    if not in_order:
        cells = sorted(cells, key=lambda cell: cell.row)
        shown = {cell.row for cell in cells if shown_text(cell).strip()}
        first, last, rows = min(shown), max(shown), len(shown)
    columns = sorted(cols)
    sparse = rows * len(columns) > _PLACES_FREE + _PLACES_PER_CELL * used
    sparse = sparse or _far_apart(first, last, rows) or _scattered(columns)
    return SheetGrid(columns, sparse, cells, marks, has_comments)


def column_name(col: int) -> str:
    """1 → A, 27 → AA; a number outside a spreadsheet's columns stays one."""
    if not 0 < col <= 1_000_000:
        return f"column {col}, row "
    name = ""
    while col:
        col, digit = divmod(col - 1, 26)
        name = chr(65 + digit) + name
    return name


def sheet_facts(sheet: Sheet) -> str:
    """What a sheet hides and merges, in one line of our own words; empty when there is nothing to say."""
    facts = []
    if sheet.hidden_rows:
        facts.append("hidden rows: " + ranges(sheet.hidden_rows))
    if sheet.hidden_cols:
        facts.append("hidden columns: " + ranges(sheet.hidden_cols, letters=True))
    if sheet.kind != "worksheet":
        facts.append(f"kind: {sheet.kind}")
    return "; ".join(facts)


class HiddenMarks:
    """What stands before the text of a cell that a reader does not see: why. A hidden row says so once, at its first cell."""

    def __init__(self, sheet: Sheet) -> None:
        self._rows, self._cols = set(sheet.hidden_rows), set(sheet.hidden_cols)

    def of_row(self, cells: Sequence[SheetCell]) -> list[tuple[SheetCell, str]]:
        """The *cells* of one row, in their order, each with its mark."""
        marked = []
        row_said = False
        for cell in cells:
            mark = ""
            if cell.row in self._rows or cell.hidden == "hidden_row":
                mark, row_said = "" if row_said else "[hidden: row] ", True
            elif cell.col in self._cols or cell.hidden == "hidden_col":
                mark = "[hidden: column] "
            elif cell.hidden:
                mark = f"[hidden: {reason(cell.hidden)}] "
            marked.append((cell, mark))
        return marked


def ranges(numbers: Iterable[int], *, letters: bool = False) -> str:
    """``1-3, 7``; at most twenty ranges, then "…"."""
    name = column_name if letters else str
    spans: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if spans and number == spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    shown = [name(a) if a == b else f"{name(a)}-{name(b)}" for a, b in spans[:20]]
    return ", ".join(shown) + (", …" if len(spans) > 20 else "")
