"""Packages damaged as real ones are, so that one method after the other gives up."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Final

from builders import docx, pptx, xlsx

_ROW = "<row r='{0}'><c r='A{0}' t='inlineStr'><is><t>{1}</t></is></c></row>"
_CONTENT_TYPES: Final = "[Content_Types].xml"

#: A document of each family with the words *before* and *after*, and the part that holds them.
WHOLE: Final[dict[str, tuple[bytes, str]]] = {
    "docx": (docx.docx(docx.p("before") + docx.p("after") + "<w:sectPr/>"), "word/document.xml"),
    "xlsx": (
        xlsx.workbook(f"<sheetData>{_ROW.format(1, 'before')}{_ROW.format(2, 'after')}</sheetData>"),
        "xl/worksheets/sheet1.xml",
    ),
    "pptx": (pptx.presentation(pptx.slide(pptx.shape("before", ph="title"), pptx.shape("after"))), "ppt/slides/slide1.xml"),
}

_MAIN: Final = {"docx": "word/document.xml", "xlsx": "xl/workbook.xml", "pptx": "ppt/presentation.xml"}


def rewritten(data: bytes, change: Callable[[str, bytes], tuple[str, bytes] | None]) -> bytes:
    """The package with what *change* makes of each part's name and bytes; None leaves it out."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            changed = change(name, source.read(name))
            if changed is not None:
                target.writestr(*changed)
    return out.getvalue()


def _with(family: str, change: Callable[[bytes], bytes]) -> bytes:
    data, part = WHOLE[family]
    return rewritten(data, lambda name, content: (name, change(content) if name == part else content))


def foreign_entity(family: str) -> bytes:
    """A name of HTML's where XML knows none: no XML parser goes on, the general converter does."""
    return _with(family, lambda content: content.replace(b"before", b"before&nbsp;", 1))


def bare_ampersand(family: str) -> bytes:
    """Nobody goes on behind it, unless the part is repaired."""
    return _with(family, lambda content: content.replace(b"before", b"before & ", 1))


def broken_off(family: str) -> bytes:
    """The part ends in the middle of a tag behind the last word."""
    return _with(family, lambda content: content[: content.rindex(b"after") + len(b"after</")])


def headless(family: str) -> bytes:
    """Without its main part: nobody can read it."""
    return rewritten(WHOLE[family][0], lambda name, content: None if name == _MAIN[family] else (name, content))


def wide_characters() -> bytes:
    """A Word document in UTF-32, which the standard library's parser does not know and lxml does."""

    def widened(content: bytes) -> bytes:
        return ('<?xml version="1.0" encoding="UTF-32"?>' + content.decode()).encode("utf-32")

    return _with("docx", widened)


def nameless_workbook() -> bytes:
    """A workbook that only its content types tell from other parts: no relationship leads to it, nor its name.

    The first method looks for it by relationship and name, openpyxl by content type.
    """
    sheet = xlsx.SHEET_TYPE.replace("sheet.main", "worksheet")
    rels = "application/vnd.openxmlformats-package.relationships+xml"
    more = f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{sheet}"/><Default Extension="rels" ContentType="{rels}"/>'

    def renamed(name: str, content: bytes) -> tuple[str, bytes] | None:
        if name == "_rels/.rels":
            return None
        if name == _CONTENT_TYPES:
            content = content.replace(b"/xl/workbook.xml", b"/xl/book.xml").replace(b"</Types>", f"{more}</Types>".encode())
        return name.replace("workbook.xml", "book.xml"), content

    whole = xlsx.workbook(f"<sheetData>{_ROW.format(1, 'before')}{_ROW.format(2, 'after')}</sheetData>", shared="", styles="")
    return rewritten(whole, renamed)
