"""One slide: its shapes in reading order (the title first, then as they lie), groups opened, tables, pictures, charts."""

from __future__ import annotations

from typing import Any, Final

from fumehood_sandbox.contract import Block, Part
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.ooxml.bounds import cut
from fumehood_sandbox.extractors.ooxml.charts import CX, C, read_chart, read_drawn_over
from fumehood_sandbox.extractors.ooxml.diagrams import diagram_root, read_diagram
from fumehood_sandbox.extractors.ooxml.drawing import A, Paragraph, Piece, R, alternatives, named, paragraphs
from fumehood_sandbox.extractors.ooxml.media import Media
from fumehood_sandbox.extractors.ooxml.tree import descend
from fumehood_sandbox.extractors.pptx.bullets import Inheritance, Labels
from fumehood_sandbox.extractors.pptx.geometry import Frame, box_of, is_off
from fumehood_sandbox.extractors.pptx.legacy import LegacyPictures
from fumehood_sandbox.extractors.pptx.links import Links
from fumehood_sandbox.extractors.pptx.names import P, alternative_text, is_decorative, on, placeholder, properties
from fumehood_sandbox.extractors.pptx.tables import read_table
from fumehood_sandbox.extractors.pptx.text import block_of, body_paragraphs
from fumehood_sandbox.opc import Package

_DGM: Final = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_LEGACY_DRAWING: Final = "{http://schemas.openxmlformats.org/drawingml/2006/compatibility}legacyDrawing"
_MATH: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}oMath"
_TITLES: Final = frozenset({"title", "ctrTitle"})
_RUNNING: Final[dict[str, Part]] = {"ftr": "footer", "dt": "footer", "sldNum": "footer", "hdr": "header"}
_LINKS: Final = frozenset({A + "hlinkClick", A + "hlinkHover"})
_CHARTS: Final = frozenset({C + "chart", CX + "chart"})


