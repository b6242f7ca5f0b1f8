"""What a tool call stands on: who reads documents for it, which files it may name, how its text is shown.

The same tools answer an MCP client (fenced, sanitised, paged), `fumehood tool` (sanitised, paged) and the Python API
(every character, whole). What differs is in here, never in the tools.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from fumehood.documents.boundary import NOTICE, Boundary
from fumehood.documents.paging import PAGE_CHARS
from fumehood.documents.sanitise import Mode, clean
from fumehood.errors import EnvironmentError_, FumehoodError, InputError, make_error
from fumehood.staging import paths, uploads
from fumehood.staging.sniff import sniff
from fumehood.staging.staged import Staged
from fumehood_sandbox.contract import Document, MethodChoice, Progress, View

if TYPE_CHECKING:
    from fumehood.sandbox.cancel import CancelToken


class Stored(Protocol):
    """A document as the store keeps it: with every view in it, or the error it ended in."""

    @property
    def document(self) -> Document | None: ...
    @property
    def error(self) -> FumehoodError | None: ...
    @property
    def provenance(self) -> Mapping[str, Any]: ...


class Reader(Protocol):
    """Reads a staged document in a container, or answers from what was read before (`fumehood.api.Fumehood`)."""

    def document(
        self,
        source: Staged,
        *,
        password: str | None = None,
        timeout: float | None = None,
        method: MethodChoice = "auto",
        cancel: CancelToken | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        until: float = math.inf,
    ) -> Stored: ...


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of reading a document: itself, or the error it ended in, or both when it was read in part.

    *name*, *path* and *declared_extension* are what the caller said; *sniffed* is a guess from the first bytes.
    """

    document: Document | None
    error: FumehoodError | None
    provenance: Mapping[str, Any]
    name: str
    path: str
    size: int
    declared_extension: str
    sha256: str
    sniffed: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A document that was read for a tool. *document* holds every view; `in_view` chooses one."""

    document: Document
    source: Attempt

    def in_view(self, view: View = "accepted") -> Document:
        from fumehood.documents.views import apply_view  # noqa: PLC0415 - not needed for listing tools

        return apply_view(self.document, view)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """One call.

    *roots* None is the command line's rule (the file's own folder); *page_chars* None means no paging; *fenced* puts
    document text between a boundary drawn for this call.
    """

    reader: Reader
    roots: Sequence[Path] | None = None
    input_bytes: int = 256 * 1024 * 1024
    upload_bytes: int = uploads.STDIO_UPLOAD_BYTES
    timeout: float | None = None
    until: float = math.inf
    """When the reading ends (`time.monotonic`), however long it had to wait before."""
    cancel: CancelToken | None = None
    on_progress: Callable[[Progress], None] | None = None
    fenced: bool = False
    sanitize: Mode = "strip"
    page_chars: int | None = PAGE_CHARS
    boundary: Boundary = field(default_factory=Boundary)
    trace: dict[str, Any] = field(default_factory=dict)
    """What is known when a call fails: its ``provenance`` so far."""
    readiness: Callable[[], dict[str, Any]] | None = None
    """Says whether documents can be read here at all; for the one tool that needs no document."""

    def stage(self, file_path: str, file_content: str | None) -> Staged:
        """The file, opened once: an upload when *file_content* is given, else the path or file:// URI.

        Raises:
            InputError: as `staging.paths` and `staging.uploads` say.
        """
        if file_content is not None:
            return uploads.decode_base64(file_content, file_path, limit=min(self.upload_bytes, self.input_bytes))
        if "\0" in file_path:
            raise make_error("invalid-argument", "a path holds no NUL character")
        return paths.open_path(paths.resolve_reference(file_path), roots=self.roots, limit=self.input_bytes)

    def attempt(
        self, file_path: str, file_content: str | None, password: str | None, *, method: MethodChoice = "auto"
    ) -> Attempt:
        """The document, read in a container or found in the store; or what is known of it, with the error it ended in.

        A partial document comes with its error beside it. Raises what concerns the call or the machine (`InputError`,
        `EnvironmentError_`): then nothing is known about the document.
        """
        with self.stage(file_path, file_content) as staged:
            self.trace["provenance"] = {"bytes": staged.size}
            stored: Stored | None = None
            try:
                stored = self.reader.document(
                    staged,
                    password=password,
                    timeout=self.timeout,
                    method=method,
                    cancel=self.cancel,
                    on_progress=self.on_progress,
                    until=self.until,
                )
                error = stored.error
                self.trace["provenance"] = dict(stored.provenance)
            except (InputError, EnvironmentError_):
                raise
            except FumehoodError as raised:
                error = raised
            document = stored.document if stored is not None else None
            if document is None and error is None:
                error = make_error("internal", "the document was read without a result")
            if document is None and isinstance(error, (InputError, EnvironmentError_)):
                raise error
            return Attempt(
                document=document,
                error=error,
                provenance=self.trace["provenance"],
                name=staged.name,
                path=staged.name if file_content is not None else file_path,
                size=staged.size,
                declared_extension=staged.declared_extension,
                sha256=staged.sha256(),
                sniffed=sniff(staged.head),
            )

    def read(self, file_path: str, file_content: str | None, password: str | None, *, method: MethodChoice = "auto") -> Reading:
        """The document, or at least a part of it.

        Raises:
            FumehoodError: when nothing could be read.
        """
        attempt = self.attempt(file_path, file_content, password, method=method)
        if attempt.document is None:
            assert attempt.error is not None
            raise attempt.error
        return Reading(attempt.document, attempt)

    def read_word(self, file_path: str, file_content: str | None, password: str | None) -> Reading:
        """`read` for a Word document.

        Raises:
            FumehoodError: as `read`, and ``unsupported`` for any other kind.
        """
        reading = self.read(file_path, file_content, password)
        if reading.document.format.family != "docx":
            raise make_error(
                "unsupported",
                "this tool reads Word documents (.docx, .docm, .dotx, .dotm), and the content is something else",
                hint="Use extract_text or convert_to_markdown; detect_office_format says what the file is.",
            )
        return reading

    def show(self, text: str) -> str:
        """*text* of a document as this caller may see it."""
        return clean(text, self.sanitize)

    def fence(self, text: str) -> str:
        return self.boundary.fence(text) if self.fenced else text

    @property
    def text_budget(self) -> int | None:
        """How many characters of body text fit on a page beside the fence."""
        if self.page_chars is None:
            return None
        return self.page_chars - (self.boundary.overhead if self.fenced else 0)

    @property
    def notice(self) -> str | None:
        return NOTICE if self.fenced else None
