"""One page: its lines, what kind of page it is, its images, links and annotations."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, Final

from fumehood_sandbox.extractors.pages.geometry import Box
from fumehood_sandbox.extractors.pages.model import Group, Line
from fumehood_sandbox.extractors.pages.reading import BAD, PageText
from fumehood_sandbox.extractors.pdf.mupdf import pymupdf
from fumehood_sandbox.extractors.pdf.tables import with_tables

#: Ligatures are taken apart, spaces kept, nothing guessed for glyphs that have no character. Clipping to the page is off:
#: what stands outside is read and marked.
_FLAGS: Final = pymupdf.TEXT_PRESERVE_WHITESPACE
# mupdf/fitz/structured-text.h: how a character was painted. None of the three: it is there and cannot be seen (Tr 3).
_PAINTED: Final = 16 | 32 | 64
_TINY: Final = 1.0
_MAX_PAGE_CHARS: Final = 4_000_000


def read_text(page: Any) -> PageText:
    """The lines of *page*, in the order of its content, with what cannot be seen marked."""
    rect = page.rect
    textpage = page.get_textpage(clip=pymupdf.INFINITE_RECT(), flags=_FLAGS)
    raw = textpage.extractDICT()
    turn = page.rotation_matrix if page.rotation else None
    groups: list[Group] = []
    chars = bad = 0
    truncated = False
    visible: Box = (rect.x0, rect.y0, rect.x1, rect.y1)
    seen: set[tuple[str, int, int]] = set()
    for block in raw["blocks"]:
        lines = []
        for raw_line in block.get("lines", ()):
            for line in _lines(raw_line, turn, visible):
                place = (line.text, round(line.box[0]), round(line.box[1]))
                if place in seen:  # painted twice for weight or shadow
                    continue
                seen.add(place)
                chars += sum(map(len, line.text.split()))
                bad += len(BAD.findall(line.text))
                lines.append(line)
        if lines:
            groups.append(Group(lines))
        if chars > _MAX_PAGE_CHARS:
            truncated = True
            break
    found = PageText(groups, chars, bad, _size(rect.width), _size(rect.height), truncated=truncated)
    has_unseen = any(line.hidden == "invisible" for group in groups for line in group.lines)
    if chars < 200 or has_unseen:
        _look_at_pictures(page, found)
    if has_unseen and found.image_cover >= 0.5:
        _accept_text_layer(groups)
    if not truncated and found.kind in {"text", "mixed"}:
        found.groups = with_tables(page, textpage, groups, visible, turn)
    return found


def _lines(raw: dict[str, Any], turn: Any, visible: Box) -> Iterator[Line]:
    """A line of the parser; where a part of it cannot be seen, each part is a line of its own."""
    direction = raw["dir"]
    if turn is not None:
        direction = (direction[0] * turn.a + direction[1] * turn.c, direction[0] * turn.b + direction[1] * turn.d)
    horizontal = direction[0] > 0.9
    parts: list[tuple[str | None, list[dict[str, Any]]]] = []
    for span in raw["spans"]:
        hidden = _hidden(span)
        if parts and (parts[-1][0] == hidden or not span["text"].strip()):
            parts[-1][1].append(span)
        else:
            parts.append((hidden, [span]))
    for hidden, spans in parts:
        text = _bidi_space("".join(span["text"] for span in spans).replace("\x00", ""))
        if not text.strip():
            continue
        box = _box([span["bbox"] for span in spans], turn)
        if box is None:
            continue
        outside = box[2] < visible[0] or box[0] > visible[2] or box[3] < visible[1] or box[1] > visible[3]
        main = max(spans, key=lambda span: len(span["text"]))
        yield Line(
            text,
            box,
            _size(float(main["size"])) or 0.0,
            hidden or ("off_page" if outside else None),
            horizontal,
            bool(main["flags"] & 16) or "bold" in main["font"].lower(),
        )


_RTL: Final = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_MOVED_SPACE: Final = re.compile(rf"(\s)(\s)([{_RTL}][{_RTL}\s]*(?<=[{_RTL}]))(?=[A-Za-z0-9])")


def _bidi_space(text: str) -> str:
    """Put back the space that turning a right-to-left stretch around moved from its end to its beginning."""
    return _MOVED_SPACE.sub(r"\1\3\2", text) if not text.isascii() else text


def _hidden(span: dict[str, Any]) -> str | None:
    if not span["char_flags"] & _PAINTED or span["alpha"] == 0:
        return "invisible"
    return "tiny" if span["size"] < _TINY else None


def _box(boxes: list[Any], turn: Any) -> Box | None:
    x0, y0 = min(b[0] for b in boxes), min(b[1] for b in boxes)
    x1, y1 = max(b[2] for b in boxes), max(b[3] for b in boxes)
    if turn is not None:
        rect = pymupdf.Rect(x0, y0, x1, y1) * turn
        x0, y0, x1, y1 = rect.x0, rect.y0, rect.x1, rect.y1
    if not all(math.isfinite(v) and abs(v) < 1e7 for v in (x0, y0, x1, y1)):
        return (0.0, 0.0, 0.0, 0.0)
    return (x0, y0, x1, y1)


def _size(value: float) -> float | None:
    """A length in points; None for what a document says it is and nothing can be."""
    return round(value, 2) if math.isfinite(value) and 0 <= value < 1e7 else None


def _look_at_pictures(page: Any, found: PageText) -> None:
    """How much of the page images cover, and how many paths it paints. Boxes only: no image is decoded."""
    rect = page.rect
    area = abs(rect.width * rect.height)
    try:
        log = page.get_bboxlog()
    except Exception:  # noqa: BLE001 - a page that cannot be run again has told what it can
        return
    cover = 0.0
    for name, box in log[:20_000]:
        if name in {"fill-image", "fill-imgmask"}:
            part = pymupdf.Rect(box) & rect
            cover += abs(part.width * part.height) if not part.is_empty else 0.0
        elif name.endswith("-path"):
            found.drawings += 1
    if area > 0 and math.isfinite(cover / area):
        found.image_cover = min(1.0, cover / area)


def _accept_text_layer(groups: list[Group]) -> None:
    """Unseen text over a page-wide image is what a text recogniser put there for the scan: it is the page's text."""
    for group in groups:
        for line in group.lines:
            if line.hidden == "invisible":
                line.hidden = None
