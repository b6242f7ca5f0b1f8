"""The notes page of a slide: what its speaker wrote, and the running heads of the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from fumehood_sandbox.contract import Part
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.ooxml.bounds import MAX_TEXT
from fumehood_sandbox.extractors.ooxml.drawing import A, walk
from fumehood_sandbox.extractors.ooxml.tree import descend
from fumehood_sandbox.extractors.pptx.bullets import Labels
from fumehood_sandbox.extractors.pptx.links import Links
from fumehood_sandbox.extractors.pptx.names import P, placeholder
from fumehood_sandbox.extractors.pptx.text import block_of, body_paragraphs
from fumehood_sandbox.opc import Package

_RUNNING: Final[dict[str, Part]] = {"ftr": "footer", "hdr": "header"}
#: The page's own: its number, its date, the picture of the slide.
_LEFT_OUT: Final = frozenset({"sldNum", "dt", "sldImg"})


class Notes:
    """Reads the notes pages of a presentation."""

    def __init__(self, x: Extraction, package: Package, links: Links) -> None:
        self._x = x
        self._package = package
        self._links = links
        self._running: set[str] = set()

    def read(self, part: str, slide: int, number: int) -> tuple[str, list[str]]:
        """Send the notes of the slide in *part*; their text, and the ids of their blocks. *number* is what the slide shows as its own."""
        page = self._package.related(part, "notesSlide")
        root = self._package.optional_xml(page)
        lines: list[str] = []
        ids: list[str] = []
        if root is None or page is None:
            return "", ids
        for shape, kind in _shapes(root):
            body = shape.find(P + "txBody")
            style = descend(body, A + "lstStyle")
            labels = Labels([style] if style is not None else [])
            for paragraph in body_paragraphs(body, number):
                if kind != "notes" and paragraph.text in self._running:  # the same on every page
                    continue
                block = block_of(
                    self._x.next_id("b"),
                    paragraph,
                    kind,
                    slide,
                    labels if kind == "notes" else None,
                    lambda link, words: self._links.target(page, link, f"slide {slide} notes", words),
                )
                ids.append(self._x.block(block).id)
                if kind == "notes":
                    lines.append(block.text)
                else:
                    self._running.add(block.text)
        return "\n".join(lines)[:MAX_TEXT], ids


def _shapes(root: Any) -> Iterator[tuple[Any, Part]]:
    """The shapes with text of a notes page, and the part that each belongs to."""
    for element in walk(root):
        if element.tag == P + "sp" and element.find(P + "txBody") is not None:
            kind = (placeholder(element) or ("", ""))[0]
            if kind not in _LEFT_OUT:
                yield element, _RUNNING.get(kind, "notes")
