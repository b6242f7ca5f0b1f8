"""How many documents are read at a time: bounded by number, and by the memory of the engine's machine.

Each container may use all the memory of its limit, so the limits of those that run never add up to more than half of what
the engine has (under Docker Desktop that is its virtual machine's). Whoever does not fit waits in one queue, first come
first served: a large document at its head is not overtaken by small ones for ever. The queue is short, because a caller who
is told at once when to come again is better off than one who waits for an answer that comes too late.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from fumehood.errors import FumehoodError, make_error
from fumehood.limits import MIB
from fumehood.sandbox.cancel import CancelToken

#: How long a caller who is not patient waits for a place.
WAIT_SECONDS: Final = 20.0
_LOOK_SECONDS: Final = 0.05
#: What a document is taken to need while none has been read yet, and how many are remembered.
_GUESS_SECONDS: Final = 3.0
_REMEMBERED: Final = 16
_MOST_RETRY_SECONDS: Final = 120


class _Ticket:
    """One document: waiting, then running. All fields are guarded by the admission's lock, but for the event."""

    def __init__(self, memory_bytes: int, cancel: CancelToken | None, *, patient: bool) -> None:
        self.memory_bytes = memory_bytes
        self.cancel = cancel
        self.patient = patient
        self.admitted = threading.Event()


class Admission:
    """Gives places to documents. Thread-safe.

    Args:
        jobs: Documents that run at a time.
        queue: Documents that wait for a place, not counting the patient ones.
        wait_seconds: How long each of them waits.
    """

    def __init__(self, jobs: int, *, queue: int = 16, wait_seconds: float = WAIT_SECONDS) -> None:
        self.jobs = jobs
        self.wait_seconds = wait_seconds
        self._queue_bound = queue
        self._engine_bytes: int | None = None
        self._running: list[_Ticket] = []
        self._waiting: deque[_Ticket] = deque()
        self._durations: deque[float] = deque(maxlen=_REMEMBERED)
        self._lock = threading.Lock()

    def engine_has(self, memory_bytes: int) -> None:
        """Say how much memory the engine's machine has; 0 when it does not say. Until then only the number is bounded."""
        with self._lock:
            self._engine_bytes = memory_bytes or None
            self._advance()

    @contextmanager
    def admit(self, memory_bytes: int, cancel: CancelToken | None = None, *, patient: bool = False) -> Iterator[None]:
        """A place for one document whose container may use *memory_bytes*; it is given back when the block is left.

        A *patient* caller has bounded its own parallelism: it waits as long as it takes, however long the queue is.

        Raises:
            EnvironmentError_: ``busy``; the hint says in how many seconds to come again.
            SandboxError: ``cancelled``, while waiting.
            DocumentError: ``limit`` (kind ``memory``), the engine will never have that much.
        """
        ticket = _Ticket(memory_bytes, cancel, patient=patient)
        try:
            self._enter(ticket)
            self._wait(ticket)
            started = time.monotonic()
            try:
                yield
            finally:
                took = time.monotonic() - started
                with self._lock:
                    self._durations.append(took)
        finally:
            self._leave(ticket)

    def room(self, spare_bytes: int) -> bool:
        """Whether spare containers of *spare_bytes* together fit beside the documents that run.

        Documents never wait for spares to go. So the pool asks before it starts one (with that one counted), and again after
        a document has taken its container, and then drops spares until it is told that there is room.
        """
        with self._lock:
            half = self._budget
            return half is None or self._used + spare_bytes <= half

    @property
    def waiting(self) -> int:
        """How many documents wait for a place."""
        return len(self._waiting)

    def ahead(self, cancel: CancelToken) -> int | None:
        """How many documents are before the one of *cancel* in the queue; None when it does not wait."""
        with self._lock:
            for place, ticket in enumerate(self._waiting):
                if ticket.cancel is cancel:
                    return place
        return None

    def admitted(self, cancel: CancelToken) -> bool:
        """Whether the document of *cancel* has its place."""
        with self._lock:
            return any(ticket.cancel is cancel for ticket in self._running)

    def retry_seconds(self) -> int:
        """In how many seconds there is likely to be a place for one more, as the last documents went."""
        with self._lock:
            return self._retry_seconds()

    def busy(self, message: str, *, kind: str) -> FumehoodError:
        """The error for a caller who cannot be served now: with the time to come again."""
        return self._busy(message, kind, self.retry_seconds())

    @staticmethod
    def _busy(message: str, kind: str, seconds: int) -> FumehoodError:
        plural = "" if seconds == 1 else "s"
        return make_error("busy", message, hint=f"Try again in about {seconds} second{plural}.", kind=kind)

    def _enter(self, ticket: _Ticket) -> None:
        with self._lock:
            has = self._engine_bytes
            if has is not None and ticket.memory_bytes > has:
                needs = f"The document's container needs {ticket.memory_bytes // MIB} MiB; the engine has {has // MIB} MiB."
                hint = "Give the engine more memory, or lower `limits.memory_bytes` and `limits.memory_cap_bytes`."
                raise make_error("limit", needs, hint=hint, kind="memory")
            self._waiting.append(ticket)
            self._advance()
            if ticket.admitted.is_set() or ticket.patient:
                return
            if sum(not other.patient for other in self._waiting) > self._queue_bound:
                self._waiting.remove(ticket)
                running = len(self._running)
                message = f"{running} document{'s are' if running != 1 else ' is'} being read and {len(self._waiting)} wait."
                raise self._busy(message, "queue", self._retry_seconds())

    def _wait(self, ticket: _Ticket) -> None:
        end = None if ticket.patient else time.monotonic() + self.wait_seconds
        while not ticket.admitted.is_set():
            if ticket.cancel is not None and ticket.cancel.cancelled:
                raise make_error("cancelled", "the call was cancelled before its container started")
            if end is not None and time.monotonic() >= end:
                with self._lock:
                    if ticket.admitted.is_set():
                        return
                    kind = "jobs" if len(self._running) >= self.jobs else "memory"
                    seconds = self._retry_seconds()
                raise self._busy(f"No sandbox became free within {self.wait_seconds:g} seconds.", kind, seconds)
            # Without a token and without a limit there is nothing to look at meanwhile.
            ticket.admitted.wait(_LOOK_SECONDS if ticket.cancel is not None or end is not None else None)

    def _leave(self, ticket: _Ticket) -> None:
        """Give the place back, or stop waiting for one. Whoever is next may fit now."""
        with self._lock:
            for tickets in (self._running, self._waiting):
                if ticket in tickets:
                    tickets.remove(ticket)
            self._advance()

    def _advance(self) -> None:
        while self._waiting and self._fits(self._waiting[0]):
            ticket = self._waiting.popleft()
            self._running.append(ticket)
            ticket.admitted.set()

    def _fits(self, ticket: _Ticket) -> bool:
        if not self._running:
            return True  # one always may, also when it takes more than half
        half = self._budget
        return len(self._running) < self.jobs and (half is None or self._used + ticket.memory_bytes <= half)

    @property
    def _budget(self) -> int | None:
        return None if self._engine_bytes is None else self._engine_bytes // 2

    @property
    def _used(self) -> int:
        return sum(ticket.memory_bytes for ticket in self._running)

    def _retry_seconds(self) -> int:
        typical = sum(self._durations) / len(self._durations) if self._durations else _GUESS_SECONDS
        at_a_time = max(1, len(self._running))  # memory may allow fewer than there are jobs
        return max(1, min(_MOST_RETRY_SECONDS, math.ceil(typical * (len(self._waiting) + 1) / at_a_time)))
