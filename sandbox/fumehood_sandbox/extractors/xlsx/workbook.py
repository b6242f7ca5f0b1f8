"""The workbook part in XML: its sheets in order, defined names, the date system (18.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from fumehood_sandbox.contract import SheetTable
from fumehood_sandbox.extraction import ExtractError
from fumehood_sandbox.extractors.ooxml.bounds import MAX_TEXT, cut
from fumehood_sandbox.extractors.ooxml.tree import inside
from fumehood_sandbox.extractors.xlsx.book import BookReader
from fumehood_sandbox.extractors.xlsx.comments import Note, xml_notes
from fumehood_sandbox.extractors.xlsx.names import R, S, integer, on, unescape
from fumehood_sandbox.extractors.xlsx.richvalues import read_rich_values
from fumehood_sandbox.extractors.xlsx.shared import Workbook
from fumehood_sandbox.extractors.xlsx.sheet import SheetReader
from fumehood_sandbox.extractors.xlsx.sheets import Entry, SheetState, entry
from fumehood_sandbox.extractors.xlsx.strings import read_strings
from fumehood_sandbox.extractors.xlsx.styles import read_styles

_STATES: Final[dict[str, SheetState]] = {"hidden": "hidden", "veryHidden": "very_hidden"}


class WorkbookReader(BookReader):
    """Reads a workbook whose parts are XML."""

    _root: Any
    _book: Workbook

    def _open(self, main: str) -> list[Entry]:
        x, package = self._x, self._package
        self._root = root = package.xml(main)
        x.document.format.strict = x.document.format.strict or package.strict
        properties = root.find(S + "workbookPr")
        self._book = Workbook(
            self._strings(main),
            read_styles(package.optional_xml(package.related(main, "styles"))),
            properties is not None and on(properties.get("date1904")),
            read_rich_values(package, main),
        )
        relations = package.relationships(main)
        return [
            entry(element.get("name") or "", relations.get(element.get(R + "id") or ""), _state(element))
            for element in inside(root, S + "sheets", S + "sheet")
        ]

    def _strings(self, main: str) -> list[str]:
        try:
            found = read_strings(self._package, self._package.related(main, "sharedStrings"))
            # Cut here, not at each of the cells that show one: they share it then.
            return found if max(map(len, found), default=0) <= MAX_TEXT else [cut(self._x, text) for text in found]
        except ExtractError as error:
            if error.code != "corrupt":
                raise
            self._x.warn("part-unreadable", "the shared strings cannot be read; cells that use them are empty")
            return []

    def _names(self) -> Iterator[tuple[str, str, int | None]]:
        for element in inside(self._root, S + "definedNames", S + "definedName"):
            local = element.get("localSheetId")
            sheet = int(local) if local and local.isdecimal() and len(local) < 7 else None
            yield element.get("name") or "", element.text or "", sheet

    def _notes(self, part: str) -> Iterable[Note]:
        return xml_notes(self._package, part)

    def _sheet_tables(self, part: str) -> Iterator[SheetTable]:
        for relation in self._package.relationships(part).values():
            root = None if relation.external or relation.kind != "table" else self._package.optional_xml(relation.target)
            if root is not None:
                names = [unescape(column.get("name") or "") for column in inside(root, S + "tableColumns", S + "tableColumn")]
                name = root.get("displayName") or root.get("name") or ""
                headers = integer(root.get("headerRowCount"), 1)
                yield SheetTable(name, root.get("ref") or "", names, headers, integer(root.get("totalsRowCount")))

    def _reader(self, name: str, part: str) -> SheetReader:
        return SheetReader(self._x, self._package, part, self._book, name)


def _state(element: Any) -> SheetState:
    return _STATES.get(element.get("state") or "", "visible")
