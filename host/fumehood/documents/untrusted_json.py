"""What JSON from a container must be before anything parses it: shallow, small in pieces, with plain numbers and single keys.

The checks run over the raw bytes with C-speed primitives: a hostile frame is refused before objects are made of it.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from fumehood_sandbox.frames import MAX_FRAME, ProtocolError

MAX_DEPTH: Final = 64
MAX_PAIRS: Final = 400_000
#: Where each key is looked at: a hundred bytes of memory for each, and far more of them than an honest frame that is not in the
#: worker's own spelling has.
MAX_KEYS: Final = 120_000
MAX_ELEMENTS: Final = 800_000
MAX_INTEGER: Final = 2**53
_MAX_QUOTES: Final = 2 * (MAX_PAIRS + MAX_ELEMENTS)
_WINDOW: Final = 64 * 1024

_NOT_BRACKETS: Final = bytes(c for c in range(256) if c not in b"[]{}")
_ONE_KIND: Final = bytes.maketrans(b"{}", b"[]")
_MANY_DIGITS: Final = re.compile(rb"[0-9]{16}")
_LONG_INTEGER: Final = re.compile(rb"(?<![0-9.eE+])[0-9]{16,}(?![0-9.eE])")


def check(untrusted: bytes) -> None:
    """Refuse *untrusted* JSON text that is too long, deep or rich, or has odd numbers or a key twice in one object.

    Well-formedness, UTF-8 and surrogates are left to the strict parser that follows. Every pass is linear in the length,
    whatever the text is.

    Raises:
        ProtocolError: naming the rule.
    """
    if len(untrusted) > MAX_FRAME:
        raise ProtocolError("JSON longer than a frame")
    outside = _outside_strings(untrusted)
    if outside.count(b":") > MAX_KEYS or outside.count(b",") > MAX_ELEMENTS:
        raise ProtocolError("JSON with too many elements")
    _check_depth(outside.translate(_ONE_KIND, _NOT_BRACKETS))
    if b"NaN" in outside or b"Infinity" in outside:
        raise ProtocolError("JSON with a number that is none")
    if _MANY_DIGITS.search(outside):
        _check_integers(outside)
    _check_keys(untrusted)


def is_small(untrusted: bytes) -> bool:
    """Whether *untrusted* is so small, even if all that its strings hold were elements, that it may be parsed unchecked."""
    return len(untrusted) <= MAX_FRAME and untrusted.count(b",") <= MAX_ELEMENTS and untrusted.count(b":") <= MAX_PAIRS


def count_keys(json_text: bytes) -> int:
    """How many keys there are in *json_text*, which a parser has found well-formed."""
    return _outside_strings(json_text).count(b":")


def _outside_strings(text: bytes) -> bytes:
    """*text* without its strings."""
    if b"\\" in text:
        # Pairs of backslashes first: then one that is left before a quote escapes it.
        text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    if text.count(b'"') > _MAX_QUOTES:
        raise ProtocolError("JSON with too many elements")
    # A window at a time: one list of all pieces would be many times the text, and what malloc once took for that it keeps.
    outside, inside = bytearray(), 0
    for begin in range(0, len(text), _WINDOW):
        pieces = text[begin : begin + _WINDOW].split(b'"')
        outside += b"".join(pieces[inside::2])
        inside = (inside + len(pieces) - 1) % 2
    return bytes(outside)


def _check_depth(brackets: bytes) -> None:
    """Each pass takes the innermost level away; what is left after the allowed depth is deeper, or was never closed."""
    for _ in range(MAX_DEPTH):
        if not brackets:
            return
        left = brackets.replace(b"[]", b"")
        if len(left) == len(brackets):
            break
        brackets = left
    if brackets:
        raise ProtocolError("JSON too deep or not closed")


def _check_integers(outside: bytes) -> None:
    """Digits before a fraction or an exponent are a float's; the parser refuses one that is not finite."""
    for digits in _LONG_INTEGER.findall(outside):
        if len(digits) > 16 or int(digits) > MAX_INTEGER:
            raise ProtocolError("JSON with an integer beyond 2**53")


def _check_keys(untrusted: bytes) -> None:
    """No object has a key twice. The parser hands over each object's pairs, and nothing is built of them."""
    objects: list[list[tuple[str, Any]]] = []
    try:
        json.loads(untrusted, object_pairs_hook=objects.append)
    except (ValueError, RecursionError):
        raise ProtocolError("not JSON") from None
    if sum(map(len, objects)) != sum(map(len, map(dict, objects))):
        raise ProtocolError("JSON with a repeated key")


def tidy(untrusted: str, limit: int = 200) -> str:
    """*untrusted* free text as one short printable line: no control, format or bidi characters, no escape sequences."""
    cut = untrusted[:limit]
    return "".join(c if c.isprintable() else "\ufffd" for c in cut)
