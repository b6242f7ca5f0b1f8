"""The cells of one worksheet as a stream: memory goes with real cells, never with the declared dimension."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final

from fumehood_sandbox import xmlsafe
from fumehood_sandbox.contract import SheetCell
from fumehood_sandbox.errors import ExtractError
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.numfmt import NumberFormat
from fumehood_sandbox.extractors.ooxml.bounds import MAX_TEXT, cut
from fumehood_sandbox.extractors.xlsx import formulas
from fumehood_sandbox.extractors.xlsx.facts import ROW, TAGS, WHOLE, C, SheetFacts, XmlFacts, row_cutter
from fumehood_sandbox.extractors.xlsx.names import (
    COLUMNS,
    MAX_COL,
    MAX_ROW,
    S,
    column_letters,
    column_number,
    integer,
    parse_ref,
    rich_text,
)
from fumehood_sandbox.extractors.xlsx.plainrows import PlainRows
from fumehood_sandbox.extractors.xlsx.richvalues import RichPicture, RichValue
from fumehood_sandbox.extractors.xlsx.shared import Workbook
from fumehood_sandbox.extractors.xlsx.values import set_text, set_typed
from fumehood_sandbox.opc import Package
from fumehood_sandbox.xmlrows import Stretch

_V, _F, _IS = S + "v", S + "f", S + "is"
_ROW_END: Final = "</row>"
#: After so many rows in a row that the text alone did not tell, the parser reads all that are at hand.
_ODD: Final = 4


class SheetReader:
    """Reads one worksheet part from its beginning to its end."""

    def __init__(self, x: Extraction, package: Package, part: str, book: Workbook, name: str) -> None:
        self._x = x
        self._package = package
        self._part = part
        self._book = book
        self._name = name
        self._facts = XmlFacts(x, name)
        self.facts: SheetFacts = self._facts
        self.filled = 0
        self.formulas = 0
        self.uncalculated = 0
        self.dde: list[tuple[str, str]] = []
        self._texts = formulas.Formulas(x, name)
        self._plain = PlainRows(book, self._facts)
        self._budget = x.request.max_output_bytes // 4
        self._open: Any = None
        """The row whose cells are being read."""
        self._row = self._col = 0
        self._hidden = False

    def cells(self) -> Iterator[list[SheetCell]]:
        """The cells, as `sheets.CellReader` has them."""
        for given in self._package.stream_rows(self._part, WHOLE, row_cutter()):
            found: list[SheetCell] = []
            limit: ExtractError | None = None
            try:
                if isinstance(given, Stretch):
                    self._read_rows(given, found)
                else:
                    parent, children = given
                    for element in children:
                        self._read(element, parent, found)
            except ExtractError as error:
                limit = error
            if found:
                yield found
            if limit is not None:
                raise limit

    def _read_rows(self, stretch: Stretch, found: list[SheetCell]) -> None:
        """Rows in text: those that are written in the usual way from the text, the others by the parser."""
        rows = stretch.text.split(_ROW_END)
        at = odd = 0
        while at < len(rows) - 1:
            cells = self._plain.read(rows[at], stretch.head)
            if cells is not None:
                self._take(cells)
                found += cells
                at, odd = at + 1, 0
                continue
            odd += 1
            end = at + 1 if odd < _ODD else len(rows) - 1  # where one row is like this, those behind it often are
            text = _ROW_END.join([*rows[at:end], ""])
            try:
                root = xmlsafe.parse(stretch.whole(text))
            except ExtractError as error:
                if error.code != "corrupt":
                    raise
                stretch.refused = _ROW_END.join(rows[at:])
                return
            self._read(root, None, found)
            at = end

    def _take(self, cells: list[SheetCell]) -> None:
        """Count the *cells* of a row that was read from its text."""
        self._row = self._plain.row
        self.filled += len(cells)
        said = sum([len(cell.text) for cell in cells])
        done = 0
        for at, text, given in self._plain.formulas:
            said += self._texts.over(cells[done:at])
            cell, done = cells[at], at
            cell.formula = self._texts.text(text, given, cell.row, cell.col)
            said += len(cell.formula or "")
            self._count_formula(cell)
        said += self._texts.over(cells[done:])
        self._account(said)

    def _count_formula(self, cell: SheetCell) -> None:
        self.formulas += 1
        self.uncalculated += not cell.cached
        if cell.formula and formulas.is_dde(cell.formula):
            self.dde.append((cell.ref, cell.formula))

    def _account(self, said: int) -> None:
        self._budget -= said
        if self._budget < 0:  # one shared string may stand in any number of cells: what they say together is bounded
            raise ExtractError("limit", "the cells of a sheet hold too much text", kind="output")

    def all_facts(self) -> SheetFacts:
        """What the whole part says about the sheet."""
        facts = XmlFacts(self._x, self._name)
        with suppress(ExtractError):  # the cells come to the same damage, and say so
            facts.scan(self._package, self._part)
        return facts

    def _read(self, element: Any, parent: Any, found: list[SheetCell]) -> None:
        tag = element.tag
        if tag == C:
            if parent is not self._open:
                self._begin(parent)
            self._read_cells([element], found)
        elif tag == ROW:
            if element is not self._open:
                self._begin(element)
            self._read_cells(element, found)
            self._open = None
        elif tag in TAGS:
            self._facts.take(element)
        else:
            for child in element:
                self._read(child, element, found)

    def _begin(self, row: Any) -> None:
        self._open = row
        self._row, self._hidden = self._facts.row(row, self._row)
        self._col = 0

    def _read_cells(self, elements: Iterable[Any], found: list[SheetCell]) -> None:
        """Read cells of the row that is open."""
        row, col = self._row, self._col
        digits = str(row)
        letters = -len(digits)
        hidden_cols = self.facts.hidden_cols
        said = 0
        for element in elements:
            if element.tag != C:
                self._read(element, self._open, found)
                continue
            ref, at = element.get("r"), row
            number = COLUMNS.get(ref[:letters]) if ref is not None and ref.endswith(digits) else None
            if number is not None:
                col = number
            else:
                at, col = self._place(ref, row, col)
                ref = f"{column_letters(col)}{at}"
            if not len(element):
                continue
            cell = self._cell(element, ref, at, col)
            if cell is None:
                continue
            if self._hidden:
                cell.hidden = "hidden_row"
            elif col in hidden_cols:
                cell.hidden = "hidden_col"
            if len(cell.text) > MAX_TEXT:
                cell.value = cell.text = cut(self._x, cell.text, self._name)
            said += len(cell.text)
            self._texts.over([cell])
            said += len(cell.formula or "")
            found.append(cell)
            if said > MAX_TEXT:  # not at the row's end only: a row may be all of a sheet
                self._account(said)
                said = 0
        self._col = col
        self._account(said)

    def _place(self, ref: str | None, row: int, col: int) -> tuple[int, int]:
        """Where the cell stands: its reference, or next to the one before where it has none."""
        if ref:
            digits = str(row)
            if ref.endswith(digits):
                letters = ref[: -len(digits)]
                number = column_number(letters)
                if number:
                    if column_letters(number) == letters:
                        COLUMNS[letters] = number
                    return row, number
            parsed = parse_ref(ref)
            if parsed is not None:
                return parsed
            self._x.warn("bad-reference", "a cell's reference is no cell of a sheet", where=self._name)
        return min(max(row, 1), MAX_ROW), min(col + 1, MAX_COL)

    def _cell(self, element: Any, ref: str, row: int, col: int) -> SheetCell | None:
        raw: str | None = None
        formula: str | None = None
        inline: Any = None
        has_formula = has_value = False
        for child in element:
            tag = child.tag
            if tag == _V:
                raw, has_value = child.text, True
            elif tag == _F:
                has_formula = True
                formula = self._texts.text(child.text or "", child.attrib, row, col)
            elif tag == _IS:
                inline = child
        if not has_formula and inline is None and not raw:
            return None
        self.filled += 1
        kind = element.get("t")
        style = self._book.styles.format(element.get("s"))
        cell = SheetCell(ref, row, col)
        if has_formula:
            cell.formula = formula
            # Of a text, nothing is a value: an empty one.
            cell.cached = raw is not None or inline is not None or (has_value and kind == "str")
            self._count_formula(cell)
        if style.kind != "general":
            cell.number_format = style.code
        if inline is not None and kind != "s":
            set_text(cell, rich_text(inline), style)
        elif self._book.rich and (rich := self._book.rich.get(integer(element.get("vm")))) is not None:
            self._show_rich(cell, rich)
        elif raw is None:
            cell.type = "blank" if kind != "str" else "text"
        else:
            self._value(cell, kind, raw, style)
        return cell

    def _show_rich(self, cell: SheetCell, rich: RichValue) -> None:
        """The value in the cell is for programs that do not know this one."""
        if isinstance(rich, RichPicture):
            cell.type = "blank"
            self.facts.pictures.append((cell.ref, rich))
        else:
            cell.type = "error"
            cell.value = cell.text = rich

    def _value(self, cell: SheetCell, kind: str | None, raw: str, style: NumberFormat) -> None:
        if kind != "s":
            set_typed(cell, kind, raw, style, date1904=self._book.date1904)
            return
        index = integer(raw, -1)
        if 0 <= index < len(self._book.strings):
            set_text(cell, self._book.strings[index], style)
        else:
            self._x.warn("bad-string-index", "a cell refers to a shared string that is not there", where=self._name)
            set_text(cell, "", style)
