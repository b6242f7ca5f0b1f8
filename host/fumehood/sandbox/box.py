"""One container from its creation to its removal: the order of things, and that the end comes on every path.

create, journal, attach, start; one exchange; close the attach socket; kill if it lives; wait; remove. The socket is closed
*before* the kill: with an attached client that has stopped reading, the engine's kill does not return (moby#41827), and a
document can bring that about on purpose.
"""

from __future__ import annotations

import contextlib
import logging
import selectors
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Self

from fumehood.errors import FumehoodError, make_error
from fumehood.sandbox.cancel import CancelToken
from fumehood.sandbox.engine import Connection, ContainerSpec, Created, Engine, ExitInfo
from fumehood.sandbox.exchange import Bounds, Ending, Exchange
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.streams import RequestBytes
from fumehood_sandbox.frames import Frame, prelude

_log = logging.getLogger("fumehood")

_WAIT_SECONDS: Final = 5.0
_OOM_NEWS_SECONDS: Final = 0.2
_SIGKILLED: Final = 137
#: Without an image there is no container, and one that is too weak the engine's adapter has removed.
_NOTHING_MADE: Final = frozenset({"image-missing", "sandbox-too-weak"})


class Box:
    """A single-use container, as a context manager: leaving it removes the container, whatever happened inside.

    `start` may come long before `assign` (a spare container), and `assign` comes at most once. *preload* is the family that
    the worker imports its reader for before it is ready (`frames.HINTS`).
    """

    def __init__(self, engine: Engine, spec: ContainerSpec, instance: Instance, *, preload: str = "") -> None:
        self.spec = spec
        self._prelude = prelude(preload)
        self._engine = engine
        self._instance = instance
        self._created: Created | None = None
        self._connection: Connection | None = None
        self._exchange: Exchange | None = None
        self._started_at: float | None = None
        self._used = False
        self._ended = False

    @property
    def id(self) -> str | None:
        return self._created.id if self._created is not None else None

    @property
    def started(self) -> bool:
        return self._started_at is not None

    @property
    def runtime(self) -> str | None:
        """The runtime that the engine chose."""
        return self._created.runtime if self._created is not None else None

    @property
    def stderr(self) -> bytes:
        """What was kept of the container's complaints. It may quote the document."""
        return self._exchange.stderr.kept() if self._exchange is not None else b""

    @property
    def lived_seconds(self) -> float:
        return 0.0 if self._started_at is None else time.monotonic() - self._started_at

    def start(self) -> None:
        """Create the container and start it; it then waits for a request. Raises `EnvironmentError_` of the engine."""
        try:
            self._created = self._engine.create(self.spec)
        except BaseException as error:
            self._remove_unseen(error)
            raise
        self._instance.created(self._created.id)
        self._connection = self._engine.attach(self._created.id)
        self._engine.start(self._created.id)
        self._started_at = time.monotonic()
        self._send_prelude(self._connection)
        limits = self.spec.limits
        self._exchange = Exchange(self._connection, output_bytes=limits.output_bytes, stderr_bytes=limits.stderr_bytes)

    def wait_ready(self, seconds: float, cancel: CancelToken | None = None) -> bool:
        """Whether the started container has said that it is ready, within *seconds*."""
        return self._exchange is not None and self._exchange.wait_ready(seconds, cancel)

    def waits(self) -> bool:
        """Whether a container that was ready still waits for its document. Asks no engine."""
        return self._exchange is not None and not self._used and self._exchange.waits()

    def _send_prelude(self, connection: Connection) -> None:
        left = memoryview(self._prelude)
        until = time.monotonic() + _WAIT_SECONDS
        with contextlib.suppress(BrokenPipeError):  # it is dead: its streams will tell
            while left := left[connection.send(left) :]:
                if time.monotonic() > until:
                    raise make_error("engine-unreachable", "The engine does not take what is sent to a new container.")
                with selectors.DefaultSelector() as selector:
                    selector.register(connection.writer(), selectors.EVENT_WRITE)
                    selector.select(_WAIT_SECONDS)

    def assign(
        self, request: RequestBytes, bounds: Bounds, on_frame: Callable[[Frame], None], *, cancel: CancelToken | None = None
    ) -> Ending:
        """Give the container its one document and take the answer, up to its END."""
        if self._exchange is None or self._used:
            raise RuntimeError("a container is started first, and used once")
        self._used = True
        return self._exchange.run(request, bounds, on_frame, cancel)

    def settle(self) -> Ending:
        """After a complete answer: wait until the container has closed its streams."""
        assert self._exchange is not None
        return self._exchange.settle()

    def finish(self, *, kill: bool) -> tuple[ExitInfo, bool]:
        """End the container's life and say how it ended, and whether it was us who ended it."""
        assert self._created is not None
        self._disconnect()
        killed = False
        if not kill:
            with contextlib.suppress(TimeoutError):
                return self._settled(self._wait()), killed
        self._engine.kill(self._created.id)
        killed = True
        try:
            return self._wait(), killed
        except TimeoutError:
            return ExitInfo(-1, detail="it could not be ended"), killed

    def inspect(self) -> dict[str, Any]:
        """The engine's description of the container, before it is removed."""
        assert self._created is not None
        return self._engine.inspect(self._created.id)

    def close(self) -> None:
        """Remove the container. An interrupt on the way does not stop that: it is raised again afterwards."""
        self._disconnect()
        if self._created is None or self._ended:
            return
        self._ended = True
        self._instance.let_go(self._created.id)
        try:
            self._engine.remove(self._created.id)
        except FumehoodError:
            raise
        except BaseException:
            self._engine.remove(self._created.id)
            raise
        self._instance.removed(self._created.id)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.close()
        except FumehoodError as failure:
            # Neither an answer nor what went wrong first is given up for it: the label leaves the container to the sweep.
            _log.warning("a container could not be removed: %s: %s", failure.code, failure.message)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _remove_unseen(self, error: BaseException) -> None:
        """An interrupt, a lost answer or a failure may hide that the engine has created the container: its label finds it."""
        if isinstance(error, FumehoodError) and error.code in _NOTHING_MADE:
            return
        try:
            for container in self._engine.list_labelled({"app.req": self.spec.labels["app.req"]}):
                self._engine.remove(container)
        except FumehoodError:
            self._instance.lost_track()

    def _settled(self, info: ExitInfo) -> ExitInfo:
        """The engine hears of an OOM kill on another channel than of the exit: give that a moment."""
        if info.code != _SIGKILLED or info.oom_killed:
            return info
        time.sleep(_OOM_NEWS_SECONDS)
        return self._wait()

    def _wait(self) -> ExitInfo:
        assert self._created is not None
        return self._engine.wait(self._created.id, _WAIT_SECONDS)
