"""What records beside the cells say about a sheet: columns, merges, links, headers ([MS-XLSB] 2.1.7.62)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fumehood_sandbox.extractors.xlsb import brt
from fumehood_sandbox.extractors.xlsb.fields import Fields
from fumehood_sandbox.extractors.xlsx.facts import SheetFacts
from fumehood_sandbox.extractors.xlsx.names import MAX_COL, MAX_ROW, column_letters

_DY_ZERO: Final = 0x10
_MAX_TEXT: Final = 65_536


def read_row(facts: SheetFacts, data: bytes) -> tuple[int, bool]:
    """BrtRowHdr (2.4.741): the row's number from 1, and whether it is hidden."""
    fields = Fields(data)
    number = fields.u32() + 1
    fields.take(7)
    hidden = bool(fields.u8() & _DY_ZERO)
    if hidden:
        facts.hide_row(number)
    return number, hidden


def _column(facts: SheetFacts, fields: Fields) -> None:
    """BrtColInfo (2.4.323)."""
    first, last, width = fields.u32(), fields.u32(), fields.u32()
    fields.take(4)
    if fields.u16() & 1 or not width:
        facts.hide_columns(first + 1, last + 1)


def _merge(facts: SheetFacts, fields: Fields) -> None:
    """BrtMergeCell (2.4.702)."""
    facts.merge(_ref(fields.rfx()))


def _link(facts: SheetFacts, fields: Fields) -> None:
    """BrtHLink (2.4.684)."""
    ref = _ref(fields.rfx())
    relation, location, _tip, display = fields.nullable(), fields.wide(), fields.wide(), fields.wide()
    facts.links.append((ref, relation, location or None, display))


def _headers(facts: SheetFacts, fields: Fields) -> None:
    """BrtBeginHeaderFooter (2.4.86): of odd pages, of even ones, of the first."""
    fields.u16()
    for part in ("header", "footer") * 3:
        text = fields.nullable()
        if text:
            facts.headers.append((part, text[:_MAX_TEXT]))


def _ref(rfx: tuple[int, int, int, int]) -> str:
    first_row, last_row, first_col, last_col = (
        min(n, most - 1) + 1 for n, most in zip(rfx, (MAX_ROW, MAX_ROW, MAX_COL, MAX_COL), strict=True)
    )
    first, last = f"{column_letters(first_col)}{first_row}", f"{column_letters(last_col)}{last_row}"
    return first if first == last else f"{first}:{last}"


#: By the number of the record.
FACTS: Final[dict[int, Callable[[SheetFacts, Fields], None]]] = {
    brt.BrtColInfo: _column,
    brt.BrtMergeCell: _merge,
    brt.BrtHLink: _link,
    brt.BrtBeginHeaderFooter: _headers,
}
