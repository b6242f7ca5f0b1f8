"""The talk with one container over its connection: READY, one request, its answer, the end; with caps and clocks.

Writing first and reading after would deadlock with a reader that answers early; so one selector does both. Nothing here
keeps more than one frame of the answer, nor more than the head and the tail of stderr.

The first clock of a document starts when its container has said READY and the document is its own: what the engine takes to
start a container is bounded apart from that. The second is put back by whole frames and by bytes of the document that were
taken, never by a byte received: an answer that drips makes no progress.
"""

from __future__ import annotations

import contextlib
import math
import select
import selectors
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from fumehood.sandbox.cancel import CancelToken
from fumehood.sandbox.engine import Connection
from fumehood.sandbox.streams import HeadTail, RequestBytes
from fumehood_sandbox.frames import Frame, FrameType, ProtocolError, ResponseDecoder

#: Sent at most before the answer is looked at again.
_BURST: Final = 1024 * 1024

#: From the start of a container to its READY. Not the document's time: a busy machine starts containers slowly.
START_SECONDS: Final = 30.0

#: After a complete answer the worker only has to exit.
LINGER_SECONDS: Final = 8.0

Reason = Literal["answered", "closed", "timeout", "stalled", "cancelled", "output", "protocol", "unready"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Clocks of a request, in seconds from the moment in which the container is ready and the request its own."""

    wall_seconds: float
    stall_seconds: float | None = None
    """The second clock: the exchange ends when nothing has gone on for so long. None: not used."""
    start_seconds: float = START_SECONDS
    until: float = math.inf
    """When the caller wants it to be over (`time.monotonic`), however long the container took to start."""


@dataclass(slots=True)
class Ending:
    """How the exchange ended. *complete*: END had come, with the right hash. *detail* names the rule that was broken."""

    reason: Reason
    complete: bool
    detail: str = ""
    received: int = 0


class _Clocks:
    """When the exchange ends by time, and as what."""

    def __init__(self, start_seconds: float) -> None:
        self._deadline = time.monotonic() + start_seconds
        self._expired: Reason = "unready"
        self._stall: float | None = None
        self._last = 0.0

    def assigned(self, bounds: Bounds) -> None:
        self._last = time.monotonic()
        self._deadline = min(self._last + bounds.wall_seconds, bounds.until)
        self._stall, self._expired = bounds.stall_seconds, "timeout"

    def sign_of_life(self) -> None:
        self._last = time.monotonic()

    def left(self) -> tuple[float, Reason]:
        """The seconds until the next clock runs out, and what that will be."""
        now = time.monotonic()
        if self._stall is not None and self._last + self._stall < self._deadline:
            return self._last + self._stall - now, "stalled"
        return self._deadline - now, self._expired


class Exchange:
    """One container's streams, from the start to the end. `ready` and `run` may be far apart; `run` comes once.

    Args:
        connection: The container's streams. Closing them is the owner's.
        output_bytes: The most that the container may send.
        stderr_bytes: What is kept of its stderr.
    """

    def __init__(self, connection: Connection, *, output_bytes: int, stderr_bytes: int) -> None:
        self.stderr = HeadTail(stderr_bytes)
        self._connection = connection
        self._output_bytes = output_bytes
        self._decoder = ResponseDecoder(output_bytes)
        self._readers = set(connection.readers())
        self._frames = 0
        self._early: list[Frame] = []
        self._on_frame: Callable[[Frame], None] = self._early.append
        self._request: RequestBytes | None = None
        self._writing = False
        self._ready: Callable[[], None] | None = None
        self._waits = True

    def wait_ready(self, seconds: float, cancel: CancelToken | None = None) -> bool:
        """Whether READY, and nothing else, has come within *seconds*."""
        return self._loop(_Clocks(seconds), cancel, lambda: self._frames > 0) is None and self.waits()

    def waits(self) -> bool:
        """Whether a container that has said READY is still there, and has said nothing since. Does not block."""
        self._waits = self._waits and self._quiet() and [frame.type for frame in self._early] == [FrameType.READY]
        return self._waits

    def _quiet(self) -> bool:
        poll = select.poll()
        for reader in self._readers:
            poll.register(reader, select.POLLIN)
        if self._connection.writer() not in self._readers:
            poll.register(self._connection.writer(), 0)  # a closed one is reported unasked
        while events := poll.poll(0):
            for descriptor, _ in events:
                if descriptor not in self._readers:
                    return False
                before = len(self._readers), self._decoder.received
                if self._read(descriptor) is not None or (len(self._readers), self._decoder.received) != before:
                    return False
        return bool(self._readers)

    def run(
        self,
        request: RequestBytes,
        bounds: Bounds,
        on_frame: Callable[[Frame], None],
        cancel: CancelToken | None = None,
    ) -> Ending:
        """Send *request* and take the answer, until its END or until something else ends it.

        *on_frame* gets every frame but END. What it or the body raises is passed on; a `ProtocolError` of its own is an ending.
        """
        clocks = _Clocks(bounds.start_seconds)
        self._request, self._on_frame, self._writing = request, on_frame, True
        self._ready = lambda: clocks.assigned(bounds)
        try:
            for frame in self._early:
                self._ready_once()
                on_frame(frame)
        except ProtocolError as error:
            return self._ending("protocol", str(error))
        ending = self._loop(clocks, cancel, lambda: self._decoder.ended)
        return ending if ending is not None else self._ending("answered")

    def settle(self, seconds: float = LINGER_SECONDS) -> Ending:
        """After END: until the container has closed its streams. Anything it still says breaks the protocol."""
        ending = self._loop(_Clocks(seconds), None, lambda: False)
        assert ending is not None
        return self._ending("protocol", "no exit after END") if ending.reason == "unready" else ending

    def _loop(self, clocks: _Clocks, cancel: CancelToken | None, done: Callable[[], bool]) -> Ending | None:
        """None when *done* says so."""
        with selectors.DefaultSelector() as selector:
            for reader in self._readers:
                selector.register(reader, selectors.EVENT_READ)
            if cancel is not None:
                selector.register(cancel, selectors.EVENT_READ, "cancel")
            self._write(selector, clocks)
            while self._readers and not done():
                if cancel is not None and cancel.cancelled:
                    return self._ending("cancelled")
                left, expired = clocks.left()
                if left <= 0:
                    return self._ending(expired)
                for key, events in selector.select(left):
                    if key.data == "cancel":
                        continue
                    if events & selectors.EVENT_WRITE:
                        self._write(selector, clocks)
                    if events & selectors.EVENT_READ:
                        before = self._frames
                        broken = self._read(key.fd)
                        if broken is not None:
                            return broken
                        if key.fd not in self._readers:
                            selector.unregister(key.fd)
                        if self._frames != before:
                            clocks.sign_of_life()
        return None if done() else self._closed()

    def _write(self, selector: selectors.BaseSelector, clocks: _Clocks) -> None:
        """Send what can be sent now, and watch the writing side while there is more."""
        burst = 0
        while self._writing and self._request is not None:
            piece = memoryview(b"") if self._decoder.ended else self._request.next_slice()
            if not piece:
                self._writing = False
                break
            try:
                sent = self._connection.send(piece)
            except BrokenPipeError:  # it answers early or has died: its streams will tell
                self._writing = False
                break
            if sent:
                self._request.sent(sent)
                clocks.sign_of_life()
                burst += sent
            if sent < len(piece) or burst >= _BURST:
                break
        self._watch_writer(selector, on=self._writing and self._request is not None)

    def _read(self, reader: int) -> Ending | None:
        try:
            pieces = self._connection.receive(reader)
        except ValueError:
            return self._ending("protocol", "the engine's stream is broken")
        if pieces is None:
            self._readers.discard(reader)
            return None
        for stream, data in pieces:
            if stream == "stderr":
                self.stderr.add(data)
                continue
            try:
                for frame in self._decoder.feed(data):
                    self._frames += 1
                    self._ready_once()
                    self._on_frame(frame)
            except ProtocolError as error:
                if self._decoder.received > self._output_bytes:
                    return self._ending("output")
                return self._ending("protocol", str(error))
        return None

    def _ready_once(self) -> None:
        """The first frame, whatever it is, starts the document's clocks."""
        if self._ready is not None:
            self._ready()
            self._ready = None

    def _closed(self) -> Ending:
        try:
            self._decoder.close()
        except ProtocolError as error:
            return self._ending("closed", str(error))
        return self._ending("closed")

    def _ending(self, reason: Reason, detail: str = "") -> Ending:
        complete = self._decoder.ended and reason in {"answered", "closed"}
        return Ending(reason, complete, detail, self._decoder.received)

    def _watch_writer(self, selector: selectors.BaseSelector, *, on: bool) -> None:
        """Watch the writing side, which may be the same descriptor as a reading one."""
        writer = self._connection.writer()
        reading = 0
        with contextlib.suppress(KeyError):
            key = selector.get_key(writer)
            reading = key.events & selectors.EVENT_READ
            if key.events == reading | (selectors.EVENT_WRITE if on else 0):
                return
            selector.unregister(writer)
        events = reading | (selectors.EVENT_WRITE if on else 0)
        if events:
            selector.register(writer, events)
