"""Annotations with text (comments) and form fields of a page."""

from __future__ import annotations

from typing import Any, Final

from fumehood_sandbox.contract import Attachment, Block, Comment
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.pages.pdfdate import iso_date
from fumehood_sandbox.extractors.pdf.facts import get_key
from fumehood_sandbox.extractors.pdf.mupdf import pymupdf

_MAX_ANNOTATIONS: Final = 2_000
_WIDGET: Final = pymupdf.PDF_ANNOT_WIDGET
_LINK: Final = pymupdf.PDF_ANNOT_LINK
_POPUP: Final = pymupdf.PDF_ANNOT_POPUP
_ATTACHED: Final = pymupdf.PDF_ANNOT_FILE_ATTACHMENT
#: Annotation flags: hidden, no view (ISO 32000-1 table 165).
_UNSEEN: Final = 2 | 32


def read_annotations(x: Extraction, document: Any, page: Any, number: int, shown: str) -> list[Block]:
    """Comments go out at once; the values of form fields that the page does not show come back as blocks.

    *shown* is the page's text: a field whose appearance is part of it needs no block of its own.
    """
    try:
        listed = page.annot_xrefs()
    except Exception:  # noqa: BLE001 - a broken annotation list leaves the page's text
        x.warn("annotations-unreadable", "annotations of a page could not be read", where=f"page {number}")
        return []
    if len(listed) > _MAX_ANNOTATIONS:
        x.warn("annotations-cut", f"only the first {_MAX_ANNOTATIONS} annotations of a page are read", where=f"page {number}")
    fields: list[Block] = []
    squeezed = "".join(shown.split())
    for xref, kind, *_ in listed[:_MAX_ANNOTATIONS]:
        if kind == _WIDGET:
            block = _field(x, document, xref, number, squeezed)
            if block is not None:
                fields.append(block)
        elif kind == _ATTACHED:
            name = _string(document, xref, "FS/UF") or _string(document, xref, "FS/F")
            x.add("attachments", Attachment(name[:255]))
        elif kind not in {_LINK, _POPUP}:
            _comment(x, document, xref, number)
    return fields


def _comment(x: Extraction, document: Any, xref: int, number: int) -> None:
    text = _string(document, xref, "Contents")
    if text.strip():
        x.add(
            "comments",
            Comment(
                x.next_id("c"),
                _string(document, xref, "T")[:200],
                date=iso_date(_string(document, xref, "M")),
                text=text.replace("\r\n", "\n").replace("\r", "\n"),
                where=f"page {number}",
            ),
        )


def _field(x: Extraction, document: Any, xref: int, number: int, squeezed: str) -> Block | None:
    kind, value = get_key(document, xref, "V")
    if kind == "null":
        kind, value = get_key(document, xref, "Parent/V")
    if kind != "string" or not value.strip() or "".join(value.split()) in squeezed:
        return None
    unseen = int(_integer(document, xref, "F")) & _UNSEEN
    return Block(
        x.next_id("b"),
        text=value.replace("\r\n", "\n").replace("\r", "\n"),
        page=number,
        style="form-field",
        hidden="form_field" if unseen else None,
    )


def _string(document: Any, xref: int, key: str) -> str:
    kind, value = get_key(document, xref, key)
    return value.replace("\x00", "")[:100_000] if kind == "string" else ""


def _integer(document: Any, xref: int, key: str) -> int:
    kind, value = get_key(document, xref, key)
    return int(value) if kind == "int" and value.lstrip("-").isdigit() else 0
