"""Names of SpreadsheetML (ECMA-376 part 1, 18) and the small conversions that every module here needs."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

S: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
R: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"

MAX_ROW: Final = 1_048_576
MAX_COL: Final = 16_384

_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_PHONETIC: Final = frozenset({S + "rPh", S + "phoneticPr", S + "rPr"})


def on(value: str | None) -> bool:
    """An ``xsd:boolean`` attribute."""
    return value is not None and value.strip() in {"1", "true", "on"}


def integer(value: str | None, default: int = 0) -> int:
    """A non-negative whole number of sane size."""
    if value is None:
        return default
    value = value.strip()
    return int(value) if value.isdecimal() and len(value) < 12 else default


@lru_cache(maxsize=MAX_COL)
def column_letters(number: int) -> str:
    """1 is A, 27 is AA."""
    letters = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


#: What `column_number` has said.
COLUMN_NUMBERS: Final[dict[str, int]] = {}


def column_number(letters: str) -> int:
    """A is 1; 0 for what is no column of a sheet."""
    known = COLUMN_NUMBERS.get(letters)
    if known is None:
        known = 0
        for letter in letters.upper() if len(letters) <= 3 else "":
            if not "A" <= letter <= "Z":
                known = 0
                break
            known = known * 26 + ord(letter) - 64
        known = known if known <= MAX_COL else 0
        if len(COLUMN_NUMBERS) < 4 * MAX_COL:
            COLUMN_NUMBERS[letters] = known
    return known


#: Columns as they are normally written, as far as they were met.
COLUMNS: Final[dict[str, int]] = {}
_REF: Final = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})")


def parse_ref(ref: str) -> tuple[int, int] | None:
    """(row, column) of ``B7``; None for what is no cell of a sheet."""
    match = _REF.fullmatch(ref)
    if match is None:
        return None
    row, col = int(match.group(2)), column_number(match.group(1))
    return (row, col) if col and 0 < row <= MAX_ROW else None


def unescape(text: str) -> str:
    """``_x000D_`` is a carriage return (ST_Xstring, 22.9.2.19)."""
    if "_x" not in text:
        return text
    text = _ESCAPED.sub(lambda m: chr(int(m.group(1), 16)), text)
    if _SURROGATES.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def rich_text(element: Any) -> str:
    """The text of an ``si``, ``is`` or comment ``text``: its runs joined, without phonetic readings."""
    if len(element) == 1 and element[0].tag == S + "t":
        return unescape(element[0].text or "")
    pieces = []
    for child in element:
        if child.tag == S + "t":
            pieces.append(child.text or "")
        elif child.tag not in _PHONETIC:
            pieces.extend(t.text or "" for t in child.iter(S + "t"))
    return unescape("".join(pieces))
