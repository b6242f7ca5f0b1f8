"""Tables drawn with lines across and down: the smallest rectangles between crossings are their cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fumehood_sandbox.extractors.pages.geometry import Box, union
from fumehood_sandbox.extractors.pages.tables.model import (
    FoundCell,
    FoundTable,
    Rule,
    Word,
    holds,
    is_number,
    rows_of,
    text_of,
)

_TOUCH: Final = 3.0
_MAX_LINES: Final = 600
_MAX_CELLS: Final = 5_000


def ruled_tables(words: Sequence[Word], across: Sequence[Rule], down: Sequence[Rule]) -> list[FoundTable]:
    """The tables whose cells are drawn, from top to bottom."""
    if len(across) < 2 or len(down) < 2 or len(across) > _MAX_LINES or len(down) > _MAX_LINES:
        return []
    out = []
    for boxes in _clusters(_cells(across, down)):
        table = _table(boxes, words)
        if table is not None:
            out.append(table)
    return sorted(out, key=lambda t: (t.box[1], t.box[0]))


def _cells(across: Sequence[Rule], down: Sequence[Rule]) -> list[Box]:
    """The smallest rectangle to the right of and below each crossing."""
    tops = sorted(across, key=lambda r: r.at)
    sides = sorted(down, key=lambda r: r.at)
    crossings = {
        (i, j)
        for i, top in enumerate(tops)
        for j, side in enumerate(sides)
        if top.start - _TOUCH <= side.at <= top.end + _TOUCH and side.start - _TOUCH <= top.at <= side.end + _TOUCH
    }
    by_top: dict[int, list[int]] = {}
    by_side: dict[int, list[int]] = {}
    for i, j in sorted(crossings):
        by_top.setdefault(i, []).append(j)
        by_side.setdefault(j, []).append(i)
    cells: list[Box] = []
    for i, j in sorted(crossings):
        cell = _smallest(i, j, tops, sides, by_top, by_side, crossings)
        if cell is not None:
            cells.append(cell)
            if len(cells) > _MAX_CELLS:
                return []
    return cells


def _smallest(
    i: int,
    j: int,
    tops: Sequence[Rule],
    sides: Sequence[Rule],
    by_top: dict[int, list[int]],
    by_side: dict[int, list[int]],
    crossings: set[tuple[int, int]],
) -> Box | None:
    top, left = tops[i], sides[j]
    for k in by_side[j]:
        if k <= i or tops[k].at - top.at <= _TOUCH or not _runs(left, top.at, tops[k].at):
            continue
        for m in by_top[i]:
            if m <= j or sides[m].at - left.at <= _TOUCH or not _runs(top, left.at, sides[m].at):
                continue
            if (k, m) in crossings and _runs(tops[k], left.at, sides[m].at) and _runs(sides[m], top.at, tops[k].at):
                return (left.at, top.at, sides[m].at, tops[k].at)
    return None


def _runs(rule: Rule, start: float, end: float) -> bool:
    return rule.start - _TOUCH <= start and rule.end + _TOUCH >= end


def _clusters(cells: list[Box]) -> list[list[Box]]:
    """Cells that share a corner, directly or through others."""
    corners: dict[tuple[int, int], list[int]] = {}
    for i, (x0, y0, x1, y1) in enumerate(cells):
        for x, y in ((x0, y0), (x1, y0), (x0, y1), (x1, y1)):
            corners.setdefault((round(x), round(y)), []).append(i)
    seen: set[int] = set()
    out = []
    for first in range(len(cells)):
        if first in seen:
            continue
        group, stack = [], [first]
        seen.add(first)
        while stack:
            i = stack.pop()
            group.append(cells[i])
            x0, y0, x1, y1 = cells[i]
            for x, y in ((x0, y0), (x1, y0), (x0, y1), (x1, y1)):
                for k in corners.get((round(x), round(y)), ()):
                    if k not in seen:
                        seen.add(k)
                        stack.append(k)
        out.append(group)
    return out


def _table(boxes: list[Box], words: Sequence[Word]) -> FoundTable | None:
    if len(boxes) < 2:
        return None
    xs = _places([v for box in boxes for v in (box[0], box[2])])
    ys = _places([v for box in boxes for v in (box[1], box[3])])
    if len(xs) < 3 and len(ys) < 3:
        return None
    table = FoundTable(union(boxes))
    inside = [word for word in words if holds(table.box, word)]
    for box in boxes:
        own = [word for word in inside if holds(box, word, 0.0)]
        row, col = _index(ys, box[1]), _index(xs, box[0])
        table.cells.append(FoundCell(row + 1, col + 1, _index(ys, box[3]) - row, _index(xs, box[2]) - col, text_of(own), box))
    table.cells.sort(key=lambda c: (c.row, c.col))
    table.cells = _unstacked(table, inside)
    told = sum(1 for cell in table.cells if cell.text)
    if told < max(2, 0.15 * len(table.cells)) or table.n_cols < 2 or table.n_rows < 2:
        return None
    return table


def is_coarse(table: FoundTable, words: Sequence[Word]) -> bool:
    """Whether lines part only some of its cells: most of its rows are one, or words of its rows stand beside it."""
    widths = [cell.col_span for cell in table.cells if cell.text]
    if sum(width == table.n_cols for width in widths) * 2 > len(widths):
        return True
    x0, y0, x1, y1 = table.box
    beside = [
        w for w in words if y0 < w.middle < y1 and not x0 <= w.centre <= x1 and min(abs(w.box[2] - x0), abs(w.box[0] - x1)) < 60
    ]
    return len(rows_of(beside)) >= 3


def _unstacked(table: FoundTable, words: Sequence[Word]) -> list[FoundCell]:
    """Its cells; where numbers stand one above the other in the cells of a row, each of their lines is a row."""
    out: list[FoundCell] = []
    more = 0
    for number in range(1, table.n_rows + 1):
        row = [cell for cell in table.cells if cell.row == number]
        if _is_stacked(row) and not any(c.row <= number < c.row + c.row_span for c in table.cells if c.row_span > 1):
            boxes = [cell.box for cell in row if cell.box]
            top, bottom = min(box[1] for box in boxes), max(box[3] for box in boxes)
            lines = rows_of([word for word in words if top < word.middle < bottom])
            for i, line in enumerate(lines):
                for cell, box in zip(row, boxes, strict=True):
                    text = " ".join(word.text for word in line if box[0] <= word.centre <= box[2])
                    out.append(FoundCell(number + more + i, cell.col, 1, cell.col_span, text, box))
            more += len(lines) - 1
        else:
            out.extend(FoundCell(c.row + more, c.col, c.row_span, c.col_span, c.text, c.box) for c in row)
    return out


def _is_stacked(row: Sequence[FoundCell]) -> bool:
    counts = [cell.text.count("\n") + 1 for cell in row if cell.col > 1 and cell.text]
    if len(counts) < 2 or min(counts) < 2 or min(counts) != max(counts):
        return False
    return all(is_number(line) for cell in row if cell.col > 1 and cell.text for line in cell.text.split("\n"))


def _places(values: list[float]) -> list[float]:
    out: list[float] = []
    for value in sorted(values):
        if not out or value - out[-1] > _TOUCH:
            out.append(value)
    return out


def _index(places: list[float], value: float) -> int:
    return min(range(len(places)), key=lambda i: abs(places[i] - value))
