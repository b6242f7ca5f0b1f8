"""Where a shape stands: through its groups, and whether any of it is on the slide (20.1.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from fumehood_sandbox.extractors.ooxml.drawing import A
from fumehood_sandbox.extractors.ooxml.tree import descend
from fumehood_sandbox.extractors.pptx.names import P, integer

Box = tuple[float, float, float, float]

_PLACES: Final = ((P + "spPr", A + "xfrm"), (P + "xfrm",), (P + "grpSpPr", A + "xfrm"))
_TURNED: Final = 5_400_000  # 90 degrees in 60,000ths


@dataclass(frozen=True, slots=True)
class Frame:
    """How a group's coordinates become the slide's."""

    scale_x: float = 1.0
    scale_y: float = 1.0
    move_x: float = 0.0
    move_y: float = 0.0

    def place(self, box: Box) -> Box:
        x, y, width, height = box
        return (self.move_x + x * self.scale_x, self.move_y + y * self.scale_y, width * self.scale_x, height * self.scale_y)

    def inside(self, group: Any) -> Frame:
        """The frame of what stands in *group*, a ``p:grpSp``."""
        transform = descend(group, P + "grpSpPr", A + "xfrm")
        outer = _box(transform, "off", "ext")
        inner = _box(transform, "chOff", "chExt")
        if outer is None or inner is None:
            return self
        x, y, width, height = self.place(outer)
        scale_x = width / inner[2] if inner[2] else 1.0
        scale_y = height / inner[3] if inner[3] else 1.0
        return Frame(scale_x, scale_y, x - inner[0] * scale_x, y - inner[1] * scale_y)


def box_of(shape: Any) -> Box | None:
    """The box that a shape gives itself; None where it takes its layout's."""
    for path in _PLACES:
        transform = descend(shape, *path)
        if transform is not None:
            return _box(transform, "off", "ext")
    return None


def is_off(box: Box, width: int, height: int) -> bool:
    """Whether all of *box* lies outside of a slide of *width* and *height*."""
    x, y, w, h = box
    return x >= width or y >= height or x + w <= 0 or y + h <= 0


def _box(transform: Any | None, offset: str, extent: str) -> Box | None:
    if transform is None:
        return None
    start, size = transform.find(A + offset), transform.find(A + extent)
    if start is None or size is None:
        return None
    x, y = integer(start.get("x")), integer(start.get("y"))
    w, h = integer(size.get("cx")), integer(size.get("cy"))
    rotation = abs(integer(transform.get("rot"))) % (2 * _TURNED)
    if _TURNED / 2 <= rotation < _TURNED * 1.5:  # stands upright: the box turns about its middle
        x, y, w, h = x + (w - h) // 2, y + (h - w) // 2, h, w
    return (x, y, w, h)
