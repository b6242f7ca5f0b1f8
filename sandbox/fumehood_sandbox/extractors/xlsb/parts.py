"""The parts beside the sheets, each a stream of records: shared strings, styles, notes, tables ([MS-XLSB] 2.1.7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.numfmt import builtin_code, number_format
from fumehood_sandbox.extractors.ooxml.bounds import cut
from fumehood_sandbox.extractors.xlsb import brt
from fumehood_sandbox.extractors.xlsb.fields import Fields, MalformedError
from fumehood_sandbox.extractors.xlsb.records import records
from fumehood_sandbox.extractors.xlsb.scope import TableNames
from fumehood_sandbox.extractors.xlsx.comments import Note
from fumehood_sandbox.extractors.xlsx.names import column_letters
from fumehood_sandbox.extractors.xlsx.styles import MAX_STYLES, Styles
from fumehood_sandbox.opc import Package

#: A table's name and its columns are written into every formula that uses them.
_MAX_NAME: Final = 255
_MAX_COLUMNS: Final = 16_384


def read_part(x: Extraction, package: Package, part: str | None, take: Callable[[int, Fields], None]) -> None:
    """Give the records of a part to *take*: of one that the workbook can do without, as far as it can be read.

    Raises:
        ExtractError: for a ``limit`` or an encrypted entry, which are the whole document's matter.
    """
    if part is None or part not in package:
        return
    try:
        for number, data in records(package, part):
            try:
                take(number, Fields(data))
            except MalformedError:
                x.warn("record-unreadable", "a record does not hold what its kind says", where=part)
    except ExtractError as error:
        if error.code not in {"corrupt", "unsupported"}:
            raise
        x.warn("part-unreadable", "a part of the package cannot be read, or not to its end")


def read_strings(x: Extraction, package: Package, part: str | None) -> list[str]:
    """Every shared string by its index (BrtSSTItem, 2.4.794)."""
    found: list[str] = []

    def take(number: int, fields: Fields) -> None:
        if number == brt.BrtSSTItem:
            found.append("")  # those behind an unreadable one keep their index
            found[-1] = cut(x, fields.rich())  # here, not at each of the cells that show it: they share it then

    read_part(x, package, part, take)
    return found


def read_styles(x: Extraction, package: Package, part: str | None) -> Styles:
    """The number format of each cell style (BrtXF, 2.4.862), by its own code or a built-in one (BrtFmt, 2.4.663)."""
    codes: dict[int, str] = {}
    styles = Styles()
    is_inside = False

    def take(number: int, fields: Fields) -> None:
        nonlocal is_inside
        if number == brt.BrtFmt:
            key = fields.u16()
            codes[key] = fields.wide()
        elif number in {brt.BrtBeginCellXFs, brt.BrtEndCellXFs}:
            is_inside = number == brt.BrtBeginCellXFs
        elif number == brt.BrtXF and is_inside and len(styles.formats) < MAX_STYLES:
            styles.formats.append(number_format("General"))
            fields.u16()
            key = fields.u16()
            styles.formats[-1] = number_format(codes.get(key) or builtin_code(key))

    read_part(x, package, part, take)
    return styles


def read_notes(x: Extraction, package: Package, part: str | None) -> list[Note]:
    """The notes of a sheet (2.1.7.8), each at the first cell of its area."""
    authors: list[str] = []
    notes: list[Note] = []
    open_note: tuple[str, str] | None = None

    def take(number: int, fields: Fields) -> None:
        nonlocal open_note
        if number == brt.BrtCommentAuthor:
            authors.append("")
            authors[-1] = fields.wide()
        elif number == brt.BrtBeginComment:
            open_note = None
            author = fields.u32()
            row, _, col, _ = fields.rfx()
            open_note = (f"{column_letters(col + 1)}{row + 1}", authors[author] if author < len(authors) else "")
        elif number == brt.BrtCommentText and open_note is not None:
            notes.append((*open_note, fields.rich()))

    read_part(x, package, part, take)
    return notes


def read_tables(x: Extraction, package: Package, sheets: list[str]) -> dict[int, TableNames]:
    """The tables that stand on *sheets* (parts), by their number (BrtBeginList, 2.4.112)."""
    found: dict[int, TableNames] = {}
    columns: list[str] = []

    def take(number: int, fields: Fields) -> None:
        nonlocal columns
        if number == brt.BrtBeginList:
            fields.take(20)
            key = fields.u32()
            fields.take(40)
            name, shown = fields.nullable(), fields.nullable()
            columns = []
            found.setdefault(key, TableNames((shown or name or "")[:_MAX_NAME], columns))
        elif number == brt.BrtBeginListCol and len(columns) < _MAX_COLUMNS:
            columns.append("")
            fields.take(24)
            unique, caption = fields.nullable(), fields.nullable()
            columns[-1] = (caption or unique or "")[:_MAX_NAME]

    for sheet in sheets:
        for relation in package.relationships(sheet).values():
            if relation.kind == "table" and not relation.external:
                columns = []
                read_part(x, package, relation.target, take)
    return found
