"""What a document's parts say of each other, made true before anyone follows it.

Each part has been validated alone; renderers look one up by another's id. Ids that are not unique and tables that contain
each other are a broken answer. A reference to nothing is blanked and counted: a reader of ours may have missed a part.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Final

from fumehood_sandbox.contract import (
    MAX_SHEET_COLUMNS,
    MAX_SHEET_ROWS,
    Block,
    Cell,
    Document,
    Note,
    OutlineItem,
    Slide,
    Table,
    Warning,  # noqa: A004
    table_fits,
)
from fumehood_sandbox.frames import ProtocolError

#: Of headings and of list items.
MAX_LEVEL: Final = 100


@dataclass(frozen=True, slots=True)
class Known:
    """The ids that a reference may lead to."""

    blocks: Container[str]
    tables: Container[str]
    images: Container[str]
    notes: Container[str]


def make_consistent(document: Document) -> None:
    """Check and mend *document*, and the documents in it.

    Raises:
        ProtocolError: an id twice, positions out of every bound, tables nested in a circle.
    """
    known = Known(
        tables=_unique(t.id for t in document.tables),
        blocks=_unique(b.id for b in document.blocks),
        images={i.id for i in document.images},
        notes={n.id for n in document.notes},
    )
    outer: dict[str, str] = {}
    for table in document.tables:
        _check_grid(table)
        nest(outer, table.id, (cell.table_id for cell in table.cells))
    check_nesting(outer)
    _check_sheets(document)
    warn_of_lost(
        document,
        sum(
            mend(item, known) for name in ("blocks", "tables", "slides", "outline", "notes") for item in getattr(document, name)
        ),
    )
    for attachment in document.attachments:
        if attachment.document is not None:
            make_consistent(attachment.document)


def warn_of_lost(document: Document, lost: int) -> None:
    if lost:
        document.warnings.append(Warning("dangling-reference", "parts of the document that refer to no other part", lost))


def mend(item: Block | Table | Cell | Slide | OutlineItem | Note, known: Known) -> int:
    """Blank what *item* refers to and *known* has not; how many references that were."""
    match item:
        case Block():
            return _mend_block(item, known)
        case Table():
            return sum(mend(cell, known) for cell in item.cells)
        case Cell():
            if item.table_id is not None and item.table_id not in known.tables:
                item.table_id = None
                return 1
        case Slide():
            kept = [b for b in item.block_ids if b in known.blocks]
            lost = len(item.block_ids) - len(kept)
            item.block_ids = kept
            return lost
        case OutlineItem():
            if item.block_id is not None and item.block_id not in known.blocks:
                item.block_id = None
                return 1
        case Note():
            if item.ref_block_id is not None and item.ref_block_id not in known.blocks:
                item.ref_block_id = None
                return 1
    return 0


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


def nest(outer: dict[str, str], table_id: str, inner: Iterable[str | None]) -> None:
    """Note in *outer* which table each of *inner* stands in."""
    for name in inner:
        if name is not None and outer.setdefault(name, table_id) != table_id:
            raise ProtocolError("a table inside two tables")


def check_nesting(outer: dict[str, str]) -> None:
    """Following ``Cell.table_id`` inward never comes back: every table has at most one cell around it, and an outermost one."""
    checked: set[str] = set()
    for start in outer:
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


def _mend_block(block: Block, known: Known) -> int:
    lost = 0
    if block.table_id is not None and block.table_id not in known.tables:
        block.table_id, lost = None, lost + 1
    if block.image_id is not None and block.image_id not in known.images:
        block.image_id, lost = None, lost + 1
    if block.note_id is not None and block.note_id not in known.notes:
        block.note_id, lost = None, lost + 1
    for run in block.runs:
        if run.image_id is not None and run.image_id not in known.images:
            run.image_id, lost = None, lost + 1
        if run.note_id is not None and run.note_id not in known.notes:
            run.note_id, lost = None, lost + 1
    if block.level is not None and not 0 <= block.level <= MAX_LEVEL:
        block.level, lost = None, lost + 1
    if block.list is not None:
        block.list.depth = min(max(block.list.depth, 1), MAX_LEVEL)
    return lost
