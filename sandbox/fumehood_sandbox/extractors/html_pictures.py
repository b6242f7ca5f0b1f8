"""The pictures that a page of HTML carries with it: in the parts of its web archive (RFC 2557), or in its own text (RFC 2397)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote, unquote_to_bytes, urljoin

_DATA: Final = "data:"
_CID: Final = "cid:"
_MOST_DATA: Final = 16 * 1024 * 1024


@dataclass(slots=True)
class StoredPictures:
    """The parts of a web archive by their location and by their content id; each decoded when the page shows it."""

    base: str = ""
    """The location of the page."""
    _parts: dict[str, Callable[[], bytes | None]] = field(default_factory=dict)

    def add(self, location: str, content_id: str, read: Callable[[], bytes | None]) -> None:
        if location:
            self._parts.setdefault(_joined(self.base, location), read)
        if content_id:
            self._parts.setdefault(_CID + content_id.strip("<> "), read)

    def find(self, source: str) -> bytes | None:
        """The bytes that stand for *source*; None where it leads outside. Nothing is fetched."""
        if source[: len(_DATA)].lower() == _DATA:
            return _data(source[len(_DATA) :])
        if source[: len(_CID)].lower() == _CID:
            read = self._parts.get(_CID + unquote(source[len(_CID) :]))
        else:
            read = self._parts.get(_joined(self.base, source))
        return read() if read is not None else None


def leads_outside(source: str) -> bool:
    """Whether a program that shows the page would fetch *source* from somewhere."""
    return "://" in source or source.startswith(("//", "\\\\"))


def _joined(base: str, location: str) -> str:
    try:
        return urljoin(base, location.strip())
    except ValueError:
        return location.strip()


def _data(rest: str) -> bytes | None:
    """What a ``data:`` address holds; None where it cannot be read."""
    said, comma, body = rest.partition(",")
    if not comma or len(body) > _MOST_DATA:
        return None
    if not said.lower().endswith(";base64"):
        return unquote_to_bytes(body)
    try:
        return base64.b64decode("".join(unquote(body).split()))
    except (binascii.Error, ValueError):
        return None
