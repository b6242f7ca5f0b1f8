"""Core, application and custom properties of an Office package (ECMA-376 part 2, 11; part 1, 22.2 and 22.3)."""

from __future__ import annotations

import math
from typing import Any, Final

from fumehood_sandbox.contract import Scalar
from fumehood_sandbox.extractors.ooxml.names import local, number
from fumehood_sandbox.extractors.ooxml.signatures import read_signatures
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
_NOTHING: Final = frozenset({"null", "empty"})
_SEVERAL: Final = frozenset({"vector", "array"})
_WHOLE: Final = frozenset({"i1", "i2", "i4", "i8", "int", "ui1", "ui2", "ui4", "ui8", "uint"})
_REAL: Final = frozenset({"r4", "r8", "decimal", "cy"})


def read_metadata(package: Package) -> tuple[dict[str, Scalar], dict[str, Scalar]]:
    """``(metadata, custom properties)``: what the package says about itself, as it says it."""
    found: dict[str, Scalar] = {}
    for element in _children(package, "core-properties"):
        key, text = _CORE.get(local(element)), "".join(element.itertext()).strip()  # keywords may stand by language
        if key and text:
            found.setdefault(key, text[:_MOST])
    for element in _children(package, "extended-properties"):
        name, text = local(element), (element.text or "").strip()
        if name in _APP and text:
            found.setdefault(_APP[name], text[:_MOST])
        elif name in _NUMBERS and text.lstrip("-").isdigit():
            found.setdefault(_NUMBERS[name], number(text))
    found.update(read_signatures(package))
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
    """A variant (``vt:…``, 22.4) as a value; the items of a vector or an array joined with commas."""
    kind = local(element)
    if kind in _NOTHING:
        return None
    if kind in _SEVERAL:
        return ", ".join(_text(child) for child in element)[:_MOST]
    text = _text(element)
    if kind in _WHOLE and text.lstrip("-").isdigit():
        return number(text, low=-(2**53), high=2**53)
    if kind in _REAL:
        return _real(text)
    if kind == "bool":
        return text.lower() in {"true", "1"}
    return text


def _text(element: Any) -> str:
    return "".join(element.itertext()).strip()[:_MOST]


def _real(text: str) -> Scalar:
    """A number with a fraction; as it is written where it is none that JSON has."""
    try:
        value = float(text)
    except ValueError:
        return text
    return value if math.isfinite(value) else text
