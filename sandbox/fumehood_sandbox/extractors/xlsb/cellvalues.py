"""A cell's value, by the kind of its record ([MS-XLSB] 2.4.314 to 2.4.322, 2.4.676 to 2.4.679)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from fumehood_sandbox.contract import SheetCell
from fumehood_sandbox.extractors.numfmt import NumberFormat
from fumehood_sandbox.extractors.xlsb import brt
from fumehood_sandbox.extractors.xlsb.fields import ERRORS, Fields, rk_number
from fumehood_sandbox.extractors.xlsx.shared import Workbook
from fumehood_sandbox.extractors.xlsx.values import set_text, set_value

_UNKNOWN_ERROR: Final = "#UNKNOWN!"
_NO_NUMBER: Final = "#NUM!"

Reader = Callable[[SheetCell, Fields, NumberFormat, Workbook], None]
"""Gives a cell the value that the fields have next."""


def _rk(cell: SheetCell, fields: Fields, style: NumberFormat, book: Workbook) -> None:
    _number(cell, rk_number(fields.u32()), style, book)


def _real(cell: SheetCell, fields: Fields, style: NumberFormat, book: Workbook) -> None:
    _number(cell, fields.f64(), style, book)


def _number(cell: SheetCell, value: float, style: NumberFormat, book: Workbook) -> None:
    if math.isfinite(value):
        set_value(cell, value, style, date1904=book.date1904)
    else:  # Excel has no such numbers
        cell.type, cell.value, cell.text = "error", _NO_NUMBER, _NO_NUMBER


def _bool(cell: SheetCell, fields: Fields, _style: NumberFormat, _book: Workbook) -> None:
    cell.type, cell.value = "bool", fields.u8() != 0
    cell.text = "TRUE" if cell.value else "FALSE"


def _error(cell: SheetCell, fields: Fields, _style: NumberFormat, _book: Workbook) -> None:
    cell.type = "error"
    cell.value = cell.text = ERRORS.get(fields.u8(), _UNKNOWN_ERROR)


def _text(cell: SheetCell, fields: Fields, style: NumberFormat, _book: Workbook) -> None:
    set_text(cell, fields.wide(), style)


def _rich(cell: SheetCell, fields: Fields, style: NumberFormat, _book: Workbook) -> None:
    set_text(cell, fields.rich(), style)


def _shared(cell: SheetCell, fields: Fields, style: NumberFormat, book: Workbook) -> None:
    """A shared string; IndexError where there is none of that number."""
    set_text(cell, "", style)
    set_text(cell, book.strings[fields.u32()], style)


def _nothing(cell: SheetCell, fields: Fields, style: NumberFormat, book: Workbook) -> None:
    """A cell that has a style alone."""


_PLAIN: Final[dict[int, Reader]] = {
    brt.BrtCellBlank: _nothing,
    brt.BrtCellRk: _rk,
    brt.BrtCellError: _error,
    brt.BrtCellBool: _bool,
    brt.BrtCellReal: _real,
    brt.BrtCellSt: _text,
    brt.BrtCellIsst: _shared,
}
#: The short forms of these come in the same order.
_SHORT: Final = brt.BrtShortBlank - brt.BrtCellBlank
SHORT: Final = frozenset(number + _SHORT for number in _PLAIN)
BLANK: Final = frozenset({brt.BrtCellBlank, brt.BrtShortBlank})
WITH_FORMULA: Final = frozenset({brt.BrtFmlaString, brt.BrtFmlaNum, brt.BrtFmlaBool, brt.BrtFmlaError})
READERS: Final[dict[int, Reader]] = {
    **_PLAIN,
    **{number + _SHORT: reader for number, reader in _PLAIN.items()},
    brt.BrtCellRString: _rich,
    brt.BrtFmlaString: _text,
    brt.BrtFmlaNum: _real,
    brt.BrtFmlaBool: _bool,
    brt.BrtFmlaError: _error,
}
