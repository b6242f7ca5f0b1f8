"""Long texts in pages: cut at block borders, continued by a cursor that needs no memory on our side.

A cursor says which document and which options it belongs to, and the offset it goes on from; nothing is kept between
calls, so it survives a restart and works on any server that reads the same bytes. Given for another document, or with
other options, it is refused instead of answering with the wrong text. It is checked, not secret: an offset made by hand
only changes where reading goes on, within what the caller may read anyway.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Any, Final

from fumehood.errors import InputError, make_error

#: What one answer holds at most, its fence included: clients drop or file away longer ones.
PAGE_CHARS: Final = 40_000

_VERSION: Final = 1
_DIGEST: Final = 8
_OFFSET: Final = 8
_FENCE_LINE: Final = re.compile(r"^(?:```|~~~)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a text: where it stands in it, and how to go on. *total* is the length of the whole text."""

    text: str
    start: int
    end: int
    total: int
    next_cursor: str | None

    @property
    def has_more(self) -> bool:
        return self.next_cursor is not None


def scope(document_sha256: str, **options: Any) -> bytes:
    """The digest that ties a cursor to a document and to the options that shape its text."""
    payload = json.dumps([_VERSION, document_sha256, options], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(payload.encode("utf-8", "surrogatepass")).digest()[:_DIGEST]


def make_cursor(belongs_to: bytes, offset: int) -> str:
    """The cursor that goes on from *offset* in the text of *belongs_to* (see `scope`)."""
    payload = belongs_to + offset.to_bytes(_OFFSET, "big")
    checksum = hashlib.sha256(b"cursor" + payload).digest()[:4]
    return base64.urlsafe_b64encode(payload + checksum).rstrip(b"=").decode("ascii")


def read_cursor(cursor: str, belongs_to: bytes) -> int:
    """The offset that *cursor* goes on from.

    Raises:
        FumehoodError: ``invalid-argument`` when it is not a cursor of ours, or one of another document or other options.
    """
    try:
        raw = base64.b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error, ValueError):
        raise _not_ours() from None
    payload, checksum = raw[: _DIGEST + _OFFSET], raw[_DIGEST + _OFFSET :]
    if len(payload) != _DIGEST + _OFFSET or hashlib.sha256(b"cursor" + payload).digest()[:4] != checksum:
        raise _not_ours()
    if payload[:_DIGEST] != belongs_to:
        raise make_error(
            "invalid-argument",
            "the cursor belongs to another document or to other options",
            hint="Pass the same file and the same parameters that gave the cursor, or leave the cursor out to start again.",
        )
    return int.from_bytes(payload[_DIGEST:], "big")


def _not_ours() -> InputError:
    error = make_error(
        "invalid-argument", "the cursor is damaged", hint="Pass `next_cursor` of the previous answer exactly as it came."
    )
    assert isinstance(error, InputError)
    return error


def page(text: str, belongs_to: bytes, cursor: str | None = None, *, limit: int = PAGE_CHARS) -> Page:
    """The page of *text* that *cursor* asks for (the first without one), at most *limit* characters.

    It ends at a border between blocks (a blank line outside a code block), or where there is none within the limit, at a
    line, at a space, or, in one very long word, between two characters.
    """
    start = 0 if not cursor else read_cursor(cursor, belongs_to)
    if start > len(text):
        raise _not_ours()
    end = cut(text, start, limit)
    following = make_cursor(belongs_to, end) if end < len(text) else None
    return Page(text[start:end], start, end, len(text), following)


def cut(text: str, start: int, limit: int) -> int:
    """Where a page of at most *limit* characters from *start* ends. Always after *start* while there is text."""
    if len(text) - start <= limit:
        return len(text)
    stop = start + limit
    return (
        _block_border(text, start, stop)
        or _after_last(text, "\n", start, stop)
        or _after_last(text, " ", start, stop)
        or _between_characters(text, start, stop)
    )


def _block_border(text: str, start: int, stop: int) -> int:
    """After the last blank line in ``text[start:stop]`` that is not inside a code block, or 0."""
    fences = [match.start() for match in _FENCE_LINE.finditer(text, 0, stop)]
    end = stop
    while (found := _after_last(text, "\n\n", start, end)) > 0:
        if sum(1 for fence in fences if fence < found) % 2 == 0:
            return found
        # Inside a code block: look before the line that opened it.
        end = max(fence for fence in fences if fence < found)
    return 0


def _after_last(text: str, separator: str, start: int, stop: int) -> int:
    found = text.rfind(separator, start, stop)
    return 0 if found < 0 or found + len(separator) <= start else found + len(separator)


def _between_characters(text: str, start: int, stop: int) -> int:
    """*stop*, or a little before it so that no accent, joiner or variation selector is torn from its base."""
    end = stop
    while end > start + 1 and stop - end < 64 and (unicodedata.combining(text[end]) or text[end] in "\u200d\ufe0f" or text[end - 1] == "\u200d"):
        end -= 1
    return end


def count_sections(text: str, limit: int) -> int:
    """How many pieces of at most *limit* characters `page` would cut *text* into."""
    start = number = 0
    while start < len(text):
        start = cut(text, start, limit)
        number += 1
    return number
