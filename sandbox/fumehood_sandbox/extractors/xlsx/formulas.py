"""Formulas as text: shared ones moved to their cell, and what in them reaches out of the workbook."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fumehood_sandbox.extractors.xlsx.names import MAX_COL, MAX_ROW, column_letters, column_number

if TYPE_CHECKING:
    from fumehood_sandbox.extraction import Extraction

#: Strings and quoted sheet names are skipped whole; then cells, whole columns, whole rows. A name, a function or a number
#: that only looks like one has a word character, a point or a bracket next to it.
_TOKEN: Final = re.compile(
    r"""(?P<skip>"[^"]*"|'[^']*'|\[[^\]]*\])
    |(?<![\w.\\])(?:
      (?P<cabs>\$?)(?P<col>[A-Za-z]{1,3})(?P<rabs>\$?)(?P<row>[1-9]\d{0,6})(?![\w.(!])
     |(?P<c1abs>\$?)(?P<c1>[A-Za-z]{1,3}):(?P<c2abs>\$?)(?P<c2>[A-Za-z]{1,3})(?![\w.(!])
     |(?P<r1abs>\$?)(?P<r1>[1-9]\d{0,6}):(?P<r2abs>\$?)(?P<r2>[1-9]\d{0,6})(?![\w.(!])
    )""",
    re.VERBOSE,
)
_PREFIX: Final = re.compile(r"_xl(?:fn|ws|udf)\.", re.IGNORECASE)
#: A dynamic data exchange link: server|topic!item, outside of strings.
_DDE: Final = re.compile(r"(?:^|[=(,+&\s-])'?[A-Za-z][\w.]*'?\|'?[^!|\"]+'?!")
_MAX_SHARED: Final = 8192


def shown(text: str) -> str:
    """A formula as Excel shows it: with its equals sign, without the file format's prefixes of newer functions."""
    return "=" + _PREFIX.sub("", text)


def is_dde(text: str) -> bool:
    """Whether a formula starts a DDE conversation."""
    return "|" in text and _DDE.search(re.sub(r'"[^"]*"', '""', text[:4096])) is not None


def warn_uncalculated(x: Extraction, sheet: str, count: int) -> None:
    """Say that *count* formulas of *sheet* have no stored value: what wrote the file did not calculate."""
    if count:
        x.warn(
            "formula-not-calculated", "the file holds no value for a formula: the formula is shown", where=sheet, count=count
        )


def move(text: str, rows: int, cols: int) -> str | None:
    """*text* as it reads *rows* further down and *cols* further right; None for one too long to move.

    References that leave the sheet wrap round, as Excel's do.
    """
    if len(text) > _MAX_SHARED:
        return None

    def column(letters: str, fixed: str) -> str:
        number = column_number(letters)
        return fixed + (letters if fixed or not number else column_letters((number - 1 + cols) % MAX_COL + 1))

    def row(digits: str, fixed: str) -> str:
        return fixed + (digits if fixed else str((int(digits) - 1 + rows) % MAX_ROW + 1))

    def replace(match: re.Match[str]) -> str:
        if match["skip"] is not None:
            return match["skip"]
        if match["col"] is not None:
            if not column_number(match["col"]) or int(match["row"]) > MAX_ROW:
                return match.group()
            return column(match["col"], match["cabs"]) + row(match["row"], match["rabs"])
        if match["c1"] is not None:
            return column(match["c1"], match["c1abs"]) + ":" + column(match["c2"], match["c2abs"])
        return row(match["r1"], match["r1abs"]) + ":" + row(match["r2"], match["r2abs"])

    return _TOKEN.sub(replace, text)
