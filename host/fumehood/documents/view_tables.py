"""Tables in one view: rows and cells that it leaves out are gone, and the places of the rest are counted again.

Numbers come from outside: rows are never counted through, only the cells that are there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from fumehood.documents.lookup import by_id
from fumehood_sandbox.contract import Block, Cell, Table

#: As many as a document nests, and some: blocks come table by table.
_HELD: Final = 64


class _Rows:
    """The rows of a table that are left. A row goes when every cell that begins in it does."""

    def __init__(self, table: Table, is_in: Callable[[Cell], bool]) -> None:
        begun: dict[int, bool] = {}
        for cell in table.cells:
            begun[cell.row] = begun.get(cell.row, False) or is_in(cell)
        self._gone = sorted(row for row, stays in begun.items() if not stays)
        self._before = [row - at for at, row in enumerate(self._gone)]
        self.count = table.n_rows - len(self._gone)

    def number(self, row: int) -> int:
        """How many of the rows up to *row* are left: its new number, if it is one of them."""
        return row - bisect_right(self._gone, row)

    def __contains__(self, row: int) -> bool:
        at = bisect_left(self._gone, row)
        return at == len(self._gone) or self._gone[at] != row

    def first_from(self, row: int) -> int:
        """The first row that is left, from *row* on."""
        at = bisect_left(self._gone, row)
        return row + bisect_right(self._before, row - at, lo=at) - at


class TableInView:
    """One table: *made* is what is left of it, or None."""

    def __init__(self, table: Table, *, accepted: bool) -> None:
        self._accepted = accepted
        self._moved: dict[tuple[int, int], tuple[int, int]] = {}
        """Where the cell that stood at a row and column stands now."""
        rows = _Rows(table, self._in)
        self.made = self._chosen(table, rows) if rows.count > 0 else None

    def _in(self, cell: Cell) -> bool:
        return cell.in_accepted if self._accepted else cell.in_original

    def place(self, row: int, col: int) -> tuple[int, int] | None:
        return self._moved.get((row, col))

    def _chosen(self, table: Table, rows: _Rows) -> Table:
        cells: list[Cell] = []
        shift: dict[int, int] = {}
        for cell in table.cells:
            last = cell.row + cell.row_span - 1
            left = rows.number(last) - rows.number(cell.row - 1)
            inside = self._in(cell)
            if not inside and cell.row in rows:  # a cell gone from a row that stays: what follows moves up to it
                shift[cell.row] = shift.get(cell.row, 0) + cell.col_span
            if not left or (not inside and cell.row in rows):
                continue
            # a merged cell whose first row is gone goes on, without that row's text, from the first row that is left
            col = cell.col - shift.get(cell.row, 0)
            row = rows.number(rows.first_from(cell.row))
            made = replace(cell, row=row, col=col, row_span=left, text=cell.text if inside else "")
            if inside:
                self._moved[cell.row, cell.col] = (made.row, made.col)
            else:
                made.table_id = None
            cells.append(made)
        return replace(
            table,
            cells=cells,
            n_rows=rows.count,
            n_cols=max((c.col + c.col_span - 1 for c in cells), default=0) if shift else table.n_cols,
            header_rows=rows.number(min(table.header_rows, table.n_rows)),
        )


class TableView:
    """The *tables* of a document as one view has them; a few of them are held at a time."""

    def __init__(self, tables: Sequence[Table], *, accepted: bool) -> None:
        self._accepted = accepted
        self._tables = by_id(tables)
        self._held: OrderedDict[str, TableInView] = OrderedDict()
        self.left: list[str] = [table.id for table in tables if self._of(table).made is not None]
        """The ids of the tables that are left, in order."""
        self._left = set(self.left)

    def _of(self, table: Table) -> TableInView:
        found = self._held.get(table.id)
        if found is None:
            found = self._held[table.id] = TableInView(table, accepted=self._accepted)
            if len(self._held) > _HELD:
                self._held.popitem(last=False)
        return found

    def placed(self, block: Block) -> Block | None:
        """*block* where it stands in this view; None when its table or cell is gone."""
        if block.table_id is None or block.table_id not in self._tables:
            return block
        if block.table_id not in self._left:
            return None
        if block.type == "table" or block.row is None or block.col is None:
            return block
        place = self._of(self._tables[block.table_id]).place(block.row, block.col)
        if place is None:
            return None
        return block if place == (block.row, block.col) else replace(block, row=place[0], col=place[1])

    def table(self, number: int, blocks: Iterable[Block]) -> Table:
        """The table at *number* of those that are left, each cell's text made of the *blocks* that stand in it."""
        made = TableInView(self._tables[self.left[number]], accepted=self._accepted).made
        assert made is not None
        texts: dict[tuple[int, int], list[str]] = {}
        for block in blocks:
            texts.setdefault((block.row or 0, block.col or 0), []).append(block.text)
        for cell in made.cells:
            lines = texts.get((cell.row, cell.col))
            if lines is not None:
                cell.text = "\n".join(lines)
            if cell.table_id is not None and cell.table_id not in self._left:
                cell.table_id = None
        return made
