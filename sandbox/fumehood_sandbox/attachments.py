"""Documents in documents: each embedded file is listed, and one that there is a reader for is read, within bounds.

It is read in the same container by the same chains as a document of its own. What goes wrong in it is a warning of the
document around it, never its failure. An attachment crosses to the host in one frame with everything in it, so what does not
fit is left out and said.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final

from fumehood_sandbox import detect, methods
from fumehood_sandbox.contract import STREAMED, Attachment, Document, Format, PartKind, Progress, Request, Table
from fumehood_sandbox.errors import ExtractError
from fumehood_sandbox.extraction import Extraction, Sink
from fumehood_sandbox.hashing import Sha256
from fumehood_sandbox.nest import MAX_READ, Nest
from fumehood_sandbox.ole_objects import unpack
from fumehood_sandbox.plain import replace
from fumehood_sandbox.plainjson import encode

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Of one document.
MAX_LISTED: Final = 1_000
_SLICE: Final = 256
_FEW: Final = 20
_OCTETS: Final = "application/octet-stream"
#: What is read only inside another document.
_CHAINS: Final = {"zip": (methods.Step("zip", "fumehood_sandbox.extractors.archive:extract"),)}
#: Families that nobody expects to be read as a document.
_NO_DOCUMENTS: Final = frozenset({"image", "media", "program", "archive", "database", "ole", "unknown"})


class _Inside:
    """The sink of an embedded document: keeps it, as long as it fits."""

    def __init__(self, document: Document, nest: Nest, around: Sink) -> None:
        self._document = document
        self._nest = nest
        self._around = around
        self._tables: dict[str, Table] = {}

    def items(self, kind: PartKind, items: list[Any], owner: int | str | None = None) -> None:
        target: list[Any]
        if kind == "cells":
            target = self._document.sheets[int(owner or 0)].cells
        elif kind == "table_cells":
            target = self._tables[str(owner)].cells
        else:
            target = getattr(self._document, kind)
        for start in range(0, len(items), _SLICE):
            some = items[start : start + _SLICE]
            # What is in an attachment was counted when it was read.
            counted = [replace(item, document=None) for item in some] if kind == "attachments" else some
            self._nest.take(encode(counted))
            target.extend(some)
        if kind == "tables":
            self._tables.update((table.id, table) for table in items)
        self._alive()

    def asset(self, image_id: str, data: bytes) -> None:
        """Images of embedded documents are listed only."""

    def progress(self, progress: Progress) -> None:
        """How far an embedded document was read is not how far the request is."""
        del progress
        self._alive()

    def _alive(self) -> None:
        self._around.progress(Progress(MAX_READ - self._nest.documents, None, "attachment"))


def nest_of(x: Extraction) -> Nest:
    """The nest of *x*: its own where it is the outermost document."""
    if x.nest is None:
        x.nest = Nest.until(x.started, x.request.deadline_s)
    return x.nest


def attach(x: Extraction, name: str, mime: str, data: bytes) -> None:
    """List the embedded file *data* among the attachments of *x* and read it if it can be read.

    Do so when everything else of *x* has been sent. *name* is its part's, *mime* what the package says; both give way to what
    an object or the content says.
    """
    x.attached += 1
    if x.attached > MAX_LISTED:
        x.warn("attachments-cut", f"only the first {MAX_LISTED} embedded files are listed")
        return
    packed = unpack(data)
    if packed is not None:
        data, name = packed.data, packed.name or name
    found = _identified(x, name, data)
    is_renamed = packed is not None and not packed.name
    attachment = Attachment(_named(name, found, is_renamed=is_renamed), mime or _OCTETS, len(data))
    if found is not None and found.family != "unknown" and not (found.family == "text" and mime.startswith("text/")):
        attachment.mime = found.mime
    attachment.name = attachment.name[:255]
    if found is not None:
        attachment.document = _read(x, attachment.name, data, found)
    x.add("attachments", attachment)


def _identified(x: Extraction, name: str, data: bytes) -> Format | None:
    try:
        return detect.identify(data, posixpath.splitext(name)[1]) if data else None
    except ExtractError as error:
        _warn(x, name, error)
        return None


def _named(name: str, found: Format | None, *, is_renamed: bool) -> str:
    """*name*; with the ending of what was *found* where it is only that of the object around it."""
    stem, ending = posixpath.splitext(name)
    if found is None or not found.extension or not (is_renamed or ending.lower() == ".bin"):
        return name
    return stem + found.extension


def _read(x: Extraction, name: str, data: bytes, found: Format) -> Document | None:
    """The document that *data* is; None where it is none, cannot be read or may not be read any more."""
    try:
        if found.family not in _CHAINS:
            detect.require_readable(found)
    except ExtractError as error:
        if found.family not in _NO_DOCUMENTS:
            _warn(x, name, error)
        return None
    nest = nest_of(x)
    digest = Sha256(data).digest()
    if digest in nest.read:
        x.warn("attachment-repeated", "the same bytes as another embedded file, which was read", where=name)
        return None
    refusal = nest.refusal(len(data))
    if refusal is not None:
        x.warn("attachments-limit", f"{refusal}: listed, not read", where=name)
        return None
    nest.read.add(digest)
    nest.enter(len(data))
    try:
        return _by_chain(x, nest, name, data, found)
    finally:
        nest.leave()


def _by_chain(x: Extraction, nest: Nest, name: str, data: bytes, found: Format) -> Document | None:
    request = Request(password=x.request.password, declared_extension=found.declared_extension, deadline_s=x.request.deadline_s)
    begun: list[Document] = []
    room = nest.room, nest.output, nest.keys

    def inside(_attempt: int, document: Document) -> Sink:
        begun.append(document)
        nest.room, nest.output, nest.keys = room
        return _Inside(document, nest, x.sink)

    try:
        document = methods.run(data, request, found, inside, chain=_CHAINS.get(found.family), nest=nest).document
    except ExtractError as error:
        document = begun[-1]
        document.methods = list(getattr(error, "tried", ()))
        document.partial = True
        _warn(x, name, error, is_cut=_says_something(document))
        if not _says_something(document):
            return None
    _fit_head(x, nest, name, document)
    return document


def _says_something(document: Document) -> bool:
    return any(getattr(document, kind) for kind in STREAMED)


def _fit_head(x: Extraction, nest: Nest, name: str, document: Document) -> None:
    """Count what *document* says beside its lists; where that does not fit, most of it is left out."""
    nothing: dict[str, Sequence[Any]] = dict.fromkeys(STREAMED, ())
    try:
        nest.take(encode(replace(document, **{kind: [] for kind in nothing})))
    except ExtractError as error:
        if error.kind == "time":
            return
        document.metadata, document.custom_properties, document.defined_names = {}, {}, {}
        del document.warnings[_FEW:]
        _warn(x, name, error, is_cut=True)


def _warn(x: Extraction, name: str, error: ExtractError, *, is_cut: bool = False) -> None:
    reason = f"{error.code}: {error.detail}" if error.detail else error.code
    if is_cut:
        x.warn("attachment-cut", f"an embedded document was read in part ({reason})", where=name)
    else:
        x.warn("attachment-unreadable", f"an embedded document was not read ({reason})", where=name)