class SlideReader:
    """Reads the shapes of one slide. `ids` are the blocks it sent, in order."""

    def __init__(self, x: Extraction, package: Package, media: Media, links: Links, size: tuple[int, int]) -> None:
        self._x = x
        self._package = package
        self._media = media
        self._links = links
        self._legacy = LegacyPictures(package)
        self._size = size
        self.tables = self.charts = self.paragraphs = self.equations = 0
        self._part = ""
        self._slide = self._number = 0
        self._inherited = Inheritance(None, None)
        self.ids: list[str] = []
        self.title = ""
        self.title_id: str | None = None

    def read(self, root: Any, part: str, slide: int, number: int, inherited: Inheritance) -> None:
        """Send the blocks of the slide under *root*, which shows *number* as its own. Its source is counted, whatever becomes of it."""
        self._part, self._slide, self._number, self._inherited = part, slide, number, inherited
        self.ids, self.title, self.title_id = [], "", None
        self._count(root)
        tree = descend(root, P + "cSld", P + "spTree")
        if tree is None:
            self._x.warn("slide-without-shapes", "a slide has no shape tree", where=f"slide {slide}")
            return
        background = descend(root, P + "cSld", P + "bg", P + "bgPr", A + "blipFill", A + "blip")
        if background is not None:
            self._image(background, f"slide {slide} background", decorative=True)
        shapes = list(alternatives(tree))
        shapes.sort(key=lambda shape: not _is_title(shape))  # stable: the title first, the rest as it lies
        for shape in shapes:
            self._shape(shape, Frame(), None)
        controls = descend(root, P + "cSld", P + "controls")
        for control in named(controls, P + "control") if controls is not None else ():
            self._shown_as_picture(control, properties(control), None)

    def _count(self, root: Any) -> None:
        self.tables += sum(1 for _ in named(root, A + "tbl"))
        self.paragraphs += sum(1 for _ in named(root, A + "p"))
        self.equations += sum(1 for _ in named(root, _MATH))

    def _shape(self, shape: Any, frame: Frame, hidden: str | None) -> None:
        tag = shape.tag
        about = properties(shape)
        if hidden is None and about is not None and on(about.get("hidden")):
            hidden = "hidden_shape"
        for link in about if about is not None else ():
            if link.tag in _LINKS:
                self._target(link)
        if tag == P + "grpSp":
            self._described(about, hidden)
            inner = frame.inside(shape)
            for child in alternatives(shape):
                self._shape(child, inner, hidden)
            return
        place = placeholder(shape) if tag in {P + "sp", P + "pic", P + "graphicFrame"} else None
        hidden = hidden or self._off_slide(shape, frame, place)
        if tag in {P + "sp", P + "cxnSp"}:
            self._drawn(shape, about, hidden)
            self._text(shape, place, hidden)
        elif tag == P + "pic":
            self._picture(next(shape.iter(A + "blip"), None), about, hidden)
        elif tag == P + "graphicFrame":
            self._graphic(shape, about, hidden)

    def _off_slide(self, shape: Any, frame: Frame, place: tuple[str, str] | None) -> str | None:
        box = box_of(shape)
        if box is None and place is not None:
            box = next((b for b in map(box_of, self._inherited.ancestors(*place)) if b is not None), None)
        return "off_slide" if box is not None and is_off(frame.place(box), *self._size) else None

    def _send(self, block: Block, hidden: str | None) -> Block:
        block.hidden = hidden
        self.ids.append(block.id)
        return self._x.block(block)

    # --- text ---------------------------------------------------------------------------------------------------------

    def _text(self, shape: Any, place: tuple[str, str] | None, hidden: str | None) -> None:
        body = shape.find(P + "txBody")
        if body is None:
            return
        kind = place[0] if place else ""
        if kind in _TITLES and not self.title:
            self._heading(body, kind, hidden)
            return
        part = _RUNNING.get(kind, "body")
        labels = Labels(self._inherited.lists(shape, place)) if part == "body" and kind not in _TITLES else None
        for paragraph in body_paragraphs(body, self._number):
            block = block_of(self._x.next_id("b"), paragraph, part, self._slide, labels, self._target)
            block.style = kind or None
            self._send(block, hidden)

    def _heading(self, body: Any, kind: str, hidden: str | None) -> None:
        """The title is one heading, its paragraphs joined."""
        whole = Paragraph()
        for paragraph in body_paragraphs(body, self._number):
            whole.pieces += [Piece("\n"), *paragraph.pieces] if whole.pieces else paragraph.pieces
        if not whole.pieces:
            return
        block = block_of(self._x.next_id("b"), whole, "body", self._slide, None, self._target)
        block.type, block.level, block.latex, block.style = "heading", 2, None, kind
        self.title, self.title_id = " ".join(block.text.split()), block.id
        self._send(block, hidden)

    # --- pictures -----------------------------------------------------------------------------------------------------

    def _shown_as_picture(self, element: Any, about: Any | None, hidden: str | None) -> None:
        """An object or a control: the picture in it, else that of its shape in the slide's VML."""
        picture = next(element.iter(P + "pic"), None)
        if picture is not None:
            own = properties(picture)
            self._picture(next(picture.iter(A + "blip"), None), own if alternative_text(own) else about, hidden)
            return
        found = self._legacy.find(self._part, element.get("spid"))
        if found is not None:
            alt, anchor = alternative_text(about), f"slide {self._slide}"
            image = self._media.send(*found, alt=alt, decorative=is_decorative(about), anchor=anchor, page=self._slide)
            if image is not None:
                self._send(Block(self._x.next_id("b"), "image", slide=self._slide, image_id=image), hidden)

    def _image(self, blip: Any, anchor: str, alt: str = "", *, decorative: bool = False) -> str | None:
        relation = blip.get(R + "embed") or blip.get(R + "link")
        return self._media.send(self._part, relation, alt=alt, decorative=decorative, anchor=anchor, page=self._slide)

    def _picture(self, blip: Any | None, about: Any | None, hidden: str | None) -> None:
        if blip is None:
            return
        image = self._image(blip, f"slide {self._slide}", alternative_text(about), decorative=is_decorative(about))
        if image is not None:
            self._send(Block(self._x.next_id("b"), "image", slide=self._slide, image_id=image), hidden)

    def _drawn(self, shape: Any, about: Any | None, hidden: str | None) -> None:
        """A shape that a picture fills is a picture; another one may say what it shows."""
        blip = descend(shape, P + "spPr", A + "blipFill", A + "blip")
        if blip is not None:
            self._picture(blip, about, hidden)
        else:
            self._described(about, hidden)

    def _described(self, about: Any | None, hidden: str | None, part: Part = "body") -> None:
        """The alternative text of what is no picture."""
        text = alternative_text(about)
        if text:
            text = cut(self._x, text, f"slide {self._slide}")
            self._send(Block(self._x.next_id("b"), "image", text, part, slide=self._slide), hidden)

    # --- what a frame holds -------------------------------------------------------------------------------------------

    def _graphic(self, shape: Any, about: Any | None, hidden: str | None) -> None:
        data = descend(shape, A + "graphic", A + "graphicData")
        for child in alternatives(data) if data is not None else ():
            if child.tag == A + "tbl":
                caption = alternative_text(about)
                self.ids += read_table(self._x, child, self._slide, self._number, self._target, hidden, caption)
            elif child.tag == P + "oleObj":
                self._shown_as_picture(child, about, hidden)
            elif child.tag == _DGM + "relIds":
                self._described(about, hidden, "smartart")
                self._diagram(child, hidden)
            elif child.tag in _CHARTS:
                self.charts += 1
                self._described(about, hidden, "chart")
                self._chart(child, hidden)
            elif child.tag == _LEGACY_DRAWING:
                self._shown_as_picture(child, about, hidden)
            else:
                self._described(about, hidden)
                for paragraph in paragraphs(child):
                    if paragraph.text.strip():
                        self._send(block_of(self._x.next_id("b"), paragraph, "body", self._slide, None, self._target), hidden)

    def _chart(self, element: Any, hidden: str | None) -> None:
        relation = self._package.relationships(self._part).get(element.get(R + "id") or "")
        root = self._package.optional_xml(relation.target) if relation is not None and not relation.external else None
        if relation is None or root is None:
            self._x.warn(
                "chart-missing", "a chart is shown whose part is not there or cannot be read", where=f"slide {self._slide}"
            )
            return
        self.ids += read_chart(self._x, root, self._slide, hidden)
        self.ids += read_drawn_over(self._x, self._package, relation.target, self._slide, hidden)

    def _diagram(self, element: Any, hidden: str | None) -> None:
        found = diagram_root(self._package, self._part, element)
        if found is None:
            self._x.warn(
                "diagram-missing", "a diagram is shown whose part is not there or cannot be read", where=f"slide {self._slide}"
            )
            return
        part, root = found
        self.ids += read_diagram(self._x, root, self._slide, hidden)
        for blip in root.iter(A + "blip"):
            image = self._media.send(
                part, blip.get(R + "embed") or blip.get(R + "link"), anchor=f"slide {self._slide}", page=self._slide
            )
            if image is not None:
                self._send(Block(self._x.next_id("b"), "image", part="smartart", slide=self._slide, image_id=image), hidden)

    def _target(self, link: Any, words: str = "") -> str | None:
        return self._links.target(self._part, link, f"slide {self._slide}", words)


def _is_title(shape: Any) -> bool:
    place = placeholder(shape) if shape.tag == P + "sp" else None
    return place is not None and place[0] in _TITLES
