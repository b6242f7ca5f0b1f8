"""Long texts in pages: cut at block borders, continued by a cursor that needs no memory on our side.

A cursor says which document and which options it belongs to, and where reading goes on; nothing is kept between
calls, so it survives a restart and works on any server that reads the same bytes. Given for another document, or with
other options, it is refused instead of answering with the wrong text. It is checked, not secret: a position made by hand
only changes where reading goes on, within what the caller may read anyway.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import struct
import sys
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from fumehood.documents.pieces import Piece
from fumehood.errors import FumehoodError, make_error

#: What one answer holds at most, its fence included: clients drop or file away longer ones.
PAGE_CHARS: Final = 40_000

_VERSION: Final = 1
_DIGEST: Final = 8
_POSITION: Final = struct.Struct(">III")


@dataclass(frozen=True, slots=True)
class Page:
    """One page. *total* is the length of the whole text; *number* counts from 1; *done* is where the page ends in it.

    *blocks* are the ids of the blocks that it is made of; *sections* is how many pages of the size asked for there would be.
    """

    text: str
    number: int
    total: int
    done: int
    blocks: frozenset[str]
    sections: int
    next_cursor: str | None

    @property
    def has_more(self) -> bool:
        return self.next_cursor is not None


@dataclass(frozen=True, slots=True)
class Position:
    """Where reading goes on: *index* of an item (a piece, a paragraph), *offset* in it, *number* of the page from 1."""

    index: int = 0
    offset: int = 0
    number: int = 1


def scope(document_sha256: str, **options: Any) -> bytes:
    """The digest that ties a cursor to a document and to the options that shape its text."""
    payload = json.dumps([_VERSION, document_sha256, options], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(payload.encode("utf-8", "surrogatepass")).digest()[:_DIGEST]


def make_cursor(belongs_to: bytes, position: Position) -> str:
    """The cursor that goes on from *position* in the text of *belongs_to* (see `scope`)."""
    payload = belongs_to + _POSITION.pack(position.index, position.offset, position.number)
    return base64.urlsafe_b64encode(payload + _checksum(payload)).rstrip(b"=").decode("ascii")


def read_cursor(cursor: str | None, belongs_to: bytes) -> Position:
    """The position that *cursor* goes on from; the beginning without one.

    Raises:
        FumehoodError: ``invalid-argument`` when it is not a cursor of ours, or one of another document or other options.
    """
    if not cursor:
        return Position()
    try:
        raw = base64.b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error, ValueError):
        raise damaged() from None
    payload, checksum = raw[: _DIGEST + _POSITION.size], raw[_DIGEST + _POSITION.size :]
    if len(payload) != _DIGEST + _POSITION.size or checksum != _checksum(payload):
        raise damaged()
    if payload[:_DIGEST] != belongs_to:
        raise make_error(
            "invalid-argument",
            "the cursor belongs to another document or to other options",
            hint="Pass the same file and the same parameters that gave the cursor, or leave the cursor out to start again.",
        )
    return Position(*_POSITION.unpack(payload[_DIGEST:]))


def _checksum(payload: bytes) -> bytes:
    return hashlib.sha256(b"cursor" + payload).digest()[:4]


def damaged() -> FumehoodError:
    return make_error(
        "invalid-argument", "the cursor is damaged", hint="Pass `next_cursor` of the previous answer exactly as it came."
    )


def page(
    pieces: Iterable[Piece],
    belongs_to: bytes,
    cursor: str | None = None,
    *,
    limit: int | None = PAGE_CHARS,
    section_chars: int = PAGE_CHARS,
) -> Page:
    """The page of *pieces* that *cursor* asks for (the first without one), at most *limit* characters; None has no limit.

    It ends between two pieces (blocks, rows of a long table). A piece that is longer than a page by itself is cut at a
    line, at a space, or, in one very long word, between two characters. The pieces are walked through once, and only those
    of the page are kept.
    """
    begin = read_cursor(cursor, belongs_to)
    made = _PageInTheMaking(begin, limit if limit is not None else sys.maxsize)
    sections = _Sections(section_chars)
    count = total = 0
    for piece in pieces:
        total += len(piece.text) + (len(piece.glue) if count else 0)
        sections.add(piece)
        made.add(count, piece)
        count += 1
    if begin.index > count or (begin.offset and begin.index == count):
        raise damaged()
    if count:
        total += 1
    at_end = made.following is None
    if at_end and count and made.room > 0:
        made.parts.append("\n")
    return Page(
        text="".join(made.parts),
        number=begin.number,
        total=total,
        done=total if at_end else made.before,
        blocks=frozenset(made.blocks),
        sections=sections.number,
        next_cursor=None if made.following is None else make_cursor(belongs_to, made.following),
    )


class _PageInTheMaking:
    def __init__(self, begin: Position, room: int) -> None:
        self.begin = begin
        self.room = room
        self.parts: list[str] = []
        self.blocks: set[str] = set()
        self.before = 0
        """Characters before where the next page begins."""
        self.following: Position | None = None

    def add(self, index: int, piece: Piece) -> None:
        if self.following is not None:
            return
        offset = self.begin.offset if index == self.begin.index else 0
        if offset and offset >= len(piece.text):
            raise damaged()
        length = len(piece.text) + len(piece.glue)
        if index < self.begin.index:
            self.before += length
            return
        lead = piece.glue if self.parts else piece.opening if index and not offset else ""
        if len(lead) + len(piece.text) - offset <= self.room:
            self.parts += (lead, piece.text[offset:])
            self.room -= len(lead) + len(piece.text) - offset
            self.before += length
            self._note(piece)
            return
        if not self.parts:
            lead = lead if len(lead) < self.room // 2 else ""
            end = cut(piece.text, offset, self.room - len(lead))
            self.parts += (lead, piece.text[offset:end])
            self._note(piece)
            if end == len(piece.text):  # it was its lead that did not fit
                self.room -= end - offset
                self.before += length
                return
            self.before += end
            self.following = Position(index, end, self.begin.number + 1)
        else:
            self.following = Position(index, 0, self.begin.number + 1)

    def _note(self, piece: Piece) -> None:
        if piece.block_id:
            self.blocks.add(piece.block_id)


class _Sections:
    """How many pages of at most *limit* characters `page` would make; cheaper than making them."""

    def __init__(self, limit: int) -> None:
        self.number = 1
        self._limit = self._room = limit

    def add(self, piece: Piece) -> None:
        length = len(piece.text) + len(piece.glue)
        if length > self._room and self._room < self._limit:
            self.number, self._room = self.number + 1, self._limit
        whole, rest = divmod(length, self._limit)
        self.number += whole
        self._room -= rest


def cut(text: str, start: int, limit: int) -> int:
    """Where a page of at most *limit* characters from *start* ends. Always after *start* while there is text."""
    if len(text) - start <= limit:
        return len(text)
    stop = start + max(limit, 1)
    return _after_last(text, "\n", start, stop) or _after_last(text, " ", start, stop) or _between_characters(text, start, stop)


def _after_last(text: str, separator: str, start: int, stop: int) -> int:
    found = text.rfind(separator, start, stop)
    return 0 if found < 0 or found + len(separator) <= start else found + len(separator)


def _between_characters(text: str, start: int, stop: int) -> int:
    """*stop*, or a little before it so that no accent, joiner or variation selector is torn from its base."""
    end = stop
    while (
        end > start + 1
        and stop - end < 64
        and (unicodedata.combining(text[end]) or text[end] in "\u200d\ufe0f" or text[end - 1] == "\u200d")
    ):
        end -= 1
    return end
