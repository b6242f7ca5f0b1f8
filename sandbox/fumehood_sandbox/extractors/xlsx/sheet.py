"""The cells of one worksheet as a stream: memory goes with real cells, never with the declared dimension.

A sheet's facts (merges, hidden rows and columns, links) stand partly behind its cells in the file; they are collected in
`SheetFacts` on the way.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from fumehood_sandbox.contract import SheetCell
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.numfmt import NumberFormat
from fumehood_sandbox.extractors.numfmt.dates import iso_serial
from fumehood_sandbox.extractors.ooxml.bounds import MAX_TEXT, cut
from fumehood_sandbox.extractors.xlsx import formulas
from fumehood_sandbox.extractors.xlsx.names import (
    MAX_COL,
    MAX_ROW,
    R,
    S,
    column_letters,
    column_number,
    integer,
    on,
    parse_ref,
    rich_text,
    unescape,
)
from fumehood_sandbox.extractors.xlsx.styles import Styles
from fumehood_sandbox.extractors.xlsx.values import set_number, set_text
from fumehood_sandbox.opc import Package

_C, _ROW, _V, _F, _IS = S + "c", S + "row", S + "v", S + "f", S + "is"
_HEADERS: Final = {
    S + name: part
    for part in ("header", "footer")
    for name in (f"odd{part.title()}", f"even{part.title()}", f"first{part.title()}")
}
_FACT_TAGS: Final = (
    S + "sheetFormatPr", S + "sheetView", S + "col", S + "mergeCell", S + "hyperlink", S + "drawing", S + "legacyDrawing", *_HEADERS,
)  # fmt: skip
_TAGS: Final = (_C, _ROW, *_FACT_TAGS)
_T = TypeVar("_T")
#: Cells between two signs of life.
_TICK: Final = 20_000
#: A sheet's facts cross in one frame.
_MAX_HIDDEN_ROWS: Final = 200_000
_MAX_MERGED: Final = 60_000


@dataclass(slots=True)
class Workbook:
    """What the cells of every sheet need."""

    strings: list[str]
    styles: Styles
    date1904: bool = False


@dataclass(slots=True)
class SheetFacts:
    """What is said about a sheet beside its cells."""

    merged: list[str] = field(default_factory=list)
    hidden_rows: list[int] = field(default_factory=list)
    hidden_cols: set[int] = field(default_factory=set)
    links: list[tuple[str, str | None, str | None, str]] = field(default_factory=list)
    """(ref, relationship, place in this workbook, display text)"""
    headers: list[tuple[str, str]] = field(default_factory=list)
    """(header or footer, text)"""
    drawing: str | None = None
    rows_hidden_by_default: bool = False
    formulas: int = 0
    filled: int = 0
    dde: list[tuple[str, str]] = field(default_factory=list)

    @property
    def cells(self) -> int:
        """Cells with a formula, an inline string or a value: what ``counts`` counts."""
        return self.filled


class SheetReader:
    """Reads one worksheet part. `cells` may be called again for a second pass."""

    def __init__(self, x: Extraction, package: Package, part: str, book: Workbook, name: str, number: int = 1) -> None:
        self._x = x
        self._package = package
        self._part = part
        self._book = book
        self._name = name
        self._number = number
        self.facts = SheetFacts()
        self._shared: dict[str, tuple[str, int, int]] = {}
        self._budget = x.request.max_output_bytes // 4

    def scan(self) -> SheetFacts:
        """The facts alone, from a pass over the whole part."""
        for _ in self.cells():
            pass
        return self.facts

    def cells(self) -> Generator[SheetCell, None, None]:
        """The cells that hold something, in file order. Fills `facts` afresh."""
        facts = self.facts = SheetFacts()
        self._shared = {}
        row, col = 0, 0
        row_element: Any = None
        row_hidden = False
        for _, element in self._package.stream(self._part, ("end",), _TAGS):
            tag = element.tag
            if tag == _C:
                if row_element is None:
                    row_element = element.getparent()
                    row, row_hidden = self._row(row_element, row)
                    col = 0
                ref = element.get("r")
                place = self._place(ref, row, col)
                col = place[1]
                if len(element):
                    cell = self._cell(element, *place)
                    if cell is not None:
                        if row_hidden:
                            cell.hidden = "hidden_row"
                        elif col in facts.hidden_cols:
                            cell.hidden = "hidden_col"
                        self._bound(cell)
                        yield cell
                    element.clear()
            elif tag == _ROW:
                if row_element is None:
                    row, row_hidden = self._row(element, row)
                row_element = None
                element.clear()
                before = element.getprevious()
                if before is not None:
                    before.getparent().remove(before)
            else:
                self._fact(element, tag)

    def _bound(self, cell: SheetCell) -> None:
        """One shared string may stand in any number of cells: what they say together is bounded."""
        if len(cell.text) > MAX_TEXT:
            cell.value = cell.text = cut(self._x, cell.text, self._name)
        self._budget -= len(cell.text)
        if cell.formula is not None:
            cell.formula = cut(self._x, cell.formula, self._name)
            self._budget -= len(cell.formula)
        if self._budget < 0:
            raise ExtractError("limit", "the cells of a sheet hold too much text", kind="output")

    def _row(self, element: Any, before: int) -> tuple[int, bool]:
        number = integer(element.get("r")) or before + 1
        attribute = element.get("hidden")
        hidden = on(attribute) if attribute is not None else self.facts.rows_hidden_by_default
        if hidden and number <= MAX_ROW:
            self._fact_of(self.facts.hidden_rows, number, _MAX_HIDDEN_ROWS)
        return number, hidden

    def _place(self, ref: str | None, row: int, col: int) -> tuple[int, int]:
        """Where the cell stands: its reference, or next to the one before where it has none."""
        if ref:
            digits = str(row)
            if ref.endswith(digits):
                number = column_number(ref[: -len(digits)])
                if number:
                    return row, number
            parsed = parse_ref(ref)
            if parsed is not None:
                return parsed
            self._x.warn("bad-reference", "a cell's reference is no cell of a sheet", where=self._name)
        return min(max(row, 1), MAX_ROW), min(col + 1, MAX_COL)

    def _cell(self, element: Any, row: int, col: int) -> SheetCell | None:
        raw: str | None = None
        formula: str | None = None
        inline: Any = None
        has_formula = False
        for child in element:
            tag = child.tag
            if tag == _V:
                raw = child.text
            elif tag == _F:
                has_formula = True
                formula = self._formula(child, row, col)
            elif tag == _IS:
                inline = child
        if not has_formula and inline is None and not raw:
            return None
        facts = self.facts
        facts.filled += 1
        if facts.filled % _TICK == 0:
            self._x.progress(self._number, None, "sheet")
        kind = element.get("t") or "n"
        style = self._book.styles.format(element.get("s"))
        cell = SheetCell(f"{column_letters(col)}{row}", row, col)
        if has_formula:
            facts.formulas += 1
            cell.formula = formula
            cell.cached = raw is not None or inline is not None
            if formula and formulas.is_dde(formula):
                facts.dde.append((cell.ref, formula))
        if style.kind != "general":
            cell.number_format = style.code
        if inline is not None and kind != "s":
            set_text(cell, rich_text(inline), style)
        elif raw is None:
            cell.type = "blank" if kind != "str" else "text"
        else:
            self._value(cell, kind, raw, style)
        return cell

    def _value(self, cell: SheetCell, kind: str, raw: str, style: NumberFormat) -> None:
        if kind == "s":
            index = integer(raw, -1)
            if 0 <= index < len(self._book.strings):
                set_text(cell, self._book.strings[index], style)
            else:
                self._x.warn("bad-string-index", "a cell refers to a shared string that is not there", where=self._name)
                set_text(cell, "", style)
        elif kind == "n":
            set_number(cell, raw, style, date1904=self._book.date1904)
        elif kind == "b":
            cell.type, cell.value = "bool", raw.strip() in {"1", "true"}
            cell.text = "TRUE" if cell.value else "FALSE"
        elif kind == "e":
            cell.type = "error"
            cell.value = cell.text = raw
        elif kind == "d":
            self._iso_date(cell, raw, style)
        else:  # "str", "inlineStr" with a value, and unknown kinds
            set_text(cell, unescape(raw), style)

    def _iso_date(self, cell: SheetCell, raw: str, style: NumberFormat) -> None:
        """A date in ISO 8601, as strict workbooks may hold it: shown as its serial number would be."""
        serial = iso_serial(raw, date1904=self._book.date1904)
        if serial is None:
            cell.type, cell.value, cell.text = "text", raw, raw
            return
        cell.type, cell.value = "date", raw
        cell.text = raw if style.kind == "general" else style.show(serial, date1904=self._book.date1904)

    def _formula(self, element: Any, row: int, col: int) -> str | None:
        text = element.text or ""
        kind = element.get("t")
        if kind == "shared":
            key = element.get("si") or ""
            if text:
                self._shared.setdefault(key, (text, row, col))
            elif key in self._shared:
                source, from_row, from_col = self._shared[key]
                moved = formulas.move(source, row - from_row, col - from_col)
                if moved is None:
                    self._x.warn("shared-formula", "a long shared formula is given for its first cell only", where=self._name)
                    return None
                return formulas.shown(moved)
        elif kind == "dataTable":
            return formulas.shown(f"TABLE({element.get('r1') or ''},{element.get('r2') or ''})")
        return formulas.shown(unescape(text)) if text else None

    def _fact_of(self, known: list[_T], fact: _T, most: int) -> None:
        if len(known) < most:
            known.append(fact)
        else:
            self._x.warn("sheet-facts-cut", f"more than {most} merges or hidden rows; the rest is not listed", where=self._name)

    def _fact(self, element: Any, tag: str) -> None:
        facts = self.facts
        if tag == S + "mergeCell":
            ref = element.get("ref")
            if ref:
                self._fact_of(facts.merged, ref[:32], _MAX_MERGED)
        elif tag == S + "hyperlink":
            ref = element.get("ref") or ""
            facts.links.append((ref[:64], element.get(R + "id"), element.get("location"), element.get("display") or ""))
        elif tag == S + "col":
            if on(element.get("hidden")) or element.get("width") == "0":
                first, last = integer(element.get("min"), 1), integer(element.get("max"), 0)
                facts.hidden_cols.update(range(max(first, 1), min(last, MAX_COL) + 1))
        elif tag == S + "sheetFormatPr":
            facts.rows_hidden_by_default = on(element.get("zeroHeight"))
        elif tag == S + "drawing":
            facts.drawing = element.get(R + "id")
        elif tag in _HEADERS and element.text:
            facts.headers.append((_HEADERS[tag], element.text))
        if tag != S + "col":
            element.clear()
