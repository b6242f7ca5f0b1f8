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
_COUNTED: Final = (P, TBL, OMATH, *TRACKED, _HYPERLINK, *_PICTURES, *_CHARTS)


def _count(element: Any) -> Counter[str]:
    found = Counter([e.tag for e in element.iter(*_COUNTED)])
    if found[OMATH]:
        found[OMATH] -= sum(1 for e in element.iter(OMATH) if e.getparent().tag == OMATH)
    return found


def measure(root: Any) -> dict[str, int]:
    """The counts of the main part *root*."""
    found = _count(root)
    for fallback in root.iter(FALLBACK):
        if next(fallback.iterancestors(FALLBACK), None) is None:
            found.subtract(_count(fallback))
    return {
        "paragraphs": found[P],
        "tables": found[TBL],
        "images": sum(found[tag] for tag in _PICTURES),
        "equations": found[OMATH],
        "charts": sum(found[tag] for tag in _CHARTS),
        "revisions": sum(found[tag] for tag in TRACKED),
        "links": found[_HYPERLINK],
    }
