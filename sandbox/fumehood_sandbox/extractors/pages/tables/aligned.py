"""Tables without lines between their cells: rows of words that stand under one another with gaps that go through.

A stretch of lines with wide gaps is a candidate. The gaps that (nearly) all of its lines have in common part its columns; a piece
that lies over several columns is a cell that spans them. What follows decides whether it is a table at all: prose in columns, lists
and tables of contents have such gaps too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from fumehood_sandbox.extractors.pages.geometry import union
from fumehood_sandbox.extractors.pages.items import BULLETS
from fumehood_sandbox.extractors.pages.tables.model import FoundCell, FoundTable, Rule, Word, is_number, rows_of

_YEAR: Final = re.compile(r"(19|20)\d\d\b")
_LEADERS: Final = re.compile(r"(\.\s?){4,}|…{2,}")
_ENUMERATED: Final = re.compile(rf"[{re.escape(BULLETS)}*-]|\(?\w{{1,3}}[.)]$")
#: A gap of this many heights of a line parts two pieces; between two numbers the smaller one does.
_GAP: Final = 0.8
_NUMBER_GAP: Final = 0.3
#: The share of lines in which something may lie over a gap between columns.
_OVER: Final = 0.2
_MAX_WORDS: Final = 12_000


@dataclass(slots=True)
class _Piece:
    """Words of a line without a wide gap between them."""

    words: list[Word]
    first: int = 0
    last: int = 0

    @property
    def x0(self) -> float:
        return self.words[0].box[0]

    @property
    def x1(self) -> float:
        return max(word.box[2] for word in self.words)

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


@dataclass(slots=True)
class _Line:
    pieces: list[_Piece]
    top: float = field(init=False)
    bottom: float = field(init=False)
    height: float = field(init=False)

    def __post_init__(self) -> None:
        words = [word for piece in self.pieces for word in piece.words]
        self.top = min(word.box[1] for word in words)
        self.bottom = max(word.box[3] for word in words)
        self.height = sorted(word.height for word in words)[len(words) // 2]

    @property
    def words(self) -> list[Word]:
        return [word for piece in self.pieces for word in piece.words]


def aligned_tables(words: Sequence[Word], across: Sequence[Rule]) -> list[FoundTable]:
    """The tables among *words* of one column of a page, from top to bottom."""
    if len(words) > _MAX_WORDS:
        return []
    lines = [_Line(_pieces(row)) for row in rows_of(words)]
    out = []
    for stretch in _stretches(lines, across):
        table = _table(stretch, across)
        if table is not None:
            out.append(table)
    return out


def _pieces(row: list[Word]) -> list[_Piece]:
    out: list[_Piece] = []
    for word in row:
        if out:
            before = out[-1].words[-1]
            gap = word.box[0] - before.box[2]
            height = min(word.height, before.height)
            both = is_number(word.text) and is_number(before.text)
            if gap <= (_NUMBER_GAP if both else _GAP) * height:
                out[-1].words.append(word)
                continue
        out.append(_Piece([word]))
    return out


# --------------------------------------------------------------------- stretches


def _stretches(lines: list[_Line], across: Sequence[Rule]) -> list[list[_Line]]:
    """Runs of lines most of which have gaps."""
    if not lines:
        return []
    left = min(line.pieces[0].x0 for line in lines)
    right = max(piece.x1 for line in lines for piece in line.pieces)
    out: list[list[_Line]] = []
    current: list[_Line] = []
    single: list[_Line] = []
    for line in lines:
        before = (current + single)[-1:] or [line]
        gap = line.top - before[0].bottom
        ruled = any(before[0].bottom - 1 <= rule.at <= line.top + 1 for rule in across)
        if gap > (3.0 if ruled else 1.8) * line.height and current:
            out.append(current)
            current, single = [], []
        if len(line.pieces) > 1:
            current += [*single, line] if current else [line]
            single = []
        elif current:
            wide = line.pieces[0].x1 - line.pieces[0].x0 > 0.7 * (right - left)
            if wide or len(single) >= 3:
                out.append(current)
                current, single = [], []
            else:
                single.append(line)
    out.append(current)
    return [stretch for stretch in out if sum(len(line.pieces) > 1 for line in stretch) >= 2]


# --------------------------------------------------------------------- columns


def _gutters(lines: Sequence[_Line]) -> list[float]:
    """Where columns part: the middles of the gaps that go through."""
    spread = [line for line in lines if len(line.pieces) > 1]
    x0 = min(piece.x0 for line in spread for piece in line.pieces)
    x1 = max(piece.x1 for line in spread for piece in line.pieces)
    width = int(x1 - x0) + 2
    if width > 20_000:
        return []
    cover = [0] * (width + 1)
    for line in spread:
        for piece in line.pieces:
            cover[max(0, int(piece.x0 - x0 + 0.5))] += 1
            cover[min(width, int(piece.x1 - x0 + 0.5))] -= 1
    limit = int(_OVER * len(spread))
    out: list[float] = []
    depth, start = 0, None
    for x in range(width):
        depth += cover[x]
        if depth <= limit:
            start = x if start is None else start
        elif start is not None:
            if start > 0 and x - start >= 2:
                out.append(x0 + (start + x) / 2)
            start = None
    return _filled(out, spread)


def _filled(gutters: list[float], lines: Sequence[_Line]) -> list[float]:
    """*gutters* without those that part nothing: each column stands in several lines."""
    least = max(2, int(0.12 * len(lines)))
    kept = list(gutters)
    while kept:
        counts = [0] * (len(kept) + 1)
        for line in lines:
            for column in {_column(kept, word.centre) for word in line.words}:
                counts[column] += 1
        poor = next((i for i, count in enumerate(counts) if count < least), None)
        if poor is None:
            return kept
        kept.pop(min(poor, len(kept) - 1))
    return kept


def _column(gutters: Sequence[float], x: float) -> int:
    return sum(1 for gutter in gutters if x > gutter)


# --------------------------------------------------------------------- rows


def _table(lines: list[_Line], across: Sequence[Rule]) -> FoundTable | None:
    gutters = _gutters(lines) if any(len(line.pieces) > 1 for line in lines) else []
    if not gutters:
        return None
    rows = [_placed(line, gutters) for line in lines]
    body = _first_of_body(rows)
    merged = _merge(rows, lines, body, across)
    prose = _prose_columns(merged.rows)
    if prose:
        beside = _without(lines, gutters, prose)
        return _table(beside, across) if len(beside) > 2 else None
    if not _is_table(merged, len(gutters) + 1):
        return None
    table = FoundTable(union(word.box for line in lines for word in line.words))
    for number, row in enumerate(merged.rows, 1):
        for (first, last), texts in sorted(row.items()):
            table.cells.append(FoundCell(number, first + 1, 1, last - first + 1, "\n".join(texts)))
    table.header_rows = merged.header
    return table


_Row = dict[tuple[int, int], list[str]]
"""From the first and the last column of a cell to its lines."""


def _placed(line: _Line, gutters: Sequence[float]) -> _Row:
    row: _Row = {}
    for piece in line.pieces:
        columns = [_column(gutters, word.centre) for word in piece.words]
        first, last = columns[0], columns[-1]
        apart = all(is_number(word.text) for word in piece.words) or (first == 0 and len(line.pieces) > 2)
        if first != last and apart and not _crossed(piece, gutters):
            for column in range(first, last + 1):
                own = [w.text for w, c in zip(piece.words, columns, strict=True) if c == column]
                if own:
                    row.setdefault((column, column), []).append(" ".join(own))
            continue
        if first == 0 != last and len(line.pieces) > 1:
            last = 0  # a long label
        row.setdefault((first, last), []).append(piece.text)
    return {place: [" ".join(texts)] for place, texts in row.items()}


def _crossed(piece: _Piece, gutters: Sequence[float]) -> bool:
    return any(word.box[0] < gutter < word.box[2] for word in piece.words for gutter in gutters)


def _first_of_body(rows: list[_Row]) -> int:
    for i, row in enumerate(rows):
        values = [texts[0].split()[0] for (first, _), texts in row.items() if first > 0]
        numbers = sum(is_number(value) and not (i == 0 and _YEAR.match(value)) for value in values)
        if values and numbers * 2 >= len(values) and (0, 0) in row:
            return i
    return 1 if len(rows) > 1 else 0


@dataclass(slots=True)
class _Merged:
    rows: list[_Row]
    header: int


def _merge(rows: list[_Row], lines: list[_Line], body: int, across: Sequence[Rule]) -> _Merged:
    """Lines put together where a cell goes on."""
    out: list[_Row] = []
    header = 0
    for i, row in enumerate(rows):
        ruled = i > 0 and any(lines[i - 1].bottom - 2 <= rule.at <= lines[i].top + 2 for rule in across)
        if out and not ruled and (_is_plain(out[-1], row) if i < body else i != body and _goes_on(out[-1], row)):
            for place, texts in row.items():
                out[-1].setdefault(place, []).extend(texts)
        else:
            out.append({place: list(texts) for place, texts in row.items()})
        if i < body:
            header = len(out)
    return _Merged(out, header if header < len(out) else 0)


def _is_plain(*rows: _Row) -> bool:
    """Whether nothing in them spans."""
    return all(first == last for row in rows for first, last in row)


def _goes_on(before: _Row, row: _Row) -> bool:
    """Whether *row* continues the cells of *before*: nothing in the first column, words below words."""
    if (0, 0) in row:
        only = len(row) == 1 and (0, 0) in before
        return only and row[0, 0][0][:1].islower()
    return all(place in before and not is_number(texts[0]) for place, texts in row.items())


# --------------------------------------------------------------------- is it one?


def _is_table(merged: _Merged, columns: int) -> bool:
    rows = merged.rows
    if len(rows) < 2 or (columns == 2 and len(rows) < 3):
        return False
    cells = [(place, " ".join(texts)) for row in rows for place, texts in row.items()]
    told = sum(len(row) for row in rows)
    if told < 0.4 * columns * len(rows):
        return False
    if any(_LEADERS.search(text) for _, text in cells):
        return False
    spanning = sum(any(start != end for start, end in row) for row in rows)
    if spanning > max(2, 0.25 * len(rows)):  # justified prose
        return False
    first = [text for (start, _), text in cells if start == 0]
    if columns == 2 and first and sum(_ENUMERATED.match(text) is not None for text in first) > 0.5 * len(first):
        return False
    rest = [text for (start, _), text in cells if start > 0]
    words = sum(len(text.split()) for text in rest) / max(1, len(rest))
    numbers = sum(is_number(text.split()[0]) for text in rest if text)
    if numbers >= 0.4 * len(rest):
        return True
    return columns >= 3 and words <= 8 and len(rows) >= 3


def _prose_columns(rows: Sequence[_Row]) -> set[int]:
    """The columns whose lines go on from row to row, as those of a text beside a table do."""
    going_on: dict[int, int] = {}
    last: dict[int, str] = {}
    for row in rows:
        now = {first: " ".join(texts) for (first, _), texts in row.items()}
        for column, text in now.items():
            before = last.get(column, "")
            if len(before.split()) >= 5 and text[:1].islower() and before.rstrip()[-1:] not in ".:;!?":
                going_on[column] = going_on.get(column, 0) + 1
        last = now
    return {column for column, count in going_on.items() if count >= max(3, 0.4 * len(rows))}


def _without(lines: Sequence[_Line], gutters: Sequence[float], columns: set[int]) -> list[_Line]:
    """*lines* without the words in these *columns*."""
    kept = ([word for word in line.words if _column(gutters, word.centre) not in columns] for line in lines)
    return [_Line(_pieces(words)) for words in kept if words]
