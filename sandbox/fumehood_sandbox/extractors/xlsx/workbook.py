"""The workbook part: its sheets in order, defined names, the date system, and what goes with each sheet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Final, Literal

from fumehood_sandbox.contract import ActiveContent, Block, Link, OutlineItem, Part, Sheet, SheetCell
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.ooxml.active import list_active
from fumehood_sandbox.extractors.ooxml.properties import read_metadata
from fumehood_sandbox.extractors.ooxml.tree import inside
from fumehood_sandbox.extractors.xlsx.comments import read_comments, read_persons
from fumehood_sandbox.extractors.xlsx.drawings import Drawings
from fumehood_sandbox.extractors.xlsx.facts import SheetFacts
from fumehood_sandbox.extractors.xlsx.names import R, S, on, parse_ref
from fumehood_sandbox.extractors.xlsx.sheet import SheetReader, Workbook
from fumehood_sandbox.extractors.xlsx.strings import read_strings
from fumehood_sandbox.extractors.xlsx.styles import read_styles
from fumehood_sandbox.opc import Package

#: Cells that are held until what is said about the sheet behind them is known.
_HELD: Final = 20_000
_BATCH: Final = 2000
_MAX_SHEETS: Final = 20_000
_MAX_NAMES: Final = 20_000
_NAMES_BYTES: Final = 256 * 1024

SheetKind = Literal["worksheet", "chartsheet", "dialogsheet", "macrosheet"]
_KINDS: Final[dict[str, SheetKind]] = {
    "worksheet": "worksheet",
    "chartsheet": "chartsheet",
    "dialogsheet": "dialogsheet",
    "xlMacrosheet": "macrosheet",
    "xlIntlMacrosheet": "macrosheet",
}
_STATES: Final[dict[str, Literal["visible", "hidden", "very_hidden"]]] = {"hidden": "hidden", "veryHidden": "very_hidden"}
#: Codes of a page header: fonts, sizes, colours and fields (18.3.1.39); && is an ampersand.
_HEADER_CODE: Final = re.compile(r'&(?:"[^"]*"|K[0-9A-Fa-f]{6}|K\d\d[+-]\d{3}|\d+|[A-Z])')


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    part: str | None
    kind: SheetKind
    state: Literal["visible", "hidden", "very_hidden"]


class WorkbookReader:
    """Reads one workbook into an `Extraction`."""

    def __init__(self, x: Extraction) -> None:
        self._x = x
        self._package = Package(x.data, x.warn)
        self._package.alive = self._alive
        self._at = 0
        """The sheet that is being read, from 1."""
        self._drawings = Drawings(x, self._package)
        self._cells = self._formulas = self._comments = self._links = self._unread = 0

    def read(self) -> None:
        """Everything, sheet by sheet.

        Raises:
            ExtractError: ``corrupt`` when the workbook part, or every sheet of it, cannot be read.
        """
        x, package = self._x, self._package
        main = package.main
        root = package.xml(main)
        x.document.format.strict = x.document.format.strict or package.strict
        entries = self._sheets(root, main)
        properties = root.find(S + "workbookPr")
        book = Workbook(
            self._strings(main),
            read_styles(package.optional_xml(package.related(main, "styles"))),
            properties is not None and on(properties.get("date1904")),
        )
        x.document.metadata, x.document.custom_properties = read_metadata(package)
        self._names(root)
        persons = read_persons(package, main)
        for number, entry in enumerate(entries, 1):
            self._at = number
            self._sheet(entry, book, persons)
            x.progress(number, len(entries), "sheet")
        worksheets = sum(e.kind == "worksheet" for e in entries)
        if worksheets and self._unread == worksheets:
            raise ExtractError("corrupt", "no sheet of the workbook can be read")
        list_active(x, package)
        x.document.counts.update(
            sheets=len(entries), cells=self._cells, formulas=self._formulas, comments=self._comments, links=self._links,
            charts=self._drawings.charts, images=self._drawings.media.count,
        )  # fmt: skip

    def _alive(self) -> None:
        self._x.progress(self._at, None, "sheet")

    def _strings(self, main: str) -> list[str]:
        try:
            return read_strings(self._package, self._package.related(main, "sharedStrings"))
        except ExtractError as error:
            if error.code != "corrupt":
                raise
            self._x.warn("part-unreadable", "the shared strings cannot be read; cells that use them are empty")
            return []

    def _sheets(self, root: Any, main: str) -> list[_Entry]:
        relations = self._package.relationships(main)
        entries = []
        for element in inside(root, S + "sheets", S + "sheet"):
            relation = relations.get(element.get(R + "id") or "")
            part, kind = None, "worksheet"
            if relation is not None and not relation.external:
                part, kind = relation.target, relation.kind
            name = (element.get("name") or "")[:255]
            entries.append(
                _Entry(name, part, _KINDS.get(kind, "worksheet"), _STATES.get(element.get("state") or "", "visible"))
            )
            if len(entries) > _MAX_SHEETS:
                raise ExtractError("limit", "too many sheets", kind="sheets")
        return entries

    def _names(self, root: Any) -> None:
        left = _NAMES_BYTES
        for element in islice(inside(root, S + "definedNames", S + "definedName"), _MAX_NAMES):
            name, text = element.get("name") or "", element.text or ""
            left -= len(name) + len(text)
            if left < 0:
                self._x.warn("names-cut", "the workbook defines more names than are listed")
                return
            local = element.get("localSheetId")
            key = f"{name} (sheet {int(local) + 1})" if local and local.isdecimal() and len(local) < 7 else name
            self._x.document.defined_names[key[:512]] = text[:8192]
            if name.lower().startswith("_xlnm.auto_open") or name.lower() in {"auto_open", "auto_close"}:
                self._x.add("active_content", ActiveContent("auto_open", name[:255], text[:512]))

    def _sheet(self, entry: _Entry, book: Workbook, persons: dict[str, str]) -> None:
        x, package = self._x, self._package
        x.add("outline", OutlineItem(entry.name))
        if entry.kind == "chartsheet":
            x.sheet(Sheet(entry.name, entry.state, entry.kind))
            self._drawings.read(package.related(entry.part or "", "drawing") if entry.part else None, entry.name)
            return
        if entry.part is None or entry.part not in package:
            x.sheet(Sheet(entry.name, entry.state, entry.kind))
            x.warn("sheet-missing", "a sheet is listed whose part is not there", where=entry.name)
            self._unread += entry.kind == "worksheet"
            return
        comments = read_comments(x, package, entry.part, entry.name, persons)
        self._comments += len(comments)
        reader = SheetReader(x, package, entry.part, book, entry.name)
        facts = self._send_cells(entry, entry.part, reader, comments)
        for part, text in facts.headers:
            self._header(part, text)
        for ref, formula in reader.dde:
            x.add("active_content", ActiveContent("dde", f"{entry.name}!{ref}", formula[:512]))
        if entry.kind == "worksheet":
            self._cells += reader.filled
            self._formulas += reader.formulas
        self._drawings.read(package.related(entry.part, "drawing"), entry.name)

    def _send_cells(self, entry: _Entry, part: str, reader: SheetReader, comments: dict[str, str]) -> SheetFacts:
        """Send the sheet and its cells as they are read; a part that breaks off keeps what stood before.

        What is said about the sheet stands partly behind its cells, and must be sent before them. So the first cells are held; when
        there are more, the rest of the part is looked through for facts alone.
        """
        x = self._x
        stream = self._readable(entry, reader)
        held: list[SheetCell] = []
        for batch in stream:
            held += batch
            if len(held) >= _HELD:
                break
        facts = reader.facts
        if len(held) >= _HELD:
            facts = SheetFacts(x, entry.name)
            with suppress(ExtractError):  # the cells come to the same damage, and say so
                facts.scan(self._package, part)
        links = self._read_links(entry, facts)
        position = x.sheet(
            Sheet(entry.name, entry.state, entry.kind, facts.merged, facts.hidden_rows, sorted(facts.hidden_cols))
        )
        for cells in chain([held], stream):
            self._finish(cells, links, comments)
            for start in range(0, len(cells), _BATCH):
                x.cells(position, cells[start : start + _BATCH])
        x.cells(position, _empty_cells(links, comments))
        return facts

    def _readable(self, entry: _Entry, reader: SheetReader) -> Iterator[list[SheetCell]]:
        """The cells of a sheet, as far as its part can be read."""
        try:
            yield from reader.cells()
        except ExtractError as error:
            if error.code != "corrupt":
                raise
            self._x.warn(
                "sheet-unreadable", "a sheet's part is damaged; what stands before the damage was read", where=entry.name
            )
            if not reader.filled:
                self._unread += entry.kind == "worksheet"

    def _read_links(self, entry: _Entry, facts: SheetFacts) -> dict[str, str]:
        """Send the sheet's links; their targets by the first cell of each."""
        relations = self._package.relationships(entry.part or "")
        found: dict[str, str] = {}
        for ref, relation_id, location, display in facts.links:
            relation = relations.get(relation_id or "")
            target = relation.target if relation is not None else ""
            is_external = relation is not None and relation.external
            if location:
                target = f"{target}#{location}"
            if not target:
                continue
            self._links += 1
            kind: Literal["external", "internal"] = "external" if is_external else "internal"
            self._x.add("links", Link(target[:4096], display[:1024], kind, f"{entry.name}!{ref}"))
            found[ref.split(":")[0]] = target[:4096]
        return found

    @staticmethod
    def _finish(cells: list[SheetCell], links: dict[str, str], comments: dict[str, str]) -> None:
        if not links and not comments:
            return
        for cell in cells:
            cell.link = links.pop(cell.ref, None)
            cell.comment = comments.pop(cell.ref, None)

    def _header(self, part: str, text: str) -> None:
        shown = _HEADER_CODE.sub("", text.replace("&&", "\0")).replace("\0", "&").strip()
        if shown:
            where: Part = "header" if part == "header" else "footer"
            self._x.block(Block(self._x.next_id("b"), text=shown, part=where))


def _empty_cells(links: dict[str, str], comments: dict[str, str]) -> list[SheetCell]:
    """Cells without content that carry a comment or a link."""
    cells = []
    for ref in dict.fromkeys([*links, *comments]):
        place = parse_ref(ref)
        if place is not None:
            cells.append(SheetCell(ref, *place, type="blank", link=links.get(ref), comment=comments.get(ref)))
    return cells
