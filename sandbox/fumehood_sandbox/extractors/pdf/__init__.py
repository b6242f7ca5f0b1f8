"""PDF by MuPDF: pages, text as paragraphs in reading order, tables, running heads, headings by size, images, links, metadata.

A page that is an image says so instead of passing for an empty one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from fumehood_sandbox.contract import Block, Cell, Image, ListInfo, Page, Table
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.pdf import facts, notes
from fumehood_sandbox.extractors.pdf.layout import Paragraph, paragraphs
from fumehood_sandbox.extractors.pdf.opening import note_complaints, open_document, shrink_store
from fumehood_sandbox.extractors.pdf.page import PageText, read_text
from fumehood_sandbox.extractors.pdf.running import RunningHeads

_MAX_PAGES: Final = 20_000
#: A page tree may promise any number of pages; after this many in a row that are not there it is not believed.
_MAX_MISSING: Final = 100
#: The size of ordinary text is taken from the first pages; they are held back until it is known.
_SAMPLE: Final = 8
#: So many pages ahead are looked at for the words of running heads.
_AHEAD: Final = 2
_SHRINK_EVERY: Final = 64
_MIMES: Final = {"png": "image/png", "jpeg": "image/jpeg", "jpg": "image/jpeg", "jpx": "image/jpx", "tiff": "image/tiff"}
_MAX_IMAGE_PIXELS: Final = 64_000_000


@dataclass(slots=True)
class _Read:
    """A page that was read and not sent yet."""

    number: int
    page: Page
    paragraphs: list[Paragraph]
    fields: list[Block]
    image_ids: list[str]


@dataclass(slots=True)
class _State:
    document: Any
    label: Callable[[int], str | None]
    body_size: float = 0.0
    kinds: dict[str, int] = field(default_factory=dict)
    images: dict[int, str] = field(default_factory=dict)
    links: int = 0
    tables: int = 0
    missing: int = 0
    words: bool = False
    running: RunningHeads = field(default_factory=RunningHeads)


def extract(x: Extraction) -> None:
    """Read the PDF.

    Raises:
        ExtractError: ``encrypted``, ``wrong-password``, ``corrupt``, ``limit`` (kind pages), ``needs-ocr`` when no page has a
            readable word and at least one is a scan or garbled; the pages are listed before that.
    """
    document = open_document(x)
    facts.read_metadata(x, document)
    state = _State(document, facts.page_labels(document))
    facts.read_outline(x, document, state.label)
    facts.read_attachments(x, document)
    facts.read_active_content(x, document)
    total = document.page_count
    wanted = _wanted(x, total)
    held: list[_Read] = []
    for done, position in enumerate(wanted, 1):
        if done > _MAX_PAGES:
            raise ExtractError("limit", f"more than {_MAX_PAGES} pages", kind="pages")
        read = _page(x, state, position)
        x.progress(position + 1, total, "page")
        if read is None:
            if state.missing >= _MAX_MISSING:
                x.warn("pages-missing", "the page tree promises pages that are not there")
                break
            continue
        held.append(read)
        if len(held) > (_AHEAD if state.body_size else _SAMPLE):
            _send(x, state, held, keep=_AHEAD)
    _send(x, state, held)
    note_complaints(x, document)
    _conclude(x, state, total)


def _wanted(x: Extraction, total: int) -> Iterator[int]:
    """The positions to read, each once, in order."""
    if x.request.pages is None:
        yield from range(total)
        return
    at = 0
    for first, last in sorted((span[0], span[-1]) for span in x.request.pages):
        for position in range(max(first - 1, at, 0), min(last, total)):
            at = position + 1
            yield position


def _page(x: Extraction, state: _State, position: int) -> _Read | None:
    number = position + 1
    try:
        page = state.document.load_page(position)
    except Exception:  # noqa: BLE001 - a page that is not there is said, and the others are read
        state.missing += 1
        x.warn("page-unreadable", "a page could not be found", where=f"page {number}" if state.missing <= 20 else None)
        return None
    try:
        text = read_text(page)
        found = paragraphs(text.groups)
    except Exception:  # noqa: BLE001
        state.missing += 1
        x.warn("page-unreadable", "a page could not be read", where=f"page {number}" if state.missing <= 20 else None)
        text, found = PageText([], 0, 0, None, None), []
    else:
        state.missing = 0
    if text.truncated:
        x.warn("page-cut", "a page holds more text than is read of one page", where=f"page {number}")
    kind: Any = text.kind
    state.kinds[kind] = state.kinds.get(kind, 0) + 1
    state.links += facts.page_links(x, state.document, page, number)
    fields = notes.read_annotations(x, state.document, page, number, "".join(p.text for p in found))
    image_ids = _images(x, state, page, number)
    if number % _SHRINK_EVERY == 0:
        shrink_store()
    info = Page(number, state.label(position), kind, text.width, text.height)
    return _Read(number, info, found, fields, image_ids)


def _images(x: Extraction, state: _State, page: Any, number: int) -> list[str]:
    """List the images that a page uses for the first time, by its resources: nothing is decoded unless asked for."""
    new = []
    try:
        listed = page.get_images(full=False)
    except Exception:  # noqa: BLE001
        x.warn("images-unreadable", "images of a page could not be listed", where=f"page {number}")
        return []
    for xref, _, width, height, _, _, _, _, filters, *_ in listed[:2_000]:
        if xref in state.images:
            continue
        identifier = x.next_id("i")
        state.images[xref] = identifier
        image = Image(identifier, f"page{number}-{identifier}", width=int(width), height=int(height), page=number)
        image.mime = "image/jpeg" if "DCT" in filters else "image/jpx" if "JPX" in filters else "image/png"
        data = _image_bytes(x, state.document, xref, image) if x.request.assets else None
        x.image(image, data)
        new.append(identifier)
    return new


def _image_bytes(x: Extraction, document: Any, xref: int, image: Image) -> bytes | None:
    if (image.width or 0) * (image.height or 0) > _MAX_IMAGE_PIXELS:
        x.warn("image-too-large", "an image has more pixels than are decoded; it is only listed")
        return None
    try:
        found = document.extract_image(xref)
    except Exception:  # noqa: BLE001
        found = None
    if not found or not found.get("image"):
        x.warn("image-unreadable", "an image could not be decoded; it is only listed")
        return None
    image.mime = _MIMES.get(found["ext"], "application/octet-stream")
    return bytes(found["image"])


def _send(x: Extraction, state: _State, held: list[_Read], *, keep: int = 0) -> None:
    """Send the pages that are *held* but for the last ones to *keep*."""
    if not state.body_size:
        state.body_size = _body_size(held)
    going = held[: len(held) - keep]
    for read in going:
        state.running.mark([(one.number, one.page.height, one.paragraphs) for one in held], read.number)
        x.add("pages", read.page)
        for paragraph in read.paragraphs:
            if paragraph.table is not None:
                state.words = True
                _table(x, state, paragraph, read.number)
                continue
            state.words = state.words or any(map(str.isalnum, paragraph.text))
            x.block(_block(x, paragraph, read.number, state.body_size))
        for block in read.fields:
            state.words = True
            x.block(block)
        for identifier in read.image_ids:
            x.block(Block(x.next_id("b"), "image", page=read.number, image_id=identifier))
    del held[: len(going)]


def _table(x: Extraction, state: _State, paragraph: Paragraph, number: int) -> None:
    """A table: its block, a block for the text of each cell, and the table itself."""
    found = paragraph.table
    assert found is not None
    table = Table(x.next_id("t"), found.n_rows, found.n_cols, found.header_rows, page=number)
    box = [round(v, 1) for v in paragraph.box]
    x.block(Block(x.next_id("b"), "table", page=number, bbox=box, table_id=table.id))
    for cell in found.cells:
        table.cells.append(Cell(cell.row, cell.col, cell.row_span, cell.col_span, cell.text))
        if cell.text:
            x.block(Block(x.next_id("b"), text=cell.text, page=number, table_id=table.id, row=cell.row, col=cell.col))
    x.table(table)
    state.tables += 1


def _body_size(held: list[_Read]) -> float:
    sizes: dict[float, int] = {}  # no Counter: its module is a long import
    for read in held:
        for paragraph in read.paragraphs:
            size = round(paragraph.size * 2) / 2
            sizes[size] = sizes.get(size, 0) + len(paragraph.text)
    return max(sizes, key=sizes.__getitem__) if sizes else 0.0


def _block(x: Extraction, paragraph: Paragraph, number: int, body_size: float) -> Block:
    block = Block(
        x.next_id("b"),
        text=paragraph.text.strip(),
        page=number,
        bbox=[round(v, 1) for v in paragraph.box],
        hidden=paragraph.hidden,
    )
    if paragraph.edge is not None:
        block.part = paragraph.edge
        block.text = f"{paragraph.bullet or ''} {block.text}".strip()
        return block
    level = _heading_level(paragraph, body_size)
    if paragraph.bullet is not None:
        block.type = "list_item"
        block.list = ListInfo(1, ordered=False, label=paragraph.bullet)
    elif level is not None:
        block.type, block.level = "heading", level
    return block


def _heading_level(paragraph: Paragraph, body_size: float) -> int | None:
    """1 to 3 for a short paragraph in type that is plainly larger than the document's ordinary text."""
    if not body_size or paragraph.n_lines > 3 or len(paragraph.text) > 200 or paragraph.hidden:
        return None
    if not any(c.isalpha() for c in paragraph.text) or len(paragraph.text.strip()) < 2:
        return None
    ratio = paragraph.size / body_size
    return 1 if ratio >= 1.7 else 2 if ratio >= 1.35 else 3 if ratio >= 1.15 else None


def _conclude(x: Extraction, state: _State, total: int) -> None:
    kinds = state.kinds
    counts = x.document.counts
    counts["pages"] = total
    counts["images"] = len(state.images)
    counts["links"] = state.links
    counts["tables"] = state.tables
    if not kinds:
        if x.request.pages is not None:
            x.warn("pages-out-of-range", f"none of the pages asked for is there; the document has {total}")
            return
        raise ExtractError("corrupt", "none of its pages can be read")
    scanned, garbled = kinds.get("scan", 0), kinds.get("garbled", 0)
    if garbled:
        x.warn("garbled-text", "pages whose text layer has no readable characters", count=garbled)
    unread = scanned + garbled
    if unread and not state.words:
        raise ExtractError("needs-ocr", f"{unread} of its pages are images or have unreadable characters, none has text")
    if scanned:
        x.warn("scanned-pages", "pages that are images without text; they need character recognition", count=scanned)
    if not state.words:
        x.warn("no-text", "no page has any text")
