"""From the lines of a page to paragraphs in reading order: geometry only, no parser.

Blocks (lines that the parser already holds together) are ordered by cutting the page: columns where a gutter runs down
between text on both sides (elements that span the columns divide them into stretches), bands from top to bottom elsewhere, and
what overlaps keeps the order of the content stream. Within that order lines become paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from fumehood_sandbox.extractors.pages.geometry import Box, union
from fumehood_sandbox.extractors.pages.items import BULLETS, item_starts, looks_like_item
from fumehood_sandbox.extractors.pages.model import Group, Line, Paragraph
from fumehood_sandbox.extractors.pages.tables import FoundTable

#: Above this many blocks a page is no page of text; it keeps the order of its stream.
_MAX_BLOCKS: Final = 4000
_MAX_DEPTH: Final = 24
_BULLET: Final = re.compile(rf"([{BULLETS}]|[-*](?=\s))\s*(?=\S)")
_HYPHENS: Final = "-\u2010\u00ad"


def paragraphs(groups: Sequence[Group]) -> list[Paragraph]:
    """The paragraphs of a page in reading order."""
    found: list[Paragraph] = []
    for group in in_reading_order([column for held in groups for column in _apart(held)]):
        if group.table is not None:
            found.append(Paragraph("", group.box, 0.0, table=group.table))
            continue
        for rows in _split(_rows(group.lines)):
            found.append(_paragraph(rows))
            if len(found) > 1 and _goes_on(found[-2], found[-1]):
                found[-2:] = [_joined(found[-2], found[-1])]
    return found


def placed(groups: Sequence[Group], tables: Sequence[FoundTable]) -> list[Group]:
    """*groups* with each of the *tables* a group of its own, where its first line stood, and without its lines."""
    out: list[Group] = []
    waiting = list(tables)
    for group in groups:
        kept = []
        for line in group.lines:
            table = next((t for t in tables if line.horizontal and not line.hidden and _inside(line.box, t.box)), None)
            if table is None:
                kept.append(line)
            elif table in waiting:
                waiting.remove(table)
                out.append(Group([], table))
        if kept:
            out.append(Group(kept))
    out.extend(Group([], table) for table in waiting)
    return out


def _inside(box: Box, table: Box) -> bool:
    across = min(box[2], table[2]) - max(box[0], table[0])
    middle = (box[1] + box[3]) / 2
    return table[1] - 1 <= middle <= table[3] + 1 and across >= 0.6 * (box[2] - box[0])


def text_columns(groups: Sequence[Group]) -> list[Box]:
    """The boxes of a page's columns and of what stands across them, where it has columns; otherwise none."""
    if not 2 <= len(groups) <= _MAX_BLOCKS:
        return []
    return [union([group.box for group in column]) for column in _columns(list(groups))]


def _apart(group: Group) -> list[Group]:
    """Columns that the parser held together because it met their lines in turn, row by row."""
    if not 8 <= len(group.lines) <= _MAX_BLOCKS:
        return [group]
    columns = _columns([Group([line]) for line in group.lines])
    return [Group([line for one in column for line in one.lines]) for column in columns] or [group]


# --------------------------------------------------------------------- order


def in_reading_order(groups: Sequence[Group]) -> list[Group]:
    if len(groups) < 2 or len(groups) > _MAX_BLOCKS:
        return list(groups)
    out: list[Group] = []
    stack: list[tuple[list[Group], int]] = [(list(groups), 0)]
    while stack:
        part, depth = stack.pop()
        pieces = _cut(part) if len(part) > 1 and depth < _MAX_DEPTH else []
        if len(pieces) > 1:
            stack.extend((piece, depth + 1) for piece in reversed(pieces))
        else:
            out.extend(part)
    return out


def _cut(part: list[Group]) -> list[list[Group]]:
    columns = _columns(part)
    if columns:
        return columns
    bands = _bands(part, 1)
    return bands if len(bands) > 1 else _bands(part, 0)


def _bands(part: list[Group], axis: int) -> list[list[Group]]:
    """Split where a straight line along the other axis meets nothing (1: top to bottom, 0: left to right)."""
    order = sorted(range(len(part)), key=lambda i: part[i].box[axis])
    bands: list[list[int]] = []
    end = float("-inf")
    for i in order:
        box = part[i].box
        slack = min(2.0, 0.15 * (box[axis + 2] - box[axis]))  # descenders touch the next line
        if not bands or box[axis] < end - slack:
            if not bands:
                bands.append([])
        else:
            bands.append([])
        bands[-1].append(i)
        end = max(end, box[axis + 2])
    return [[part[i] for i in sorted(band)] for band in bands]  # inside: the order of the stream


def _columns(part: list[Group]) -> list[list[Group]]:
    """Stretches of columns, left before right, with what spans them between; empty when there is no gutter.

    A gutter counts when running text stands on both sides of it: several lines, none of them the short stubs of a table.
    """
    if len(part) < 2:
        return []
    region = union([group.box for group in part])
    width = region[2] - region[0]
    narrow = [g for g in part if g.box[2] - g.box[0] < 0.6 * width]
    if len(narrow) < 2:
        return []
    gutter = _gutter(narrow)
    if gutter is None:
        return []
    spanning = sorted((g for g in part if g.box[0] < gutter < g.box[2]), key=lambda g: g.box[1])
    out: list[list[Group]] = []
    rest = [g for g in part if not g.box[0] < gutter < g.box[2]]
    for wide in [*spanning, None]:
        above = [g for g in rest if wide is None or g.box[1] + g.box[3] < wide.box[1] + wide.box[3]]
        rest = [g for g in rest if wide is not None and g.box[1] + g.box[3] >= wide.box[1] + wide.box[3]]
        left = [g for g in above if g.box[2] <= gutter]
        right = [g for g in above if g.box[2] > gutter]
        out.extend(side for side in (left, right) if side)
        if wide is not None:
            out.append([wide])
    return out


