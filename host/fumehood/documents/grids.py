"""Which rows and columns of a table or sheet are used, without ever counting up to a number that a document names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from fumehood.documents.stretches import reason
from fumehood_sandbox.contract import Sheet, Table

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
    return bool(numbers) and numbers[-1] - numbers[0] >= 100 + 10 * len(numbers)


def table_grid(table: Table) -> Grid:
    return _grid((cell.row, cell.col) for cell in table.cells)


def sheet_grid(sheet: Sheet) -> Grid:
    """Only cells that show something; rows and columns without any are left out."""
    return _grid((cell.row, cell.col) for cell in sheet.cells if cell.text.strip())


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


def hidden_marks(sheet: Sheet) -> dict[tuple[int, int], str]:
    """What stands before the text of a cell that a reader does not see: why. A hidden row says so once, at its first cell."""
    rows, cols = set(sheet.hidden_rows), set(sheet.hidden_cols)
    marks: dict[tuple[int, int], str] = {}
    first: dict[int, int] = {}
    for cell in sheet.cells:
        if not cell.text.strip():
            continue
        if cell.row in rows or cell.hidden == "hidden_row":
            first[cell.row] = min(cell.col, first.get(cell.row, cell.col))
        elif cell.col in cols or cell.hidden == "hidden_col":
            marks[cell.row, cell.col] = "[hidden: column] "
        elif cell.hidden:
            marks[cell.row, cell.col] = f"[hidden: {reason(cell.hidden)}] "
    return marks | dict.fromkeys(first.items(), "[hidden: row] ")


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
