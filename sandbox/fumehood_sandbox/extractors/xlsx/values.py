"""A cell's typed value and the text it shows, set by its number format."""

from __future__ import annotations

import math
from typing import Final, Literal

from fumehood_sandbox.contract import Scalar, SheetCell
from fumehood_sandbox.extractors.numfmt import NumberFormat, general, iso
from fumehood_sandbox.extractors.numfmt.dates import elapsed_iso, iso_serial
from fumehood_sandbox.extractors.xlsx.names import unescape

_ERRORS: Final = frozenset(
    [
        "#NULL!",
        "#DIV/0!",
        "#VALUE!",
        "#REF!",
        "#NAME?",
        "#NUM!",
        "#N/A",
        "#GETTING_DATA",
        "#SPILL!",
        "#CALC!",
        "#FIELD!",
        "#BLOCKED!",
        "#UNKNOWN!",
        "#CONNECT!",
    ]
)
_MAX_EXACT: Final = 2**53

Shown = tuple[Literal["number", "text", "bool", "date", "time", "error", "blank"], Scalar, str, str | None]
"""A cell's type, value and text, and what hides it."""


def set_text(cell: SheetCell, text: str, style: NumberFormat) -> None:
    cell.type, cell.value = "text", text
    cell.text = text if style.kind == "general" else style.show_text(text)
    if text and not cell.text:
        cell.hidden = "number_format"


def set_typed(cell: SheetCell, kind: str | None, raw: str, style: NumberFormat, *, date1904: bool) -> None:
    """A value of a *kind* of cell (ST_CellType, 18.18.11), but for shared strings."""
    if kind in {None, "n", ""}:
        set_number(cell, raw, style, date1904=date1904)
    elif kind == "b":
        cell.type, cell.value = "bool", raw.strip() in {"1", "true"}
        cell.text = "TRUE" if cell.value else "FALSE"
    elif kind == "e":
        cell.type = "error"
        cell.value = cell.text = raw
    elif kind == "d":
        _set_iso_date(cell, raw, style, date1904=date1904)
    else:  # "str", "inlineStr" with a value, and unknown kinds
        set_text(cell, unescape(raw), style)


def _set_iso_date(cell: SheetCell, raw: str, style: NumberFormat, *, date1904: bool) -> None:
    """A date in ISO 8601, as strict workbooks may hold it: shown as its serial number would be."""
    serial = iso_serial(raw, date1904=date1904)
    if serial is None:
        cell.type, cell.value, cell.text = "text", raw, raw
        return
    cell.type, cell.value = "date", raw
    cell.text = raw if style.kind == "general" else style.show(serial, date1904=date1904)


def set_number(cell: SheetCell, raw: str, style: NumberFormat, *, date1904: bool) -> None:
    """A number's typed value and displayed text; what is no finite number stays text."""
    cell.type, cell.value, cell.text, hidden = shown_number(raw, style, date1904=date1904)
    cell.hidden = hidden or cell.hidden


def set_value(cell: SheetCell, value: float, style: NumberFormat, *, date1904: bool) -> None:
    """A finite number's typed value and displayed text."""
    cell.type, cell.value, cell.text, hidden = _shown_value(value, style, date1904=date1904)
    cell.hidden = hidden or cell.hidden


def shown_number(raw: str, style: NumberFormat, *, date1904: bool) -> Shown:
    """What `set_number` gives a cell."""
    value: float
    try:
        value = int(raw) if raw.isdecimal() and len(raw) < 16 else float(raw)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        return ("error" if raw in _ERRORS else "text"), raw, raw, None
    return _shown_value(value, style, date1904=date1904)


def _shown_value(value: float, style: NumberFormat, *, date1904: bool) -> Shown:
    if style.kind == "general":
        return "number", _typed(value), general(value), None
    text = style.show(value, date1904=date1904)
    hidden = None if text else "number_format"
    if style.kind == "date":
        day = iso(value, date1904=date1904)
        if day is not None:
            return "date", day, text, hidden
    elif style.kind == "time":
        clock = elapsed_iso(value) if style.elapsed or value >= 1 else iso(value)
        if clock is not None:
            return "time", clock, text, hidden
    return "number", _typed(value), text, hidden


def _typed(value: float) -> float:
    """A whole number as one."""
    return int(value) if abs(value) < _MAX_EXACT and value == int(value) else value
