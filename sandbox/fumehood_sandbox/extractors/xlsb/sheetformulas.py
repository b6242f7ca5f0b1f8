"""The formulas of one sheet: a cell's own, and those that cells share ([MS-XLSB] 2.2.2)."""

from __future__ import annotations

from typing import Final

from fumehood_sandbox.contract import SheetCell
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.xlsb import brt, ptg
from fumehood_sandbox.extractors.xlsb.fields import Fields, MalformedError
from fumehood_sandbox.extractors.xlsb.formula import formula_text
from fumehood_sandbox.extractors.xlsb.scope import Scope, UnreadableError
from fumehood_sandbox.extractors.xlsx import formulas
from fumehood_sandbox.extractors.xlsx.names import MAX_COL, MAX_ROW, column_letters

_ROW_INPUT, _TWO_INPUTS, _DELETED = 0x01, 0x02, 0x0C
#: What the tokens that cells share may come to, each cell with its own: a record of some bytes may stand for all of them.
_MAX_SHARED_TOKENS: Final = 64 * 1024 * 1024
SHARING: Final = frozenset({brt.BrtShrFmla, brt.BrtArrFmla, brt.BrtTable})


class SheetFormulas:
    """Gives cells their formula. The record of a shared one follows the first cell that has it, which waits for it."""

    def __init__(self, x: Extraction, scope: Scope, name: str) -> None:
        self._x = x
        self._scope = scope
        self._name = name
        self._shared: dict[tuple[int, int], tuple[bytes, bytes] | str] = {}
        """By the cell that it stands behind: the tokens, or the text where it is the same in every cell."""
        self._left = _MAX_SHARED_TOKENS
        self._waiting: tuple[SheetCell, tuple[int, int]] | None = None

    def read(self, cell: SheetCell, fields: Fields) -> None:
        """Give *cell* the formula that *fields* have now."""
        self.settle()
        rgce, rgcb = fields.formula()
        if rgce[:1] != bytes([ptg.PtgExp]):
            cell.formula = self._text(cell, rgce, rgcb)
            return
        tokens = Fields(rgce, 1)
        key = (tokens.u32(), Fields(rgcb).u32())
        if key in self._shared:
            cell.formula = self._from_shared(cell, key)
        else:
            self._waiting = (cell, key)

    def define(self, number: int, fields: Fields) -> SheetCell | None:
        """Take the record of a shared formula; the cell that waited for it."""
        if self._waiting is None:
            return None
        cell, key = self._waiting
        fields.rfx()
        if number == brt.BrtTable:
            self._shared[key] = _table(fields)
        elif number == brt.BrtArrFmla:
            fields.u8()
            self._shared[key] = self._text(cell, *fields.formula()) or ""
        else:
            self._shared[key] = fields.formula()
        self._waiting = None
        cell.formula = self._from_shared(cell, key)
        return cell

    def settle(self) -> None:
        """No cell waits any longer: what it waited for did not come."""
        if self._waiting is not None:
            self.give_up()

    def give_up(self) -> None:
        """Say that a formula was not read."""
        self._waiting = None
        self._x.warn("formula-unread", "a formula has parts that no text is known for; its value was read", where=self._name)

    def _from_shared(self, cell: SheetCell, key: tuple[int, int]) -> str | None:
        shared = self._shared[key]
        if isinstance(shared, str):
            return shared or None
        self._left -= len(shared[0])
        if self._left < 0:
            self._x.warn(
                "formulas-cut", "cells share longer formulas than are written out; their values were read", where=self._name
            )
            return None
        return self._text(cell, *shared)

    def _text(self, cell: SheetCell, rgce: bytes, rgcb: bytes) -> str | None:
        try:
            return formulas.shown(formula_text(self._scope, rgce, rgcb, (cell.row - 1, cell.col - 1)))
        except UnreadableError:
            self.give_up()
            return None


def _table(fields: Fields) -> str:
    """BrtTable (2.4.797): a data table with one input cell or two."""
    inputs = [(fields.u32(), fields.u32()), (fields.u32(), fields.u32())]
    flags = fields.u8()
    if flags & _DELETED or any(row >= MAX_ROW or col >= MAX_COL for row, col in inputs):
        raise MalformedError
    first, second = (f"{column_letters(col + 1)}{row + 1}" for row, col in inputs)
    if not flags & _TWO_INPUTS:
        first, second = (first, "") if flags & _ROW_INPUT else ("", first)
    return formulas.shown(f"TABLE({first},{second})")
