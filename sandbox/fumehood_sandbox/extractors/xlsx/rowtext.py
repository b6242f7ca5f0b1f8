"""Rows of a worksheet as nearly every program writes them, read off their text. Anything else is the parser's.

The patterns know one spelling: attributes in double quotes with one space before each, a cell's reference first. A row is read here
only when they account for every ``<`` in it: then no tag was passed over, and none is nested otherwise.
"""

from __future__ import annotations

import re
from typing import Final

#: (attributes before the number, number, attributes behind it, with the slash of an empty row)
ROW_TAG: Final = re.compile(r'<row((?: [^<>]*?)?) r="([1-9]\d{0,6})"([^<>]*)>')
#: (letters, digits, other attributes, empty element, attributes of the formula, empty formula, formula, value with its tag,
#: empty value, inline string)
CELL: Final = re.compile(
    r'<c r="([A-Z]{1,3})(\d{1,7})"([^<>/]*)(/)?>(?(4)|'
    r"(?:<f([^<>/]*)(/)?>(?(6)|([^<]*)</f>))?"
    r'(?:(<v>[^<]*)</v>|(<v ?/)>|<is><t(?: xml:space="preserve")?>([^<]*)</t></is>)?</c>)'
)
_ATTRIBUTE: Final = re.compile(r' ([A-Za-z_][\w.:-]*)="([^"&<\t\n]*)"')
_ENTITIES: Final = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))


def attributes(written: str) -> dict[str, str] | None:
    """Attributes by their names; None for what is written in another way, or twice."""
    found = _ATTRIBUTE.findall(written)
    known = dict(found)
    if len(known) != len(found) or sum(len(name) + len(value) + 4 for name, value in found) != len(written):
        return None
    return known


def plain(text: str) -> str | None:
    """*text* with its five predefined entities as characters; None where it has others."""
    if "&" not in text:
        return text
    if text.count("&") != sum(text.count(entity) for entity, _ in _ENTITIES):
        return None
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return text
