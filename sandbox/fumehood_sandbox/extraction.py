"""What an extractor writes to: the document under construction, its stream, its warnings.

An extractor is ``def extract(x: Extraction) -> None``. It reads ``x.data``, adds blocks, tables, cells and the rest in
reading order, and says what it could not read with `Extraction.warn`. Small facts go straight into ``x.document``.
A *sink* receives each item; the worker's sink turns them into frames, `collect` keeps them in memory for tests.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

from fumehood_sandbox.contract import (
    MAX_SHEET_COLUMNS,
    MAX_SHEET_ROWS,
    Block,
    Document,
    Image,
    PartKind,
    Progress,
    Request,
    Sheet,
    SheetCell,
    Table,
    Warning,  # noqa: A004
    table_fits,
)
from fumehood_sandbox.errors import ExtractError as ExtractError  # noqa: PLC0414 - extractors find it here
from fumehood_sandbox.hashing import Sha256
from fumehood_sandbox.plain import replace

if TYPE_CHECKING:
    from fumehood_sandbox.nest import Nest
    from fumehood_sandbox.zipsafe import ZipLimits

_CELLS_IN_A_TABLE: Final = 1000


class Sink(Protocol):
    """Where items go, in order."""

    def items(self, kind: PartKind, items: list[Any], owner: int | str | None = None) -> None: ...
    def asset(self, image_id: str, data: bytes) -> None: ...
    def progress(self, progress: Progress) -> None: ...


@dataclass(slots=True)
class Extraction:
    """One attempt of one method at one document."""

    data: bytes
    request: Request
    document: Document
    sink: Sink
    nest: Nest | None = None
    """What documents inside this one may still take; None in a document that nothing was embedded in so far."""
    attached: int = 0
    started: float = field(default_factory=monotonic)
    stopped_at: dict[str, int] | None = None
    _ids: dict[str, int] = field(default_factory=dict)
    _warned: dict[tuple[str, str | None], Warning] = field(default_factory=dict)
    _sheets: int = 0

    @property
    def zip_limits(self) -> ZipLimits | None:
        """The bounds of this document where it is a package; None where they are the usual ones."""
        return self.nest.zip_limits if self.nest is not None else None

    def next_id(self, prefix: str) -> str:
        """The next stable id with *prefix*: b (block), t (table), i (image), r (revision), n (note), c (comment)."""
        number = self._ids.get(prefix, 0) + 1
        self._ids[prefix] = number
        return f"{prefix}{number}"

    def add(self, kind: PartKind, *items: Any, owner: int | str | None = None) -> None:
        """Send *items* of one kind, in order."""
        if kind == "blocks":
            for block in items:
                self._place(block)
        self.sink.items(kind, list(items), owner)

    def _place(self, block: Block) -> None:
        """What is sent behind a sheet and is not in its cells belongs to it."""
        if self._sheets and block.sheet is None:
            block.sheet = self._sheets

    def block(self, block: Block) -> Block:
        self._place(block)
        self.sink.items("blocks", [block])
        return block

    def table(self, table: Table) -> Table:
        """Send a table with all its cells (after its block and the blocks of its cells, or before: order is free).

        Spans are the document's word. Where they make the table larger than any may be, they are left out.

        Raises:
            ExtractError: ``limit`` (kind ``cells``), the cells themselves are too far apart.
        """
        if not _fits(table):
            for cell in table.cells:
                cell.row_span = cell.col_span = 1
            table.n_rows = max((cell.row for cell in table.cells), default=0)
            table.n_cols = max((cell.col for cell in table.cells), default=0)
            table.header_rows = min(table.header_rows, table.n_rows)
            if not _fits(table):
                raise ExtractError("limit", "a table with too many rows or columns", kind="cells")
            self.warn("table-spans", "a table whose merged cells span more than a table can have; shown unmerged")
        if len(table.cells) <= _CELLS_IN_A_TABLE:
            self.sink.items("tables", [table])
        else:  # as an item of its own it could be larger than a frame
            self.sink.items("tables", [replace(table, cells=[])])
            self.sink.items("table_cells", table.cells, table.id)
        return table

    def sheet(self, sheet: Sheet) -> int:
        """Open a sheet and return its position from 0, which `cells` takes."""
        self.sink.items("sheets", [sheet])
        self._sheets += 1
        return self._sheets - 1

    def cells(self, sheet: int, cells: list[SheetCell]) -> None:
        if any(cell.row > MAX_SHEET_ROWS or cell.col > MAX_SHEET_COLUMNS for cell in cells):
            raise ExtractError("limit", "a sheet with too many rows or columns", kind="cells")
        self.sink.items("cells", cells, sheet)

    def image(self, image: Image, data: bytes | None = None) -> Image:
        """List an image; with *data*, fill in its size and hash, and send its bytes when the request asked for assets."""
        if data is not None:
            image.bytes = len(data)
            image.sha256 = Sha256(data).hexdigest()
            if self.request.assets:
                self.sink.asset(image.id, data)
        self.sink.items("images", [image])
        return image

    def warn(self, code: str, message: str = "", *, where: str | None = None, count: int = 1) -> None:
        """Say what was not read or is odd. The same code at the same place is one warning with a count."""
        known = self._warned.get((code, where))
        if known is not None:
            known.count = (known.count or 1) + count
            return
        warning = Warning(code, message, count if count > 1 else None, where)
        self._warned[code, where] = warning
        self.document.warnings.append(warning)

    def progress(self, done: int, total: int | None, unit: str) -> None:
        """Tell the host that work goes on; also where a partial result stopped."""
        self.stopped_at = {unit: done}
        self.sink.progress(Progress(done, total, unit))


def _fits(table: Table) -> bool:
    rows = max((cell.row + cell.row_span - 1 for cell in table.cells), default=0)
    columns = max((cell.col + cell.col_span - 1 for cell in table.cells), default=0)
    return table_fits(max(rows, table.n_rows), max(columns, table.n_cols), len(table.cells))


class CollectingSink:
    """Keeps everything in the document itself: for tests and benchmarks in process."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.assets: dict[str, bytes] = {}
        self.progressed: list[Progress] = []

    def items(self, kind: PartKind, items: list[Any], owner: int | str | None = None) -> None:
        if kind == "cells":
            self.document.sheets[int(owner or 0)].cells.extend(items)
        elif kind == "table_cells":
            next(t for t in self.document.tables if t.id == owner).cells.extend(items)
        else:
            getattr(self.document, kind).extend(items)

    def asset(self, image_id: str, data: bytes) -> None:
        self.assets[image_id] = data

    def progress(self, progress: Progress) -> None:
        self.progressed.append(progress)
