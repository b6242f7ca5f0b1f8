"""Core, application and custom properties of an Office package (ECMA-376 part 2, 11; part 1, 22.2 and 22.3)."""

from __future__ import annotations

from typing import Any, Final

from fumehood_sandbox.contract import Scalar
from fumehood_sandbox.extractors.ooxml.names import local, number
from fumehood_sandbox.opc import Package

_MOST: Final = 64 * 1024
_CORE: Final = {
    "title": "title", "subject": "subject", "creator": "author", "keywords": "keywords", "description": "description",
    "lastModifiedBy": "last_modified_by", "revision": "revision", "created": "created", "modified": "modified",
    "category": "category", "contentStatus": "status", "language": "language", "version": "version", "identifier": "identifier",
    "lastPrinted": "last_printed", "contentType": "content_type",
}  # fmt: skip
_APP: Final = {
    "Application": "application", "AppVersion": "application_version", "Company": "company", "Manager": "manager",
    "Template": "template", "HyperlinkBase": "hyperlink_base", "PresentationFormat": "presentation_format",
}  # fmt: skip
_NUMBERS: Final = {
    "Pages": "pages", "Words": "words", "Characters": "characters", "CharactersWithSpaces": "characters_with_spaces",
    "Lines": "lines", "Paragraphs": "paragraphs", "Slides": "slides", "Notes": "notes", "HiddenSlides": "hidden_slides",
    "TotalTime": "editing_minutes", "DocSecurity": "security",
}  # fmt: skip


def read_metadata(package: Package) -> tuple[dict[str, Scalar], dict[str, Scalar]]:
    """``(metadata, custom properties)``: what the package says about itself, as it says it."""
    found: dict[str, Scalar] = {}
    for element in _children(package, "core-properties"):
        key, text = _CORE.get(local(element)), (element.text or "").strip()
        if key and text:
            found.setdefault(key, text[:_MOST])
    for element in _children(package, "extended-properties"):
        name, text = local(element), (element.text or "").strip()
        if name in _APP and text:
            found.setdefault(_APP[name], text[:_MOST])
        elif name in _NUMBERS and text.lstrip("-").isdigit():
            found.setdefault(_NUMBERS[name], number(text))
    custom: dict[str, Scalar] = {}
    for element in _children(package, "custom-properties"):
        name = element.get("name")
        if name and len(element) and len(custom) < 1000:
            custom[name[:255]] = _value(element[0])
    return found, custom


def _children(package: Package, kind: str) -> list[Any]:
    root = package.optional_xml(package.related("", kind))
    return [] if root is None else list(root)


def _value(element: Any) -> Scalar:
    """A variant (``vt:…``) as a value."""
    kind, text = local(element), "".join(element.itertext()).strip()[:_MOST]
    if kind in {"i1", "i2", "i4", "i8", "int", "ui1", "ui2", "ui4", "ui8", "uint"} and text.lstrip("-").isdigit():
        return number(text, low=-(2**53), high=2**53)
    if kind == "bool":
        return text.lower() in {"true", "1"}
    return text
