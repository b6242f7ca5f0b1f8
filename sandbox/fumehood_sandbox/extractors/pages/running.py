"""Running heads and feet: what stands at the edge of pages and is no part of their text.

Two signs: the same words in much the same size at the same edge of a page nearby (numbers in them left out of account), and, for a
page by itself, a short line at the very edge with more space to the text than lines have between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from fumehood_sandbox.extractors.pages.model import Paragraph

Edge = Literal["header", "footer"]

#: How many pages away the same words may stand: left and right pages have heads of their own.
_NEAR: Final = 3
#: The share of a page at its top and its bottom in which repeated words are a running head.
_ZONE: Final = 0.15
#: And the share in which a line needs no repetition.
_EDGE_TOP: Final = 0.08
_EDGE_BOTTOM: Final = 0.12
#: So much larger is a title, whose words the running head repeats, and no running head itself.
_LARGER: Final = 1.3
_LONGEST: Final = 200
_KEPT: Final = 1_000
_NUMBER: Final = re.compile(
    r"[-\u2013\s]*(?:page\s+)?(?:\d{1,5}|[ivxlc]{1,7})(?:\s*(?:/|of)\s*\d{1,5})?[-\u2013\s.]*", re.IGNORECASE
)
_DIGITS: Final = re.compile(r"\d+|\b[ivxlc]+\b")


@dataclass(slots=True)
class RunningHeads:
    """What stood at the edges of the pages so far: words to the page where they stood last, and their size there in points."""

    _last: dict[tuple[Edge, str], tuple[int, float]] = field(default_factory=dict)

    def mark(self, pages: Sequence[tuple[int, float | None, Sequence[Paragraph]]], number: int) -> None:
        """Mark the heads of page *number*. *pages* are those at hand: number, height, paragraphs; before it all were marked."""
        near: dict[tuple[Edge, str], set[tuple[int, float]]] = {}
        own: tuple[float, Sequence[Paragraph]] | None = None
        for page, height, paragraphs in pages:
            if page == number and height:
                own = (height, paragraphs)
            for edge, paragraph in _at_edges(paragraphs, height):
                near.setdefault((edge, _words(paragraph)), set()).add((page, paragraph.size))
        if own is None:
            return
        height, paragraphs = own
        for edge, paragraph in _at_edges(paragraphs, height):
            key = (edge, _words(paragraph))
            elsewhere = near[key] | ({self._last[key]} if key in self._last else set())
            repeated = any(0 < abs(page - number) <= _NEAR and paragraph.size <= _LARGER * size for page, size in elsewhere)
            if repeated or _stands_apart(edge, paragraph, paragraphs, height):
                paragraph.edge = edge
            self._last.pop(key, None)
            self._last[key] = (number, paragraph.size)
        while len(self._last) > _KEPT:
            self._last.pop(next(iter(self._last)))


def _words(paragraph: Paragraph) -> str:
    return " ".join(_DIGITS.sub("#", paragraph.text.casefold()).split())


def _at_edges(paragraphs: Iterable[Paragraph], height: float | None) -> list[tuple[Edge, Paragraph]]:
    out: list[tuple[Edge, Paragraph]] = []
    for paragraph in paragraphs if height else ():
        text = paragraph.text.strip()
        if not text or len(text) > _LONGEST or paragraph.n_lines > 3 or paragraph.hidden or paragraph.table is not None:
            continue
        if paragraph.box[3] < _ZONE * (height or 0):
            out.append(("header", paragraph))
        elif paragraph.box[1] > (1 - _ZONE) * (height or 0):
            out.append(("footer", paragraph))
    return out


def _stands_apart(edge: Edge, paragraph: Paragraph, paragraphs: Sequence[Paragraph], height: float) -> bool:
    """Whether it is a page's number, or at the very edge, where only short lines stand, with space between them and the text."""
    if _NUMBER.fullmatch(paragraph.text.strip()):
        return True
    told = [p for p in paragraphs if p.text.strip() or p.table is not None]
    if edge == "header":
        at_edge = [p for p in told if p.box[3] <= _EDGE_TOP * height]
        inner = max((p.box[3] for p in at_edge), default=0.0)
        space = min((p.box[1] - inner for p in told if p not in at_edge), default=0.0)
    else:
        at_edge = [p for p in told if p.box[1] >= (1 - _EDGE_BOTTOM) * height]
        inner = min((p.box[1] for p in at_edge), default=0.0)
        space = min((inner - p.box[3] for p in told if p not in at_edge), default=0.0)
    if paragraph not in at_edge or any(len(p.text) > 160 or p.n_lines > 2 or p.table is not None for p in at_edge):
        return False
    return space > 1.2 * paragraph.size
