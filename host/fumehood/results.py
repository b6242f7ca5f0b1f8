"""The values that reading a document gives: as the store keeps it, and as a caller gets it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fumehood.errors import FumehoodError
from fumehood_sandbox.contract import Document

Sanitize = Literal["strip", "escape", "keep"]


@dataclass(frozen=True, slots=True)
class StoredResult:
    """What a container said about a document, every view in it. Shared: never change it."""

    document: Document | None
    error: FumehoodError | None
    provenance: Mapping[str, Any]
    assets: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExtractResult:
    """One document in one view, or why it could not be read; both when reading stopped half-way (`document.partial`).

    `path` is as given. `assets` holds image bytes by image id when they were asked for. `provenance` says which bytes were read,
    in which image, under which limits.
    """

    path: str
    document: Document | None
    error: FumehoodError | None
    provenance: Mapping[str, Any]
    assets: Mapping[str, bytes] = field(default_factory=dict)
    name: str = "document"

    @property
    def ok(self) -> bool:
        return self.error is None

    @property
    def markdown(self) -> str:
        """GitHub-flavoured Markdown; empty when nothing was read."""
        return self.render("md")

    @property
    def text(self) -> str:
        """Plain text, one line a paragraph."""
        return self.render("text")

    @property
    def html(self) -> str:
        return self.render("html")

    def render(self, form: Literal["md", "text", "html"], *, sanitize: Sanitize = "strip") -> str:
        """The document as *form*; *sanitize* says what happens to invisible characters."""
        return "".join(self.pieces(form, sanitize=sanitize))

    def pieces(self, form: Literal["md", "text", "html"], *, sanitize: Sanitize = "strip") -> Iterator[str]:
        """`render` a piece at a time: of a long document no more than one is held."""
        if self.document is None:
            return iter(())
        if form == "text":
            from fumehood.documents.render_text import iter_text as pieces  # noqa: PLC0415 - each renderer when it is asked for
        elif form == "html":
            from fumehood.documents.render_html import iter_html as pieces  # noqa: PLC0415
        else:
            from fumehood.documents.render_markdown import iter_markdown as pieces  # noqa: PLC0415
        return pieces(self.document, sanitize=sanitize)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object that ``fumehood extract --format json`` prints."""
        from fumehood.documents.serialise import to_dict  # noqa: PLC0415

        return to_dict(self)
