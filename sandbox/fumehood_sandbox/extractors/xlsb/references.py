"""How a reference is written in a formula: cells and areas in A1 style, sheets with their quotes."""

from __future__ import annotations

import math
import re
from typing import Final

from fumehood_sandbox.extractors.xlsx.names import MAX_COL, MAX_ROW, column_letters, column_number

REF_ERROR: Final = "#REF!"
_LAST_ROW, _LAST_COL = MAX_ROW - 1, MAX_COL - 1
_COL_RELATIVE, _ROW_RELATIVE, _COL = 0x4000, 0x8000, 0x3FFF

_PLAIN: Final = re.compile(r"[^\W\d][\w.]*")
_LIKE_A1: Final = re.compile(r"([A-Za-z]{1,3})\d+")
_LIKE_R1C1: Final = re.compile(r"(?:[Rr]\d*)?(?:[Cc]\d*)?")
_IN_COLUMN_NAME: Final = re.compile(r"(['#\[\]@])")


def cell(row: int, col: int, base: tuple[int, int] | None = None) -> str:
    """RgceLoc (2.5.97.90), or with a *base* RgceLocRel (2.5.97.92), whose relative parts are counted from there.

    *col* carries the two flags of what is relative. Relative references that leave the sheet wrap round, others are a ValueError.
    """
    if base is not None:
        row, col = _moved(row, col, base)
    return _column(col) + _row(row, col)


def area(first_row: int, last_row: int, first_col: int, last_col: int, base: tuple[int, int] | None = None) -> str:
    """RgceArea (2.5.97.88) and RgceAreaRel (2.5.97.89); whole rows and columns in their short form."""
    if base is not None:
        first_row, first_col = _moved(first_row, first_col, base)
        last_row, last_col = _moved(last_row, last_col, base)
    if first_col & _COL == 0 and last_col & _COL == _LAST_COL:
        return f"{_row(first_row, first_col)}:{_row(last_row, last_col)}"
    if first_row == 0 and last_row == _LAST_ROW:
        return f"{_column(first_col)}:{_column(last_col)}"
    return f"{cell(first_row, first_col)}:{cell(last_row, last_col)}"


def _moved(row: int, col: int, base: tuple[int, int]) -> tuple[int, int]:
    flags = col & ~_COL
    if flags & _ROW_RELATIVE:
        row = (row + base[0]) % MAX_ROW
    if flags & _COL_RELATIVE:
        col = (col + base[1]) % MAX_COL | flags
    return row, col


def _column(col: int) -> str:
    return ("" if col & _COL_RELATIVE else "$") + column_letters((col & _COL) + 1)


def _row(row: int, col: int) -> str:
    if row >= MAX_ROW:
        raise ValueError
    return f"{'' if col & _ROW_RELATIVE else '$'}{row + 1}"


def sheet(first: str, last: str = "", book: str = "") -> str:
    """What stands before a reference to a sheet, or to those from *first* to *last*: ``'[1]My sheet'!``."""
    names = f"{first}:{last}" if last and last != first else first
    if (not first or _is_plain(first)) and (not last or _is_plain(last)):
        return f"{book}{names}!"
    return "'" + (book + names).replace("'", "''") + "'!"


def _is_plain(name: str) -> bool:
    if not _PLAIN.fullmatch(name) or _LIKE_R1C1.fullmatch(name):
        return False
    like = _LIKE_A1.fullmatch(name)
    return like is None or not column_number(like.group(1))


def column_name(name: str) -> str:
    """A table's column between the brackets of a structured reference."""
    return _IN_COLUMN_NAME.sub(r"'\1", name)


def number(value: float) -> str:
    """A finite number as it stands in a formula."""
    if not math.isfinite(value):
        raise ValueError
    return repr(value).upper().removesuffix(".0")


def string(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
