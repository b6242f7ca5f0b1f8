"""What the search for tables works on and what it finds: words, rules and cells. Points, y downwards."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from fumehood_sandbox.extractors.pages.geometry import Box

_NUMBER: Final = re.compile(r"[^\w]{0,3}[\d][\d.,:/%\u2013\-\u2009'\u2019]*[^\w]{0,3}\w{0,2}[*)]{0,2}$")


@dataclass(frozen=True, slots=True)
class Word:
    """Characters without a space between them."""

    box: Box
    text: str

    @property
    def middle(self) -> float:
        return (self.box[1] + self.box[3]) / 2

    @property
    def centre(self) -> float:
        return (self.box[0] + self.box[2]) / 2

    @property
    def height(self) -> float:
        return self.box[3] - self.box[1]


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line, across or down: it stands *at* y (or x) and runs from *start* to *end*."""

    at: float
    start: float
    end: float


@dataclass(slots=True)
class FoundCell:
    """Rows and columns from 1. *text* has a newline between its lines."""

    row: int
    col: int
    row_span: int
    col_span: int
    text: str
    box: Box | None = None
    """Where lines are drawn around it."""


@dataclass(slots=True)
class FoundTable:
    box: Box
    cells: list[FoundCell] = field(default_factory=list)
    header_rows: int = 0

    @property
    def n_rows(self) -> int:
        return max((cell.row + cell.row_span - 1 for cell in self.cells), default=0)

    @property
    def n_cols(self) -> int:
        return max((cell.col + cell.col_span - 1 for cell in self.cells), default=0)


def rows_of(words: Iterable[Word]) -> list[list[Word]]:
    """Words that stand on one line, from left to right; lines from top to bottom."""
    rows: list[list[Word]] = []
    top = bottom = 0.0
    for word in sorted(words, key=lambda w: w.middle):
        y0, y1 = word.box[1], word.box[3]
        overlap = min(bottom, y1) - max(top, y0)
        if rows and overlap > 0.5 * min(bottom - top, y1 - y0):
            rows[-1].append(word)
            if y1 - y0 > bottom - top or len(rows[-1]) == 1:
                top, bottom = y0, y1
        else:
            rows.append([word])
            top, bottom = y0, y1
    for row in rows:
        row.sort(key=lambda w: w.box[0])
    return rows


def text_of(words: Iterable[Word]) -> str:
    """The lines of *words* as text."""
    return "\n".join(" ".join(word.text for word in row) for row in rows_of(words))


def holds(box: Box, word: Word, slack: float = 1.0) -> bool:
    """Whether the middle of *word* lies in *box*."""
    return box[0] - slack <= word.centre <= box[2] + slack and box[1] - slack <= word.middle <= box[3] + slack


def is_number(text: str) -> bool:
    """Whether *text* is a number, with its signs and units, or what stands for none."""
    return _NUMBER.match(text) is not None or text in {"-", "\u2013", "\u2014", "n/a", "N/A", "NA", "..", "…", "*"}
