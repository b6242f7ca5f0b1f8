"""Binary workbooks by their sheets' parts alone: the second method of the family xlsb, for a damaged workbook part.

The sheets are those parts that begin as one, called by their parts' names; what the workbook part says of them (names, states, the
date system, defined names, links) is not known.
"""

from __future__ import annotations

import posixpath
import re
from typing import Final

from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.xlsb.parts import read_strings, read_styles
from fumehood_sandbox.extractors.xlsb.workbook import BinaryWorkbookReader
from fumehood_sandbox.extractors.xlsx.sheets import Entry, SheetKind

#: BrtBeginSheet, which holds nothing.
_BEGINNING: Final = b"\x81\x01\x00"
_KINDS: Final[dict[str, SheetKind]] = {"chartsheets": "chartsheet", "dialogsheets": "dialogsheet", "macrosheets": "macrosheet"}
_DIGITS: Final = re.compile(r"\d{1,9}")


def extract(x: Extraction) -> None:
    """Read the workbook in ``x.data``."""
    LooseWorkbookReader(x).read()


class LooseWorkbookReader(BinaryWorkbookReader):
    """Reads the sheets of a package without asking its workbook part."""

    def _main_part(self) -> str:
        return ""

    def _open(self, main: str) -> list[Entry]:  # noqa: ARG002 - there is none
        x, package = self._x, self._package
        for name in sorted(package.names, key=_in_order):
            if name.endswith(".bin") and self._begins_as_sheet(name):
                folder, title = posixpath.split(name)
                self._entries.append(
                    Entry(title.removesuffix(".bin"), name, _KINDS.get(posixpath.basename(folder), "worksheet"), "visible")
                )
        if not self._entries:
            raise ExtractError("corrupt", "the package has no sheet")
        x.warn(
            "workbook-unreadable",
            "the workbook part was not read: sheets are called by their parts' names, and none is known as hidden",
        )
        usual = {posixpath.basename(name): name for name in package.names}
        self._book.strings = read_strings(x, package, usual.get("sharedstrings.bin"))
        self._book.styles = read_styles(x, package, usual.get("styles.bin"))
        return self._entries

    def _begins_as_sheet(self, name: str) -> bool:
        try:
            return self._package.head(name, len(_BEGINNING)) == _BEGINNING
        except ExtractError as error:
            if error.code != "corrupt":
                raise
            return False


def _in_order(name: str) -> str:
    """*name* with its numbers so wide that ``sheet10`` comes behind ``sheet9``."""
    return _DIGITS.sub(lambda digits: digits.group().zfill(9), name)
