"""Number formats of the cell styles (18.8), and which styles hide their text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from fumehood_sandbox.extractors.numfmt import NumberFormat, builtin_code, number_format
from fumehood_sandbox.extractors.ooxml.tree import inside
from fumehood_sandbox.extractors.xlsx.names import S, integer

MAX_STYLES: Final = 65_536


@dataclass(slots=True)
class Styles:
    """The format of each cell style by its index; General for an index that is not there."""

    formats: list[NumberFormat] = field(default_factory=list)
    _known: dict[str | None, NumberFormat] = field(default_factory=dict)
    _general: NumberFormat = field(default_factory=lambda: number_format("General"))

    def format(self, style: str | None) -> NumberFormat:
        known = self._known.get(style)
        if known is None:
            known = self._format(style)
            if len(self._known) < MAX_STYLES:
                self._known[style] = known
        return known

    def _format(self, style: str | None) -> NumberFormat:
        if style is None:
            return self.formats[0] if self.formats else self._general
        return self.at(integer(style, -1))

    def at(self, index: int) -> NumberFormat:
        """The format of a style by its number."""
        return self.formats[index] if 0 <= index < len(self.formats) else self._general


def read_styles(root: Any | None) -> Styles:
    if root is None:
        return Styles()
    codes: dict[int, str] = {}
    for element in inside(root, S + "numFmts", S + "numFmt"):
        codes[integer(element.get("numFmtId"), -1)] = element.get("formatCode") or ""
    formats = []
    for xf in inside(root, S + "cellXfs", S + "xf"):
        number = integer(xf.get("numFmtId"))
        formats.append(number_format(codes.get(number) or builtin_code(number)))
        if len(formats) >= MAX_STYLES:
            break
    return Styles(formats)
