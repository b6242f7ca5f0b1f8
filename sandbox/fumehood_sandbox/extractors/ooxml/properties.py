"""The document properties of a package: core, extended and custom (ECMA-376 part 1, 22.2 and 22.3; part 2, 11)."""

from __future__ import annotations

import contextlib
import re
from typing import Any, Final

from fumehood_sandbox.contract import Document, Scalar
from fumehood_sandbox.opc import Package

_CORE: Final = {
    "title": "title", "subject": "subject", "creator": "author", "description": "description", "keywords": "keywords",
    "language": "language", "lastModifiedBy": "last_modified_by", "created": "created", "modified": "modified", "category": "category",
    "contentStatus": "status", "revision": "revision", "lastPrinted": "last_printed", "version": "version", "identifier": "identifier",
}  # fmt: skip
_EXTENDED: Final = {
    "Application": "application", "AppVersion": "application_version", "Company": "company", "Manager": "manager", "Template": "template",
    "HyperlinkBase": "hyperlink_base", "PresentationFormat": "presentation_format",
}  # fmt: skip
_LIMIT: Final = 4096
_MAX_CUSTOM: Final = 1000
_INTEGER: Final = re.compile(r"[+-]?\d{1,15}")


def read_properties(package: Package, document: Document) -> None:
    """Fill in ``metadata`` and ``custom_properties``."""
    for kind, names in (("core-properties", _CORE), ("extended-properties", _EXTENDED)):
        root = package.optional_xml(package.related("", kind))
        for element in () if root is None else root:
            key = names.get(_local(element))
            text = "".join(element.itertext()).strip()[:_LIMIT]
            if key and text:
                document.metadata.setdefault(key, text)
    root = package.optional_xml(package.related("", "custom-properties"))
    for element in () if root is None else list(root)[:_MAX_CUSTOM]:
        name = element.get("name")
        if name and len(element):
            document.custom_properties[name[:255]] = _value(element[0])


def _local(element: Any) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _value(element: Any) -> Scalar:
    """A variant as the type it has in JSON; what has no such type stays text."""
    kind, text = _local(element), "".join(element.itertext())[:_LIMIT]
    if kind == "bool":
        return text.strip() in {"1", "true"}
    if kind in {"i1", "i2", "i4", "int", "ui1", "ui2", "ui4", "uint"} and _INTEGER.fullmatch(text.strip()):
        return int(text)
    if kind in {"r4", "r8", "decimal"}:
        with contextlib.suppress(ValueError):
            number = float(text)
            return number if number - number == 0 else text
    return text
