"""PDF by MuPDF: pages, text as paragraphs in reading order, tables, running heads, headings by size, images, links, metadata.

A page that is an image says so instead of passing for an empty one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from fumehood_sandbox.contract import Image, Page
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.pages.layout import paragraphs
from fumehood_sandbox.extractors.pages.reading import Pages, PageText, ReadPage
from fumehood_sandbox.extractors.pdf import facts, notes
from fumehood_sandbox.extractors.pdf.opening import note_complaints, open_document, shrink_store
from fumehood_sandbox.extractors.pdf.page import read_text

_SHRINK_EVERY: Final = 64
_MIMES: Final = {"png": "image/png", "jpeg": "image/jpeg", "jpg": "image/jpeg", "jpx": "image/jpx", "tiff": "image/tiff"}
_MAX_IMAGE_PIXELS: Final = 64_000_000


@dataclass(slots=True)
class _State:
    document: Any
    label: Callable[[int], str | None]
    pages: Pages
    images: dict[int, str] = field(default_factory=dict)
    links: int = 0


def extract(x: Extraction) -> None:
    """Read the PDF.

    Raises:
        ExtractError: ``encrypted``, ``wrong-password``, ``corrupt``, ``limit`` (kind pages), ``needs-ocr`` when no page has a
            readable word and at least one is a scan or garbled; the pages are listed before that.
    """
    document = open_document(x)
    facts.read_metadata(x, document)
    state = _State(document, facts.page_labels(document), Pages(x, document.page_count))
    facts.read_outline(x, document, state.label)
    facts.read_attachments(x, document)
    facts.read_active_content(x, document)
    for position in state.pages.wanted():
        _page(x, state, position)
    note_complaints(x, document)
    x.document.counts["images"] = len(state.images)
    x.document.counts["links"] = state.links
    state.pages.finish()


def _page(x: Extraction, state: _State, position: int) -> None:
    number = position + 1
    try:
        page = state.document.load_page(position)
    except Exception:  # noqa: BLE001 - a page that is not there is said, and the others are read
        state.pages.unreadable(number, "a page could not be found")
        return
    try:
        text = read_text(page)
        found = paragraphs(text.groups)
    except Exception:  # noqa: BLE001
        state.pages.unreadable(number, "a page could not be read")
        text, found = PageText([], 0, 0, None, None), []
    else:
        state.pages.found()
    state.links += facts.page_links(x, state.document, page, number)
    fields = notes.read_annotations(x, state.document, page, number, "".join(p.text for p in found))
    image_ids = _images(x, state, page, number)
    if number % _SHRINK_EVERY == 0:
        shrink_store()
    info = Page(number, state.label(position), text.kind, text.width, text.height)
    state.pages.add(ReadPage(info, found, fields, image_ids), text)


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
