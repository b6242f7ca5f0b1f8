"""What a document's parts say of each other, made true before anyone follows it.

Each part has been validated alone; renderers look one up by another's id. Ids that are not unique and tables that contain
each other are a broken answer. A reference to nothing is blanked and counted: a reader of ours may have missed a part.
"""

from __future__ import annotations

from collections.abc import Iterable

from fumehood_sandbox.contract import (
    MAX_SHEET_COLUMNS,
    MAX_SHEET_ROWS,
    Block,
    Document,
    Table,
    Warning,  # noqa: A004
    table_fits,
)
from fumehood_sandbox.frames import ProtocolError


def make_consistent(document: Document) -> None:
    """Check and mend *document*, and the documents in it.

    Raises:
        ProtocolError: an id twice, positions out of every bound, tables nested in a circle.
    """
    tables = _unique(t.id for t in document.tables)
    blocks = _unique(b.id for b in document.blocks)
    images = {i.id for i in document.images}
    notes = {n.id for n in document.notes}
    for table in document.tables:
        _check_grid(table)
    _check_nesting(document.tables)
    _check_sheets(document)
    lost = sum(_mend_block(block, tables, images, notes) for block in document.blocks)
    for table in document.tables:
        for cell in table.cells:
            if cell.table_id is not None and cell.table_id not in tables:
                cell.table_id, lost = None, lost + 1
    for slide in document.slides:
        kept = [b for b in slide.block_ids if b in blocks]
        lost += len(slide.block_ids) - len(kept)
        slide.block_ids = kept
    for item in document.outline:
        if item.block_id is not None and item.block_id not in blocks:
            item.block_id, lost = None, lost + 1
    for note in document.notes:
        if note.ref_block_id is not None and note.ref_block_id not in blocks:
            note.ref_block_id, lost = None, lost + 1
    if lost:
        document.warnings.append(Warning("dangling-reference", "parts of the document that refer to no other part", lost))
    for attachment in document.attachments:
        if attachment.document is not None:
            make_consistent(attachment.document)


def _unique(ids: Iterable[str]) -> set[str]:
    seen: set[str] = set()
    for one in ids:
        if not one or len(one) > 100 or one in seen:
            raise ProtocolError("an id that is empty, too long or not unique")
        seen.add(one)
    return seen


def _check_grid(table: Table) -> None:
    if table.n_rows < 0 or table.n_cols < 0 or table.header_rows < 0:
        raise ProtocolError("a table of an impossible size")
    for cell in table.cells:
        if cell.row < 1 or cell.col < 1 or cell.row_span < 1 or cell.col_span < 1:
            raise ProtocolError("a table cell at an impossible place")
        table.n_rows = max(table.n_rows, cell.row + cell.row_span - 1)
        table.n_cols = max(table.n_cols, cell.col + cell.col_span - 1)
    if not table_fits(table.n_rows, table.n_cols, len(table.cells)):
        raise ProtocolError("a table of an impossible size")


def _check_nesting(tables: list[Table]) -> None:
    """Following ``Cell.table_id`` inward never comes back: every table has at most one cell around it, and an outermost one."""
    outer: dict[str, str] = {}
    for table in tables:
        for cell in table.cells:
            if cell.table_id is not None and outer.setdefault(cell.table_id, table.id) != table.id:
                raise ProtocolError("a table inside two tables")
    checked: set[str] = set()
    for start in list(outer):
        path: set[str] = set()
        at: str | None = start
        while at is not None and at not in checked:
            if at in path:
                raise ProtocolError("tables inside each other")
            path.add(at)
            at = outer.get(at)
        checked |= path


def _check_sheets(document: Document) -> None:
    for sheet in document.sheets:
        for cell in sheet.cells:
            if not (1 <= cell.row <= MAX_SHEET_ROWS and 1 <= cell.col <= MAX_SHEET_COLUMNS):
                raise ProtocolError("a cell at an impossible place")


def _mend_block(block: Block, tables: set[str], images: set[str], notes: set[str]) -> int:
    lost = 0
    if block.table_id is not None and block.table_id not in tables:
        block.table_id, lost = None, lost + 1
    if block.image_id is not None and block.image_id not in images:
        block.image_id, lost = None, lost + 1
    if block.note_id is not None and block.note_id not in notes:
        block.note_id, lost = None, lost + 1
    for run in block.runs:
        if run.image_id is not None and run.image_id not in images:
            run.image_id, lost = None, lost + 1
        if run.note_id is not None and run.note_id not in notes:
            run.note_id, lost = None, lost + 1
    if block.level is not None and not 0 <= block.level <= 100:
        block.level, lost = None, lost + 1
    if block.list is not None:
        block.list.depth = min(max(block.list.depth, 1), 100)
    return lost
