"""The presentation part: its slides in order, each with its layout, notes and comments."""

from __future__ import annotations

from typing import Any, Final

from fumehood_sandbox.contract import OutlineItem, Slide
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.ooxml.active import list_active
from fumehood_sandbox.extractors.ooxml.bounds import MAX_TEXT
from fumehood_sandbox.extractors.ooxml.drawing import R
from fumehood_sandbox.extractors.ooxml.embedded import attach_parts, embedded_parts, list_media
from fumehood_sandbox.extractors.ooxml.media import Media
from fumehood_sandbox.extractors.ooxml.properties import read_metadata
from fumehood_sandbox.extractors.pptx.bullets import Inheritance
from fumehood_sandbox.extractors.pptx.comments import Comments
from fumehood_sandbox.extractors.pptx.design import Design
from fumehood_sandbox.extractors.pptx.links import Links
from fumehood_sandbox.extractors.pptx.names import P, integer, off
from fumehood_sandbox.extractors.pptx.notes import Notes
from fumehood_sandbox.extractors.pptx.slide import SlideReader
from fumehood_sandbox.opc import Package

_DEFAULT_SIZE: Final = (9_144_000, 6_858_000)  # 10 by 7.5 inches in EMU
_MAX_SLIDES: Final = 20_000
_P14: Final = "{http://schemas.microsoft.com/office/powerpoint/2010/main}"
_TITLE: Final = 1024


class PresentationReader:
    """Reads one presentation into an `Extraction`."""

    def __init__(self, x: Extraction) -> None:
        self._x = x
        self._package = package = Package(x.data, x.warn, x.zip_limits)
        package.alive = self._alive
        self._at = 0
        """The slide that is being read, from 1."""
        self._main = package.main
        self._root = root = package.xml(self._main)
        self._defaults = root.find(P + "defaultTextStyle")
        self._first = integer(root.get("firstSlideNum"), 1)
        """The number that the first slide shows."""
        self._sections = _sections(root)
        self._parts = self._slides()
        media = Media(x, package)
        links = Links(x, package, {part.lower(): i for i, part in enumerate(self._parts, 1) if part is not None})
        self._media, self._links = media, links
        self._reader = SlideReader(x, package, media, links, _size(root))
        self._design = Design(x, package, media, links)
        self._notes = Notes(x, package, links)
        self._comments = Comments(x, package, self._main)
        self._layouts: dict[str, Inheritance] = {}
        self._section = ""
        self._unread = 0

    def read(self) -> None:
        """Everything, slide by slide.

        Raises:
            ExtractError: ``corrupt`` when the presentation part, or every slide of it, cannot be read.
        """
        x, package, parts = self._x, self._package, self._parts
        x.document.format.strict = x.document.format.strict or package.strict
        x.document.metadata, x.document.custom_properties = read_metadata(package)
        wanted = [i for i in range(1, len(parts) + 1) if self._is_wanted(i)]
        for index in wanted:
            self._at = index
            self._slide(index, parts[index - 1])
            x.progress(index, len(parts), "slide")
        if not wanted and parts:
            x.warn("pages-out-of-range", f"none of the slides asked for is there; the presentation has {len(parts)}")
        if wanted and self._unread == len(wanted):
            raise ExtractError("corrupt", "no slide of the presentation can be read")
        list_active(x, package)
        self._links.rest()
        reader = self._reader
        x.document.counts.update(
            slides=len(parts), paragraphs=reader.paragraphs, tables=reader.tables, equations=reader.equations,
            charts=reader.charts, links=self._links.count, images=self._media.count, comments=self._comments.count,
        )  # fmt: skip
        if x.request.pages is None:
            self._media.rest()
        list_media(x, package)
        attach_parts(x, package, embedded_parts(package))

    def _alive(self) -> None:
        self._x.progress(self._at, None, "slide")

    def _is_wanted(self, index: int) -> bool:
        pages = self._x.request.pages
        return pages is None or any(first <= index <= last for first, last in pages)

    def _slides(self) -> list[str | None]:
        """The parts of the slides in order; None for one that is not there."""
        relations = self._package.relationships(self._main)
        parts: list[str | None] = []
        for element in self._root.iter(P + "sldId"):
            relation = relations.get(element.get(R + "id") or "")
            known = relation is not None and not relation.external and relation.target in self._package
            parts.append(relation.target if relation is not None and known else None)
            if len(parts) > _MAX_SLIDES:
                raise ExtractError("limit", "too many slides", kind="slides")
        return parts

    def _slide(self, index: int, part: str | None) -> None:
        x, reader = self._x, self._reader
        root = self._package.optional_xml(part)
        if root is None or part is None:
            x.warn("slide-missing", "a slide is listed whose part is not there or cannot be read", where=f"slide {index}")
            x.add("slides", Slide(index))
            self._unread += 1
            return
        number = self._first + index - 1
        reader.read(root, part, index, number, self._inheritance(part))
        design_ids = self._design.read(root, part, index, number)
        self._comments.read(part, index)
        notes, note_ids = self._notes.read(part, index, number)
        self._outline(index)
        x.add(
            "slides", Slide(index, reader.title[:MAX_TEXT], off(root.get("show")), [*reader.ids, *design_ids, *note_ids], notes)
        )

    def _outline(self, index: int) -> None:
        """The slide's title, below the section that it stands in."""
        section = self._sections[index - 1] if index <= len(self._sections) else ""
        if section and section != self._section:
            self._x.add("outline", OutlineItem(section[0:_TITLE], 1, None, index))
        self._section = section
        if self._reader.title:
            level = 2 if self._sections else 1
            self._x.add("outline", OutlineItem(self._reader.title[:_TITLE], level, self._reader.title_id, index))

    def _inheritance(self, part: str) -> Inheritance:
        layout = self._package.related(part, "slideLayout")
        key = layout or ""
        known = self._layouts.get(key)
        if known is None:
            master = self._package.related(layout, "slideMaster") if layout else None
            known = Inheritance(self._package.optional_xml(layout), self._package.optional_xml(master), self._defaults)
            self._layouts[key] = known
        return known


def _size(root: Any) -> tuple[int, int]:
    """Width and height of the slides, in EMU."""
    size = root.find(P + "sldSz")
    if size is None:
        return _DEFAULT_SIZE
    return integer(size.get("cx")) or _DEFAULT_SIZE[0], integer(size.get("cy")) or _DEFAULT_SIZE[1]


def _sections(root: Any) -> list[str]:
    """The name of the section that each slide stands in ([MS-PPTX] 2.4); empty where the presentation has none."""
    of: dict[str, str] = {}
    for section in root.iter(_P14 + "section"):
        for element in section.iter(_P14 + "sldId"):
            of[element.get("id") or ""] = section.get("name") or ""
    return [of.get(element.get("id") or "", "") for element in root.iter(P + "sldId")] if of else []
