"""An answer that is too long to be held: its items go to a file as they come, its document reads them back.

What `fumehood.documents.consistent` checks of a whole document is gathered here part by part, in sets of a bit an id. What
has to be mended is mended whenever a chunk is decoded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, cast

from pydantic_core import to_json

from fumehood.documents.consistent import MAX_LEVEL, Known, check_nesting, make_consistent, mend, nest, warn_of_lost
from fumehood.documents.idset import IdSet
from fumehood.documents.lazy import Joined, as_list
from fumehood.documents.spool import CHUNK_ITEMS, LongText, Spooled, SpoolFile
from fumehood.documents.suspects import is_suspect_json
from fumehood.documents.validate import Part, tidy_document
from fumehood_sandbox.contract import STREAMED, Block, Cell, Document, PartKind, Sheet, SheetCell, Table, table_fits
from fumehood_sandbox.frames import ProtocolError

_LEFT_OUT: Final = re.compile(rb'"(?:mark_)?in_(?:accepted|original)":false')
#: The kinds whose items say something of other items.
_REFERRING: Final[tuple[PartKind, ...]] = ("blocks", "tables", "slides", "outline", "notes")

Data = dict[str, Any]


class LongAnswer:
    """Takes the parts of one attempt with `add`; `fill` makes them a document's lists."""

    def __init__(self) -> None:
        self._file = SpoolFile()
        self._lists: dict[str, Spooled[Any]] = {name: Spooled(self._file, name) for name in STREAMED}
        self._sheet_cells: dict[int, Spooled[SheetCell]] = {}
        self._table_cells: dict[str, Spooled[Cell]] = {}
        self._writing: Spooled[Any] | None = None
        self._texts: dict[str, LongText] = {}
        self._block_with_text: LongText | None = None
        self._there = {kind: IdSet() for kind in ("blocks", "tables", "images", "notes")}
        self._wanted = {kind: IdSet() for kind in ("blocks", "tables", "images", "notes")}
        self._outer: dict[str, str] = {}
        self._sizes: dict[str, list[int]] = {}
        """Of each table: its rows, its columns, its cells."""
        self._odd = False
        """Whether a block has to be mended for another reason than a reference."""

    # --- parts ------------------------------------------------------------------------------------------------------

    def add(self, part: Part) -> None:
        """Take *part*, whose owner is known to be there.

        Raises:
            ProtocolError: it contradicts what came before.
            FumehoodError: ``internal``, there is no room for it.
        """
        if part.kind == "cells":  # they say nothing of anything else, and are not even parsed
            self._write(self._owned(self._sheet_cells, cast("int", part.owner), "cells"), part)
            return
        items = part.items
        match part.kind:
            case "block_text":
                self._text(str(part.owner), items)
                return
            case "table_cells":
                self._cells(cast("str", part.owner), items)
                self._write(self._owned(self._table_cells, cast("str", part.owner), "table_cells"), part)
                return
            case "blocks":
                self._blocks(items)
            case "tables":
                self._tables(items)
            case "images":
                for item in items:
                    self._there["images"].add(item["id"])
            case "notes":
                for item in items:
                    self._there["notes"].add(item["id"])
                    self._want("blocks", item.get("ref_block_id"))
            case "slides":
                for item in items:
                    for name in item.get("block_ids", ()):
                        self._want("blocks", name)
            case "outline":
                for item in items:
                    self._want("blocks", item.get("block_id"))
            case "attachments":
                for attachment in self._decoded_attachments(part):
                    if attachment.document is not None:
                        make_consistent(attachment.document)
            case _:
                pass
        written = self._lists[part.kind]
        self._write(written, part)
        if part.kind == "blocks" and not written.revised:
            written.revised = _LEFT_OUT.search(part.text) is not None

    def _owned(self, known: dict[Any, Spooled[Any]], owner: int | str, kind: PartKind) -> Spooled[Any]:
        found = known.get(owner)
        if found is None:
            found = known[owner] = Spooled(self._file, kind)
        if found is not self._writing:  # of all the sheets' and tables' cells only one sequence holds back what comes
            if self._writing is not None:
                self._writing.flush()
            self._writing = found
        return found

    @staticmethod
    def _write(to: Spooled[Any], part: Part) -> None:
        suspect = is_suspect_json(part.text)
        if part.count <= CHUNK_ITEMS:
            to.add(part.text, part.count, suspect=suspect)
            return
        for start in range(0, part.count, CHUNK_ITEMS):
            some = part.items[start : start + CHUNK_ITEMS]
            to.add(to_json(some)[1:-1], len(some), suspect=suspect)

    def _text(self, owner: str, texts: list[str]) -> None:
        if owner not in self._texts:
            self._texts[owner] = LongText(self._file)
        self._texts[owner].add(texts)

    def _want(self, kind: str, name: str | None) -> None:
        if name is not None:
            self._wanted[kind].add(name)

    def _blocks(self, items: list[Data]) -> None:
        self._there["blocks"].add_new([item["id"] for item in items])
        for item in items:
            if "table_id" in item:
                self._want("tables", item["table_id"])
            if "level" in item and item["level"] is not None and not 0 <= item["level"] <= MAX_LEVEL:
                self._odd = True
            if item.get("list") and not 1 <= item["list"].get("depth", 1) <= MAX_LEVEL:
                self._odd = True
            for referring in (item, *item.get("runs", ())):
                if "image_id" in referring:
                    self._want("images", referring["image_id"])
                if "note_id" in referring:
                    self._want("notes", referring["note_id"])

    def _tables(self, items: list[Data]) -> None:
        self._there["tables"].add_new([item["id"] for item in items])
        for item in items:
            size = [item.get("n_rows", 0), item.get("n_cols", 0), 0]
            if min(size) < 0 or item.get("header_rows", 0) < 0:
                raise ProtocolError("a table of an impossible size")
            self._sizes[item["id"]] = size
            self._cells(item["id"], item.get("cells", ()))

    def _cells(self, table: str, cells: Sequence[Data]) -> None:
        size = self._sizes[table]
        for cell in cells:
            row, col, rows, cols = cell["row"], cell["col"], cell.get("row_span", 1), cell.get("col_span", 1)
            if row < 1 or col < 1 or rows < 1 or cols < 1:
                raise ProtocolError("a table cell at an impossible place")
            size[0] = max(size[0], row + rows - 1)
            size[1] = max(size[1], col + cols - 1)
            if cell.get("table_id") is not None:
                self._want("tables", cell["table_id"])
                nest(self._outer, table, (cell["table_id"],))
        size[2] += len(cells)

    def _decoded_attachments(self, part: Part) -> list[Any]:
        alone: Spooled[Any] = Spooled(self._file, "attachments")
        alone.settle = _settle_attachments(consistent=False)
        alone.add(part.text, part.count, suspect=False)
        alone.flush()
        return list(alone)

    # --- the document -----------------------------------------------------------------------------------------------

    def fill(self, document: Document) -> None:
        """Give *document* its lists.

        Raises:
            ProtocolError: its parts contradict each other.
        """
        for spooled in (*self._lists.values(), *self._sheet_cells.values(), *self._table_cells.values()):
            spooled.flush()
        if any(name not in self._there["blocks"] for name in self._texts):
            raise ProtocolError("text of no block")
        if any(not table_fits(*size) for size in self._sizes.values()):
            raise ProtocolError("a table of an impossible size")
        check_nesting(self._outer)
        for name, spooled in self._lists.items():
            setattr(document, name, spooled or [])
        known = Known(**self._there)
        broken = self._odd or any(self._there[kind].lacks(self._wanted[kind]) for kind in self._wanted)
        self._lists["attachments"].settle = _settle_attachments(consistent=True)
        self._lists["sheets"].settle = _settle_sheets(self._sheet_cells)
        if broken:
            warn_of_lost(document, self._count_lost(known))
            for items in (*(self._lists[kind] for kind in ("slides", "outline", "notes")), *self._table_cells.values()):
                items.settle = _mending(known)
        self._lists["blocks"].settle = _settle_blocks(known if broken else None, self._texts)
        self._lists["tables"].settle = _settle_tables(known if broken else None, self._sizes, self._table_cells)

    def _count_lost(self, known: Known) -> int:
        sequences: list[Iterable[Any]] = [*(self._lists[kind] for kind in _REFERRING), *self._table_cells.values()]
        return sum(mend(item, known) for items in sequences for item in items)


