"""A whole format: which section a value takes, and what it shows."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Final, Literal

from fumehood_sandbox.extractors.numfmt.dates import show_date
from fumehood_sandbox.extractors.numfmt.general import general, to_decimal
from fumehood_sandbox.extractors.numfmt.numbers import NumberSection
from fumehood_sandbox.extractors.numfmt.parse import sections

Kind = Literal["general", "number", "date", "time", "text"]

_KEPT: Final = 4096
#: What Excel shows for a date that is none: number signs as far as the cell is wide, and where there is no width (in its own CSV)
#: as wide as a column can be.
_HASHES: Final = "#" * 255
_COMPARE: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq, "<>": operator.ne,
}  # fmt: skip


class NumberFormat:
    """A parsed format code. ``kind`` says what its first section is for; a date without a day is a ``time``."""

    def __init__(self, code: str) -> None:
        self.code = code
        parsed = sections(code or "General")
        if any(s.misplaced_elapsed for s in parsed):  # Excel takes such a code for none at all
            parsed = sections("General")
        self._text = next((s for s in parsed[-1:] if s.has_text), parsed[3] if len(parsed) == 4 else None)
        self._numeric = [s for s in parsed[:3] if s is not self._text or len(parsed) == 1]
        if len(parsed) == 1 and parsed[0].has_text:
            self._numeric = []
        self._ready = [NumberSection(s) for s in self._numeric]
        self._conditional = any(s.condition for s in self._numeric)
        self.kind: Kind = self._kind()
        self._known: tuple[dict[float, str], dict[float, str]] = ({}, {})
        """What was shown already, in either date system."""
        self.elapsed = any(t.kind == "elapsed" for s in self._numeric[:1] for t in s.tokens)

    def _kind(self) -> Kind:
        if not self._numeric:
            return "text"
        first = self._numeric[0]
        if first.is_date:
            letters = {t.text[0] for t in first.tokens if t.kind == "date"}
            return "date" if letters & {"y", "d", "m", "e", "b", "g", "a"} else "time"
        is_plain = len(self._numeric) == 1 and len(first.tokens) == 1 and first.tokens[0].kind == "general"
        return "general" if is_plain else "number"

    def show(self, value: float, *, date1904: bool = False) -> str:
        """What a cell with this format shows for a number."""
        if not math.isfinite(value):
            return str(value)
        if self.kind == "general" or not self._numeric:
            return general(value)
        known = self._known[date1904]
        shown = known.get(value)
        if shown is None:
            shown = self._show(value, date1904=date1904)
            if len(known) < _KEPT:
                known[value] = shown
        return shown

    def _show(self, value: float, *, date1904: bool) -> str:
        index, signed = self._choose(value)
        if index is None:
            return _HASHES
        section = self._numeric[index]
        if section.blank:
            return "-" if signed and value < 0 else ""
        if section.is_date:
            shown = show_date(section, value if signed else abs(value), date1904=date1904)
            return _HASHES if shown is None else section.locale.digits(shown)
        ready = self._ready[index]
        clear = ready.show_clear(abs(value)) if value > 0 or not ready.is_nothing(-value) else None
        if clear is not None:
            clear = section.locale.digits(clear)
            return "-" + clear if signed and value < 0 else clear
        text, is_zero = ready.show(abs(to_decimal(value)))
        text = section.locale.digits(text)
        return "-" + text if signed and value < 0 and not (is_zero and self._ready[index].shows_digits) else text

    def show_text(self, text: str) -> str:
        """What a cell with this format shows for a text."""
        if self._text is None:
            return text
        return "".join(
            text if t.kind == "text" else t.text for t in self._text.tokens if t.kind in {"text", "lit", "pad"} or t.text
        )

    def _choose(self, value: float) -> tuple[int | None, bool]:
        """The number of the section for *value*, and whether a minus is still to be shown."""
        count = len(self._numeric)
        if self._conditional:
            return self._by_condition(value)
        if count == 1:
            return 0, True
        if value < 0:
            return 1, False
        return (2 if value == 0 and count > 2 else 0), False

    def _by_condition(self, value: float) -> tuple[int | None, bool]:
        count = len(self._numeric)
        for i, section in enumerate(self._numeric):
            if section.condition is not None:
                sign, limit = section.condition
                if _COMPARE[sign](value, limit):
                    only_negative = (sign == "<" and limit <= 0) or (sign == "<=" and limit < 0)
                    return i, not only_negative
            elif i == count - 1 or (i == 1 and value < 0):
                first = self._numeric[0].condition
                negative_rest = i == 1 and (first is None or (first[0] in {">", ">="} and first[1] <= 0))
                return i, not negative_rest
            elif i == 0 and value > 0:
                return i, True
        return None, True


@lru_cache(maxsize=2048)
def number_format(code: str) -> NumberFormat:
    """The parsed *code*, kept for the next cell of its kind."""
    return NumberFormat(code)
