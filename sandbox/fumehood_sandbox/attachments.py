"""Documents in documents: each embedded file is listed, and one that there is a reader for is read, within bounds.

It is read in the same container by the same chains as a document of its own. What goes wrong in it is a warning of the
document around it, never its failure. An attachment crosses to the host in one frame with everything in it, so what does not
fit is left out and said.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from fumehood_sandbox import detect, methods
from fumehood_sandbox.contract import STREAMED, Attachment, Document, Format, PartKind, Progress, Request, Table
from fumehood_sandbox.extraction import ExtractError, Extraction, Sink
from fumehood_sandbox.hashing import Sha256
from fumehood_sandbox.ole_objects import unpack
from fumehood_sandbox.plain import replace
from fumehood_sandbox.plainjson import encode
from fumehood_sandbox.zipsafe import MIB, ZipLimits

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_DEPTH: Final = 3
#: Of one document.
MAX_LISTED: Final = 1_000
#: Of one request, at all depths together: documents that are read, and their bytes.
MAX_READ: Final = 100
MAX_BYTES: Final = 128 * MIB
#: What the document in one attachment, with all that is in it, may be as JSON: its bytes, and the keys of its objects, of which
#: the host takes 120,000 in a frame of 4 MiB.
_FRAME_BYTES: Final = 3 * MIB
_FRAME_KEYS: Final = 100_000
#: The same for all attachments of a request together.
_ALL_BYTES: Final = 64 * MIB
#: With less left of it than this no document is begun.
_LEAST: Final = 64 * 1024
#: What an embedded package may unpack to: the document around it is in memory, too.
_ZIP: Final = ZipLimits(part_bytes=64 * MIB, total_bytes=96 * MIB)
#: The share of the time for a request after which no further document is begun or read on.
_TIME: Final = 0.5
_SLICE: Final = 256
_FEW: Final = 20
_OCTETS: Final = "application/octet-stream"
#: What is read only inside another document.
_CHAINS: Final = {"zip": (methods.Step("zip", "fumehood_sandbox.extractors.archive:extract"),)}
#: Families that nobody expects to be read as a document.
_NO_DOCUMENTS: Final = frozenset({"image", "media", "program", "archive", "database", "ole", "unknown"})


@dataclass(slots=True)
class Nest:
    """What the embedded documents of one request may still take, all of them together."""

    deadline: float
    depth: int = 0
    documents: int = MAX_READ
    input: int = MAX_BYTES
    output: int = _ALL_BYTES
    room: int = 0
    """Bytes that are left of the frame that is being filled, and keys."""
    keys: int = 0
    read: set[bytes] = field(default_factory=set)
    """The hashes of what was read."""

    @property
    def zip_limits(self) -> ZipLimits:
        """The bounds of an embedded package."""
        return _ZIP

    def refusal(self, size: int) -> str | None:
        """Why *size* bytes more are not to be read; None when they are."""
        if self.depth >= MAX_DEPTH:
            return f"embedded in more than {MAX_DEPTH} documents"
        if self.documents <= 0:
            return f"more than {MAX_READ} embedded documents"
        if size > self.input:
            return f"embedded documents of more than {MAX_BYTES // MIB} MiB"
        if monotonic() > self.deadline:
            return "no time left for embedded documents"
        if self.output < _LEAST:
            return "embedded documents give more output than allowed"
        return None

    def enter(self, size: int) -> None:
        """A document of *size* bytes that was not refused is going to be read; `leave` follows whatever comes of it."""
        self.documents -= 1
        self.input -= size
        if self.depth == 0:
            self.room, self.keys = _FRAME_BYTES, _FRAME_KEYS
        self.depth += 1

    def leave(self) -> None:
        self.depth -= 1

    def take(self, data: bytes) -> None:
        """Count *data*, JSON of what an embedded document holds.

        Raises:
            ExtractError: ``limit`` (kind ``output``), it does not fit any more; (kind ``time``), it is too late.
        """
        keys = data.count(b'":')
        if len(data) > min(self.room, self.output) or keys > self.keys:
            raise ExtractError("limit", "an embedded document gives more output than allowed", kind="output")
        self.room -= len(data)
        self.output -= len(data)
        self.keys -= keys
        if monotonic() > self.deadline:
            raise ExtractError("limit", "no time left for an embedded document", kind="time")


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
        x.nest = Nest(x.started + _TIME * x.request.deadline_s)
    return x.nest


def attach(x: Extraction, name: str, mime: str, data: bytes) -> None:
    """List the embedded file *data* among the attachments of *x* and read it if it can be read.

    *name* is its part's, *mime* what the package says; both give way to what an object or the content says.
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
