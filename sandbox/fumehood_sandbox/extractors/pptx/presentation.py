"""The presentation part: its slides in order, each with its layout, notes and comments."""

from __future__ import annotations

from typing import Any, Final

from fumehood_sandbox.contract import OutlineItem, Slide
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.ooxml.active import list_active
from fumehood_sandbox.extractors.ooxml.bounds import MAX_TEXT
from fumehood_sandbox.extractors.ooxml.drawing import R
from fumehood_sandbox.extractors.ooxml.embedded import attach_parts, embedded_parts
from fumehood_sandbox.extractors.ooxml.media import Media
from fumehood_sandbox.extractors.ooxml.properties import read_metadata
from fumehood_sandbox.extractors.pptx.bullets import Inheritance
from fumehood_sandbox.extractors.pptx.comments import Comments
from fumehood_sandbox.extractors.pptx.names import P, integer, off
from fumehood_sandbox.extractors.pptx.slide import SlideReader, notes_shapes
from fumehood_sandbox.extractors.pptx.text import block_of, body_paragraphs
from fumehood_sandbox.opc import Package

_DEFAULT_SIZE: Final = (9_144_000, 6_858_000)  # 10 by 7.5 inches in EMU
_MAX_SLIDES: Final = 20_000


class PresentationReader:
    """Reads one presentation into an `Extraction`."""

    def __init__(self, x: Extraction) -> None:
        self._x = x
        self._package = Package(x.data, x.warn, x.zip_limits)
        self._package.alive = self._alive
        self._at = 0
        """The slide that is being read, from 1."""
        self._media = Media(x, self._package)
        self._layouts: dict[str, Inheritance] = {}
        self._running: set[str] = set()
        self._unread = 0

    def read(self) -> None:
        """Everything, slide by slide.

        Raises:
            ExtractError: ``corrupt`` when the presentation part, or every slide of it, cannot be read.
        """
        x, package = self._x, self._package
        main = package.main
        root = package.xml(main)
        x.document.format.strict = x.document.format.strict or package.strict
        x.document.metadata, x.document.custom_properties = read_metadata(package)
        parts = self._slides(root, main)
        reader = SlideReader(x, package, self._media, self._size(root))
        comments = Comments(x, package, main)
        wanted = [i for i in range(1, len(parts) + 1) if self._is_wanted(i)]
        for index in wanted:
            self._at = index
            self._slide(index, parts[index - 1], reader, comments)
            x.progress(index, len(parts), "slide")
        if not wanted and parts:
            x.warn("pages-out-of-range", f"none of the slides asked for is there; the presentation has {len(parts)}")
        if wanted and self._unread == len(wanted):
            raise ExtractError("corrupt", "no slide of the presentation can be read")
        list_active(x, package)
        x.document.counts.update(
            slides=len(parts), tables=reader.tables, charts=reader.charts, links=reader.links,
            images=self._media.count, comments=comments.count,
        )  # fmt: skip
        attach_parts(x, package, embedded_parts(package))

    def _alive(self) -> None:
        self._x.progress(self._at, None, "slide")

    def _is_wanted(self, index: int) -> bool:
        pages = self._x.request.pages
        return pages is None or any(first <= index <= last for first, last in pages)

    def _size(self, root: Any) -> tuple[int, int]:
        size = root.find(P + "sldSz")
        if size is None:
            return _DEFAULT_SIZE
        return integer(size.get("cx")) or _DEFAULT_SIZE[0], integer(size.get("cy")) or _DEFAULT_SIZE[1]

    def _slides(self, root: Any, main: str) -> list[str | None]:
        """The parts of the slides in order; None for one that is not there."""
        relations = self._package.relationships(main)
        parts: list[str | None] = []
        for element in root.iter(P + "sldId"):
            relation = relations.get(element.get(R + "id") or "")
            known = relation is not None and not relation.external and relation.target in self._package
            parts.append(relation.target if relation is not None and known else None)
            if len(parts) > _MAX_SLIDES:
                raise ExtractError("limit", "too many slides", kind="slides")
        return parts

    def _slide(self, index: int, part: str | None, reader: SlideReader, comments: Comments) -> None:
        x = self._x
        root = self._package.optional_xml(part)
        if root is None or part is None:
            x.warn("slide-missing", "a slide is listed whose part is not there or cannot be read", where=f"slide {index}")
            x.add("slides", Slide(index))
            self._unread += 1
            return
        reader.read(root, part, index, self._inheritance(part))
        comments.read(part, index)
        notes, note_ids = self._notes(part, index)
        if reader.title:
            x.add("outline", OutlineItem(reader.title[:1024], 1, reader.title_id, index))
        x.add("slides", Slide(index, reader.title[:MAX_TEXT], off(root.get("show")), [*reader.ids, *note_ids], notes))

    def _inheritance(self, part: str) -> Inheritance:
        layout = self._package.related(part, "slideLayout")
        key = layout or ""
        known = self._layouts.get(key)
        if known is None:
            master = self._package.related(layout, "slideMaster") if layout else None
            known = Inheritance(self._package.optional_xml(layout), self._package.optional_xml(master))
            self._layouts[key] = known
        return known

    def _notes(self, part: str, index: int) -> tuple[str, list[str]]:
        """Send the notes of a slide; their text, and the ids of their blocks."""
        root = self._package.optional_xml(self._package.related(part, "notesSlide"))
        lines, ids = [], []
        for body, kind in notes_shapes(root) if root is not None else ():
            for paragraph in body_paragraphs(body):
                if kind != "notes" and paragraph.text in self._running:  # the same on every page
                    continue
                block = block_of(self._x.next_id("b"), paragraph, kind, index, None, _no_target)
                self._x.block(block)
                ids.append(block.id)
                if kind == "notes":
                    lines.append(block.text)
                else:
                    self._running.add(block.text)
        return "\n".join(lines)[:MAX_TEXT], ids


def _no_target(_link: Any) -> str | None:
    return None
