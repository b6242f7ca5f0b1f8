"""The one set of shapes that crosses the wall: what a request says and what a document is.

Standard library only, plain slotted dataclasses. The sandbox fills them in; the host validates every frame against them
with pydantic (strict) and trusts nothing else. ``docs/output.md`` and ``fumehood schema`` show the same shapes to a user.

Positions are 1-based, except ``para_index`` (0-based, document-wide: the position of the source ``w:p`` in the body).
An absent fact is ``None`` and left out of the JSON; an absent list is empty.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

SCHEMA: Final = "fumehood.document/1"
PROTOCOL_VERSION: Final = 1

#: Blocks, cells and all other items of one document together: what both sides hold of it is bounded by this.
MAX_ITEMS: Final = 8_000_000
#: Tables, sheets, slides, pages, images, notes and comments together: what is found by its id or place while the rest is read.
MAX_LOOKED_UP: Final = 200_000

#: A table is a grid to whoever shows it; a sheet is its cells only, so that their positions may be far out.
MAX_TABLE_ROWS: Final = 1_048_576
MAX_TABLE_COLUMNS: Final = 16_384
MAX_EMPTY_GRID: Final = 4_000_000
MAX_SHEET_ROWS: Final = 2**31 - 1
MAX_SHEET_COLUMNS: Final = 100_000

Scalar = str | int | float | bool | None

View = Literal["accepted", "original", "markup"]

#: Which methods of a family's chain may read: all of them in their order, the first alone, those behind the first.
MethodChoice = Literal["auto", "primary", "fallback"]

#: Every code a result can fail with. Closed: `fumehood.errors` says for each its exit code, hint and rule.
ErrorCode = Literal[
    "not-found", "not-allowed", "not-a-file", "changed", "empty", "too-large", "unsupported", "type-mismatch", "encrypted",
    "wrong-password", "corrupt", "needs-ocr", "limit", "timeout", "out-of-memory", "crashed", "blocked-syscall", "protocol",
    "cancelled", "invalid-argument", "not-in-document", "url-refused", "output-not-writable", "image-missing",
    "image-mismatch", "engine-unreachable", "sandbox-too-weak", "busy", "internal",
]  # fmt: skip

#: The codes that the sandbox itself may send in an ERROR frame.
SandboxErrorCode = Literal[
    "empty",
    "unsupported",
    "encrypted",
    "wrong-password",
    "corrupt",
    "needs-ocr",
    "limit",
    "out-of-memory",
    "protocol",
    "internal",
]

BlockType = Literal[
    "heading", "paragraph", "list_item", "table", "image", "equation", "code", "quote", "caption", "page_break",
    "slide_break", "sheet_break", "thematic_break",
]  # fmt: skip

Part = Literal[
    "body", "header", "footer", "footnote", "endnote", "comment", "textbox", "notes", "chart", "smartart", "sheet", "glossary",
]  # fmt: skip

RevisionType = Literal[
    "insert", "delete", "move_from", "move_to", "format", "paragraph_mark_insert", "paragraph_mark_delete",
    "paragraph_mark_move_from", "paragraph_mark_move_to", "row_insert", "row_delete", "cell_insert", "cell_delete", "cell_merge",
    "numbering_insert", "numbering_delete", "property",
]  # fmt: skip


@dataclass(slots=True)
class Request:
    """The header of a request: at most 4 KiB of JSON. The file's name never crosses, only its ending."""

    op: Literal["extract", "probe"] = "extract"
    version: int = PROTOCOL_VERSION
    declared_extension: str = ""
    """With its dot, lower case; empty when the name has none."""
    password: str | None = None
    pages: list[list[int]] | None = None
    """Inclusive 1-based ranges ``[[first, last], …]``; None reads all. Meant for pages and slides."""
    assets: bool = False
    """Send image bytes as ASSET frames."""
    method: MethodChoice = "auto"
    """For the document itself; what is embedded in it is read by all methods of its own family."""
    deadline_s: float = 30.0
    """Wall time the worker may take from here; the kernel timer that ends it is armed before the document is read."""
    max_output_bytes: int = 512 * 1024 * 1024
    options: dict[str, Scalar] = field(default_factory=dict)


@dataclass(slots=True)
class Format:
    """What the content is (decided by content, never by name)."""

    family: str
    name: str = ""
    mime: str = "application/octet-stream"
    extension: str = ""
    declared_extension: str = ""
    mismatch: bool = False
    legacy: bool = False
    encrypted: bool = False
    macros: bool = False
    strict: bool = False
    template: bool = False


@dataclass(slots=True)
class ListInfo:
    """Where a list item stands: depth from 1, and its label as the format shows it ("2.1", "•")."""

    depth: int = 1
    ordered: bool = False
    label: str = ""
    original_label: str | None = None
    """The label when every revision is rejected, where it is another one."""


