"""Alternative format import (``w:altChunk``, ECMA-376 part 1, 17.17.2.1): content of another format, read where it stands.

Word takes it into the text when it opens the document. Here a method for its format reads it as a document of its own, whose
blocks, tables, pictures, notes, comments and revisions then join this one under new ids; its headers and footers, which Word
drops, do not.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final

from fumehood_sandbox import attachments, detect, methods
from fumehood_sandbox.contract import Block, Document, Format, Request
from fumehood_sandbox.extraction import CollectingSink, ExtractError
from fumehood_sandbox.methods import Step

if TYPE_CHECKING:
    from fumehood_sandbox.contract import Progress
    from fumehood_sandbox.extraction import Sink
    from fumehood_sandbox.extractors.docx.reader import Reader
    from fumehood_sandbox.extractors.docx.revisions import Revised
    from fumehood_sandbox.extractors.docx.story import Story

_ARCHIVE: Final = (Step("html", "fumehood_sandbox.extractors.web_archive:extract"),)
_CHAINS: Final = {
    "docx": methods.CHAINS["docx"],
    "text": methods.CHAINS["text"],
    "html": (Step("html", "fumehood_sandbox.extractors.html_text:extract"),),
    "mhtml": _ARCHIVE,
    "eml": _ARCHIVE,  # a web archive with a subject
}
#: Families that the content of a page or an archive may be taken for.
_UNTOLD: Final = frozenset({"text", "xml", "unknown"})
_ARCHIVE_TYPES: Final = frozenset({"message/rfc822", "multipart/related", "application/x-mimearchive"})
#: What joins the document as it is. Blocks and tables are placed first.
_JOINING: Final = ("images", "notes", "revisions", "comments", "links", "active_content")
_RUNNING: Final = frozenset({"header", "footer"})
_ID_FIELDS: Final = ("id", "table_id", "image_id", "note_id", "comment_id", "parent_id", "ref_block_id")
_ID_LISTS: Final = ("comment_ids", "revision_ids")
_DIGITS: Final = "0123456789"


class _Held(CollectingSink):
    """Keeps a chunk until all of it was read."""

    def __init__(self, document: Document, around: Sink) -> None:
        super().__init__(document)
        self._around = around

    def progress(self, progress: Progress) -> None:
        self._around.progress(progress)


def read_chunk(story: Story, part: str, revised: Revised) -> bool:
    """Read the chunk in *part* into *story*; False where nothing could be read."""
    reader = story.reader
    x = reader.x
    try:
        data = reader.package.read(part)
        found = detect.identify(data, posixpath.splitext(part)[1])
    except ExtractError as error:
        return _refuse(reader, part, error)
    found.mismatch = False  # the name is the package's own affair
    if found.family in _UNTOLD:
        found.family = _promised(reader, part) or found.family
    if found.family not in _CHAINS or found.encrypted:
        return _refuse(reader, part, ExtractError("unsupported", found.name))
    nest = attachments.nest_of(x)
    if (refusal := nest.refusal(len(data))) is not None:
        return _refuse(reader, part, ExtractError("limit", refusal))
    nest.enter(len(data))
    try:
        held = _read(story, part, data, found)
    finally:
        nest.leave()
    if held is None:
        return False
    _Joining(story, held, revised).join()
    return True


def _promised(reader: Reader, part: str) -> str | None:
    """The family that the package says *part* is of: a piece of a page, or an archive of one, need not look like it."""
    said = reader.package.content_type(part).lower()
    ending = posixpath.splitext(part)[1].lower()
    if said in _ARCHIVE_TYPES or ending in {".mht", ".mhtml"}:
        return "mhtml"
    return "html" if "html" in said or ending in {".htm", ".html", ".xhtml"} else None


def _read(story: Story, part: str, data: bytes, found: Format) -> _Held | None:
    x = story.reader.x
    begun: list[_Held] = []

    def hold(_attempt: int, document: Document) -> Sink:
        begun.append(_Held(document, x.sink))
        return begun[-1]

    request = Request(declared_extension=found.declared_extension, assets=x.request.assets, deadline_s=x.request.deadline_s)
    try:
        methods.run(data, request, found, hold, chain=_CHAINS[found.family], nest=x.nest)
    except ExtractError as error:
        _refuse(story.reader, part, error)
        if not begun[-1].document.blocks:
            return None
    return begun[-1]


def _refuse(reader: Reader, part: str, error: ExtractError) -> bool:
    reason = f"{error.code}: {error.detail}" if error.detail else error.code
    reader.x.warn("alt-chunk", f"content of another format was not read, or not all of it ({reason})", where=part)
    return False


class _Joining:
    """The parts of one chunk on their way into the document around it."""

    def __init__(self, story: Story, held: _Held, revised: Revised) -> None:
        self._story = story
        self._reader = story.reader
        self._held = held
        self._revised = revised
        self._ids: dict[str, str] = {}

    def join(self) -> None:
        """Send everything on."""
        document, x = self._held.document, self._reader.x
        left_out = {block.table_id for block in document.blocks if block.part in _RUNNING and block.type == "table"}
        outermost = {table.id for table in document.tables} - {
            cell.table_id for table in document.tables for cell in table.cells
        }
        for block in document.blocks:
            if block.part not in _RUNNING:
                self._block(block, is_outermost=block.type == "table" and block.table_id in outermost)
        for table in document.tables:
            if table.id not in left_out:
                self._renumber(table, *table.cells)
                x.table(table)
        for kind in _JOINING:
            items: list[Any] = getattr(document, kind)
            self._renumber(*items)
            for item in items:
                if hasattr(item, "para_index"):
                    item.para_index = None  # its paragraphs are none of this document's own
            x.add(kind, *items)
        for image_id, data in self._held.assets.items():
            x.sink.asset(self._renamed(image_id), data)
        for warning in document.warnings:
            x.warn(warning.code, warning.message, where="altChunk", count=warning.count or 1)

    def _block(self, block: Block, *, is_outermost: bool) -> None:
        story = self._story
        self._renumber(block, *block.runs)
        block.para_index = None
        if block.part == "body":
            block.part = story.part
        if block.note_id is None and block.comment_id is None and block.part not in {"footnote", "endnote", "comment"}:
            block.note_id, block.comment_id = story.note_id, story.comment_id
        block.in_accepted = block.in_accepted and self._revised.accepted
        block.in_original = block.in_original and self._revised.original
        if story.table is not None and is_outermost:
            story.nested = story.nested or block.table_id
        elif story.table is not None and block.table_id is None and block.part == story.part:
            block.table_id, block.row, block.col = story.table
        if block.type != "table" and block.table_id in {None, (story.table or (None,))[0]}:
            story.lines.append(block.text)
        self._reader.emit(block)
        if block.type == "heading" and block.part == "body" and block.table_id is None:
            self._reader.outlined(block)

    def _renumber(self, *items: Any) -> None:
        for item in items:
            for name in _ID_FIELDS:
                value = getattr(item, name, None)
                if value:
                    setattr(item, name, self._renamed(value))
            for name in _ID_LISTS:
                values = getattr(item, name, None)
                if values:
                    setattr(item, name, [self._renamed(value) for value in values])

    def _renamed(self, name: str) -> str:
        """The id here of what is *name* in the chunk."""
        known = self._ids.get(name)
        if known is None:
            known = self._ids[name] = self._reader.x.next_id(name.rstrip(_DIGITS) or "b")
        return known
