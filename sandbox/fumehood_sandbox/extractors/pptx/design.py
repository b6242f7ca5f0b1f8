"""What a slide shows of its layout and master: words and pictures that are no placeholders, told once a presentation (19.3.1.39)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.ooxml.drawing import A, R, alternatives
from fumehood_sandbox.extractors.ooxml.media import Media
from fumehood_sandbox.extractors.ooxml.tree import descend
from fumehood_sandbox.extractors.pptx.links import Links
from fumehood_sandbox.extractors.pptx.names import P, alternative_text, is_decorative, off, on, placeholder, properties
from fumehood_sandbox.extractors.pptx.text import block_of, body_paragraphs
from fumehood_sandbox.opc import Package

_NAMES: Final = {"slideLayout": "slide layout", "slideMaster": "slide master"}


class Design:
    """Tells of each layout and master at the first slide that shows it."""

    def __init__(self, x: Extraction, package: Package, media: Media, links: Links) -> None:
        self._x = x
        self._package = package
        self._media = media
        self._links = links
        self._shows: dict[str, bool] = {}
        """Of each part that was told: whether it shows what stands above it."""

    def read(self, root: Any, part: str, slide: int, number: int) -> list[str]:
        """Send what the slide under *root* shows of its layout and master; the ids of the blocks."""
        ids: list[str] = []
        shows = not off(root.get("showMasterSp"))
        for kind, name in _NAMES.items():
            of = self._package.related(part, kind)
            if not shows or of is None:
                break
            if of not in self._shows:
                above = self._package.optional_xml(of)
                self._shows[of] = above is not None and not off(above.get("showMasterSp"))
                if above is not None:
                    ids += self._shapes(above, of, slide, number, name)
            shows, part = self._shows[of], of
        return ids

    def _shapes(self, root: Any, part: str, slide: int, number: int, name: str) -> list[str]:
        ids: list[str] = []
        tree = descend(root, P + "cSld", P + "spTree")
        for shape in _seen(tree) if tree is not None else ():
            about = properties(shape)
            for blip in shape.iter(A + "blip") if shape.tag == P + "pic" else ():
                relation = blip.get(R + "embed") or blip.get(R + "link")
                alt = alternative_text(about)
                self._media.send(part, relation, alt=alt, decorative=is_decorative(about), anchor=name, page=slide)
            body = shape.find(P + "txBody")
            for paragraph in body_paragraphs(body, number) if body is not None else ():
                block = block_of(
                    self._x.next_id("b"),
                    paragraph,
                    "footer",
                    slide,
                    None,
                    lambda link, words: self._links.target(part, link, name, words),
                )
                ids.append(self._x.block(block).id)
        return ids


def _seen(tree: Any) -> Iterator[Any]:
    """The shapes of *tree* that a slide shows, groups opened: no placeholders, nothing that is hidden."""
    for shape in alternatives(tree):
        about = properties(shape)
        if about is not None and on(about.get("hidden")):
            continue
        if shape.tag == P + "grpSp":
            yield from _seen(shape)
        elif shape.tag in {P + "sp", P + "pic"} and placeholder(shape) is None:
            yield shape
