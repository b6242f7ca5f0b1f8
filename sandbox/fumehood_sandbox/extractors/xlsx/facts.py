"""What is said about a sheet beside its cells, partly behind them in the file: merges, hidden rows and columns, links."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from fumehood_sandbox import xmlsafe
from fumehood_sandbox.contract import Validation
from fumehood_sandbox.errors import ExtractError
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.xlsx.names import MAX_COL, MAX_ROW, R, S, integer, on, unescape
from fumehood_sandbox.extractors.xlsx.richvalues import RichPicture
from fumehood_sandbox.extractors.xlsx.rowtext import ROW_TAG, attributes
from fumehood_sandbox.opc import Package
from fumehood_sandbox.xmlrows import RowCutter, Stretch

C: Final = S + "c"
ROW: Final = S + "row"
_MERGE, _LINK, _COL, _FORMAT = S + "mergeCell", S + "hyperlink", S + "col", S + "sheetFormatPr"
_FILTER, _VALIDATION = S + "autoFilter", S + "dataValidation"
_X14: Final = "{http://schemas.microsoft.com/office/spreadsheetml/2009/9/main}"
_XM: Final = "{http://schemas.microsoft.com/office/excel/2006/main}"
_X14_VALIDATION: Final = _X14 + "dataValidation"
_HEADERS: Final = {
    S + name: part
    for part in ("header", "footer")
    for name in (f"odd{part.title()}", f"even{part.title()}", f"first{part.title()}")
}
TAGS: Final = frozenset({_MERGE, _LINK, _COL, _FORMAT, _FILTER, _VALIDATION, _X14_VALIDATION, *_HEADERS})
#: What is looked at only when it is complete.
WHOLE: Final = frozenset({C, _VALIDATION, _X14_VALIDATION})
_T = TypeVar("_T")
#: A sheet's facts cross in one frame.
_MAX_HIDDEN_ROWS: Final = 200_000
_MAX_MERGED: Final = 60_000
_MAX_VALIDATIONS: Final = 2000
_MAX_FORMULA: Final = 1024
_MAX_TAGS: Final = 4096


class SheetFacts:
    """The facts of the sheet called *name*, as far as it was read."""

    __slots__ = (
        "_hidden_bits", "_name", "_x", "filter", "headers", "hidden_cols", "hidden_rows", "links", "merged", "pictures", "rows_hidden_by_default",
        "validations",
    )  # fmt: skip

    def __init__(self, x: Extraction, name: str) -> None:
        self._x = x
        self._name = name
        self.merged: list[str] = []
        self.hidden_rows: list[int] = []
        self.hidden_cols: set[int] = set()
        self._hidden_bits = 0
        """The same, a bit for each column."""
        self.links: list[tuple[str, str | None, str | None, str]] = []
        """(ref, relationship, place in this workbook, display text)"""
        self.headers: list[tuple[str, str]] = []
        """(header or footer, text)"""
        self.rows_hidden_by_default = False
        self.filter: str | None = None
        self.validations: list[Validation] = []
        self.pictures: list[tuple[str, RichPicture]] = []
        """(cell, what it shows in place of a value)"""

    def validate(self, validation: Validation) -> None:
        self._list(self.validations, validation, _MAX_VALIDATIONS)

    def merge(self, ref: str) -> None:
        self._list(self.merged, ref, _MAX_MERGED)

    def hide_row(self, number: int) -> None:
        if number <= MAX_ROW:
            self._list(self.hidden_rows, number, _MAX_HIDDEN_ROWS)

    def hide_columns(self, first: int, last: int) -> None:
        """Note the columns from *first* to *last*; the time goes with those that were not hidden before."""
        first, last = max(first, 1), min(last, MAX_COL)
        if first > last:
            return
        fresh = ((1 << (last + 1)) - (1 << first)) & ~self._hidden_bits
        self._hidden_bits |= fresh
        bits = f"{fresh:b}"[::-1] if fresh else ""
        at = bits.find("1")
        while at >= 0:
            self.hidden_cols.add(at)
            at = bits.find("1", at + 1)

    def _list(self, known: list[_T], fact: _T, most: int) -> None:
        if len(known) < most:
            known.append(fact)
        else:
            self._x.warn(
                "sheet-facts-cut",
                f"more than {most} merges, hidden rows or validations; the rest is not listed",
                where=self._name,
            )


class XmlFacts(SheetFacts):
    """The same, as a part in XML says it."""

    __slots__ = ("_tags",)

    def __init__(self, x: Extraction, name: str) -> None:
        super().__init__(x, name)
        self._tags: dict[str, str | None] = {}

    def scan(self, package: Package, part: str) -> None:
        """Read the whole *part*, whose cells are passed over.

        Raises:
            ExtractError: what stood before the damage is known.
        """
        row = 0
        for given in package.stream_rows(part, WHOLE, row_cutter()):
            if isinstance(given, Stretch):
                passed = self._pass_rows(given)
                row = self._pass_parsed(given, row) if passed is None else passed
                continue
            for element in given[1]:
                row = self._pass(element, row)

    def _pass_rows(self, stretch: Stretch) -> int | None:
        """Note the hidden ones among rows in text; the last one's number, or None where it takes a parser to tell."""
        text = stretch.text
        tags = ROW_TAG.findall(text)
        if len(tags) != text.count("<row"):
            return None
        found = []
        for before, number, behind in tags:
            said = self.row_attributes(before + behind, stretch.head)
            if said is None:
                return None
            found.append((int(number), said))
        for row, said in found:
            self.begin_row(row, said)
        return found[-1][0]

    def row_attributes(self, written: str, head: str) -> str | None:
        """The attribute ``hidden`` among those *written* in a row's tag behind its number; "" for none, None where it takes a
        parser to tell.
        """
        if written in self._tags:
            return self._tags[written]
        found = attributes(written.removesuffix("/"))
        said = None
        if found is not None and "r" not in found and all(_is_known(name, head) for name in found):
            said = found.get("hidden", "")
        if len(self._tags) < _MAX_TAGS:
            self._tags[written] = said
        return said

    def _pass_parsed(self, stretch: Stretch, row: int) -> int:
        try:
            root = xmlsafe.parse(stretch.whole(stretch.text))
        except ExtractError as error:
            if error.code != "corrupt":
                raise
            stretch.refused = stretch.text
            return row
        return self._pass(root, row)

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
        return number, self.begin_row(number, element.get("hidden") or "")

    def begin_row(self, number: int, said: str) -> bool:
        """Whether row *number* is hidden, whose attribute says *said*, "" where there is none."""
        hidden = on(said) if said else self.rows_hidden_by_default
        if hidden:
            self.hide_row(number)
        return hidden

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
        elif tag == _FILTER:
            self.filter = (get("ref") or "")[:32] or self.filter
        elif tag in WHOLE:
            self.validate(_validation(element))
        elif element.text:
            self.headers.append((_HEADERS[tag], element.text))


