"""What a document is shown as, one after the other: its own blocks, pages and sheets, and what else a renderer writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fumehood_sandbox.contract import Attachment, Block, Comment, Note, Page, Sheet, Slide, Table


@dataclass(frozen=True, slots=True)
class Label:
    """A line of ours, not of the document: the name of the part that follows."""

    text: str


@dataclass(frozen=True, slots=True)
class TableNode:
    table: Table
    block_id: str | None


@dataclass(frozen=True, slots=True)
class SlideNode:
    """A slide begins. *title* is the block that holds its title, where that is the first one of the slide: it is shown here."""

    slide: Slide
    title: Block | None = None


@dataclass(frozen=True, slots=True)
class NoteNode:
    """A note and what it holds, its tables among it."""

    note: Note
    label: str
    nodes: Sequence[Block | TableNode]
    referenced: bool

    @property
    def block_id(self) -> str | None:
        first = self.nodes[0] if self.nodes else None
        return first.block_id if isinstance(first, TableNode) else first.id if first is not None else None


@dataclass(frozen=True, slots=True)
class CommentNode:
    comment: Comment
    depth: int


@dataclass(frozen=True, slots=True)
class Head:
    """A heading of ours: the name of all that follows."""

    text: str


@dataclass(frozen=True, slots=True)
class AttachmentNode:
    """An attachment. *label* is a name for it that stands once in the outermost document: what is in it is named after it."""

    attachment: Attachment
    label: str

    @property
    def facts(self) -> str:
        """What it is and its size in bytes. Not cleaned."""
        inner = self.attachment.document
        kind = inner.format.name if inner is not None and inner.format.name else self.attachment.mime
        return kind if self.attachment.bytes is None else f"{kind}, {self.attachment.bytes:,} bytes"


Node = Block | Label | Head | AttachmentNode | TableNode | NoteNode | CommentNode | Page | SlideNode | Sheet
