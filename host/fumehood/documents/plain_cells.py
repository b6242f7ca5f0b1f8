"""The cells of a frame checked by one expression, without making objects of them: a sheet may have a million.

What it matches is valid in every respect that `fumehood.documents.shapes` checks, and already what our worker writes for
nearly every cell. What it does not match may be valid still: it is parsed. Every repetition is possessive, so that nothing
is tried twice, whatever the text is.
"""

from __future__ import annotations

import re
from typing import Final

_TEXT: Final = rb'"[^"\\\x00-\x1f]*+(?:\\["\\/bfnrt][^"\\\x00-\x1f]*+)*+"'
#: At most 15 digits: below 2**53, and finite with an exponent of two.
_NUMBER: Final = rb"-?+(?:0|[1-9][0-9]{0,14}+)(?:\.[0-9]{1,30}+)?+(?:[eE][-+]?+[0-9]{1,2}+)?+"
_TEXT_OR_NOTHING: Final = rb"(?:%b|null)" % _TEXT
#: ref, row, col, type, value, text; formula, cached, number_format; comment, link, hidden
_CELL: Final = (
    rb'\["[A-Z]{1,6}+[0-9]{1,10}+",[1-9][0-9]{0,8}+,[1-9][0-9]{0,4}+,'
    rb'"(?:number|text|bool|date|time|error|blank)",(?:%(text)b|%(number)b|null|true|false),%(text)b'
    rb"(?:,%(maybe)b,(?:true|false|null),%(maybe)b(?:(?:,%(maybe)b){3})?+)?+\]"
) % {b"text": _TEXT, b"number": _NUMBER, b"maybe": _TEXT_OR_NOTHING}
_CELLS: Final = re.compile(rb"\[%(cell)b(?:,%(cell)b)*+\]" % {b"cell": _CELL})


def count_plain_cells(untrusted: bytes) -> int:
    """How many cells the JSON array *untrusted* holds; 0 when it has to be looked at another way."""
    # Between two cells stands `],["`. In a text it could stand only at the end, its quote being the text's own last one.
    if b'],[",' in untrusted or b'],["]' in untrusted or _CELLS.fullmatch(untrusted) is None:
        return 0
    try:
        untrusted.decode()
    except UnicodeDecodeError:
        return 0
    return untrusted.count(b'],["') + 1
