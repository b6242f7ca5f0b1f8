"""Tables and the cells of sheets as Markdown: pipe tables; HTML where they cannot hold them; a list of cells that lie far apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from fumehood.documents.grids import column_name, sheet_facts, sheet_grid, shown_text, table_grid
from fumehood.documents.html_blocks import HtmlBlocks
from fumehood.documents.markdown_inline import Inline, escape
from fumehood.documents.pieces import Piece
from fumehood.documents.reading_order import Reading
from fumehood.documents.stretches import Stretch, Style
from fumehood_sandbox.contract import Block, Sheet, SheetCell, Table


class MarkdownTables:
    """Renders the tables and sheets of *reading*."""

    def __init__(self, reading: Reading, inline: Inline, html: HtmlBlocks, in_cell: Callable[[Block], str]) -> None:
        """*in_cell* renders a block in a cell of a pipe table."""
        self._reading = reading
        self._inline = inline
        self._html = html
        self._in_cell = in_cell

    def table(self, table: Table, block_id: str | None) -> Iterator[Piece]:
        caption = self._inline.line(table.caption or "")
        if caption:
            yield Piece(f"*{caption}*", block_id)
        grid = table_grid(table)
        if self._needs_html(table):
            yield Piece(self._html.table(table), block_id)
        elif grid.sparse:
            for cell in table.cells:
                if text := self._cell_text(table, cell.row, cell.col, cell.text):
                    yield Piece(f"- {column_name(cell.col)}{cell.row}: {text}", block_id, "\n")
        else:
            by_row: dict[int, dict[int, str]] = {row: {} for row in grid.rows}
            for c in table.cells:
                by_row[c.row][c.col] = self._cell_text(table, c.row, c.col, c.text)
            yield from _pipe(grid.cols, by_row.values(), block_id)

    def _needs_html(self, table: Table) -> bool:
        for cell in table.cells:
            if cell.row_span > 1 or cell.col_span > 1 or cell.table_id in self._reading.tables:
                return True
            blocks = self._reading.blocks_in(table, cell.row, cell.col)
            if any(b.type not in {"paragraph", "heading", "image", "caption", "equation"} for b in blocks):
                return True
        return False

    def _cell_text(self, table: Table, row: int, col: int, text: str) -> str:
        blocks: Sequence[Block] = self._reading.blocks_in(table, row, col)
        shown = [self._in_cell(block) for block in blocks]
        return "<br>".join(t for t in shown if t) or escape(self._inline.clean(text).strip(), in_cell=True)

    def sheet(self, sheet: Sheet) -> Iterator[Piece]:
        """What stands below the heading of *sheet*: what it hides, its cells, its comments."""
        if facts := sheet_facts(sheet):
            yield Piece(f"[{facts}]")
        grid = sheet_grid(sheet)
        if grid.sparse:
            first = True
            for row, cells in grid.rows():
                for cell, mark in cells:
                    if text := self._sheet_text(cell, mark):
                        yield Piece(f"- {column_name(cell.col)}{row}: {text}", None, "\n\n" if first else "\n")
                        first = False
        else:
            by_column = ({cell.col: self._sheet_text(cell, mark) for cell, mark in cells} for _, cells in grid.rows())
            yield from _pipe(grid.cols, by_column, None)
        first = True
        for cell in grid.commented(self._reading.document):
            if cell.comment:
                yield Piece(
                    f"- comment on {column_name(cell.col)}{cell.row}: {self._inline.line(cell.comment)}",
                    None,
                    "\n\n" if first else "\n",
                )
                first = False

    def _sheet_text(self, cell: SheetCell, mark: str) -> str:
        shown = shown_text(cell).strip()
        if cell.link:
            text = self._inline.render([Stretch(Style(link=cell.link), shown)], prefix=True, in_cell=True)
        else:
            text = escape(self._inline.clean(shown).strip(), in_cell=True)
        return mark + text if text else ""


def _pipe(cols: Sequence[int], rows: Iterable[Mapping[int, str]], block_id: str | None) -> Iterator[Piece]:
    """A pipe table, a piece a row, each its texts by column; the first used row is its head."""
    head = ""
    for i, texts_of in enumerate(rows):
        line = "| " + " | ".join(texts_of.get(col, "") for col in cols) + " |"
        if i == 0:
            head = line + "\n|" + " --- |" * len(cols)
            yield Piece(head, block_id)
        else:
            yield Piece(line, block_id, "\n", head + "\n")
