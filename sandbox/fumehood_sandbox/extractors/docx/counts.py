"""What the main part's markup holds, counted from the markup itself: never from what was kept.

The definitions stand in the output's documentation: ``mc:Fallback`` is never counted; equations are outermost
``m:oMath``; revisions are ``w:ins``, ``w:del``, ``w:moveFrom`` and ``w:moveTo`` wherever they stand.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from fumehood_sandbox.extractors.docx.revisions import TRACKED
from fumehood_sandbox.extractors.ooxml.names import CHART, CHARTEX, FALLBACK, OMATH, TBL, A, P, V, W

_HYPERLINK: Final = W + "hyperlink"
_PICTURES: Final = (A + "blip", V + "imagedata")
_CHARTS: Final = (CHART + "chart", CHARTEX + "chart")


def tally(element: Any) -> Counter[str]:
    """How often each tag stands in *element*, itself included."""
    return Counter([e.tag for e in element.iter()])


def measure(root: Any, tags: Counter[str]) -> dict[str, int]:
    """The counts of the main part *root*, whose `tally` is *tags*."""
    found = tags.copy()
    _outermost_equations(root, found)
    inner: set[Any] = set()
    for fallback in root.iter(FALLBACK) if tags[FALLBACK] else ():
        if fallback in inner:  # its outer one came first
            continue
        inner.update(fallback.iter(FALLBACK))
        unread = tally(fallback)
        _outermost_equations(fallback, unread)
        found.subtract(unread)
    return {
        "paragraphs": found[P],
        "tables": found[TBL],
        "images": sum(found[tag] for tag in _PICTURES),
        "equations": found[OMATH],
        "charts": sum(found[tag] for tag in _CHARTS),
        "revisions": sum(found[tag] for tag in TRACKED),
        "links": found[_HYPERLINK],
    }


def _outermost_equations(element: Any, found: Counter[str]) -> None:
    if found[OMATH]:
        found[OMATH] -= sum(1 for e in element.iter(OMATH) for inner in e if inner.tag == OMATH)
