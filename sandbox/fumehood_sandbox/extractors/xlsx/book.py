"""A workbook's sheets, one after the other, whichever way its parts are written: what is read of them, and what is sent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Final, Literal

from fumehood_sandbox.contract import ActiveContent, Block, Link, OutlineItem, Part, Sheet, SheetCell, SheetTable
from fumehood_sandbox.errors import ExtractError
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.ooxml.active import linked, list_active
from fumehood_sandbox.extractors.ooxml.embedded import attach_parts, embedded_parts
from fumehood_sandbox.extractors.ooxml.properties import read_metadata
from fumehood_sandbox.extractors.xlsx import formulas
from fumehood_sandbox.extractors.xlsx.comments import Note, read_comments, read_persons
from fumehood_sandbox.extractors.xlsx.drawings import Drawings
from fumehood_sandbox.extractors.xlsx.facts import SheetFacts
from fumehood_sandbox.extractors.xlsx.headings import heading
from fumehood_sandbox.extractors.xlsx.names import MAX_COL, parse_ref
from fumehood_sandbox.extractors.xlsx.sheets import CellReader, Entry
from fumehood_sandbox.opc import Package

#: Cells that are held until what is said about the sheet behind them is known.
HELD: Final = 20_000
_BATCH: Final = 2000
MAX_SHEETS: Final = 20_000
_MAX_NAMES: Final = 20_000
_NAMES_BYTES: Final = 256 * 1024
_PARTIAL_CHARACTERS: Final = 4 * 1024 * 1024
_MAX_TABLES: Final = 1000
_TABLES_CHARACTERS: Final = 256 * 1024


class BookReader(ABC):
    """Reads one workbook into an `Extraction`. What is written differently in each kind of workbook is its subclass's."""

    def __init__(self, x: Extraction) -> None:
        self._x = x
        self._package = Package(x.data, x.warn, x.zip_limits)
        self._package.alive = self._alive
        self._at = 0
        """The sheet that is being read, from 1."""
        self._drawings = Drawings(x, self._package)
        self._cells = self._formulas = self._comments = self._links = self._unread = 0

    def _main_part(self) -> str:
        return self._package.main

    @abstractmethod
    def _open(self, main: str) -> list[Entry]:
        """Read the workbook part *main* and what all sheets need; the sheets in their order.

        Raises:
            ExtractError: ``corrupt`` when it cannot be read.
        """

    @abstractmethod
    def _names(self) -> Iterable[tuple[str, str, int | None]]:
        """``(name, text, sheet)`` of the defined names; the sheet, from 0, of one that only holds there."""

    @abstractmethod
    def _notes(self, part: str) -> Iterable[Note]:
        """The notes of the sheet in *part*."""

    @abstractmethod
    def _reader(self, name: str, part: str) -> CellReader:
        """What reads the sheet called *name* in *part*."""

    def _sheet_tables(self, part: str) -> Iterable[SheetTable]:
        """The tables of the sheet in *part*; none where they are not read."""
        del part
        return ()

    def _linked(self, package: Package, part: str) -> list[ActiveContent]:
        """What the external link in *part* would start."""
        return linked(package, part)

    def read(self) -> None:
        """Everything, sheet by sheet.

        Raises:
            ExtractError: ``corrupt`` when the workbook part, or every sheet of it, cannot be read.
        """
        x, package = self._x, self._package
        main = self._main_part()
        entries = self._open(main)
        if len(entries) > MAX_SHEETS:
            raise ExtractError("limit", "too many sheets", kind="sheets")
        x.document.metadata, x.document.custom_properties = read_metadata(package)
        self._define(self._names())
        persons = read_persons(package, main)
        for number, sheet in enumerate(entries, 1):
            self._at = number
            self._sheet(sheet, persons)
            x.progress(number, len(entries), "sheet")
        worksheets = sum(e.kind == "worksheet" for e in entries)
        if worksheets and self._unread == worksheets:
            raise ExtractError("corrupt", "no sheet of the workbook can be read")
        list_active(x, package, self._linked)
        x.document.counts.update(
            sheets=len(entries), cells=self._cells, formulas=self._formulas, comments=self._comments, links=self._links + self._drawings.links,
            charts=self._drawings.charts, images=self._drawings.media.count,
        )  # fmt: skip
        attach_parts(x, package, embedded_parts(package))

    def _alive(self) -> None:
        self._x.progress(self._at, None, "sheet")

    def _define(self, names: Iterable[tuple[str, str, int | None]]) -> None:
        left = _NAMES_BYTES
        for name, text, sheet in islice(names, _MAX_NAMES):
            left -= len(name) + len(text)
            if left < 0:
                self._x.warn("names-cut", "the workbook defines more names than are listed")
                return
            key = name if sheet is None else f"{name} (sheet {sheet + 1})"
            self._x.document.defined_names[key[:512]] = text[:8192]
            if name.lower().startswith("_xlnm.auto_open") or name.lower() in {"auto_open", "auto_close"}:
                self._x.add("active_content", ActiveContent("auto_open", name[:255], text[:512]))

    def _sheet(self, sheet: Entry, persons: dict[str, str]) -> None:
        x, package = self._x, self._package
        x.add("outline", OutlineItem(sheet.name))
        if sheet.kind == "chartsheet":
            x.sheet(Sheet(sheet.name, sheet.state, sheet.kind))
            self._drawings.read(package.related(sheet.part or "", "drawing") if sheet.part else None, sheet.name)
            return
        if sheet.part is None or sheet.part not in package:
            x.sheet(Sheet(sheet.name, sheet.state, sheet.kind))
            x.warn("sheet-missing", "a sheet is listed whose part is not there", where=sheet.name)
            self._unread += sheet.kind == "worksheet"
            return
        comments = read_comments(x, package, sheet.part, sheet.name, persons, self._notes(sheet.part))
        self._comments += len(comments)
        reader = self._reader(sheet.name, sheet.part)
        facts = self._send_cells(sheet, reader, comments)
        for part, text in facts.headers:
            self._header(part, text, sheet.name)
        for ref, formula in reader.dde:
            x.add("active_content", ActiveContent("dde", f"{sheet.name}!{ref}", formula[:512]))
        if sheet.kind == "worksheet":
            self._cells += reader.filled
            self._formulas += reader.formulas
        formulas.warn_uncalculated(x, sheet.name, reader.uncalculated)
        for ref, picture in reader.facts.pictures:
            self._drawings.show(picture.part, picture.relation, picture.alt, f"{sheet.name}!{ref}")
        self._drawings.read(package.related(sheet.part, "drawing"), sheet.name)
        self._drawings.read_behind(sheet.part, sheet.name)

    def _send_cells(self, sheet: Entry, reader: CellReader, comments: dict[str, str]) -> SheetFacts:
        """Send the sheet and its cells as they are read; a part that breaks off keeps what stood before.

        What is said about the sheet stands partly behind its cells, and must be sent before them. So the first cells are held; when
        there are more, the rest of the part is looked through for facts alone.
        """
        x = self._x
        stream = self._readable(sheet, reader)
        held: list[SheetCell] = []
        limit: ExtractError | None = None
        try:
            for batch in stream:
                held += batch
                if len(held) >= HELD:
                    break
        except ExtractError as error:
            limit = error
            held = _beginning(held)
        facts = reader.facts
        if len(held) >= HELD:
            facts = reader.all_facts()
        links = self._read_links(sheet, facts)
        position = x.sheet(
            Sheet(
                sheet.name,
                sheet.state,
                sheet.kind,
                facts.merged,
                facts.hidden_rows,
                sorted(facts.hidden_cols),
                facts.filter,
                self._listed(sheet),
                facts.validations,
            )
        )
        for cells in chain([held], stream):
            self._finish(cells, links, comments)
            for start in range(0, len(cells), _BATCH):
                x.cells(position, cells[start : start + _BATCH])
        if limit is not None:  # what was held has been sent: it is the partial answer
            raise limit
        x.cells(position, _empty_cells(links, comments))
        return facts

    def _listed(self, sheet: Entry) -> list[SheetTable]:
        """The tables of a sheet, as far as they fit into one frame with it."""
        found: list[SheetTable] = []
        left = _TABLES_CHARACTERS
        for table in islice(self._sheet_tables(sheet.part or ""), _MAX_TABLES):
            table.name, table.ref = table.name[:255], table.ref[:32]
            table.columns = [name[:255] for name in table.columns[:MAX_COL]]
            left -= sum(map(len, table.columns)) + 512
            if left < 0:
                self._x.warn("tables-cut", "a sheet has more tables than are listed", where=sheet.name)
                break
            found.append(table)
        return found

    def _readable(self, sheet: Entry, reader: CellReader) -> Iterator[list[SheetCell]]:
        """The cells of a sheet, as far as its part can be read."""
        try:
            yield from reader.cells()
        except ExtractError as error:
            if error.code != "corrupt":
                raise
            self._x.warn(
                "sheet-unreadable", "a sheet's part is damaged; what stands before the damage was read", where=sheet.name
            )
            if not reader.filled:
                self._unread += sheet.kind == "worksheet"

    def _read_links(self, sheet: Entry, facts: SheetFacts) -> dict[str, str]:
        """Send the sheet's links; their targets by the first cell of each."""
        relations = self._package.relationships(sheet.part or "")
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
            self._x.add("links", Link(target[:4096], display[:1024], kind, f"{sheet.name}!{ref}"))
            found[ref.split(":")[0]] = target[:4096]
        return found

    @staticmethod
    def _finish(cells: list[SheetCell], links: dict[str, str], comments: dict[str, str]) -> None:
        if not links and not comments:
            return
        for cell in cells:
            cell.link = links.pop(cell.ref, None)
            cell.comment = comments.pop(cell.ref, None)

    def _header(self, part: str, text: str, sheet: str) -> None:
        where: Part = "header" if part == "header" else "footer"
        shown = heading(text, sheet)
        if shown:
            self._x.block(Block(self._x.next_id("b"), text=shown, part=where))


def _beginning(cells: list[SheetCell]) -> list[SheetCell]:
    """The first of *cells*: what is sent of a sheet that is made to be far too much is an answer, not all of it."""
    left = _PARTIAL_CHARACTERS
    for at, cell in enumerate(cells):
        left -= len(cell.text) + len(cell.formula or "")
        if left < 0:
            return cells[:at]
    return cells


def _empty_cells(links: dict[str, str], comments: dict[str, str]) -> list[SheetCell]:
    """Cells without content that carry a comment or a link."""
    cells = []
    for ref in dict.fromkeys([*links, *comments]):
        place = parse_ref(ref)
        if place is not None:
            cells.append(SheetCell(ref, *place, type="blank", link=links.get(ref), comment=comments.get(ref)))
    return cells
