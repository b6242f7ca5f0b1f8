"""Tables: cells in the places of the grid, with spans, nesting, header rows and what revisions do to rows and cells.

A cell's column counts grid columns, so that ``w:gridBefore`` and ``w:gridSpan`` are seen in it. A cell that continues a
vertical merge is no cell of its own: what it holds belongs to the one it continues.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from fumehood_sandbox.contract import Block, Cell, Revision, Table
from fumehood_sandbox.extractors.docx.content_controls import shows_prompt
from fumehood_sandbox.extractors.docx.look import UNKNOWN_FILL
from fumehood_sandbox.extractors.docx.revisions import CELL_TYPES, CHANGES, ROW_TYPES, RUN_TYPES, Revised
from fumehood_sandbox.extractors.docx.styles import shading
from fumehood_sandbox.extractors.ooxml.names import ALTERNATE, CHOICE, SDT, TBL, TC, TR, VAL, P, W, choice, number, on

if TYPE_CHECKING:
    from fumehood_sandbox.extractors.docx.story import Story

_MOST_COLUMNS: Final = 4096
_TBLPR: Final = W + "tblPr"
_TRPR: Final = W + "trPr"
_TCPR: Final = W + "tcPr"
_GRID_SPAN: Final = W + "gridSpan"
_V_MERGE: Final = W + "vMerge"
_H_MERGE: Final = W + "hMerge"
_SHADING: Final = W + "shd"
_CELL_MERGE: Final = W + "cellMerge"
_CELL_INS: Final = W + "cellIns"
_GRID_BEFORE: Final = W + "gridBefore"
_HEADER: Final = W + "tblHeader"
_TBLPREX: Final = W + "tblPrEx"
_GRID: Final = W + "tblGrid"
_STYLE: Final = W + "tblStyle"
_CAPTION: Final = W + "tblCaption"
_BOTH: Final = [True, True]
_ROW_PROPERTIES: Final = frozenset({_TRPR, _TBLPREX})


class TableReader:
    """Reads one ``w:tbl`` of *story*, which stands in *revised*."""

    def __init__(self, story: Story, element: Any, revised: Revised) -> None:
        self.story = story
        self.element = element
        self.revised = revised
        self.table = Table(story.reader.x.next_id("t"), part=story.part)
        self.fill: str | None = story.fill
        self._row = 0
        self._header = True
        self._above: dict[int, Cell] = {}
        """The cell that a merge continued at a column belongs to: what the row before says of its columns."""
        self._merged: dict[int, Cell] = {}
        """The same for the next row."""
        self._continued: dict[int, tuple[Cell, list[str]]] = {}
        """By identity: a cell and what the cells that continue it say, which is joined to its text at the end."""
        self._seen = [False, False]
        """Whether some cell is in the accepted, in the original view."""
        self._settled = False
        self._block: Block

    def read(self) -> None:
        """Emit the table's block, the blocks of its cells, and the table."""
        story = self.story
        block = Block(story.reader.x.next_id("b"), "table", "", story.part, table_id=self.table.id)
        block.note_id, block.comment_id = story.note_id, story.comment_id
        story.reader.open_table(block)
        self._block = block
        outer = story.table, story.fill, story.nested
        self._rows(self.element, self.revised)
        for cell, texts in self._continued.values():
            cell.text = "\n".join([cell.text, *texts])
        story.table, story.fill, nested = outer
        story.nested = nested or self.table.id
        self.table.n_rows = self._row
        block.in_accepted, block.in_original = self._seen
        block.style = self.table.style
        story.reader.close_table(block)
        story.reader.x.table(self.table)

    def _rows(self, element: Any, revised: Revised) -> None:
        for child in element:
            tag = child.tag
            if tag == TR:
                self._read_row(child, revised)
            elif tag == _TBLPR:
                self._properties(child)
            elif tag == _GRID:
                self._changes(child)
            elif tag in RUN_TYPES:
                revision = self.story.record(child, RUN_TYPES[tag])
                self._rows(child, revised.inside(revision, tag))
            elif tag == ALTERNATE:
                picked = choice(child)
                if picked is not None:
                    self._rows(picked, revised)
                self.story.skip_choices(child)
            elif tag in {P, TBL, TC}:  # where a row should stand
                self._loose(child, revised)
            else:
                self._rows(child, revised)
                self._prompt(child)

    def _prompt(self, element: Any) -> None:
        if element.tag == SDT and shows_prompt(element):
            self.story.prompted()

    def _properties(self, element: Any) -> None:
        self._changes(element)
        styles = self.story.reader.styles
        for child in element:
            tag = child.tag
            if tag == _STYLE:
                style = styles.get(child.get(VAL))
                if style is not None:
                    self.table.style = style.name or style.id
                    self.fill = UNKNOWN_FILL if style.shaded else self.fill
            elif tag == _CAPTION:
                self.table.caption = child.get(VAL)
            elif tag == _SHADING:
                self.fill = shading(child) or self.fill

    def _changes(self, element: Any) -> None:
        if self.story.tracked:
            for child in element:
                if child.tag in CHANGES:
                    self.story.reader.revisions.change(child, element, self.story.part, self.story.para_index)

    def _read_row(self, tr: Any, revised: Revised) -> None:
        self._row += 1
        self._above, self._merged = self._merged, {}
        self._stand_before()
        column, header = 1, False
        changed: list[Revision] = []
        for properties in tr:
            if properties.tag not in _ROW_PROPERTIES:
                continue
            self._changes(properties)
            for child in properties:
                tag = child.tag
                if tag == _GRID_BEFORE:
                    column += number(child.get(VAL), 0, low=0, high=_MOST_COLUMNS)
                elif tag == _HEADER:
                    header = on(child)
                elif tag in ROW_TYPES:
                    revision = self.story.record(child, ROW_TYPES[tag])
                    revised = revised.inside(revision, tag)
                    changed.append(revision)
        texts: list[str] = []
        for tc, state in self._cells(tr, revised):
            column = self._read_cell(tc, state, column, texts)
        self.table.n_cols = max(self.table.n_cols, column - 1)
        self._header = self._header and header
        self.table.header_rows += self._header
        for revision in changed:
            revision.text = "\t".join(texts)
        if self._seen == _BOTH and not self._settled:  # no row behind can change what is said of the table
            self._settled = True
            self._block.style = self.table.style
            self.story.reader.settle(self._block)
        self.story.reader.flush()

    def _stand_before(self) -> None:
        """What is said of a row or cell stands at its first paragraph."""
        if self.story.indexed:
            self.story.para_index = self.story.reader.upcoming

    def _cells(self, element: Any, revised: Revised) -> Iterator[tuple[Any, Revised]]:
        """The cells of a row, content controls and custom XML around them looked into."""
        for child in element:
            tag = child.tag
            if tag == TC:
                yield child, revised
            elif tag in _ROW_PROPERTIES:
                continue
            elif tag == ALTERNATE:
                picked = choice(child)
                if picked is not None:
                    yield from self._cells(picked, revised)
                self.story.skip_choices(child)
            elif tag in RUN_TYPES:
                revision = self.story.record(child, RUN_TYPES[tag])
                yield from self._cells(child, revised.inside(revision, tag))
            elif tag in {P, TBL, TR}:  # where a cell should stand
                self._loose(child, revised)
            elif tag != CHOICE:
                yield from self._cells(child, revised)
                self._prompt(child)

    def _read_cell(self, tc: Any, revised: Revised, column: int, texts: list[str]) -> int:
        """Read one cell that begins at *column*; the column after it."""
        story = self.story
        span, vertical, horizontal, fill = 1, None, None, self.fill
        changed: list[Revision] = []
        self._stand_before()
        properties = tc.find(_TCPR)
        if properties is not None:
            self._changes(properties)
            for child in properties:
                tag = child.tag
                if tag == _GRID_SPAN:
                    span = number(child.get(VAL), 1, low=1, high=_MOST_COLUMNS)
                elif tag == _V_MERGE:
                    vertical = child.get(VAL) or "continue"
                elif tag == _H_MERGE:
                    horizontal = child.get(VAL) or "continue"
                elif tag == _SHADING:
                    fill = shading(child) or fill
                elif tag in CELL_TYPES:
                    revision = story.record(child, CELL_TYPES[tag])
                    changed.append(revision)
                    if tag != _CELL_MERGE:
                        inserted = tag == _CELL_INS
                        revised = Revised(
                            (*revised.ids, revision.id), revised.accepted and inserted, revised.original and not inserted
                        )
        owner = self._above.get(column) if vertical == "continue" else None
        row, start = self._row, column
        if horizontal == "continue" and self.table.cells and self.table.cells[-1].row == row:
            owner = self.table.cells[-1]
            owner.col_span += span
        elif owner is not None:
            owner.row_span = row - owner.row + 1
        cell = owner
        if cell is None:
            cell = Cell(row, start, 1, span, in_accepted=revised.accepted, in_original=revised.original)
            self.table.cells.append(cell)
        if vertical is not None:
            self._merged[start] = cell
        self._seen = [self._seen[0] or revised.accepted, self._seen[1] or revised.original]
        texts.append(self._content(tc, cell, revised, fill))
        for revision in changed:
            revision.text = texts[-1]
        return column + span

    def _content(self, tc: Any, cell: Cell, revised: Revised, fill: str | None) -> str:
        """Read what stands in *tc* into the text and the blocks of *cell*."""
        story = self.story
        outer = story.table, story.fill, story.nested, story.para_index
        story.table, story.fill, story.nested = (self.table.id, cell.row, cell.col), fill, None
        lines = story.contained(tc, revised)
        if cell.table_id is None:
            cell.table_id = story.nested
        story.table, story.fill, story.nested, story.para_index = outer
        text = "\n".join(lines)
        if cell.text and text:
            self._continued.setdefault(id(cell), (cell, []))[1].append(text)
        elif text:
            cell.text = text
        return text

    def _loose(self, element: Any, revised: Revised) -> None:
        """A paragraph, table or row in the wrong place: Word mends it, here its text is read into a row of its own."""
        if element.tag == TR:
            self._read_row(element, revised)
            return
        self._row += 1
        cell = Cell(self._row, 1, in_accepted=revised.accepted, in_original=revised.original)
        self.table.cells.append(cell)
        self.table.n_cols = max(self.table.n_cols, 1)
        self._seen = [self._seen[0] or revised.accepted, self._seen[1] or revised.original]
        outer = self.story.table
        self.story.table = (self.table.id, cell.row, cell.col)
        if element.tag == TBL:
            self.story.read_table(element, revised)
        else:
            cell.text = "\n".join(self.story.contained(element, revised))
        self.story.table = outer
