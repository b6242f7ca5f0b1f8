"""Places on a page, in points, y downwards."""

from __future__ import annotations

from collections.abc import Iterable

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1."""


def union(boxes: Iterable[Box]) -> Box:
    """The smallest box around *boxes*, of which there is at least one."""
    found = list(boxes)
    return (min(b[0] for b in found), min(b[1] for b in found), max(b[2] for b in found), max(b[3] for b in found))