@dataclass(slots=True)
class Run:
    """A stretch of text with one formatting and one revision state.

    A block has runs when at least one thing about its text cannot be said by ``text`` alone: formatting, a link, a hidden
    stretch, a note reference, an inline image or equation, a revision. Joined, the runs' ``text`` are the block's text.
    ``in_accepted`` / ``in_original`` say whether accepting / rejecting every revision keeps the run.
    """

    text: str = ""
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False
    vertical: Literal["sub", "super"] | None = None
    code: bool = False
    link: str | None = None
    instruction: str | None = None
    """The instruction of the field whose result this is; an empty run stands for a field that shows nothing. A link is a link."""
    note_id: str | None = None
    comment_ids: list[str] = field(default_factory=list)
    image_id: str | None = None
    latex: str | None = None
    hidden: str | None = None
    revision_ids: list[str] = field(default_factory=list)
    in_accepted: bool = True
    in_original: bool = True


# `Block` has a field named `list` (output.md), so the type is spelled outside the class.
Runs = list[Run]
BBox = list[float]


@dataclass(slots=True)
class Block:
    """One piece of reading order.

    A paragraph inside a table cell is a block of its own that carries ``table_id``, ``row`` and ``col``; it follows the
    block of type ``table``. ``in_*`` say whether the whole block is part of a view; ``mark_*`` whether the paragraph's mark
    is (a paragraph whose mark is not is joined with the next one, as Word does).
    """

    id: str
    type: BlockType = "paragraph"
    text: str = ""
    part: Part = "body"
    level: int | None = None
    para_index: int | None = None
    page: int | None = None
    slide: int | None = None
    sheet: int | None = None
    """The sheet that a text box, a chart or a page header belongs to, from 1."""
    bbox: BBox | None = None
    style: str | None = None
    list: ListInfo | None = None
    table_id: str | None = None
    row: int | None = None
    col: int | None = None
    image_id: str | None = None
    note_id: str | None = None
    """For blocks of a footnote, endnote or comment: the note or comment they belong to."""
    comment_id: str | None = None
    latex: str | None = None
    hidden: str | None = None
    runs: Runs = field(default_factory=Runs)
    in_accepted: bool = True
    in_original: bool = True
    mark_in_accepted: bool = True
    mark_in_original: bool = True


@dataclass(slots=True)
class Cell:
    """A table cell; ``text`` joins its paragraphs with newlines."""

    row: int
    col: int
    row_span: int = 1
    col_span: int = 1
    text: str = ""
    table_id: str | None = None
    in_accepted: bool = True
    in_original: bool = True


@dataclass(slots=True)
class Table:
    """A table of rows and columns from 1."""

    id: str
    n_rows: int = 0
    n_cols: int = 0
    header_rows: int = 0
    page: int | None = None
    slide: int | None = None
    caption: str | None = None
    style: str | None = None
    part: Part = "body"
    cells: list[Cell] = field(default_factory=list)


@dataclass(slots=True)
class SheetCell:
    """A spreadsheet cell: the typed value and the text that the application displays for it."""

    ref: str
    row: int
    col: int
    type: Literal["number", "text", "bool", "date", "time", "error", "blank"] = "text"
    value: Scalar = None
    text: str = ""
    formula: str | None = None
    cached: bool | None = None
    """For a formula: whether the file holds its last value."""
    number_format: str | None = None
    comment: str | None = None
    link: str | None = None
    hidden: str | None = None


#: A spreadsheet has many cells: each crosses as an array of its fields in their order, without keys, cut after as many of
#: them as one of these says (what follows is absent).
CELL_FORMS: Final = (6, 9, 12)


@dataclass(slots=True)
class SheetTable:
    """A range that the workbook treats as a table of its own; its cells are among the sheet's."""

    name: str
    ref: str
    columns: list[str] = field(default_factory=list)
    header_rows: int = 1
    totals_rows: int = 0


@dataclass(slots=True)
class Validation:
    """What may be put into some cells. A list's choices stand in ``values``, or in the range that ``formula`` names."""

    ref: str
    """The ranges, with spaces between them."""
    type: str = "none"
    operator: str | None = None
    formula: str | None = None
    formula2: str | None = None
    values: list[str] = field(default_factory=list)
    prompt: str | None = None


@dataclass(slots=True)
class Sheet:
    name: str
    state: Literal["visible", "hidden", "very_hidden"] = "visible"
    kind: Literal["worksheet", "chartsheet", "dialogsheet", "macrosheet"] = "worksheet"
    merged: list[str] = field(default_factory=list)
    hidden_rows: list[int] = field(default_factory=list)
    hidden_cols: list[int] = field(default_factory=list)
    filter: str | None = None
    """The range whose rows a filter hides where they do not match."""
    tables: list[SheetTable] = field(default_factory=list)
    validations: list[Validation] = field(default_factory=list)
    cells: list[SheetCell] = field(default_factory=list)


@dataclass(slots=True)
class Slide:
    index: int
    title: str = ""
    hidden: bool = False
    block_ids: list[str] = field(default_factory=list)
    notes: str = ""


