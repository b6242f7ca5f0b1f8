"""A SmartArt diagram's text from its data part, in the order and depth of its tree (ECMA-376 part 1, 21.4.3)."""

from __future__ import annotations

import re
from typing import Any, Final

from fumehood_sandbox.contract import Block, ListInfo
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.ooxml.drawing import R, paragraphs
from fumehood_sandbox.opc import Package

_DGM: Final = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_DSP: Final = "{http://schemas.microsoft.com/office/drawing/2008/diagram}"
_MAX_DEPTH: Final = 64
_NUMBER: Final = re.compile(r"(\d*)\.\w+$")


def diagram_root(package: Package, part: str, element: Any) -> tuple[str, Any] | None:
    """``(part, root)`` of what the ``dgm:relIds`` *element* in *part* shows: its data; where they hold no words, what was drawn of them.

    The drawing ([MS-ODRAWXML] 2.6) is named by the data, else it is the one of its number, else the only one that *part* refers to.
    """
    relations = package.relationships(part)
    relation = relations.get(element.get(R + "dm") or "")
    data = package.optional_xml(relation.target) if relation is not None and not relation.external else None
    if relation is not None and data is not None and any(p.text.strip() for p in paragraphs(data)):
        return relation.target, data
    named = next((e.get("relId") for e in data.iter(_DSP + "dataModelExt")), None) if data is not None else None
    drawings = [r for r in relations.values() if r.kind == "diagramDrawing" and not r.external and named in {None, r.id}]
    if len(drawings) > 1 and relation is not None:
        drawings = [r for r in drawings if _number(r.target) == _number(relation.target)]
    drawn = package.optional_xml(drawings[0].target) if len(drawings) == 1 else None
    if drawn is not None and (data is None or any(p.text.strip() for p in paragraphs(drawn))):
        return drawings[0].target, drawn
    return (relation.target, data) if relation is not None and data is not None else None


def _number(part: str) -> str:
    """The digits at the end of the name of *part*: those of one diagram have the same."""
    found = _NUMBER.search(part)
    return found.group(1) if found else ""


def read_diagram(x: Extraction, root: Any, slide: int | None = None, hidden: str | None = None) -> list[str]:
    """Send the text under *root*, a ``dgm:dataModel`` or the drawing of one; the ids of its blocks. *hidden*: why nobody sees it."""
    if root.tag == _DSP + "drawing":
        return _send(x, root, 1, slide, hidden)
    points = {p.get("modelId") or "": p for p in root.iter(_DGM + "pt")}
    children: dict[str, list[tuple[int, str]]] = {}
    for link in root.iter(_DGM + "cxn"):
        if link.get("type", "parOf") == "parOf":
            order = link.get("srcOrd") or "0"
            children.setdefault(link.get("srcId") or "", []).append(
                (int(order) if order.isdecimal() else 0, link.get("destId") or "")
            )
    start = [key for key, point in points.items() if point.get("type") == "doc"]
    seen: set[str] = set()
    ids: list[str] = []
    todo = [(key, 0) for key in reversed(start)]
    while todo:
        key, depth = todo.pop()
        if key in seen or key not in points:
            continue
        seen.add(key)
        ids += _send(x, points[key], min(max(depth, 1), _MAX_DEPTH), slide, hidden)
        todo.extend((child, depth + 1) for _, child in sorted(children.get(key, ()), reverse=True))
    for key, point in points.items():
        if key not in seen:
            ids += _send(x, point, 1, slide, hidden)
    return ids


def _send(x: Extraction, point: Any, depth: int, slide: int | None, hidden: str | None) -> list[str]:
    blocks = [
        Block(x.next_id("b"), "list_item", p.text, "smartart", slide=slide, hidden=hidden, list=ListInfo(depth, label="•"))
        for p in paragraphs(point)
        if p.text.strip()
    ]
    if blocks:
        x.add("blocks", *blocks)
    return [b.id for b in blocks]
