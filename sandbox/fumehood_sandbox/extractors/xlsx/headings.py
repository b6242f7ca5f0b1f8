"""Headers and footers of printed pages: their codes as what a person reads (18.3.1.39)."""

from __future__ import annotations

import re
from typing import Final

#: ``&&`` is an ampersand, L C R begin a section; then fonts, colours, sizes and fields.
_CODE: Final = re.compile(r'&(?:"[^"]*"|K[0-9A-Fa-f]{6}|K\d\d[+-]\d{3}|\d+|([A-Za-z&]))')
#: What only the printed page knows, as Excel itself names it to whoever writes a header.
_FIELDS: Final = {"P": "&[Page]", "N": "&[Pages]", "D": "&[Date]", "T": "&[Time]", "F": "&[File]", "Z": "&[Path]"}


def heading(text: str, sheet: str) -> str:
    """What stands left, in the middle and right, with tabulators between them. *sheet* is the sheet's name."""
    sections = {"L": "", "C": "", "R": ""}
    section, at = "C", 0
    for code in _CODE.finditer(text):
        sections[section] += text[at : code.start()]
        at = code.end()
        letter = (code.group(1) or "").upper()
        if letter in sections:
            section = letter
        elif letter == "A":
            sections[section] += sheet
        elif letter == "&":
            sections[section] += "&"
        else:
            sections[section] += _FIELDS.get(letter, "")
    sections[section] += text[at:]
    return "\t".join(shown for found in sections.values() if (shown := found.strip()))
