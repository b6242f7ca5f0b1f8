"""The two ends of an exchange that need no connection: the request as slices, and what is kept of stderr."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final

from fumehood_sandbox.frames import request_head

_SLICE: Final = 256 * 1024
#: Pieces are sent together up to this size: each sending wakes three programs on its way to the worker.
_TOGETHER: Final = 64 * 1024


class BodyChangedError(Exception):
    """The body had more or fewer bytes than its staged size."""


class HeadTail:
    """Keeps the first and the last half of a capped stream."""

    def __init__(self, cap: int) -> None:
        self._half = cap // 2
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * self._half:
            del self._tail[: -self._half]

    def kept(self) -> bytes:
        return bytes(self._head + self._tail[-self._half :])


class RequestBytes:
    """The request as slices that never exceed 256 KiB; the body is hashed as it passes (*sha256*, once all of it has).

    Raises `ValueError` when *header* is over its cap; `next_slice` raises `BodyChangedError` and what the body raises.
    """

    def __init__(self, header: bytes, body: Iterator[bytes], size: int) -> None:
        self._pieces = _together(self._all(request_head(header, size), body, size))
        self._now = memoryview(b"")
        self.finished = False
        self.sha256: str | None = None

    def next_slice(self) -> memoryview:
        """What to send now; empty when everything has been sent."""
        while not self._now and not self.finished:
            try:
                self._now = memoryview(next(self._pieces))
            except StopIteration:
                self.finished = True
        return self._now[:_SLICE]

    def sent(self, count: int) -> None:
        self._now = self._now[count:]

    def _all(self, head: bytes, body: Iterator[bytes], size: int) -> Iterator[bytes]:
        yield head
        digest, left = hashlib.sha256(), size
        for piece in body:
            left -= len(piece)
            if left < 0:
                raise BodyChangedError
            digest.update(piece)
            yield piece
        if left:
            raise BodyChangedError
        self.sha256 = digest.hexdigest()
        yield digest.digest()


def _together(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes, small pieces joined."""
    waiting = b""
    for piece in pieces:
        if waiting and len(waiting) + len(piece) > _TOGETHER:
            yield waiting
            waiting = b""
        waiting = waiting + piece if waiting else piece
        if len(waiting) >= _TOGETHER:
            yield waiting
            waiting = b""
    yield waiting
