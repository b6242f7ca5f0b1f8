"""The straight lines of a page, from what it draws: strokes, thin filled rectangles, and the edges of boxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from fumehood_sandbox.extractors.pages.geometry import Box
from fumehood_sandbox.extractors.pages.tables.model import Rule

#: A rectangle no thicker than this is a line.
_THIN: Final = 3.0
#: Lines closer than this are one.
_SNAP: Final = 3.0
_SHORTEST: Final = 3.0
_MAX_PIECES: Final = 20_000


def rules_of(drawings: Iterable[dict[str, Any]], visible: Box) -> tuple[list[Rule], list[Rule]]:
    """The rules across and down among the *drawings* of a page, as MuPDF's ``get_cdrawings`` gives them."""
    across: list[Rule] = []
    down: list[Rule] = []
    pieces = 0
    for drawing in drawings:
        filled = "f" in drawing["type"]
        stroked = "s" in drawing["type"] and drawing.get("color") is not None
        for item in drawing["items"]:
            pieces += 1
            if pieces > _MAX_PIECES:
                return [], []
            if item[0] == "l" and stroked:
                _segment(item[1], item[2], across, down)
            elif item[0] == "re":
                _rectangle(tuple(item[1]), across, down, edges=stroked or filled, is_page=_covers(item[1], visible))
            elif item[0] == "qu" and stroked:
                ul, ur, ll, lr = item[1]
                for a, b in ((ul, ur), (ur, lr), (lr, ll), (ll, ul)):
                    _segment(a, b, across, down)
    return _merged(across), _merged(down)


def _covers(rect: Sequence[float], visible: Box) -> bool:
    return (rect[2] - rect[0]) > 0.95 * (visible[2] - visible[0]) and (rect[3] - rect[1]) > 0.9 * (visible[3] - visible[1])


def _segment(a: Sequence[float], b: Sequence[float], across: list[Rule], down: list[Rule]) -> None:
    if abs(a[1] - b[1]) <= 1 and abs(a[0] - b[0]) >= _SHORTEST:
        across.append(Rule((a[1] + b[1]) / 2, min(a[0], b[0]), max(a[0], b[0])))
    elif abs(a[0] - b[0]) <= 1 and abs(a[1] - b[1]) >= _SHORTEST:
        down.append(Rule((a[0] + b[0]) / 2, min(a[1], b[1]), max(a[1], b[1])))


def _rectangle(rect: Sequence[float], across: list[Rule], down: list[Rule], *, edges: bool, is_page: bool) -> None:
    x0, y0, x1, y1 = min(rect[0], rect[2]), min(rect[1], rect[3]), max(rect[0], rect[2]), max(rect[1], rect[3])
    if y1 - y0 <= _THIN and x1 - x0 >= _SHORTEST and x1 - x0 > y1 - y0:
        across.append(Rule((y0 + y1) / 2, x0, x1))
    elif x1 - x0 <= _THIN and y1 - y0 >= _SHORTEST:
        down.append(Rule((x0 + x1) / 2, y0, y1))
    elif edges and not is_page and x1 - x0 > _THIN and y1 - y0 > _THIN:
        across += [Rule(y0, x0, x1), Rule(y1, x0, x1)]
        down += [Rule(x0, y0, y1), Rule(x1, y0, y1)]


def _merged(rules: list[Rule]) -> list[Rule]:
    """Lines that stand on one another or go on where another ends are one."""
    out: list[Rule] = []
    by_place: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda r: r.at):
        if by_place and rule.at - by_place[-1][0].at <= _SNAP:
            by_place[-1].append(rule)
        else:
            by_place.append([rule])
    for place in by_place:
        at = sum(rule.at for rule in place) / len(place)
        start, end = float("nan"), float("-inf")
        for rule in sorted(place, key=lambda r: r.start):
            if rule.start <= end + _SNAP:
                end = max(end, rule.end)
                continue
            if end > start:
                out.append(Rule(at, start, end))
            start, end = rule.start, rule.end
        if end > start:
            out.append(Rule(at, start, end))
    return out