def row_cutter() -> RowCutter:
    """What cuts the rows of one worksheet part."""
    return RowCutter(S + "sheetData", "sheetData", "row")


def _is_known(name: str, head: str) -> bool:
    """Whether the prefix of an attribute, where it has one, is declared in the root's start tag."""
    prefix, colon, _ = name.partition(":")
    return name != "xmlns" and (not colon or f" xmlns:{prefix}=" in head)


def _validation(element: Any) -> Validation:
    """A rule for what cells may hold (18.3.1.32); newer ones, which may name other sheets, stand in an extension ([MS-XLSX] 2.6.12)."""
    new = element.tag == _X14_VALIDATION
    get = element.get

    def formula(number: int) -> str | None:
        name = f"formula{number}"
        found = element.findtext(f"{_X14}{name}/{_XM}f") if new else element.findtext(S + name)
        return unescape(found)[:_MAX_FORMULA] if found else None

    ref = (element.findtext(_XM + "sqref") if new else get("sqref")) or ""
    rule = Validation(ref[:_MAX_FORMULA], (get("type") or "none")[:32], formula=formula(1), formula2=formula(2))
    if rule.type not in {"none", "list", "custom"}:
        rule.operator = (get("operator") or "between")[:32]
    if rule.type == "list" and rule.formula and rule.formula[0] == rule.formula[-1] == '"' and len(rule.formula) > 1:
        rule.values = [value.strip() for value in rule.formula[1:-1].replace('""', '"').split(",")]
        rule.formula = None
    rule.prompt = ": ".join(t for t in (get("promptTitle"), get("prompt")) if t)[:_MAX_FORMULA] or None
    return rule
