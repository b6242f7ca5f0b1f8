"""Tables in one view: rows and cells that it leaves out are gone, and the places of the rest are counted again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fumehood_sandbox.contract import Block, Cell, Table


class TableView:
    """The *tables* of a document as one view has them.

    `placed` moves the blocks first; `result` then writes the cells' texts from them.
    """

    def __init__(self, tables: Iterable[Table], *, accepted: bool) -> None:
        self._accepted = accepted
        self._tables = {table.id: table for table in tables}
        self._rows = {table.id: self._surviving(table) for table in self._tables.values()}
        self._cells: dict[tuple[str, int, int], tuple[int, int]] = {}
        """Where the cell of a table that stood at a row and column stands now."""
        self._made = {table.id: self._chosen(table) for table in self._tables.values()}

    def _in(self, cell: Cell) -> bool:
        return cell.in_accepted if self._accepted else cell.in_original

    def _surviving(self, table: Table) -> dict[int, int]:
        """The new number of each row that is left. A row goes when every cell that begins in it does."""
        begun: dict[int, bool] = {}
        for cell in table.cells:
            begun[cell.row] = begun.get(cell.row, False) or self._in(cell)
        left = [row for row in range(1, table.n_rows + 1) if begun.get(row, True)]
        return {row: at for at, row in enumerate(left, 1)}

    def _chosen(self, table: Table) -> Table | None:
        rows = self._rows[table.id]
        if not rows:
            return None
        cells: list[Cell] = []
        shift: dict[int, int] = {}
        for cell in table.cells:
            left = [row for row in range(cell.row, cell.row + cell.row_span) if row in rows]
            inside = self._in(cell)
            if not inside and cell.row in rows:  # a cell gone from a row that stays: what follows moves up to it
                shift[cell.row] = shift.get(cell.row, 0) + cell.col_span
            if not left or (not inside and cell.row in rows):
                continue
            # a merged cell whose first row is gone goes on, without that row's text, from the first row that is left
            col = cell.col - shift.get(cell.row, 0)
            made = replace(cell, row=rows[left[0]], col=col, row_span=len(left), text=cell.text if inside else "")
            if inside:
                self._cells[table.id, cell.row, cell.col] = (made.row, made.col)
            else:
                made.table_id = None
            cells.append(made)
        return replace(
            table,
            cells=cells,
            n_rows=len(rows),
            n_cols=max((c.col + c.col_span - 1 for c in cells), default=0) if shift else table.n_cols,
            header_rows=sum(1 for row in range(1, table.header_rows + 1) if row in rows),
        )

    def placed(self, block: Block) -> Block | None:
        """*block* where it stands in this view; None when its table or cell is gone."""
        if block.table_id is None or block.table_id not in self._made:
            return block
        if self._made[block.table_id] is None:
            return None
        if block.type == "table" or block.row is None or block.col is None:
            return block
        place = self._cells.get((block.table_id, block.row, block.col))
        if place is None:
            return None
        return block if place == (block.row, block.col) else replace(block, row=place[0], col=place[1])

    def result(self, blocks: Iterable[Block]) -> list[Table]:
        """The tables that are left, each cell's text made of the *blocks* that stand in it."""
        texts: dict[tuple[str, int, int], list[str]] = {}
        for block in blocks:
            if block.type != "table" and block.table_id and block.row is not None and block.col is not None:
                texts.setdefault((block.table_id, block.row, block.col), []).append(block.text)
        made = [table for table in self._made.values() if table is not None]
        for table in made:
            for cell in table.cells:
                lines = texts.get((table.id, cell.row, cell.col))
                if lines is not None:
                    cell.text = "\n".join(lines)
                if cell.table_id is not None and self._made.get(cell.table_id) is None:
                    cell.table_id = None
        return made
