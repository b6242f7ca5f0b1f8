"""Cells of rows that are written in the usual way (`rowtext`), made from their text: several times as fast as from elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fumehood_sandbox.contract import SheetCell
from fumehood_sandbox.extractors.ooxml.bounds import MAX_TEXT
from fumehood_sandbox.extractors.xlsx.names import COLUMN_NUMBERS, column_number, unescape
from fumehood_sandbox.extractors.xlsx.rowtext import CELL, ROW_TAG, attributes, plain
from fumehood_sandbox.extractors.xlsx.values import Shown, set_text, set_typed, shown_number

if TYPE_CHECKING:
    from fumehood_sandbox.extractors.numfmt import NumberFormat
    from fumehood_sandbox.extractors.xlsx.facts import XmlFacts
    from fumehood_sandbox.extractors.xlsx.shared import Workbook

_CELL_ATTRIBUTES: Final = frozenset({"s", "t", "cm", "vm", "ph"})
_FORMULA_ATTRIBUTES: Final = frozenset({"t", "ref", "si", "ca", "aca"})
_FORMULA_KINDS: Final = frozenset({None, "normal", "shared", "array"})
_MAX_KINDS: Final = 65_536
#: Of one sheet: more than this many values are seldom met again.
_MAX_KNOWN: Final = 65_536
_EMPTY_TEXT: Final[Shown] = ("text", None, "", None)
_BLANK: Final[Shown] = ("blank", None, "", None)


class _Kind:
    """What the attributes of a cell say: its type and its format. ``known`` has what a value of this kind shows."""

    __slots__ = ("code", "is_number", "known", "style", "type")

    def __init__(self, kind: str | None, style: NumberFormat) -> None:
        self.type = kind
        self.is_number = kind in {None, "n"}
        self.style = style
        self.code = None if style.kind == "general" else style.code
        self.known: dict[str, Shown] = {}


class PlainRows:
    """Reads the rows of one sheet, each one by itself."""

    def __init__(self, book: Workbook, facts: XmlFacts) -> None:
        self._book = book
        self._facts = facts
        self._kinds: dict[str, _Kind | None] = {}
        self._known = 0
        self.row = 0
        """The number of the row that was read last."""
        self.formulas: list[tuple[int, str, dict[str, str]]] = []
        """Its formulas: the place of the cell among the cells, the text, the attributes. What they say is for who takes the row."""

    def read(self, text: str, head: str) -> list[SheetCell] | None:
        """The cells of the row in *text* and of empty rows before it, *text* without its end tag; None where it takes a parser.

        *head* is the start tag of the part's root.
        """
        text = text.lstrip()
        rows = []
        tag = ROW_TAG.match(text)
        while tag is not None:
            before, digits, written = tag.groups()
            said = self._facts.row_attributes(before + written, head)
            if said is None:
                return None
            rows.append((int(digits), said))
            if written[-1:] != "/":
                break
            tag = ROW_TAG.match(text, tag.end())
        if tag is None:
            return None
        self.formulas = []
        found: list[SheetCell] = []
        cells = CELL.findall(text, tag.end())
        tags = self._cells(cells, tag.group(2), found)
        if tags is None or tags + len(rows) != text.count("<"):
            return None
        if "&" in text and text.count("&") != sum(field.count("&") for cell in cells for field in (cell[6], cell[7], cell[9])):
            return None
        hidden = False
        for number, said in rows:
            hidden = self._facts.begin_row(number, said)
        self.row = number
        hidden_cols = self._facts.hidden_cols
        if hidden:
            for cell in found:
                cell.hidden = "hidden_row"
        elif hidden_cols:
            for cell in found:
                if cell.col in hidden_cols:
                    cell.hidden = "hidden_col"
        return found

    def _cells(self, cells: list[tuple[str, ...]], digits: str, found: list[SheetCell]) -> int | None:
        """Add to *found* what *cells* say; how many tags that takes, or None where one takes a parser."""
        tags, row = 0, int(digits)
        kinds = self._kinds
        for letters, own_digits, written, empty, given, no_formula, formula, value, no_value, inline in cells:
            if own_digits != digits:
                return None
            kind = kinds.get(written) or self._kind(written)
            col = COLUMN_NUMBERS.get(letters) or column_number(letters)
            if kind is None or not col:
                return None
            if empty:
                tags += 1
                continue
            if value:
                tags += 4
                raw = value[3:]
            else:
                tags += 3 if no_value else 6 if inline else 2
                raw = inline
            has_formula = formula or given or no_formula
            if raw:
                shown = kind.known.get(raw) if value else None
                if shown is None:
                    shown = self._shown(kind, raw, is_inline=not value)
                    if shown is None:
                        return None
            elif has_formula:
                shown = _EMPTY_TEXT if kind.type == "str" else _BLANK
            else:
                continue
            type_, known, text, hidden = shown
            cell = SheetCell(letters + digits, row, col, type_, known, text, None, None, kind.code, None, None, hidden)
            if has_formula:
                tags += 1 if no_formula else 2
                if not self._add_formula(len(found), formula, given):
                    return None
                cell.cached = bool(raw) or (kind.type == "str" and bool(value or no_value))
            found.append(cell)
        return tags

    def _kind(self, written: str) -> _Kind | None:
        if written in self._kinds:
            return self._kinds[written]
        found = attributes(written)
        kind = None
        if found is not None and found.keys() <= _CELL_ATTRIBUTES and not ("vm" in found and self._book.rich):
            kind = _Kind(found.get("t"), self._book.styles.format(found.get("s")))
        if len(self._kinds) < _MAX_KINDS:
            self._kinds[written] = kind
        return kind

    def _shown(self, kind: _Kind, raw: str, *, is_inline: bool) -> Shown | None:
        """What a cell of this kind shows for *raw*; None where it takes a parser, or the reader's own words about it."""
        shown = None
        if kind.is_number and not is_inline:
            shown = shown_number(raw, kind.style, date1904=self._book.date1904)
        if shown is None or shown[0] in {"text", "error"}:
            shown = self._shown_otherwise(kind, raw, is_inline=is_inline)
            if shown is None or len(shown[2]) > MAX_TEXT:
                return None
        if not is_inline and self._known < _MAX_KNOWN:
            self._known += 1
            kind.known[raw] = shown
        return shown

    def _shown_otherwise(self, kind: _Kind, raw: str, *, is_inline: bool) -> Shown | None:
        """The same, of what is no number."""
        cell = SheetCell("", 0, 0)
        text = plain(raw)
        if text is None:
            return None
        if kind.type == "s":
            strings = self._book.strings
            if is_inline or not (raw.isdecimal() and len(raw) < 10 and int(raw) < len(strings)):
                return None
            set_text(cell, strings[int(raw)], kind.style)
        elif is_inline:
            set_text(cell, unescape(text), kind.style)
        else:
            set_typed(cell, kind.type, text, kind.style, date1904=self._book.date1904)
        return cell.type, cell.value, cell.text, cell.hidden

    def _add_formula(self, at: int, written: str, given: str) -> bool:
        text, found = plain(written), attributes(given)
        if text is None or found is None or not found.keys() <= _FORMULA_ATTRIBUTES:
            return False
        if found.get("t") not in _FORMULA_KINDS:
            return False
        self.formulas.append((at, text, found))
        return True
