"""A SmartArt diagram's text from its data part, in the order and depth of its tree (ECMA-376 part 1, 21.4.3)."""

from __future__ import annotations

from typing import Any, Final

from fumehood_sandbox.contract import Block, ListInfo
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.ooxml.drawing import paragraphs

_DGM: Final = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_MAX_DEPTH: Final = 64


def read_diagram(x: Extraction, root: Any, slide: int | None = None) -> list[str]:
    """Send the text under *root*, a ``dgm:dataModel``; the ids of its blocks."""
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
        ids += _send(x, points[key], min(max(depth, 1), _MAX_DEPTH), slide)
        todo.extend((child, depth + 1) for _, child in sorted(children.get(key, ()), reverse=True))
    for key, point in points.items():
        if key not in seen:
            ids += _send(x, point, 1, slide)
    return ids


def _send(x: Extraction, point: Any, depth: int, slide: int | None) -> list[str]:
    blocks = [
        Block(x.next_id("b"), "list_item", p.text, "smartart", slide=slide, list=ListInfo(depth, label="•"))
        for p in paragraphs(point)
        if p.text.strip()
    ]
    if blocks:
        x.add("blocks", *blocks)
    return [b.id for b in blocks]
