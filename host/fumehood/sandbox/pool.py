"""Spare containers: started, with their reader imported, waiting for a document. Each is used once.

`take` is all that a request waits for. Everything else is the keeper's, one thread: it starts spares when no request is in
hand (or when requests come faster than spares do), sizes their number to what is asked for and to the memory there is, and
removes what got too old, what died, and what does not fit any more. It knows nothing of engines: what starts a container and
what says that there is room for one more are given to it.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from fumehood.errors import FumehoodError
from fumehood.sandbox.box import Box
from fumehood.sandbox.cancel import CancelToken

_log = logging.getLogger("fumehood")

#: The pause between the end of a request and the start of a spare: its caller is still busy with the answer.
_BREATH_SECONDS: Final = 0.02
#: How often the keeper looks whether its spares live.
_LOOK_SECONDS: Final = 30.0
_CANCEL_LOOK_SECONDS: Final = 0.05
_RETRY_SECONDS: Final = (1.0, 60.0)
#: The families of the last requests, which the next spares are made for.
_REMEMBERED: Final = 8

#: Starts a container, told the family to prepare for, and returns it when it is ready.
Start = Callable[[str, CancelToken], Box]


@dataclass(slots=True)
class _Spare:
    box: Box
    hint: str
    born: float


class Pool:
    """Keeps spares. Thread-safe. Nothing is started before `want` is called.

    Args:
        start: Makes a ready container.
        most: How many spares there may be at a time; 0 makes the pool do nothing.
        idle_seconds: How old a spare may get. It is not replaced before the next request.
        room: Whether that many spares fit into the memory beside what runs.
        first_hint: What to prepare for while nothing has been asked.
    """

    def __init__(
        self,
        start: Start,
        *,
        most: int,
        idle_seconds: float,
        room: Callable[[int], bool] = lambda _spares: True,
        first_hint: str = "",
    ) -> None:
        self._start = start
        self._most = most
        self._idle_seconds = idle_seconds
        self._room = room
        self._ready: list[_Spare] = []
        self._gone: list[Box] = []
        self._starting = self._claims = self._in_hand = self._target = 0
        self._to_come: int | None = None
        self._behind = self._busy = self._closed = False
        self._quiet_since = 0.0
        self._failures = 0
        self._retry_at = 0.0
        self._first_hint = first_hint
        self._hints: deque[str] = deque(maxlen=_REMEMBERED)
        self._stop = CancelToken()
        self._change = threading.Condition()
        self._keeper: threading.Thread | None = None

    def want(self, spares: int, *, to_come: int | None = None) -> None:
        """Keep at least *spares* from now on (as many as there may be). *to_come*: no more documents than these are expected."""
        with self._change:
            if self._closed or not self._most:
                return
            self._to_come = to_come
            self._target = 0 if to_come == 0 else max(self._target, min(spares, self._most))
            if self._keeper is None and self._target:
                self._keeper = threading.Thread(target=self._keep, name="fumehood-pool", daemon=True)
                self._keeper.start()
                # For an owner who never closes: containers of a process that ends would stay until a sweep.
                atexit.register(self.close)
            self._change.notify_all()

    @contextmanager
    def in_hand(self) -> Iterator[None]:
        """While a request is worked on: no spare is started meanwhile, unless there are too few for what is asked."""
        with self._change:
            self._in_hand += 1
        try:
            yield
        finally:
            with self._change:
                self._in_hand -= 1
                self._quiet_since = time.monotonic()
                self._change.notify_all()

    def take(self, hint: str, cancel: CancelToken | None = None) -> Box | None:
        """A ready container, the caller's from here on; None when there is none, and none about to be ready.

        One that was prepared for *hint* is preferred to another. One that is just being started is waited for: it will be
        ready before any that the caller could start now.
        """
        with self._change:
            if self._keeper is None or self._closed:
                return None
            self._hints.append(hint)
            if self._to_come is not None:
                self._to_come = max(0, self._to_come - 1)
            self._target = max(self._target, min(self._in_hand, self._most))
            self._change.notify_all()  # what is taken has to be replaced
            box = self._pick(hint)
            if box is None and self._starting > self._claims:
                self._claims += 1
                try:
                    box = self._await_one(hint, cancel)
                finally:
                    self._claims -= 1
            if box is None:
                # A request that is alone gets the whole machine for its own container; its successor is prepared for after it.
                self._behind = self._in_hand > 1
                self._target = min(self._most, max(1, self._target + self._behind))
            return box

    def settled(self, seconds: float) -> bool:
        """Wait until there are as many spares as are wanted; whether that came about. For measurements and tests."""
        with self._change:
            return self._change.wait_for(
                lambda: not self._busy and not self._gone and len(self._ready) == self._wanted(), seconds
            )

    def hints(self) -> list[str]:
        """What the spares were prepared for."""
        with self._change:
            return [spare.hint for spare in self._ready]

    def close(self) -> None:
        """Remove all spares. Returns when they are gone."""
        with self._change:
            self._closed = True
            self._stop.cancel()
            self._change.notify_all()
        if self._keeper is not None:
            self._keeper.join()
        self._stop.close()
        atexit.unregister(self.close)

    def _pick(self, hint: str) -> Box | None:
        self._drop_dead()
        if not self._ready:
            return None
        spare = next((spare for spare in self._ready if spare.hint == hint), self._ready[0])
        self._ready.remove(spare)
        return spare.box

    def _await_one(self, hint: str, cancel: CancelToken | None) -> Box | None:
        while not self._closed and not (cancel is not None and cancel.cancelled):
            box = self._pick(hint)
            if box is not None or not self._starting:
                return box
            self._change.wait(_CANCEL_LOOK_SECONDS if cancel is not None else None)
        return None

    def _drop_dead(self) -> None:
        """Nobody is handed a container that has ended meanwhile: its engine was restarted, or it was killed."""
        dead = [spare for spare in self._ready if not spare.box.waits()]
        self._drop(dead)

    def _drop(self, spares: list[_Spare]) -> None:
        for spare in spares:
            self._ready.remove(spare)
            self._gone.append(spare.box)

    # -- the keeper ---------------------------------------------------------------------------------------------------

    def _keep(self) -> None:
        while True:
            with self._change:
                while not self._has_work():
                    self._change.wait(self._until_next_look())
                gone, self._gone = self._gone, []
                last = self._closed
                hint = None if last or gone else self._next_hint()
                self._starting = int(hint is not None)
                self._busy = True
            _remove(gone)
            if hint is not None:
                self._make(hint)
            with self._change:
                self._busy = False
                self._change.notify_all()
                if last and not self._gone:
                    return

    def _has_work(self) -> bool:
        now = time.monotonic()
        if self._closed:
            self._drop(list(self._ready))
            return True
        self._drop_dead()
        old = [spare for spare in self._ready if now - spare.born >= self._idle_seconds]
        self._target = max(0, self._target - len(old))
        self._drop(old)
        while self._ready and (len(self._ready) > self._wanted() or not self._room(len(self._ready))):
            self._drop(self._ready[:1])
        if not self._short():
            self._behind = False
        return bool(self._gone) or (self._may_start(now) and self._room(len(self._ready) + 1))

    def _may_start(self, now: float) -> bool:
        calm = not self._in_hand and now >= self._quiet_since + _BREATH_SECONDS
        return self._short() and now >= self._retry_at and (calm or self._behind)

    def _wanted(self) -> int:
        return self._target if self._to_come is None else min(self._target, self._to_come)

    def _short(self) -> bool:
        return len(self._ready) + self._starting < self._wanted()

    def _until_next_look(self) -> float:
        now = time.monotonic()
        times = [_LOOK_SECONDS, *(spare.born + self._idle_seconds - now for spare in self._ready)]
        if self._short():
            times += [t - now for t in (self._quiet_since + _BREATH_SECONDS, self._retry_at) if t > now]
        return max(0.001, min(times))

    def _next_hint(self) -> str:
        """The family that was asked for most, by what is there already for it."""
        if not self._hints:
            return self._first_hint
        asked, there = Counter(self._hints), Counter(spare.hint for spare in self._ready)
        return max(reversed(self._hints), key=lambda hint: asked[hint] / (1 + there[hint]))

    def _make(self, hint: str) -> None:
        box = None
        try:
            box = self._start(hint, self._stop)
        except FumehoodError as error:
            if not self._failures and not self._closed:
                _log.warning("no spare container could be started: %s: %s", error.code, error.message)
        except Exception as fault:  # noqa: BLE001 - the keeper outlives whatever goes wrong with one spare
            _log.error("no spare container could be started: %s", type(fault).__name__)
        with self._change:
            self._starting = 0
            if box is not None:
                self._failures = 0
                self._ready.append(_Spare(box, hint, time.monotonic()))
            else:
                first, most = _RETRY_SECONDS
                self._retry_at = time.monotonic() + min(most, first * 2**self._failures)
                self._failures = min(self._failures + 1, 10)
            self._change.notify_all()


def _remove(boxes: list[Box]) -> None:
    for box in boxes:
        with contextlib.suppress(FumehoodError):  # its label leaves it to the sweep
            box.close()
