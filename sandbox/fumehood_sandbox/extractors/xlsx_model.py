"""Workbooks through openpyxl: the second method of the family xlsx.

Values, displayed text, formulas, merges and sheet states; no drawings, no comments. Only cells that the library holds are
visited: its row iterator walks the whole rectangle up to the last cell.
"""

from __future__ import annotations

import datetime as dt
import io
import warnings
from collections.abc import Iterator
from typing import Any, Final, Literal

from fumehood_sandbox.contract import OutlineItem, Sheet, SheetCell
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.numfmt import number_format
from fumehood_sandbox.extractors.ooxml.embedded import attach_parts, embedded_parts
from fumehood_sandbox.extractors.ooxml.vet import vet
from fumehood_sandbox.extractors.xlsx.formulas import warn_uncalculated
from fumehood_sandbox.extractors.xlsx.values import set_number, set_text

_STATES: Final[dict[str, Literal["visible", "hidden", "very_hidden"]]] = {"hidden": "hidden", "veryHidden": "very_hidden"}
_BATCH: Final = 2000


def extract(x: Extraction) -> None:
    """Read the workbook in ``x.data``. Whatever the library raises is the chain's to name."""
    package = vet(x)
    import openpyxl  # noqa: PLC0415 - only the second method pays for it

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        formulas = openpyxl.load_workbook(io.BytesIO(x.data), keep_links=False)
        values = openpyxl.load_workbook(io.BytesIO(x.data), keep_links=False, data_only=True)
    date1904 = formulas.epoch.year == 1904
    counts = {"sheets": len(formulas.sheetnames), "cells": 0, "formulas": 0}
    for number, name in enumerate(formulas.sheetnames, 1):
        source, shown = formulas[name], values[name]
        x.add("outline", OutlineItem(name))
        cells = getattr(source, "_cells", None)
        kind: Literal["worksheet", "chartsheet"] = "worksheet" if cells is not None else "chartsheet"
        sheet = Sheet(name, _STATES.get(source.sheet_state, "visible"), kind)
        if cells is not None:
            sheet.merged = [str(merged) for merged in source.merged_cells.ranges]
        position = x.sheet(sheet)
        batch: list[SheetCell] = []
        uncalculated = 0
        on_sheet = {place: cell for place, cell in (cells or {}).items() if min(place) > 0}
        if cells is not None and len(on_sheet) < len(cells):
            x.warn(
                "bad-reference",
                "a cell's reference is no cell of a sheet; it is left out",
                where=name,
                count=len(cells) - len(on_sheet),
            )
        for cell in _cells(on_sheet, shown, date1904=date1904):
            counts["cells"] += 1
            uncalculated += cell.cached is False
            counts["formulas"] += cell.formula is not None
            batch.append(cell)
            if len(batch) >= _BATCH:
                x.cells(position, batch)
                batch = []
        x.cells(position, batch)
        warn_uncalculated(x, name, uncalculated)
        x.progress(number, len(formulas.sheetnames), "sheet")
    x.document.counts.update(counts)
    attach_parts(x, package, embedded_parts(package))


def _cells(cells: dict[tuple[int, int], Any], shown: Any, *, date1904: bool) -> Iterator[SheetCell]:
    for (row, col), source in sorted(cells.items()):
        if source.value is None:
            continue
        cell = SheetCell(source.coordinate, row, col)
        code = str(source.number_format or "General")
        if code != "General":
            cell.number_format = code
        value = source.value
        if source.data_type == "f":
            cell.formula = str(getattr(value, "text", None) or value)
            cached = getattr(shown, "_cells", {}).get((row, col))
            value = cached.value if cached is not None else None
            cell.cached = value is not None
        _set(cell, value, code, date1904=date1904)
        yield cell


def _set(cell: SheetCell, value: Any, code: str, *, date1904: bool) -> None:
    from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH, to_excel  # noqa: PLC0415

    style = number_format(code)
    if value is None:
        cell.type = "blank"
    elif isinstance(value, bool):
        cell.type, cell.value, cell.text = "bool", value, "TRUE" if value else "FALSE"
    elif isinstance(value, (dt.date, dt.time, dt.timedelta)):
        set_number(cell, repr(to_excel(value, MAC_EPOCH if date1904 else WINDOWS_EPOCH)), style, date1904=date1904)
    elif isinstance(value, (int, float)):
        set_number(cell, repr(value), style, date1904=date1904)
    elif isinstance(value, str) and value.startswith("#") and value.rstrip("!?").isupper():
        cell.type, cell.value, cell.text = "error", value, value
    else:
        set_text(cell, str(value), style)
