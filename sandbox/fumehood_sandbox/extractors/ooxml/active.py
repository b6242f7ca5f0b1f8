"""What would act or reach out if the document were opened: found by the relationships of its parts, opened never."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fumehood_sandbox.contract import ActiveContent
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.ooxml.tree import among
from fumehood_sandbox.opc import Package

#: The last piece of a relationship's type, and what it is called in ``active_content``.
_INTERNAL: Final = {
    "vbaProject": "vba",
    "externalLink": "external_link",
    "oleObject": "ole_object",
    "package": "embedded_file",
    "control": "activex",
    "connections": "connection",
    "xlMacrosheet": "xlm",
    "xlIntlMacrosheet": "xlm",
    "extensibility": "custom_ui",
    "customProperty": "",
}
_EXTERNAL: Final = {
    "attachedTemplate": "external_template", "externalLinkPath": "external_link", "externalLink": "external_link",
    "oleObject": "external_link", "image": "external_image", "frame": "external_link", "subDocument": "external_link",
    "slide": "external_link", "audio": "external_media", "video": "external_media", "media": "external_media", "package": "external_link",
}  # fmt: skip
_S: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_XS: Final = "{http://www.w3.org/2001/XMLSchema}"
_SCHEMA_REFERENCES: Final = frozenset({_XS + "import", _XS + "include", _XS + "redefine"})
_LINKS: Final = frozenset({_S + "ddeLink", _S + "oleLink"})
_DETAIL: Final = 512
_MAX_EACH: Final = 1000


LinkReader = Callable[[Package, str], list[ActiveContent]]
"""What an external link part of a workbook would start."""


def linked(package: Package, part: str) -> list[ActiveContent]:
    """The DDE or OLE link in an external link part (18.14.4): its server and topic are what would be started."""
    root = package.optional_xml(part)
    found = []
    for element in among(root, _LINKS) if root is not None else ():
        if element.tag == _S + "ddeLink":
            found.append(ActiveContent("dde", part, f"{element.get('ddeService') or ''}|{element.get('ddeTopic') or ''}"))
        else:
            found.append(ActiveContent("ole_link", part, element.get("progId") or ""))
    return found


def list_active(x: Extraction, package: Package, link_reader: LinkReader = linked) -> None:
    """List active content of every part of *package*, and what a part would have an XML reader fetch."""
    package.inspect()
    for part, target in package.external_entities[:_MAX_EACH]:
        x.add("active_content", ActiveContent("external_entity", part, target[:_DETAIL]))
    listed = len(package.external_entities) + _schemas(x, package)
    seen: set[tuple[str, str]] = set()
    for name in package.names:
        if not name.endswith(".rels") or "_rels/" not in name:
            continue
        part = name.replace("_rels/", "", 1).removesuffix(".rels")
        for relation in package.relationships(part).values():
            kind = (_EXTERNAL if relation.external else _INTERNAL).get(relation.kind, "")
            if not kind or (kind, relation.target) in seen:
                continue
            seen.add((kind, relation.target))
            listed += 1
            if listed > _MAX_EACH:
                x.warn("active-content-cut", "more active content than is listed")
                return
            x.add("active_content", ActiveContent(kind, part, relation.target[:_DETAIL]))
            if relation.kind == "externalLink":
                for link in link_reader(package, relation.target):
                    link.detail = link.detail[:_DETAIL]
                    x.add("active_content", link)
                    listed += 1
    if listed:
        x.warn(
            "active-content", "the document holds active content or refers to outside; nothing was run or opened", count=listed
        )


def _schemas(x: Extraction, package: Package) -> int:
    """What the schemas of an XML mapping (18.16) would have a validator fetch."""
    found = 0
    for name in package.names:
        root = package.optional_xml(name) if name.endswith("/xmlmaps.xml") else None
        for element in among(root, _SCHEMA_REFERENCES) if root is not None else ():
            location = element.get("schemaLocation") or ""
            if location and found < _MAX_EACH:
                found += 1
                x.add("active_content", ActiveContent("external_schema", name, location[:_DETAIL]))
    return found
