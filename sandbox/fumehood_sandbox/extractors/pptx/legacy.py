"""Pictures of objects and controls as PowerPoint 2007 keeps them: in the VML drawing of the slide (part 4, 8; 19.3.2.4)."""

from __future__ import annotations

from typing import Final

from fumehood_sandbox.extractors.ooxml.names import O, V
from fumehood_sandbox.opc import Package

_IMAGE: Final = V + "imagedata"


class LegacyPictures:
    """Finds a picture by the shape that shows it. A slide's drawing is read once."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._of = ""
        self._found: dict[str, str] = {}
        self._part = ""

    def find(self, part: str, shape_id: str | None) -> tuple[str, str] | None:
        """``(part, relationship)`` of the picture of *shape_id*, as the slide in *part* names it; None where there is none."""
        if not shape_id:
            return None
        if self._of != part:
            self._of, self._found = part, {}
            self._part = self._package.related(part, "vmlDrawing") or ""
            root = self._package.optional_xml(self._part)
            for shape in root if root is not None else ():
                image = next(shape.iter(_IMAGE), None)
                if image is not None:
                    self._found[shape.get("id") or ""] = image.get(O + "relid") or ""
        relation = self._found.get(shape_id)
        return (self._part, relation) if relation else None
