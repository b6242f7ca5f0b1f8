"""What floats over a sheet's cells: images with their cell, text boxes, charts, diagrams, and where a click on them leads (20.5)."""

from __future__ import annotations

import re
from typing import Any, Final, Literal

from fumehood_sandbox import xmlsafe
from fumehood_sandbox.contract import Block, Link
from fumehood_sandbox.errors import ExtractError
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.ooxml.bounds import MAX_TEXT
from fumehood_sandbox.extractors.ooxml.charts import C, read_chart, read_drawn_over
from fumehood_sandbox.extractors.ooxml.diagrams import read_diagram
from fumehood_sandbox.extractors.ooxml.drawing import A, R, paragraphs, walk
from fumehood_sandbox.extractors.ooxml.media import Media
from fumehood_sandbox.extractors.xlsx.names import column_letters, integer
from fumehood_sandbox.opc import Package

_XDR: Final = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_DGM: Final = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_V: Final = "{urn:schemas-microsoft-com:vml}"
_O: Final = "{urn:schemas-microsoft-com:office:office}"
_X: Final = "{urn:schemas-microsoft-com:office:excel}"
_ANCHORS: Final = frozenset({_XDR + "twoCellAnchor", _XDR + "oneCellAnchor", _XDR + "absoluteAnchor"})
_LINKS: Final = frozenset({A + "hlinkClick", A + "hlinkHover"})


class Drawings:
    """Reads the drawing parts of a workbook's sheets."""

    def __init__(self, x: Extraction, package: Package) -> None:
        self._x = x
        self._package = package
        self.media = Media(x, package)
        self.charts = self.links = 0
        self._said: set[str] = set()
        """What the boxes on the sheet say that is being read."""

    def read(self, part: str | None, sheet: str) -> None:
        self._said.clear()
        root = self._package.optional_xml(part)
        if root is None or part is None:
            return
        for element in walk(root):
            if element.tag in _ANCHORS:
                self._anchor(element, part, sheet)

    def read_behind(self, part: str, sheet: str) -> None:
        """Send the sheet's background picture, and what older drawings hold (VML): captions of controls and boxes, pictures of
        page headers. The boxes of notes are left out: their texts are in the comments.
        """
        for relation in self._package.relationships(part).values():
            if relation.kind == "image":
                self.media.send(part, relation.id, anchor=sheet)
            elif relation.kind == "vmlDrawing" and not relation.external:
                self._old_drawing(relation.target, sheet)

    def _old_drawing(self, part: str, sheet: str) -> None:
        root = read_vml(self._package, part)
        if root is None:
            return
        for shape in root.iter():
            data = shape.find(_X + "ClientData")
            if data is not None and data.get("ObjectType") == "Note":
                continue
            for box in shape.findall(_V + "textbox"):
                text = "\n".join(words for words in map(str.strip, "".join(box.itertext()).splitlines()) if words)
                if text and text not in self._said:  # newer versions have drawn a control a second time
                    self._x.block(Block(self._x.next_id("b"), text=text[:MAX_TEXT], part="textbox"))
            for image in shape.findall(_V + "imagedata"):
                relation = image.get(_O + "relid") or image.get(R + "id") or image.get(R + "pict")
                self.media.send(part, relation, alt=image.get(_O + "title"), anchor=sheet)

    def _anchor(self, anchor: Any, part: str, sheet: str) -> None:
        start = anchor.find(_XDR + "from")
        where = sheet
        if start is not None:
            col, row = integer(start.findtext(_XDR + "col")), integer(start.findtext(_XDR + "row"))
            where = f"{sheet}!{column_letters(col + 1)}{row + 1}"
        for element in walk(anchor):
            tag = element.tag
            if tag == _XDR + "pic":
                self._picture(element, part, where)
            elif tag == _XDR + "txBody":
                texts = [p.text for p in paragraphs(element) if p.text.strip()]
                self._said.add("\n".join(text.strip() for text in texts))
                self._x.add("blocks", *(Block(self._x.next_id("b"), text=text, part="textbox") for text in texts))
            elif tag == A + "graphicData":
                self._graphic(element, part)
            elif tag in _LINKS:
                self._link(element, part, where)

    def _picture(self, element: Any, part: str, where: str) -> None:
        properties = next(element.iter(_XDR + "cNvPr"), None)
        alt = (properties.get("descr") or properties.get("title")) if properties is not None else None
        blip = next(element.iter(A + "blip"), None)
        if blip is not None:
            self.show(part, blip.get(R + "embed") or blip.get(R + "link"), alt, where)

    def show(self, part: str, relation: str | None, alt: str | None, where: str) -> None:
        """Send a picture, and a block that shows it."""
        image_id = self.media.send(part, relation, alt=alt, anchor=where)
        if image_id is not None:
            self._x.block(Block(self._x.next_id("b"), "image", image_id=image_id))

    def _link(self, link: Any, part: str, where: str) -> None:
        """Send where a shape, a picture or words in one lead (20.1.2.2.23, 21.1.2.3.5)."""
        relation = self._package.relationships(part).get(link.get(R + "id") or "")
        if relation is None:
            return
        target = relation.target if relation.external else f"#{relation.fragment}"
        if target in {"", "#"}:
            return
        self.links += 1
        kind: Literal["external", "internal"] = "external" if relation.external else "internal"
        self._x.add("links", Link(target[:4096], (link.get("tooltip") or "")[:1024], kind, where))

    def _graphic(self, element: Any, part: str) -> None:
        for child in element:
            relation = self._package.relationships(part).get(child.get(R + "id") or child.get(R + "dm") or "")
            if relation is None or relation.external:
                continue
            root = self._package.optional_xml(relation.target)
            if root is None:
                continue
            if child.tag == _DGM + "relIds":
                read_diagram(self._x, root)
            elif child.tag == C + "chart" or "chart" in relation.kind:
                self.charts += 1
                read_chart(self._x, root)
                read_drawn_over(self._x, self._package, relation.target)


#: Excel writes a line's end as HTML does.
_BREAK: Final = re.compile(rb"<br\s*>", re.IGNORECASE)


def read_vml(package: Package, part: str) -> Any | None:
    """The root of a VML part; None where it cannot be read: nothing but looks depends on it.

    Raises:
        ExtractError: ``limit``, as for any part.
    """
    if part not in package:
        return None
    try:
        return xmlsafe.parse(_BREAK.sub(b"<br/>\n", package.read(part)))
    except ExtractError as error:
        if error.code not in {"corrupt", "unsupported"}:
            raise
        return None