Settle = Callable[[int, list[Any]], None]


# What is called for each chunk knows no more than it needs: nothing that leads back to its own sequence, or the file would
# be closed by the cycle collector only.


def _settle_sheets(cells: dict[int, Spooled[SheetCell]]) -> Settle:
    def settle(first: int, sheets: list[Sheet]) -> None:
        for at, sheet in enumerate(sheets, first):
            if at in cells:
                sheet.cells = as_list(Joined(sheet.cells, cells[at]) if sheet.cells else cells[at])

    return settle


def _settle_tables(known: Known | None, sizes: dict[str, list[int]], cells: dict[str, Spooled[Cell]]) -> Settle:
    def settle(_first: int, tables: list[Table]) -> None:
        for table in tables:
            if known is not None:
                mend(table, known)  # the cells that it was sent with: the others are mended by themselves
            table.n_rows, table.n_cols, _ = sizes[table.id]
            if table.id in cells:
                table.cells = as_list(Joined(table.cells, cells[table.id]) if table.cells else cells[table.id])

    return settle


def _mending(known: Known) -> Settle:
    def settle(_first: int, items: list[Any]) -> None:
        for item in items:
            mend(item, known)

    return settle


def _settle_blocks(known: Known | None, texts: dict[str, LongText]) -> Settle | None:
    if known is None and not texts:
        return None

    def settle(_first: int, blocks: list[Block]) -> None:
        for block in blocks:
            if known is not None:
                mend(block, known)
            if block.id in texts:
                block.text = texts[block.id].after(block.text)

    return settle


def _settle_attachments(*, consistent: bool) -> Settle:
    def settle(_first: int, attachments: list[Any]) -> None:
        for attachment in attachments:
            if attachment.document is not None:
                tidy_document(attachment.document, is_nested=True)
                if consistent:
                    make_consistent(attachment.document)

    return settle
