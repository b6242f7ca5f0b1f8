"""One small document of each Office Open XML family, for what the three of them share: main part, relationships, properties."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

from builders import docx, pptx, whole_way, xlsx
from fumehood_sandbox.contract import Document
from fumehood_sandbox.xmlbytes import STRICT

FAMILIES = ("docx", "xlsx", "pptx")
MAIN = {"docx": "word/document.xml", "xlsx": "xl/workbook.xml", "pptx": "ppt/presentation.xml"}
VT = "http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
#: The relationships of a package to its properties.
PROPERTIES = (
    ("p1", f"{_PACKAGE}/metadata/core-properties", "docProps/core.xml"),
    ("p2", "extended-properties", "docProps/app.xml"),
    ("p3", "custom-properties", "docProps/custom.xml"),
)
SIGNATURES = (("s1", f"{_PACKAGE}/digital-signature/origin", "_xmlsignatures/origin.sigs"),)


def office(
    family: str,
    *,
    rels: Sequence[tuple[str, ...]] = (),
    package_rels: Sequence[tuple[str, ...]] = (),
    more: dict[str, str | bytes] | None = None,
    main_type: str | None = None,
) -> bytes:
    """A document that says "hello"; *rels* of its main part, *package_rels* of the package."""
    main = MAIN[family]
    whole: dict[str, str | bytes] = {
        "_rels/.rels": xlsx.relationships(("rId1", "officeDocument", main), *package_rels),  # type: ignore[arg-type]
        **(more or {}),
    }
    match family:
        case "docx":
            return docx.docx(docx.p("hello"), rels=rels, more=whole, main_type=main_type or docx.MAIN_TYPE)
        case "xlsx":
            cell = '<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>hello</t></is></c></row></sheetData>'
            return xlsx.workbook(cell, extra_rels=tuple(rels), more=whole, main_type=main_type or xlsx.SHEET_TYPE)
        case _:
            slide = pptx.slide(pptx.shape("hello"))
            return pptx.presentation(slide, rels=tuple(rels), more=whole, main_type=main_type or pptx.TYPE)


def strict(data: bytes) -> bytes:
    """*data* with the names of ISO/IEC 29500 strict in every part."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            for strict_name, transitional in STRICT:
                content = content.replace(transitional, strict_name)
            for kind in (b"extended", b"custom"):
                content = content.replace(b"relationships/%s-properties" % kind, b"relationships/%sProperties" % kind)
            target.writestr(name, content)
    return out.getvalue()


def read(data: bytes, extension: str = "") -> Document:
    """*data* the whole way: detected, read by its chain, validated by the host."""
    collector = whole_way.read(data, extension)
    assert collector.document is not None, collector.failure
    return collector.document


def words(document: Document) -> list[str]:
    """The words of a document of any family, in order."""
    return [b.text for b in document.blocks] + [c.text for s in document.sheets for c in s.cells]
