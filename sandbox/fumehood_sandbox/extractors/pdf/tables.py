"""The tables of a page put into the place of their lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from fumehood_sandbox.extractors.pages.geometry import Box
from fumehood_sandbox.extractors.pages.layout import placed, text_columns
from fumehood_sandbox.extractors.pages.model import Group, Line
from fumehood_sandbox.extractors.pages.tables import find_tables, rules_of
from fumehood_sandbox.extractors.pages.tables.model import Word, holds

#: Lines of a table stand beside one another: with fewer than this that do, there is none.
_LEAST_BESIDE: Final = 2
_MAX_PATHS: Final = 20_000


def with_tables(page: Any, textpage: Any, groups: Sequence[Group], visible: Box, turn: Any) -> list[Group]:
    """*groups* with each table that is found a group of its own, and without its lines."""
    lines = [line for group in groups for line in group.lines if line.horizontal and not line.hidden]
    columns = text_columns(groups)
    if _beside_another(lines, columns) < _LEAST_BESIDE:
        return list(groups)
    found = find_tables(_words(textpage, groups, turn), *_rules(page, visible), columns)
    return placed(groups, found)


def _beside_another(lines: Sequence[Line], columns: Sequence[Box]) -> int:
    """How many rows have lines side by side, within one column of the page."""
    count = 0
    for area in columns or [(float("-inf"), float("-inf"), float("inf"), float("inf"))]:
        last: Line | None = None
        inside = [line for line in lines if area[0] - 1 <= line.box[0] and line.box[2] <= area[2] + 1]
        for line in sorted((x for x in inside if area[1] - 1 <= x.box[1] <= area[3]), key=lambda x: x.box[1] + x.box[3]):
            middle = (line.box[1] + line.box[3]) / 2
            if last is not None and last.box[1] < middle < last.box[3]:
                count += 1
            last = line
    return count


def _words(textpage: Any, groups: Sequence[Group], turn: Any) -> list[Word]:
    words = []
    left_out = [line.box for group in groups for line in group.lines if line.hidden or not line.horizontal]
    for x0, y0, x1, y1, text, *_ in textpage.extractWORDS():
        box: Box = (x0, y0, x1, y1)
        if turn is not None:
            box = _turned(box, turn)
        word = Word(box, text)
        if not any(holds(other, word) for other in left_out):
            words.append(word)
    return words


def _turned(box: Box, turn: Any) -> Box:
    xs = [x * turn.a + y * turn.c + turn.e for x in (box[0], box[2]) for y in (box[1], box[3])]
    ys = [x * turn.b + y * turn.d + turn.f for x in (box[0], box[2]) for y in (box[1], box[3])]
    return (min(xs), min(ys), max(xs), max(ys))


def _rules(page: Any, visible: Box) -> tuple[list[Any], list[Any]]:
    try:
        paths = sum(name.endswith("-path") for name, _ in page.get_bboxlog())
        return rules_of(page.get_cdrawings(), visible) if 0 < paths <= _MAX_PATHS else ([], [])
    except Exception:  # noqa: BLE001 - a page that cannot be run again has told what it can
        return [], []
