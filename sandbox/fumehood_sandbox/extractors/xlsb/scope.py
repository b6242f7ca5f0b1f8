"""What a formula's tokens point at by number: sheets, defined names, other workbooks, tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from fumehood_sandbox.extractors.xlsb import references
from fumehood_sandbox.extractors.xlsb.links import Link, Xti

_GONE, _WHOLE_WORKBOOK = -1, -2
#: PtgRowType (2.5.97.73).
_ROWS: Final = {
    0x00: (), 0x01: ("#All",), 0x02: ("#Headers",), 0x04: ("#Data",), 0x06: ("#Headers", "#Data"), 0x08: ("#Totals",),
    0x0C: ("#Data", "#Totals"), 0x10: ("#This Row",),
}  # fmt: skip
_INVALID, _NONRESIDENT = 0x1000, 0x2000
_PLAIN_ITEM: Final = re.compile(r"[^\W\d][\w.]*")


class UnreadableError(Exception):
    """A formula that no text is known for."""


@dataclass(frozen=True, slots=True)
class TableNames:
    """A table's name, and its columns from left to right."""

    name: str
    columns: Sequence[str]


@dataclass(slots=True)
class Scope:
    """Every method raises `UnreadableError` for what is not there."""

    sheets: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    xtis: Sequence[Xti] = ()
    tables: Callable[[], dict[int, TableNames]] = dict
    """The workbook's tables by their number, read when a formula first asks for one."""
    _prefixes: dict[int, str] = field(default_factory=dict)

    def sheet(self, ixti: int) -> str:
        """What stands before a reference to the sheets of a row of BrtExternSheet."""
        known = self._prefixes.get(ixti)
        if known is None:
            known = self._prefixes[ixti] = self._prefix(*self._target(ixti))
        return known

    def _target(self, ixti: int) -> tuple[Link, Xti]:
        if ixti >= len(self.xtis) or self.xtis[ixti].link >= len(self.links):
            raise UnreadableError
        return self.links[self.xtis[ixti].link], self.xtis[ixti]

    def _prefix(self, link: Link, xti: Xti) -> str:
        if link.kind not in {"self", "same", "workbook"}:
            raise UnreadableError
        if _GONE in {xti.first, xti.last}:
            return references.REF_ERROR
        sheets, book = (link.sheets, f"[{link.number}]") if link.kind == "workbook" else (self.sheets, "")
        if not 0 <= xti.first <= xti.last < len(sheets) or not (sheets[xti.first] and sheets[xti.last]):
            raise UnreadableError
        return references.sheet(sheets[xti.first], sheets[xti.last], book)

    def name(self, index: int) -> str:
        """A defined name by its number from 1."""
        if not 0 < index <= len(self.names) or not self.names[index - 1]:
            raise UnreadableError
        return self.names[index - 1]

    def external_name(self, ixti: int, index: int) -> str:
        """PtgNameX: a name of one sheet, of another workbook or of an add-in, or an item that a server sends."""
        link, xti = self._target(ixti)
        if link.kind in {"self", "same"}:
            prefix = "[0]!" if xti.first == _WHOLE_WORKBOOK else self._prefix(link, xti)
            return prefix + self.name(index)
        if not 0 < index <= len(link.names) or not link.names[index - 1][0]:
            raise UnreadableError
        name, sheet = link.names[index - 1]
        if link.kind == "addin":
            return name
        if link.kind in {"dde", "ole"}:
            return f"{link.server}|{_item(link.topic)}!{_item(name)}"
        if link.kind != "workbook":
            raise UnreadableError
        return references.sheet(link.sheets[sheet - 1] if 0 < sheet <= len(link.sheets) else "", book=f"[{link.number}]") + name

    def structured(self, ixti: int, flags: int, number: int, first: int, last: int) -> str:
        """PtgList (2.5.97.50): a part of a table of this workbook."""
        table = self.tables().get(number)
        rows = _ROWS.get(flags >> 2 & 0x1F)
        if (
            flags & (_INVALID | _NONRESIDENT)
            or table is None
            or not table.name
            or rows is None
            or self._target(ixti)[0].kind not in {"self", "same"}
        ):
            raise UnreadableError
        parts = [f"[{row}]" for row in rows]
        if flags & 3:
            ends = (first, last if flags & 3 == 2 else first)
            if ends[0] > ends[1] or ends[1] >= len(table.columns) or not all(table.columns[i] for i in ends):
                raise UnreadableError
            parts.append(":".join(f"[{references.column_name(table.columns[i])}]" for i in dict.fromkeys(ends)))
        if len(parts) == 1 and ":[" not in parts[0]:
            return table.name + parts[0]
        return f"{table.name}[{','.join(parts)}]"


def _item(text: str) -> str:
    return text if _PLAIN_ITEM.fullmatch(text) else "'" + text.replace("'", "''") + "'"
