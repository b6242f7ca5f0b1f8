"""What is said about a sheet beside its cells, partly behind them in the file: merges, hidden rows and columns, links."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.xlsx.names import MAX_COL, MAX_ROW, R, S, integer, on
from fumehood_sandbox.opc import Package

C: Final = S + "c"
ROW: Final = S + "row"
_MERGE, _LINK, _COL, _FORMAT = S + "mergeCell", S + "hyperlink", S + "col", S + "sheetFormatPr"
_HEADERS: Final = {
    S + name: part
    for part in ("header", "footer")
    for name in (f"odd{part.title()}", f"even{part.title()}", f"first{part.title()}")
}
TAGS: Final = frozenset({_MERGE, _LINK, _COL, _FORMAT, *_HEADERS})
_T = TypeVar("_T")
#: A sheet's facts cross in one frame.
_MAX_HIDDEN_ROWS: Final = 200_000
_MAX_MERGED: Final = 60_000


class SheetFacts:
    """The facts of the sheet called *name*, as far as it was read."""

    __slots__ = ("_name", "_x", "headers", "hidden_cols", "hidden_rows", "links", "merged", "rows_hidden_by_default")

    def __init__(self, x: Extraction, name: str) -> None:
        self._x = x
        self._name = name
        self.merged: list[str] = []
        self.hidden_rows: list[int] = []
        self.hidden_cols: set[int] = set()
        self.links: list[tuple[str, str | None, str | None, str]] = []
        """(ref, relationship, place in this workbook, display text)"""
        self.headers: list[tuple[str, str]] = []
        """(header or footer, text)"""
        self.rows_hidden_by_default = False

    def merge(self, ref: str) -> None:
        self._list(self.merged, ref, _MAX_MERGED)

    def hide_row(self, number: int) -> None:
        if number <= MAX_ROW:
            self._list(self.hidden_rows, number, _MAX_HIDDEN_ROWS)

    def hide_columns(self, first: int, last: int) -> None:
        self.hidden_cols.update(range(max(first, 1), min(last, MAX_COL) + 1))

    def _list(self, known: list[_T], fact: _T, most: int) -> None:
        if len(known) < most:
            known.append(fact)
        else:
            self._x.warn("sheet-facts-cut", f"more than {most} merges or hidden rows; the rest is not listed", where=self._name)


class XmlFacts(SheetFacts):
    """The same, as a part in XML says it."""

    __slots__ = ()

    def scan(self, package: Package, part: str) -> None:
        """Read the whole *part*, whose cells are passed over.

        Raises:
            ExtractError: what stood before the damage is known.
        """
        row = 0
        for _, children in package.stream(part):
            for element in children:
                row = self._pass(element, row)

    def _pass(self, element: Any, row: int) -> int:
        tag = element.tag
        if tag == ROW:
            return self.row(element, row)[0]
        if tag in TAGS:
            self.take(element)
        elif tag != C:
            for child in element:
                row = self._pass(child, row)
        return row

    def row(self, element: Any, before: int) -> tuple[int, bool]:
        """The number of a row that follows the row *before*, and whether it is hidden."""
        number = integer(element.get("r")) or before + 1
        attribute = element.get("hidden")
        hidden = on(attribute) if attribute is not None else self.rows_hidden_by_default
        if hidden:
            self.hide_row(number)
        return number, hidden

    def take(self, element: Any) -> None:
        """Note what an element of `TAGS` says."""
        tag, get = element.tag, element.get
        if tag == _MERGE:
            ref = get("ref")
            if ref:
                self.merge(ref[:32])
        elif tag == _LINK:
            self.links.append(((get("ref") or "")[:64], get(R + "id"), get("location"), get("display") or ""))
        elif tag == _COL:
            if on(get("hidden")) or get("width") == "0":
                self.hide_columns(integer(get("min"), 1), integer(get("max"), 0))
        elif tag == _FORMAT:
            self.rows_hidden_by_default = on(get("zeroHeight"))
        elif element.text:
            self.headers.append((_HEADERS[tag], element.text))
