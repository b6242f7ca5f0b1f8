"""What the tools answer: typed results whose JSON Schema a client sees as ``outputSchema``.

The names are those of the systems whose users should be able to move over; fields of ours come after theirs. Every
answer carries ``provenance``: which bytes were read, in which image, under which limits, with which proofs.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from fumehood_sandbox.contract import View


class Provenance(BaseModel):
    """Where an answer comes from. Facts that do not apply are left out."""

    model_config = ConfigDict(extra="allow")

    sha256: str | None = None
    bytes: int | None = None
    image: str | None = None
    image_lock: str | None = None
    runtime: str | None = None
    attested: str | None = None
    missing: list[str] | None = None
    limits: dict[str, Any] | None = None
    wall_ms: float | None = None
    cpu_ms: float | None = None
    peak_memory_mb: float | None = None
    exit_code: int | None = None
    cached: bool | None = None
    container: str | None = None


class Notable(BaseModel):
    """Something about the document that is worth knowing: hidden text, invisible characters, what could not be read."""

    code: str
    message: str = ""
    count: int | None = None
    where: str | None = None


class Answer(BaseModel):
    """What every tool's answer has."""

    provenance: Provenance
    warnings: list[Notable] = Field(default_factory=list)
    partial: bool = Field(default=False, description="Reading stopped early; what was read until then is here.")
    stopped_at: dict[str, int] | None = Field(default=None, description="Where it stopped, such as {page: 12}.")
    error: dict[str, Any] | None = Field(default=None, description="Why it stopped.")
    notice: str | None = Field(default=None, description="How to treat text that comes from a document.")


class Paged(Answer):
    """One page of a longer answer."""

    next_cursor: str | None = Field(default=None, description="Pass it as `cursor` for the next page; null on the last one.")
    has_more: bool = False
    total_chars: int = Field(default=0, description="Length of the whole text, in characters.")


# --- review ----------------------------------------------------------------------------------------------------------


class Paragraph(BaseModel):
    para_index: int | None = Field(
        description="Position in the document (0-based, every view the same); null outside the body."
    )
    text: str
    style: str | None = None
    in_table: bool = False
    part: str = Field(default="body", description="body, textbox, header, footer, footnote, endnote or comment.")
    hidden: str | None = Field(default=None, description="Why a reader does not see this paragraph, or a part of it.")
    offset: int = Field(
        default=0, description="Where this piece begins in its paragraph: over 0 only in one longer than a page."
    )
    continues: bool = Field(default=False, description="The paragraph goes on at the next cursor.")


class AcceptedText(Paged):
    paragraphs: list[Paragraph]
    total_paragraphs: int = Field(description="Paragraphs of the body in this view, over all pages.")
    next_start: int | None = Field(description="`start` for the next page; null when the body is done.")
    view: View = "accepted"


class ParagraphRange(Paged):
    paragraphs: list[Paragraph]
    total_paragraphs: int
    start_index: int
    end_index: int
    view: View = "accepted"


class Hit(BaseModel):
    para_index: int | None
    start: int = Field(description="Code points from the paragraph's beginning.")
    end: int
    match: str
    context: str
    part: str = "body"


class TermHits(Answer):
    total_hits: int = Field(description="All hits in the document, also those beyond max_results.")
    hits: list[Hit]
    truncated: bool


class Occurrence(BaseModel):
    variant: str
    para_index: int | None
    context: str
    part: str = "body"


class TermVariants(Answer):
    counts: dict[str, int]
    occurrences: list[Occurrence]
    consistent: bool = Field(description="At most one of the variants is used.")
    truncated: bool = Field(default=False, description="There are more occurrences than are listed; counts are complete.")


class RevisionCounts(BaseModel):
    insert: int = 0
    delete: int = 0
    move: int = 0
    format: int = 0
    paragraph_mark: int = 0
    table_row: int = 0


class StructureStats(BaseModel):
    """The six facts first, then ours."""

    comment_count: int
    file_size_kb: float
    has_tracked_changes: bool
    paragraph_count: int = Field(description="Paragraphs of the source, deleted and inserted ones included.")
    tracked_change_paragraph_count: int
    word_count_approx: int = Field(description="Accepted body text, split at white space.")
    revision_counts: RevisionCounts
    authors: list[str] = Field(description="Who made the tracked changes.")
    notes: int = Field(description="Footnotes and endnotes.")
    word_count: int = Field(description="Unicode words of the accepted body text; each CJK character is one.")
    provenance: Provenance
    warnings: list[Notable] = Field(default_factory=list)
    partial: bool = False
    stopped_at: dict[str, int] | None = None
    error: dict[str, Any] | None = None
    notice: str | None = None


class MetaNote(BaseModel):
    para_index: int | None
    marker: str
    text: str
    part: str = "body"


class MetaNotes(Answer):
    notes: list[MetaNote]
    total_notes: int
    truncated: bool = False


class RevisionItem(BaseModel):
    id: str
    type: str
    author: str
    date: str | None
    para_index: int | None
    before: str | None = Field(description="What the original has here; null when the change only adds.")
    after: str | None = Field(description="What accepting leaves here; null when the change only removes.")
    part: str = "body"


class Revisions(Paged):
    revisions: list[RevisionItem]
    total_revisions: int
    next_start: int | None


class Reply(BaseModel):
    id: str
    author: str
    date: str | None
    text: str


class CommentItem(Reply):
    anchor_text: str
    para_index: int | None
    resolved: bool
    replies: list[Reply] = Field(default_factory=list)


class Comments(Paged):
    comments: list[CommentItem]
    total_comments: int
