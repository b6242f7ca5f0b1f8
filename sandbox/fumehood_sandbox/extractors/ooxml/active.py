"""What would act or reach out if the document were opened: found by the relationships of its parts, opened never.

One table for every family: the same relationship has the same name in ``active_content`` wherever it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fumehood_sandbox.contract import ActiveContent
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.ooxml.embedded import charts_data
from fumehood_sandbox.extractors.ooxml.names import local
from fumehood_sandbox.extractors.ooxml.tree import among
from fumehood_sandbox.opc import Package, Relationship

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
    "userCustomization": "custom_ui",
    "webextension": "web_extension",
    "attachedToolbars": "customization",
    "keyMapCustomizations": "customization",
    "wordVbaData": "customization",
}
#: The same for one that leads outside. A hyperlink waits for a click; whatever else is not named here is fetched as well.
_EXTERNAL: Final = {
    "hyperlink": "",
    "attachedTemplate": "external_template",
    "image": "external_image",
    "audio": "external_media",
    "video": "external_media",
    "media": "external_media",
}
_MOST_CALLBACKS: Final = 20
_S: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_XS: Final = "{http://www.w3.org/2001/XMLSchema}"
_SCHEMA_REFERENCES: Final = frozenset({_XS + "import", _XS + "include", _XS + "redefine"})
_LINKS: Final = frozenset({_S + "ddeLink", _S + "oleLink"})
#: Attributes of a connection and of what is in it that say where it leads.
_CONNECTED: Final = ("connection", "url", "sourceFile", "localConnection", "odcFile")
_DETAIL: Final = 512
_MAX_EACH: Final = 1000


LinkReader = Callable[[Package, str], list[ActiveContent]]
"""What an external link part of a workbook would start."""


def acts(relation: Relationship) -> str:
    """What *relation* is called in ``active_content``; "" for one that does nothing by itself."""
    return _EXTERNAL.get(relation.kind, "external_link") if relation.external else _INTERNAL.get(relation.kind, "")


def said_of(package: Package, relation: Relationship) -> str:
    """What would be run or loaded, by name: a ribbon's callbacks, an add-in's identity, the kind of a customization."""
    kind = acts(relation)
    if kind == "customization":
        return relation.kind
    root = package.optional_xml(relation.target) if kind in {"custom_ui", "web_extension"} and not relation.external else None
    if root is None:
        return ""
    if kind == "custom_ui":  # [MS-CUSTOMUI] 2.2: a callback is an attribute that is called so
        calls = [
            f"{n}={v}" for e in root.iter() for n, v in e.attrib.items() if n.startswith(("on", "get")) or n == "loadImage"
        ]
        return ", ".join(calls[:_MOST_CALLBACKS])
    reference = next((e for e in root.iter() if local(e) == "reference"), None)  # [MS-OWEXML] 2.2.8
    return "" if reference is None else " ".join(filter(None, (reference.get("id"), reference.get("store"))))


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
    behind_charts = charts_data(package)
    for part, relation in package.all_relationships():
        kind = acts(relation)
        if not kind or (kind, relation.target) in seen:
            continue
        if kind == "embedded_file" and relation.target.lower() in behind_charts:
            continue
        seen.add((kind, relation.target))
        listed += 1
        if listed > _MAX_EACH:
            x.warn("active-content-cut", "more active content than is listed")
            return
        detail = ": ".join(filter(None, (relation.target, said_of(package, relation))))
        x.add("active_content", ActiveContent(kind, part, detail[:_DETAIL]))
        if relation.kind == "connections":
            listed += _connections(x, package, relation.target)
        if relation.kind == "externalLink":
            for link in link_reader(package, relation.target):
                link.detail = link.detail[:_DETAIL]
                x.add("active_content", link)
                listed += 1
    if listed:
        x.warn(
            "active-content", "the document holds active content or refers to outside; nothing was run or opened", count=listed
        )


def _connections(x: Extraction, package: Package, part: str) -> int:
    """Where each data connection of a workbook leads (18.13): a data base's own string, an address, a file."""
    root = package.optional_xml(part) if part.endswith(".xml") else None
    found = [] if root is None else list(root.iter(_S + "connection"))[:_MAX_EACH]
    for connection in found:
        places = [element.get(name) for element in connection.iter() for name in _CONNECTED if element.get(name)]
        detail = ActiveContent("connection", (connection.get("name") or part)[:255], "; ".join(filter(None, places))[:_DETAIL])
        x.add("active_content", detail)
    return len(found)


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
