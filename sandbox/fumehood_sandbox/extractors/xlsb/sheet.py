"""The cells of one worksheet as a stream of records ([MS-XLSB] 2.1.7.62): memory goes with real cells."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from fumehood_sandbox.contract import SheetCell
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.ooxml.bounds import MAX_TEXT, cut
from fumehood_sandbox.extractors.xlsb import brt
from fumehood_sandbox.extractors.xlsb.cellvalues import BLANK, READERS, SHORT, WITH_FORMULA
from fumehood_sandbox.extractors.xlsb.facts import FACTS, read_row
from fumehood_sandbox.extractors.xlsb.fields import Fields, MalformedError
from fumehood_sandbox.extractors.xlsb.records import records
from fumehood_sandbox.extractors.xlsb.scope import Scope
from fumehood_sandbox.extractors.xlsb.sheetformulas import SHARING, SheetFormulas
from fumehood_sandbox.extractors.xlsx import formulas
from fumehood_sandbox.extractors.xlsx.facts import SheetFacts
from fumehood_sandbox.extractors.xlsx.names import MAX_COL, MAX_ROW, column_letters
from fumehood_sandbox.extractors.xlsx.shared import Workbook
from fumehood_sandbox.opc import Package

_CELL: Final = struct.Struct("<II")
_SHORT_CELL: Final = struct.Struct("<I")
_STYLE: Final = 0x00FFFFFF
#: How many cells are collected, to the end of their row, before they are given on.
_AT_A_TIME: Final = 500


class SheetReader:
    """Reads one worksheet part from its beginning to its end."""

    def __init__(self, x: Extraction, package: Package, part: str, book: Workbook, scope: Scope, name: str) -> None:
        self._x = x
        self._package = package
        self._part = part
        self._book = book
        self._name = name
        self._formulas = SheetFormulas(x, scope, name)
        self.facts = SheetFacts(x, name)
        self.filled = 0
        self.formulas = 0
        self.uncalculated = 0
        self.dde: list[tuple[str, str]] = []
        self._budget = x.request.max_output_bytes // 4
        self._row = self._col = 0
        """The cell that was read last, from 1."""
        self._hidden = False

    def cells(self) -> Iterator[list[SheetCell]]:
        """The cells, as `sheets.CellReader` has them."""
        found: list[SheetCell] = []
        damage: ExtractError | None = None
        try:
            for number, data in self._records():
                if number == brt.BrtRowHdr and len(found) >= _AT_A_TIME:
                    yield found
                    found = []
                try:
                    self._read(number, data, found)
                except (MalformedError, struct.error):
                    self._x.warn("record-unreadable", "a record does not hold what its kind says", where=self._name)
        except ExtractError as error:
            damage = error
        self._formulas.settle()
        if found:
            yield found
        if damage is not None:
            raise damage

    def all_facts(self) -> SheetFacts:
        """What the whole part says about the sheet."""
        facts = SheetFacts(self._x, self._name)
        with suppress(ExtractError):  # the cells come to the same damage, and say so
            for number, data in self._records():
                with suppress(MalformedError):
                    if number == brt.BrtRowHdr:
                        read_row(facts, data)
                    elif number in FACTS:
                        FACTS[number](facts, Fields(data))
        return facts

    def _records(self) -> Iterator[tuple[int, bytes]]:
        number = None
        for at, (number, data) in enumerate(records(self._package, self._part)):
            if not at and number != brt.BrtBeginSheet:
                raise ExtractError("corrupt", "the part is no sheet")
            yield number, data
        if number != brt.BrtEndSheet:
            raise ExtractError("corrupt", "a sheet without its last record")

    def _read(self, number: int, data: bytes, found: list[SheetCell]) -> None:
        if number in READERS:
            cell = self._cell(number, data)
            if cell is not None:
                found.append(cell)
        elif number == brt.BrtRowHdr:
            self._row = self._col = 0  # cells behind an unreadable one belong to no row
            self._row, self._hidden = read_row(self.facts, data)
        elif number in SHARING:
            waited = self._formulas.define(number, Fields(data))
            if waited is not None:
                self._written(waited)
        elif number in FACTS:
            FACTS[number](self.facts, Fields(data))

    def _cell(self, number: int, data: bytes) -> SheetCell | None:
        """Cell (2.5.9): column and style, then the value; in the short forms the column is the next one."""
        if number in SHORT:
            self._col = col = self._col + 1
            (style,) = _SHORT_CELL.unpack_from(data)
            fields = Fields(data, _SHORT_CELL.size)
        else:
            self._col = MAX_COL  # short ones behind an unreadable one have no place
            col, style = _CELL.unpack_from(data)
            self._col = col = col + 1
            fields = Fields(data, _CELL.size)
        row = self._row
        if col > MAX_COL or not 0 < row <= MAX_ROW:
            raise MalformedError
        if number in BLANK:
            return None
        shown = self._book.styles.at(style & _STYLE)
        cell = SheetCell(f"{column_letters(col)}{row}", row, col)
        if shown.kind != "general":
            cell.number_format = shown.code
        try:
            READERS[number](cell, fields, shown, self._book)
        except IndexError:
            self._x.warn("bad-string-index", "a cell refers to a shared string that is not there", where=self._name)
        self.filled += 1
        if number in WITH_FORMULA:
            self.formulas += 1
            cell.cached = True
            self._formula(cell, fields)
        if self._hidden:
            cell.hidden = "hidden_row"
        elif col in self.facts.hidden_cols:
            cell.hidden = "hidden_col"
        if len(cell.text) > MAX_TEXT:
            cell.value = cell.text = cut(self._x, cell.text, self._name)
        self._account(cell.text)
        return cell

    def _formula(self, cell: SheetCell, fields: Fields) -> None:
        """What stands behind the value of a formula's cell: flags and tokens. A cell whose tokens are damaged keeps its value."""
        try:
            fields.u16()
            self._formulas.read(cell, fields)
        except MalformedError:
            self._formulas.give_up()
        self._written(cell)

    def _written(self, cell: SheetCell) -> None:
        """Account for the formula of *cell*, as soon as it is known."""
        if cell.formula is None:
            return
        self._account(cell.formula)
        if formulas.is_dde(cell.formula):
            self.dde.append((cell.ref, cell.formula))

    def _account(self, said: str) -> None:
        """One shared string may stand in any number of cells: what they say together is bounded."""
        self._budget -= len(said)
        if self._budget < 0:
            raise ExtractError("limit", "the cells of a sheet hold too much text", kind="output")
