"""One slide: its shapes in reading order (the title first, then as they lie), groups opened, tables, pictures, charts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from fumehood_sandbox.contract import ActiveContent, Block, Cell, Link, Part, Table
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.ooxml.bounds import cut
from fumehood_sandbox.extractors.ooxml.charts import C, read_chart
from fumehood_sandbox.extractors.ooxml.diagrams import read_diagram
from fumehood_sandbox.extractors.ooxml.drawing import A, R, alternatives, named, walk
from fumehood_sandbox.extractors.ooxml.media import Media
from fumehood_sandbox.extractors.ooxml.tree import descend
from fumehood_sandbox.extractors.pptx.bullets import Inheritance, Labels
from fumehood_sandbox.extractors.pptx.geometry import Frame, box_of, is_off
from fumehood_sandbox.extractors.pptx.names import P, integer, on, placeholder, properties
from fumehood_sandbox.extractors.pptx.text import block_of, body_paragraphs
from fumehood_sandbox.opc import Package

_DGM: Final = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_TITLES: Final = frozenset({"title", "ctrTitle"})
_RUNNING: Final[dict[str, Part]] = {"ftr": "footer", "dt": "footer", "sldNum": "footer", "hdr": "header"}
_MAX_SPAN: Final = 4096
_LINKS: Final = frozenset({A + "hlinkClick", A + "hlinkHover"})


class SlideReader:
    """Reads the shapes of one slide. `ids` are the blocks it sent, in order."""

    def __init__(self, x: Extraction, package: Package, media: Media, size: tuple[int, int]) -> None:
        self._x = x
        self._package = package
        self._media = media
        self._size = size
        self.tables = self.charts = self.links = 0
        self._part = ""
        self._slide = 0
        self._inherited = Inheritance(None, None)
        self.ids: list[str] = []
        self.title = ""
        self.title_id: str | None = None

    def read(self, root: Any, part: str, slide: int, inherited: Inheritance) -> None:
        """Send the blocks of the slide under *root*. Its source tables are counted, whatever becomes of them."""
        self._part, self._slide, self._inherited = part, slide, inherited
        self.ids, self.title, self.title_id = [], "", None
        self.tables += sum(1 for _ in named(root, A + "tbl"))
        tree = descend(root, P + "cSld", P + "spTree")
        if tree is None:
            self._x.warn("slide-without-shapes", "a slide has no shape tree", where=f"slide {slide}")
            return
        shapes = list(alternatives(tree))
        shapes.sort(key=lambda shape: not _is_title(shape))  # stable: the title first, the rest as it lies
        for shape in shapes:
            self._shape(shape, Frame(), None)

    def _shape(self, shape: Any, frame: Frame, hidden: str | None) -> None:
        tag = shape.tag
        about = properties(shape)
        if hidden is None and about is not None and on(about.get("hidden")):
            hidden = "hidden_shape"
        if about is not None:
            for link in about:
                if link.tag in _LINKS:
                    self._target(link)
        if tag == P + "grpSp":
            inner = frame.inside(shape)
            for child in alternatives(shape):
                self._shape(child, inner, hidden)
            return
        place = placeholder(shape) if tag in {P + "sp", P + "pic", P + "graphicFrame"} else None
        hidden = hidden or self._off_slide(shape, frame, place)
        if tag in {P + "sp", P + "cxnSp"}:
            self._text(shape, place, hidden)
        elif tag == P + "pic":
            self._picture(shape, hidden)
        elif tag == P + "graphicFrame":
            self._graphic(shape, hidden)

    def _off_slide(self, shape: Any, frame: Frame, place: tuple[str, str] | None) -> str | None:
        box = box_of(shape)
        if box is None and place is not None:
            box = next((b for b in map(box_of, self._inherited.ancestors(*place)) if b is not None), None)
        return "off_slide" if box is not None and is_off(frame.place(box), *self._size) else None

    def _send(self, block: Block, hidden: str | None) -> Block:
        block.hidden = hidden
        self.ids.append(block.id)
        return self._x.block(block)

    def _text(self, shape: Any, place: tuple[str, str] | None, hidden: str | None) -> None:
        body = shape.find(P + "txBody")
        if body is None:
            return
        kind = place[0] if place else ""
        if kind in _TITLES and not self.title:
            self._heading(body, hidden)
            return
        part = _RUNNING.get(kind, "body")
        labels = Labels(self._inherited.lists(shape, place)) if part == "body" and kind not in _TITLES else None
        for paragraph in body_paragraphs(body):
            block = block_of(self._x.next_id("b"), paragraph, part, self._slide, labels, self._target)
            self._send(block, hidden)

    def _heading(self, body: Any, hidden: str | None) -> None:
        """The title is one heading, its paragraphs joined."""
        paragraphs = list(body_paragraphs(body))
        if not paragraphs:
            return
        blocks = [block_of(self._x.next_id("b"), p, "body", self._slide, None, self._target) for p in paragraphs[:1]]
        block = blocks[0]
        block.type, block.level = "heading", 2
        if len(paragraphs) > 1:
            block.text = "\n".join(p.text for p in paragraphs)
            block.runs = []
        self.title, self.title_id = " ".join(block.text.split()), block.id
        self._send(block, hidden)

    def _picture(self, shape: Any, hidden: str | None) -> None:
        about = properties(shape)
        alt = (about.get("descr") or about.get("title")) if about is not None else None
        blip = next(shape.iter(A + "blip"), None)
        if blip is None:
            return
        relation = blip.get(R + "embed") or blip.get(R + "link")
        image = self._media.send(self._part, relation, alt=alt, anchor=f"slide {self._slide}", page=self._slide)
        if image is not None:
            self._send(Block(self._x.next_id("b"), "image", slide=self._slide, image_id=image), hidden)

    def _graphic(self, shape: Any, hidden: str | None) -> None:
        data = descend(shape, A + "graphic", A + "graphicData")
        for child in alternatives(data) if data is not None else ():
            if child.tag == A + "tbl":
                self._table(child, hidden)
            elif child.tag == P + "oleObj":
                for picture in child.iter(P + "pic"):
                    self._picture(picture, hidden)
            else:
                self._foreign(child)

    def _foreign(self, element: Any) -> None:
        """A chart or a diagram, which has a part of its own."""
        relation = self._package.relationships(self._part).get(element.get(R + "id") or element.get(R + "dm") or "")
        if relation is None or relation.external:
            return
        root = self._package.optional_xml(relation.target)
        if root is None:
            return
        if element.tag == _DGM + "relIds":
            self.ids += read_diagram(self._x, root, self._slide)
        elif element.tag == C + "chart" or "chart" in relation.kind:
            self.charts += 1
            self.ids += read_chart(self._x, root, self._slide)

    def _table(self, element: Any, hidden: str | None) -> None:
        about = element.find(A + "tblPr")
        frame = Block(self._x.next_id("b"), "table", slide=self._slide)
        table = Table(self._x.next_id("t"), slide=self._slide)
        frame.table_id = table.id
        self._send(frame, hidden)
        table.header_rows = int(about is not None and on(about.get("firstRow")))
        for row_number, row in enumerate(element.findall(A + "tr"), 1):
            table.n_rows = row_number
            for col, cell in enumerate(row.findall(A + "tc"), 1):
                table.n_cols = max(table.n_cols, col)
                if on(cell.get("hMerge")) or on(cell.get("vMerge")):
                    continue
                found = Cell(row_number, col, _span(cell, "rowSpan"), _span(cell, "gridSpan"))
                body = cell.find(A + "txBody")
                lines = []
                for paragraph in body_paragraphs(body) if body is not None else ():
                    labels = Labels([])
                    block = block_of(self._x.next_id("b"), paragraph, "body", self._slide, labels, self._target)
                    block.table_id, block.row, block.col = table.id, row_number, col
                    self._send(block, hidden)
                    lines.append(paragraph.text)
                found.text = cut(self._x, "\n".join(lines), f"slide {self._slide}")
                table.cells.append(found)
        self._x.table(table)

    def _target(self, link: Any) -> str | None:
        """Where a link points; it is listed, and so is an action that would start something."""
        action = link.get("action") or ""
        relation = self._package.relationships(self._part).get(link.get(R + "id") or "")
        target = relation.target if relation is not None else ""
        where = f"slide {self._slide}"
        if action.startswith(("ppaction://program", "ppaction://macro", "ppaction://ole")):
            kind = "macro" if "macro" in action else "launch"
            self._x.add("active_content", ActiveContent(kind, where, (target or action)[:512]))
            return target or action
        is_external = relation is not None and relation.external
        if not target or (not is_external and target not in self._package):
            return None
        self.links += 1
        self._x.add("links", Link(target[:4096], link.get("tooltip") or "", "external" if is_external else "internal", where))
        return target[:4096]


def _is_title(shape: Any) -> bool:
    place = placeholder(shape) if shape.tag == P + "sp" else None
    return place is not None and place[0] in _TITLES


def _span(cell: Any, name: str) -> int:
    return min(max(integer(cell.get(name), 1), 1), _MAX_SPAN)


def notes_shapes(root: Any) -> Iterator[tuple[Any, Part]]:
    """The text bodies of a notes page, and the part that each belongs to. Numbers and dates of the page are left out."""
    for element in walk(root):
        if element.tag == P + "sp":
            place = placeholder(element)
            kind = place[0] if place else ""
            body = element.find(P + "txBody")
            if body is not None and kind not in {"sldNum", "dt", "sldImg"}:
                yield body, _RUNNING.get(kind, "notes")