def _gutter(narrow: list[Group]) -> float | None:
    """The x of the best gutter between *narrow* groups, or None."""
    order = sorted(narrow, key=lambda g: g.box[0])
    end = order[0].box[2]
    best: tuple[float, float] | None = None
    for i, group in enumerate(order[1:], 1):
        gap = group.box[0] - end
        if gap > 4 and (best is None or gap > best[0]) and _is_running(order[:i]) and _is_running(order[i:]):
            best = (gap, end + gap / 2)
        end = max(end, group.box[2])
    return best[1] if best else None


def _is_running(side: list[Group]) -> bool:
    lines = [line for group in side for line in group.lines if line.horizontal]
    if len(lines) < 4:
        return False
    return sum(len(line.text) for line in lines) / len(lines) >= 18


# --------------------------------------------------------------------- lines


def _rows(lines: Sequence[Line]) -> list[Line]:
    """Pieces of one line (tabs, columns of a small table) put together from left to right."""
    rows: list[list[Line]] = []
    for line in lines:
        if rows and line.horizontal and _same_row(rows[-1][-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [_row(row) for row in rows]


def _same_row(one: Line, other: Line) -> bool:
    if not one.horizontal or one.hidden != other.hidden:
        return False
    overlap = min(one.box[3], other.box[3]) - max(one.box[1], other.box[1])
    return overlap > 0.6 * min(one.box[3] - one.box[1], other.box[3] - other.box[1])


def _row(pieces: list[Line]) -> Line:
    if len(pieces) == 1:
        return pieces[0]
    ordered = sorted(pieces, key=lambda p: p.box[0])
    text = ordered[0].text
    for before, piece in pairwise(ordered):
        close = piece.box[0] - before.box[2] < 0.1 * piece.size
        text += piece.text if close or text.endswith(" ") or piece.text.startswith(" ") else " " + piece.text
    biggest = max(ordered, key=lambda p: len(p.text))
    return Line(text, union([p.box for p in ordered]), biggest.size, biggest.hidden, bold=all(p.bold for p in ordered))


def _split(rows: list[Line]) -> list[list[Line]]:
    """Paragraphs within a group: at a bullet, the next of numbered items, another size, a wide gap, an indented first line."""
    rows = [row for row in rows if row.text.strip()]
    items = item_starts([row.text for row in rows])
    out: list[list[Line]] = []
    left = min((row.box[0] for row in rows if row.horizontal), default=0.0)
    right = max((row.box[2] for row in rows), default=0.0)
    for i, row in enumerate(rows):
        if out and i not in items and not _starts(out[-1][-1], row, left, right):
            out[-1].append(row)
        else:
            out.append([row])
    return out


def _starts(before: Line, row: Line, left: float, right: float) -> bool:
    if row.hidden != before.hidden or row.horizontal != before.horizontal:
        return True
    if not row.horizontal:
        return False
    size = max(row.size, before.size, 1.0)
    if abs(row.size - before.size) > 0.15 * size or _BULLET.match(row.text):
        return True
    if row.bold != before.bold and before.box[2] < right - 2 * size:
        return True
    if row.box[1] - before.box[3] > 0.8 * size:
        return True
    indented = row.box[0] > left + 0.8 * size and before.box[0] < left + 0.5 * size
    return indented and before.text.rstrip()[-1:] in ".!?:;”\"'"


def _paragraph(rows: list[Line]) -> Paragraph:
    text = ""
    for row in rows:
        text = join_lines(text, row.text)
    bullet = _BULLET.match(text)
    longest = max(rows, key=lambda r: len(r.text))
    return Paragraph(
        text[bullet.end() :] if bullet else text,
        union([row.box for row in rows]),
        longest.size,
        rows[0].hidden,
        len(rows),
        bullet.group(1) if bullet else None,
        all(row.bold for row in rows),
    )


def join_lines(text: str, line: str) -> str:
    """*line* after *text*: a word divided at the line's end is put together, otherwise a space stands between."""
    line = line.strip()
    text = text.rstrip()
    if not text or not line:
        return text + line
    is_divided = text[-1] in _HYPHENS and text[-2:-1].isalnum()
    if is_divided and (line[0].islower() or text[-1] == "\u00ad"):
        return text[:-1] + line
    if _is_cjk(text[-1]) and _is_cjk(line[0]):
        return text + line
    return f"{text} {line}"


def _is_cjk(char: str) -> bool:
    return "\u3000" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef"


def _goes_on(one: Paragraph, other: Paragraph) -> bool:
    """Whether *other* is the rest of *one*: cut off in the middle of a sentence, by a column or a parser's whim."""
    if (
        one.hidden != other.hidden
        or one.table is not None
        or other.bullet
        or looks_like_item(other.text)
        or abs(one.size - other.size) > 0.05 * one.size
    ):
        return False
    if not one.text or not other.text or not other.text[0].islower() or len(one.text) < 40:
        return False
    below = 0 <= other.box[1] - one.box[3] < 1.2 * one.size and abs(other.box[0] - one.box[0]) < 2 * one.size
    next_column = other.box[0] > one.box[2] and other.box[1] < one.box[3]
    return (below or next_column) and one.text.rstrip()[-1] not in ".!?:;"


def _joined(one: Paragraph, other: Paragraph) -> Paragraph:
    box = union([one.box, other.box]) if other.box[0] < one.box[2] else one.box
    return Paragraph(
        join_lines(one.text, other.text), box, one.size, one.hidden, one.n_lines + other.n_lines, one.bullet, one.bold
    )
