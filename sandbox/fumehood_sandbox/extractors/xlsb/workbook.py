"""The workbook part as records: its sheets in order, defined names, what formulas refer to ([MS-XLSB] 2.1.7.61)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from fumehood_sandbox.contract import ActiveContent
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.xlsb import brt
from fumehood_sandbox.extractors.xlsb.fields import Fields, MalformedError
from fumehood_sandbox.extractors.xlsb.formula import formula_text
from fumehood_sandbox.extractors.xlsb.links import Link, LinkKind, linked, read_link, read_xtis
from fumehood_sandbox.extractors.xlsb.parts import read_notes, read_strings, read_styles, read_tables
from fumehood_sandbox.extractors.xlsb.records import records
from fumehood_sandbox.extractors.xlsb.scope import Scope, TableNames, UnreadableError
from fumehood_sandbox.extractors.xlsb.sheet import SheetReader
from fumehood_sandbox.extractors.xlsx.book import MAX_SHEETS, BookReader
from fumehood_sandbox.extractors.xlsx.comments import Note
from fumehood_sandbox.extractors.xlsx.shared import Workbook
from fumehood_sandbox.extractors.xlsx.sheets import Entry, SheetState, entry
from fumehood_sandbox.opc import Package
from fumehood_sandbox.plain import replace

_STATES: Final[dict[int, SheetState]] = {1: "hidden", 2: "very_hidden"}
_1904: Final = 0x01
_WHOLE_WORKBOOK: Final = 0xFFFFFFFF
_BUILT_IN, _FUTURE_FUNCTION = 0x20, 0x20000
_SUPPORTING: Final[dict[int, LinkKind]] = {
    brt.BrtSupSelf: "self",
    brt.BrtSupSame: "same",
    brt.BrtSupAddin: "addin",
    brt.BrtSupBookSrc: "workbook",
}
_MAX_NAME: Final = 255
_MAX_NAMES: Final = 200_000
_MAX_LINKS: Final = 4096


@dataclass(frozen=True, slots=True)
class _Name:
    name: str
    sheet: int | None
    is_function: bool
    rgce: bytes
    rgcb: bytes


class BinaryWorkbookReader(BookReader):
    """Reads a workbook whose parts are records."""

    def __init__(self, x: Extraction) -> None:
        super().__init__(x)
        self._scope = Scope()
        self._defined: list[_Name] = []
        self._entries: list[Entry] = []
        self._book = Workbook([], read_styles(x, self._package, None))
        self._main = ""
        self._tables: dict[int, TableNames] | None = None
        self._linked_parts: dict[str, Link] = {}
        self._books = 0

    def _open(self, main: str) -> list[Entry]:
        x, package = self._x, self._package
        self._main = main
        self._scope.tables = self._all_tables
        try:
            self._read_book(main)
        except ExtractError as error:
            if error.code != "corrupt" or not self._entries:
                raise
            x.warn("part-unreadable", "the workbook part is damaged; what stands before the damage was read")
        self._book.strings = read_strings(x, package, package.related(main, "sharedStrings"))
        self._book.styles = read_styles(x, package, package.related(main, "styles"))
        return self._entries

    def _read_book(self, main: str) -> None:
        is_workbook = False
        for number, data in records(self._package, main):
            is_workbook = is_workbook or number == brt.BrtBeginBook
            if not is_workbook:
                break
            try:
                self._take(number, Fields(data))
            except MalformedError:
                self._x.warn("record-unreadable", "a record does not hold what its kind says", where=main)
        if not is_workbook:
            raise ExtractError("corrupt", "the main part is no workbook")

    def _take(self, number: int, fields: Fields) -> None:
        scope = self._scope
        # What formulas name by its number keeps that number: an unreadable one has its place too, with nothing in it.
        if number == brt.BrtBundleSh:
            scope.sheets.append("")
            self._entries.append(self._sheet_entry(fields))
            scope.sheets[-1] = self._entries[-1].name
            if len(self._entries) > MAX_SHEETS:
                raise ExtractError("limit", "too many sheets", kind="sheets")
        elif number == brt.BrtWbProp:
            self._book.date1904 = bool(fields.u32() & _1904)
        elif number == brt.BrtName and len(scope.names) < _MAX_NAMES:
            scope.names.append("")
            name = _read_name(fields)
            scope.names[-1] = name.name
            self._defined.append(name)
        elif number in _SUPPORTING and len(scope.links) < _MAX_LINKS:
            scope.links.append(Link("unknown"))
            scope.links[-1] = self._link(number, fields)
        elif number == brt.BrtPlaceholderName and scope.links:
            scope.links[-1].names.append((fields.wide()[:_MAX_NAME], 0))
        elif number == brt.BrtExternSheet:
            scope.xtis = read_xtis(fields)

    def _sheet_entry(self, fields: Fields) -> Entry:
        """BrtBundleSh (2.4.311)."""
        state = fields.u32()
        fields.u32()
        try:
            relation, name = fields.nullable(), fields.wide()
        except MalformedError:  # a beta of Excel 2007 wrote four bytes more before the two
            fields.at = 12
            relation, name = fields.nullable(), fields.wide()
        return entry(name, self._package.relationships(self._main).get(relation or ""), _STATES.get(state, "visible"))

    def _link(self, number: int, fields: Fields) -> Link:
        """A supporting link. A part that several of them name is read once."""
        if number != brt.BrtSupBookSrc:
            return Link(_SUPPORTING[number])
        relation = self._package.relationships(self._main).get(fields.nullable() or "")
        part = relation.target if relation is not None else ""
        if part not in self._linked_parts:
            self._linked_parts[part] = read_link(self._package, part)
        self._books += 1
        return replace(self._linked_parts[part], number=self._books)

    def _all_tables(self) -> dict[int, TableNames]:
        if self._tables is None:
            self._tables = read_tables(self._x, self._package, [sheet.part for sheet in self._entries if sheet.part])
        return self._tables

    def _names(self) -> Iterator[tuple[str, str, int | None]]:
        for name in self._defined:
            if name.rgce and not name.is_function:  # without tokens it is only used, and nobody has defined it
                yield name.name, self._name_text(name), name.sheet

    def _name_text(self, name: _Name) -> str:
        try:
            return formula_text(self._scope, name.rgce, name.rgcb)
        except UnreadableError:
            self._x.warn("formula-unread", "a defined name has parts that no text is known for", where=name.name)
            return ""

    def _notes(self, part: str) -> Iterable[Note]:
        return read_notes(self._x, self._package, self._package.related(part, "comments"))

    def _reader(self, name: str, part: str) -> SheetReader:
        return SheetReader(self._x, self._package, part, self._book, self._scope, name)

    def _linked(self, package: Package, part: str) -> list[ActiveContent]:
        return linked(package, part)


def _read_name(fields: Fields) -> _Name:
    """BrtName (2.4.711)."""
    flags = fields.u32()
    fields.u8()
    sheet, name = fields.u32(), fields.wide()[:_MAX_NAME]
    if flags & _BUILT_IN:
        name = "_xlnm." + name
    return _Name(name, None if sheet == _WHOLE_WORKBOOK else sheet, bool(flags & _FUTURE_FUNCTION), *fields.formula())
