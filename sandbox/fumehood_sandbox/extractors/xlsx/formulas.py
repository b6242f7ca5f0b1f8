"""Formulas as text: shared ones moved to their cell, and what in them reaches out of the workbook."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fumehood_sandbox.extractors.ooxml.bounds import cut
from fumehood_sandbox.extractors.xlsx.names import MAX_COL, MAX_ROW, column_letters, column_number, on, parse_ref, unescape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fumehood_sandbox.contract import SheetCell
    from fumehood_sandbox.extraction import Extraction

#: Strings and quoted sheet names are skipped whole; then cells, whole columns, whole rows. A name, a function or a number
#: that only looks like one has a word character, a point or a bracket next to it.
_TOKEN: Final = re.compile(
    r"""(?P<skip>"[^"]*"|'[^']*'|\[[^\]]*\])
    |(?<![\w.\\])(?:
      (?P<cabs>\$?)(?P<col>[A-Za-z]{1,3})(?P<rabs>\$?)(?P<row>[1-9]\d{0,6})(?![\w.(!])
     |(?P<c1abs>\$?)(?P<c1>[A-Za-z]{1,3}):(?P<c2abs>\$?)(?P<c2>[A-Za-z]{1,3})(?![\w.(!])
     |(?P<r1abs>\$?)(?P<r1>[1-9]\d{0,6}):(?P<r2abs>\$?)(?P<r2>[1-9]\d{0,6})(?![\w.(!])
    )""",
    re.VERBOSE,
)
_PREFIX: Final = re.compile(r"_xl(?:fn|ws|udf)\.", re.IGNORECASE)
#: A dynamic data exchange link: server|topic!item, outside of strings.
_DDE: Final = re.compile(r"(?:^|[=(,+&\s-])'?[A-Za-z][\w.]*'?\|'?[^!|\"]+'?!")
_MAX_SHARED: Final = 8192
#: Of a shared formula, which takes time in each of its cells: one from this length on is long, and what all cells of a sheet may
#: be told of long ones.
_LONG: Final = 1024
_MAX_MOVED: Final = 4 * 1024 * 1024
#: Formulas of several cells that are met at one time, and what all cells that have one may be told about it.
_MAX_ARRAYS: Final = 256
_MAX_SPREAD: Final = 16 * 1024 * 1024


def shown(text: str) -> str:
    """A formula as Excel shows it: with its equals sign, without the file format's prefixes of newer functions."""
    return "=" + _PREFIX.sub("", text)


def is_dde(text: str) -> bool:
    """Whether a formula starts a DDE conversation."""
    return "|" in text and _DDE.search(re.sub(r'"[^"]*"', '""', text[:4096])) is not None


def warn_uncalculated(x: Extraction, sheet: str, count: int) -> None:
    """Say that *count* formulas of *sheet* have no stored value: what wrote the file did not calculate."""
    if count:
        x.warn(
            "formula-not-calculated", "the file holds no value for a formula: the formula is shown", where=sheet, count=count
        )


class Formulas:
    """The formulas of one sheet as text (18.3.1.40): shared ones as they read in each cell."""

    def __init__(self, x: Extraction, sheet: str) -> None:
        self._x = x
        self._sheet = sheet
        self._shared: dict[str, tuple[str, int, int]] = {}
        self.arrays: list[tuple[int, int, int, int, str]] = []
        """The formulas that several cells have together: first row, first column, last row, last column, text."""
        self._left = _MAX_SPREAD
        self._left_to_move = _MAX_MOVED

    def text(self, text: str, given: Mapping[str, str], row: int, col: int) -> str | None:
        """What the cell at *row* and *col* shows, whose formula element holds *text* and has the attributes *given*; cut where
        it is longer than a text may be.
        """
        kind = given.get("t")
        if kind == "shared":
            key = given.get("si") or ""
            if text:
                self._shared.setdefault(key, (text, row, col))
            elif key in self._shared:
                source, from_row, from_col = self._shared[key]
                moved = self._moved(source, row - from_row, col - from_col)
                if moved is None:
                    self._x.warn("shared-formula", "a long shared formula is given for its first cells only", where=self._sheet)
                    return None
                return shown(unescape(moved))
        elif kind == "dataTable":
            one, two = given.get("r1") or "", given.get("r2") or ""
            if not on(given.get("dt2D")):
                one, two = (one, "") if on(given.get("dtr")) else ("", one)
            return self._over(given.get("ref") or "", cut(self._x, shown(f"TABLE({one},{two})"), self._sheet))
        found = cut(self._x, shown(unescape(text)), self._sheet) if text else None
        return self._over(given.get("ref") or "", found) if kind == "array" and found is not None else found

    def _moved(self, source: str, rows: int, cols: int) -> str | None:
        """As `move`; None also when too much was told of long formulas."""
        if len(source) >= _LONG:
            self._left_to_move -= len(source)
            if self._left_to_move < 0:
                return None
        return move(source, rows, cols)

    def _over(self, ref: str, text: str) -> str:
        """Note that all cells of *ref* have the formula *text*."""
        first, _, last = ref.partition(":")
        begin, end = parse_ref(first), parse_ref(last)
        if begin is not None and end is not None and begin != end and len(self.arrays) < _MAX_ARRAYS:
            self.arrays.append((*begin, *end, text))
        return text

    def over(self, cells: list[SheetCell]) -> int:
        """Give *cells* that have no formula of their own the one of the array or data table that they are part of.

        Returns how many characters that is.
        """
        if not self.arrays:
            return 0
        before = self._left
        for cell in cells:
            if cell.formula is None:
                self._give(cell)
        if cells:
            self.arrays = [array for array in self.arrays if array[2] >= cells[-1].row]
        return before - self._left

    def _give(self, cell: SheetCell) -> None:
        for first_row, first_col, last_row, last_col, text in self.arrays:
            if first_row <= cell.row <= last_row and first_col <= cell.col <= last_col:
                if self._left < len(text):
                    self._x.warn("array-formula", "a long array formula is given for its first cells only", where=self._sheet)
                    self.arrays = []
                    return
                self._left -= len(text)
                cell.formula, cell.cached = text, True
                return


def move(text: str, rows: int, cols: int) -> str | None:
    """*text* as it reads *rows* further down and *cols* further right; None for one too long to move.

    References that leave the sheet wrap round, as Excel's do.
    """
    if len(text) > _MAX_SHARED:
        return None

    def column(letters: str, fixed: str) -> str:
        number = column_number(letters)
        return fixed + (letters if fixed or not number else column_letters((number - 1 + cols) % MAX_COL + 1))

    def row(digits: str, fixed: str) -> str:
        return fixed + (digits if fixed else str((int(digits) - 1 + rows) % MAX_ROW + 1))

    def replace(match: re.Match[str]) -> str:
        if match["skip"] is not None:
            return match["skip"]
        if match["col"] is not None:
            if not column_number(match["col"]) or int(match["row"]) > MAX_ROW:
                return match.group()
            return column(match["col"], match["cabs"]) + row(match["row"], match["rabs"])
        if match["c1"] is not None:
            return column(match["c1"], match["c1abs"]) + ":" + column(match["c2"], match["c2abs"])
        return row(match["r1"], match["r1abs"]) + ":" + row(match["r2"], match["r2abs"])

    return _TOKEN.sub(replace, text)
