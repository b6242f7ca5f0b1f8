"""A quick answer to whether a text can hold anything that `fumehood.documents.sanitise` has to look for.

Nearly all texts cannot, and long answers are asked frame by frame, as the bytes that came.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

T = TypeVar("T")

#: One class for whatever may begin a match: a search for it runs at the speed of memory, and only there the rest is tried.
SUSPECT: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u115f\u1160\u180e\u200b-\u200d\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff"
    "\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff"
    # Beyond the basic plane one range: each further one would be tried for every character that is none.
    "\U00010000-\U0010ffff]"
)
_JSON_ESCAPE: Final = re.compile(rb"\\[bfru]")
_PLAIN_ASCII: Final = bytes([0x09, 0x0A, *range(0x20, 0x7F)])


def is_suspect(text: str) -> bool:
    """Whether *text* may hold anything of the two classes; False is certain, and cheap to say of most texts."""
    rest = text.encode("utf-8", "surrogatepass").translate(None, _PLAIN_ASCII)
    return bool(rest) and SUSPECT.search(rest.decode("utf-8", "surrogatepass")) is not None


def is_suspect_json(text: bytes) -> bool:
    """`is_suspect` for JSON text, keys and all; what stands in it as an escape is suspect."""
    if b"\\" in text and _JSON_ESCAPE.search(text) is not None:
        return True
    rest = text.translate(None, _PLAIN_ASCII)
    return bool(rest) and SUSPECT.search(rest.decode("utf-8", "surrogatepass")) is not None


def possibly_suspect(items: Iterable[T]) -> Iterator[T]:
    """Those of *items* that have to be looked at: all, unless they were looked at when they came."""
    suspects = getattr(items, "suspects", None)
    return iter(items) if suspects is None else suspects()