@dataclass(slots=True)
class Page:
    index: int
    label: str | None = None
    kind: Literal["text", "scan", "mixed", "garbled", "blank"] = "text"
    width: float | None = None
    height: float | None = None


@dataclass(slots=True)
class Revision:
    """One revision element of the source (``w:ins``, ``w:del``, ``w:moveFrom``, ``w:moveTo``, a ``…Change``)."""

    id: str
    type: RevisionType
    author: str = ""
    date: str | None = None
    text: str = ""
    part: Part = "body"
    para_index: int | None = None
    before: str | None = None
    after: str | None = None


@dataclass(slots=True)
class Comment:
    id: str
    author: str = ""
    initials: str | None = None
    date: str | None = None
    text: str = ""
    anchor_text: str = ""
    para_index: int | None = None
    resolved: bool = False
    parent_id: str | None = None
    where: str | None = None


@dataclass(slots=True)
class Note:
    id: str
    type: Literal["footnote", "endnote"] = "footnote"
    text: str = ""
    ref_block_id: str | None = None


@dataclass(slots=True)
class Image:
    """An image as listed; its bytes cross as an opaque asset under the same id when asked for."""

    id: str
    name: str = ""
    mime: str = "application/octet-stream"
    sha256: str | None = None
    bytes: int | None = None
    width: int | None = None
    height: int | None = None
    alt: str | None = None
    anchor: str | None = None
    page: int | None = None
    external: str | None = None
    """The target of a linked image: never opened."""


@dataclass(slots=True)
class OutlineItem:
    title: str
    level: int = 1
    block_id: str | None = None
    page: int | None = None
    page_label: str | None = None


@dataclass(slots=True)
class Link:
    """A reference as inert data: nothing ever opens it."""

    target: str
    text: str = ""
    kind: Literal["external", "internal"] = "external"
    where: str | None = None


@dataclass(slots=True)
class ActiveContent:
    """Something that would act or reach out if the document were opened in its application."""

    type: str
    where: str = ""
    detail: str = ""


@dataclass(slots=True)
class Method:
    """One method of the fallback chain: its name, whether it gave the result, and why not."""

    name: str
    ok: bool = True
    reason: str | None = None


@dataclass(slots=True)
class Warning:  # noqa: A001 - the field's own word for it in the output
    code: str
    message: str = ""
    count: int | None = None
    where: str | None = None


@dataclass(slots=True)
class Attachment:
    name: str = ""
    mime: str = "application/octet-stream"
    bytes: int | None = None
    document: Document | None = None


@dataclass(slots=True)
class Document:
    """Everything that was read. On the wire the lists named in `STREAMED` come before it, in PART frames."""

    format: Format
    schema: str = SCHEMA
    doc_id: str = ""
    metadata: dict[str, Scalar] = field(default_factory=dict)
    custom_properties: dict[str, Scalar] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    sheets: list[Sheet] = field(default_factory=list)
    slides: list[Slide] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    revisions: list[Revision] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)
    outline: list[OutlineItem] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    active_content: list[ActiveContent] = field(default_factory=list)
    defined_names: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    methods: list[Method] = field(default_factory=list)
    warnings: list[Warning] = field(default_factory=list)
    view: View | None = None
    partial: bool = False
    stopped_at: dict[str, int] | None = None


#: What a PART frame may carry: the kind, and the list of the document that its items join. ``cells`` join the sheet and
#: ``table_cells`` the table named by ``owner`` (the sheet's position from 0, the table's id); ``block_text`` items are strings
#: that continue the text of the block named by ``owner`` (one whose text is longer than a frame). ``format`` is one item,
#: sent before any other: what is known of a document that cannot be read to its end.
STREAMED: Final = (
    "blocks", "tables", "sheets", "slides", "pages", "revisions", "comments", "notes", "images", "outline", "links",
    "attachments", "active_content",
)  # fmt: skip

PartKind = Literal[
    "blocks", "tables", "sheets", "slides", "pages", "revisions", "comments", "notes", "images", "outline", "links",
    "attachments", "active_content", "cells", "table_cells", "block_text", "format",
]  # fmt: skip


@dataclass(slots=True)
class Progress:
    """A PROGRESS frame: ``done`` of ``total`` (None when unknown) in ``unit`` (page, sheet, slide, part, block)."""

    done: int = 0
    total: int | None = None
    unit: str = ""


@dataclass(slots=True)
class Failure:
    """An ERROR frame. ``detail`` is at most 200 characters of quoted data, never an instruction."""

    code: SandboxErrorCode
    detail: str = ""
    kind: str | None = None
    tried: list[Method] = field(default_factory=list)
    format: Format | None = None
    stopped_at: dict[str, int] | None = None


def table_fits(rows: int, columns: int, cells: int) -> bool:
    """Whether a table of this size may be: its grid has only so many places more than cells."""
    bounded = 0 <= rows <= MAX_TABLE_ROWS and 0 <= columns <= MAX_TABLE_COLUMNS
    return bounded and rows * columns <= MAX_EMPTY_GRID + 64 * cells
