"""What has come of one attempt to read a document: held in memory while it is short, else in a file."""

from __future__ import annotations

from typing import Any, Final, cast

from fumehood.documents.build import build
from fumehood.documents.consistent import make_consistent
from fumehood.documents.long_answer import LongAnswer
from fumehood.documents.validate import Part, tidy_document
from fumehood_sandbox.contract import MAX_LOOKED_UP, STREAMED, Document, Progress, Sheet, Table
from fumehood_sandbox.frames import ProtocolError

#: An answer of more than this many bytes of items goes to a file. In memory they take about ten times as much.
MAX_IN_MEMORY: Final = 2 * 1024 * 1024

#: What has to be found by its id or its place while the rest is read.
LOOKED_UP: Final = frozenset({"tables", "sheets", "slides", "pages", "images", "notes", "comments"})


class Gathered:
    """The parts of one attempt, in order. Part by part only owners are checked; `document` checks the rest."""

    def __init__(self) -> None:
        self.items = 0
        self.progress: Progress | None = None
        self._parts: list[tuple[Part, list[Any]]] = []
        self._bytes = 0
        self._long: LongAnswer | None = None
        self._sheets = 0
        self._tables: set[str] = set()
        self._looked_up = 0

    def add(self, part: Part) -> None:
        """Take *part* of a kind that a document consists of.

        Raises:
            ProtocolError: its owner is not there, or it contradicts what came before.
            FumehoodError: ``internal``, there is no room for it.
        """
        self._check_owner(part)
        if self._long is not None:
            self._long.add(part)
            return
        self._bytes += len(part.text)
        if self._bytes <= MAX_IN_MEMORY:
            # Made now, while the container reads on, and not when the caller waits for nothing else.
            self._parts.append((part, build(part.kind, part.taken())))
            return
        self._long = LongAnswer()
        for held, _ in self._parts:
            self._long.add(held)
        self._long.add(part)
        self._parts = []

    def _check_owner(self, part: Part) -> None:
        owner = part.owner
        match part.kind:
            case "cells":
                if not isinstance(owner, int) or owner >= self._sheets:
                    raise ProtocolError("cells of no sheet")
            case "table_cells":
                if not isinstance(owner, str) or owner not in self._tables:
                    raise ProtocolError("cells of no table")
            case "block_text":
                if not isinstance(owner, str):
                    raise ProtocolError("text of no block")
            case kind if kind in LOOKED_UP:
                self._looked_up += part.count
                if self._looked_up > MAX_LOOKED_UP:
                    raise ProtocolError("more tables, sheets and the like than allowed")
                if kind == "sheets":
                    self._sheets += part.count
                elif kind == "tables":
                    self._tables.update(item["id"] for item in part.items)
            case _:
                pass

    def document(self, document: Document) -> Document:
        """*document* with its lists.

        Raises:
            ProtocolError: its parts contradict each other.
        """
        if self._long is not None:
            self._long.fill(document)
        else:
            self._fill(document)
            make_consistent(document)
        return document

    def _fill(self, document: Document) -> None:
        lists: dict[str, list[Any]] = {name: [] for name in STREAMED}
        tables: dict[str, Table] = {}
        texts: dict[str, list[str]] = {}
        for part, items in self._parts:
            match part.kind:
                case "cells":
                    sheet: Sheet = lists["sheets"][cast("int", part.owner)]
                    sheet.cells.extend(items)
                case "table_cells":
                    tables[cast("str", part.owner)].cells.extend(items)
                case "block_text":
                    texts.setdefault(cast("str", part.owner), []).extend(items)
                case kind:
                    lists[kind].extend(items)
                    if kind == "tables":
                        tables.update((table.id, table) for table in items)
                    elif kind == "attachments":
                        for attachment in items:
                            if attachment.document is not None:
                                tidy_document(attachment.document, is_nested=True)
        self._parts = []
        for name, found in lists.items():
            setattr(document, name, found)
        if texts:
            blocks = {block.id: block for block in document.blocks}
            if not texts.keys() <= blocks.keys():
                raise ProtocolError("text of no block")
            for owner, pieces in texts.items():
                blocks[owner].text += "".join(pieces)
