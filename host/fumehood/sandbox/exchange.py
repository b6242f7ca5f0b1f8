"""One request and its answer over a connection: write stdin and read stdout at the same time, with caps and clocks.

Writing first and reading after would deadlock with a reader that answers early; so one selector does both. Nothing here
keeps more than one frame of the answer, nor more than the head and the tail of stderr.
"""

from __future__ import annotations

import contextlib
import hashlib
import selectors
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from fumehood.sandbox.cancel import CancelToken
from fumehood.sandbox.engine import Connection
from fumehood_sandbox.frames import Frame, ProtocolError, ResponseDecoder, request_head

_SLICE: Final = 256 * 1024

#: After a complete answer the worker only has to exit.
_LINGER_SECONDS: Final = 8.0

Reason = Literal["closed", "timeout", "stalled", "cancelled", "output", "protocol"]


class BodyChangedError(Exception):
    """The body had more or fewer bytes than its staged size."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Clocks (in `time.monotonic` seconds and seconds) and caps (in bytes) of an exchange."""

    deadline: float
    output_bytes: int
    stderr_bytes: int
    stall_seconds: float | None = None
    """The second clock: the exchange ends when no frame has come for so long. None: not used."""


@dataclass(slots=True)
class Ending:
    """How the exchange ended. *complete*: END had come, with the right hash. *detail* names the rule that was broken."""

    reason: Reason
    complete: bool
    detail: str = ""
    received: int = 0


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
        self._pieces = self._all(request_head(header, size), body, size)
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


@dataclass(slots=True)
class Exchange:
    """Runs one request over *connection*; `on_frame` gets every frame but END, as it arrives.

    What *on_frame* or the body raises ends the exchange and is passed on; a `ProtocolError` of *on_frame* is an ending.
    """

    connection: Connection
    request: RequestBytes
    bounds: Bounds
    on_frame: Callable[[Frame], None]
    cancel: CancelToken | None = None
    stderr: HeadTail = field(init=False)
    _decoder: ResponseDecoder = field(init=False)

    def __post_init__(self) -> None:
        self.stderr = HeadTail(self.bounds.stderr_bytes)
        self._decoder = ResponseDecoder(self.bounds.output_bytes)

    def run(self) -> Ending:
        """Exchange until the container closes its streams, a clock or a cap ends it, or the caller cancels."""
        with selectors.DefaultSelector() as selector:
            readers = set(self.connection.readers())
            for reader in readers:
                selector.register(reader, selectors.EVENT_READ)
            if self.cancel is not None:
                selector.register(self.cancel, selectors.EVENT_READ, "cancel")
            self._watch_writer(selector, on=True)
            return self._loop(selector, readers)

    def _loop(self, selector: selectors.BaseSelector, readers: set[int]) -> Ending:
        deadline = self.bounds.deadline
        stall = self.bounds.stall_seconds
        last_frame = time.monotonic()
        while readers:
            now = time.monotonic()
            if self.cancel is not None and self.cancel.cancelled:
                return self._ending("cancelled")
            if self._decoder.ended:
                deadline = min(deadline, last_frame + _LINGER_SECONDS)
            if now >= deadline:
                return self._ending("protocol", "no exit after END") if self._decoder.ended else self._ending("timeout")
            if stall is not None and now >= last_frame + stall:
                return self._ending("stalled")
            wake = deadline if stall is None else min(deadline, last_frame + stall)
            for key, events in selector.select(wake - now):
                if key.data == "cancel":
                    continue
                if events & selectors.EVENT_WRITE:
                    self._write(selector)
                if events & selectors.EVENT_READ:
                    before = self._decoder.received
                    broken = self._read(selector, key.fd, readers)
                    if broken is not None:
                        return broken
                    if self._decoder.received != before:
                        last_frame = time.monotonic()
        return self._closed()

    def _write(self, selector: selectors.BaseSelector) -> None:
        piece = memoryview(b"") if self._decoder.ended else self.request.next_slice()
        if not piece:
            self._watch_writer(selector, on=False)
            return
        try:
            self.request.sent(self.connection.send(piece))
        except BrokenPipeError:  # it answers early or has died: its streams will tell
            self._watch_writer(selector, on=False)

    def _read(self, selector: selectors.BaseSelector, reader: int, readers: set[int]) -> Ending | None:
        try:
            pieces = self.connection.receive(reader)
        except ValueError:
            return self._ending("protocol", "the engine's stream is broken")
        if pieces is None:
            readers.discard(reader)
            selector.unregister(reader)
            return None
        for stream, data in pieces:
            if stream == "stderr":
                self.stderr.add(data)
                continue
            try:
                for frame in self._decoder.feed(data):
                    self.on_frame(frame)
            except ProtocolError as error:
                if self._decoder.received > self.bounds.output_bytes:
                    return self._ending("output")
                return self._ending("protocol", str(error))
        return None

    def _closed(self) -> Ending:
        try:
            self._decoder.close()
        except ProtocolError as error:
            return self._ending("closed", str(error))
        return self._ending("closed")

    def _ending(self, reason: Reason, detail: str = "") -> Ending:
        complete = self._decoder.ended and reason == "closed"
        return Ending(reason, complete, detail, self._decoder.received)

    def _watch_writer(self, selector: selectors.BaseSelector, *, on: bool) -> None:
        """Watch the writing side, which may be the same descriptor as a reading one."""
        writer = self.connection.writer()
        reading = 0
        with contextlib.suppress(KeyError):
            reading = selector.get_key(writer).events & selectors.EVENT_READ
            selector.unregister(writer)
        events = reading | (selectors.EVENT_WRITE if on else 0)
        if events:
            selector.register(writer, events)
