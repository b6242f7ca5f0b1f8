"""One tool call: a thread of its own, a deadline, progress to the client, and an end that waits for the container to go.

The work blocks (a socket to the engine), so it runs in a thread. A thread cannot be cancelled; its cancel token can. When
the client cancels, the connection ends or a signal comes, the token is cancelled, the thread removes its container and
returns, and only then does the cancellation go on.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.to_thread

from fumehood.errors import FumehoodError, make_error
from fumehood.sandbox.cancel import CancelToken
from fumehood.tools.context import ToolContext
from fumehood.tools.registry import ToolSpec
from fumehood_sandbox.contract import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fumehood.api import Fumehood

_log = logging.getLogger("fumehood.server")

#: A client that gives a tool a minute must still get our answer.
DEADLINE_SECONDS: Final = 55.0
#: How long after the deadline a call that does not end by itself is cut short.
_OVERDUE_SECONDS: Final = 1.5
_QUEUE_SECONDS: Final = 20.0
_TICK_SECONDS: Final = 0.5
#: Calls at once. Each may wait for a place for its container (`jobs`); the rest of them is answers from memory.
_THREADS: Final = 8

Report = Callable[[float, float | None, str], Awaitable[None]]


@dataclass(slots=True)
class Calls:
    """All running calls of a server."""

    hood: Fumehood
    deadline: float = DEADLINE_SECONDS
    _running: set[CancelToken] = field(default_factory=set)
    _closing: bool = False
    _limiter: anyio.CapacityLimiter | None = None

    async def run(self, spec: ToolSpec, arguments: dict[str, Any], report: Report) -> Answer:
        """Run *spec*; a failure is an answer too. Cancelled from outside, it raises only when its container is gone."""
        trace: dict[str, Any] = {}
        with CancelToken() as token, self._registered(token):
            ready = partial(self._readiness, token)
            context = replace(self.context(), cancel=token, trace=trace, on_progress=None, readiness=ready)
            try:
                shape = await self._in_thread(spec, arguments, context, token, report)
            except FumehoodError as error:
                return Answer({"error": error.as_dict(), **_also(trace)}, error)
            except Exception as fault:  # noqa: BLE001 - whatever went wrong, the client gets our shape and no detail
                # The class and the place, never the message: it may quote the document.
                _log.error("%s failed: %s at %s", spec.name, type(fault).__name__, _place(fault))
                internal = make_error("internal", f"{spec.name} failed")
                return Answer({"error": internal.as_dict(), **_also(trace)}, internal)
        return Answer(shape, None)

    def context(self) -> ToolContext:
        """What a call of this server stands on."""
        settings = self.hood.settings
        return ToolContext(
            self.hood,
            roots=settings.allowed_roots,
            input_bytes=settings.limits.input_bytes,
            timeout=self.deadline,
            fenced=True,
            sanitize="strip",
        )

    async def _in_thread(
        self, spec: ToolSpec, arguments: dict[str, Any], context: ToolContext, token: CancelToken, report: Report
    ) -> dict[str, Any]:
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(_THREADS)
        latest: list[Progress] = []
        until = time.monotonic() + self.deadline
        context = replace(context, on_progress=lambda progress: latest.__setitem__(slice(None), [progress]))
        await _take_place(self._limiter, token)
        try:
            # What waiting took is not there for reading.
            context = replace(context, timeout=max(1.0, until - time.monotonic()))
            async with anyio.create_task_group() as group:
                group.start_soon(_watch, token, until + _OVERDUE_SECONDS, latest, report)
                outcome: list[dict[str, Any] | Exception] = []
                work = partial(_attempt, spec, context, arguments)
                # Shielded from cancellation by design (abandon_on_cancel is off): it ends by its token.
                outcome.append(await anyio.to_thread.run_sync(work, limiter=anyio.CapacityLimiter(1)))
                group.cancel_scope.cancel()
        finally:
            self._limiter.release_on_behalf_of(token)
        result = outcome[0]
        if isinstance(result, FumehoodError) and result.code == "cancelled" and time.monotonic() >= until:
            raise make_error("timeout", f"the call took longer than {self.deadline:g} seconds")
        if isinstance(result, Exception):
            raise result
        return result

    def _registered(self, token: CancelToken) -> AbstractContextManager[None]:
        @contextmanager
        def registered() -> Iterator[None]:
            self._running.add(token)
            if self._closing:
                token.cancel()
            try:
                yield
            finally:
                self._running.discard(token)

        return registered()

    def cancel_all(self) -> None:
        """End every call, and those that still come. Returns at once; see `idle`."""
        self._closing = True
        for token in list(self._running):
            token.cancel()

    async def idle(self) -> None:
        """Wait until no call runs."""
        while self._running:  # noqa: ASYNC110
            await anyio.sleep(0.02)  # calls end in tasks of several groups; nothing is closer at hand than to look

    def _readiness(self, cancel: CancelToken) -> dict[str, Any]:
        """Whether documents can be read here: ``{ready, …}``, with the error when not."""
        try:
            ready = self.hood.machine.ready(cancel)
        except FumehoodError as error:
            return {"ready": False, "error": error.as_dict()}
        except Exception as fault:  # noqa: BLE001 - whatever it is, the formats can be listed
            _log.error("no sandbox: %s at %s", type(fault).__name__, _place(fault))
            return {"ready": False, "error": make_error("internal", "the sandbox cannot be prepared").as_dict()}
        return {"ready": True, "image": ready.image_id}


@dataclass(frozen=True, slots=True)
class Answer:
    """A tool's structured result, or ``{"error": …}`` with the error beside."""

    structured: dict[str, Any]
    error: FumehoodError | None


def _attempt(spec: ToolSpec, context: ToolContext, arguments: dict[str, Any]) -> dict[str, Any] | Exception:
    """A task group would wrap what is raised in it, so that comes back as a value."""
    try:
        return spec.call(context, arguments)
    except Exception as fault:  # noqa: BLE001 - handed on, and raised again by the caller
        return fault


async def _take_place(limiter: anyio.CapacityLimiter, token: CancelToken) -> None:
    with anyio.move_on_after(_QUEUE_SECONDS) as scope:
        await limiter.acquire_on_behalf_of(token)
    if scope.cancelled_caught:
        raise make_error("busy", f"{_THREADS} calls are running")


async def _watch(token: CancelToken, overdue: float, latest: list[Progress], report: Report) -> None:
    """Pass progress on, end the call when it is overdue, and pass a cancellation on to its thread."""
    told: Progress | None = None
    done = 0.0
    try:
        while True:
            await anyio.sleep(_TICK_SECONDS)
            if time.monotonic() > overdue:
                token.cancel()
            if latest and latest[0] is not told:
                told = latest[0]
                done = max(done + 0.001, float(told.done))  # the specification wants it to rise
                await _tell(report, done, told)
    except anyio.get_cancelled_exc_class():
        token.cancel()
        raise


async def _tell(report: Report, done: float, progress: Progress) -> None:
    total = None if progress.total is None or progress.total < done else float(progress.total)
    unit = progress.unit if progress.unit.isascii() and progress.unit.isalpha() else "step"
    try:
        await report(done if math.isfinite(done) else 0.0, total, f"{unit[:20]} {progress.done}")
    except Exception as fault:  # noqa: BLE001 - a client that does not listen is no reason to end its call
        _log.debug("progress was not delivered: %s", type(fault).__name__)


def _also(trace: dict[str, Any]) -> dict[str, Any]:
    """What an error's answer carries beside it: provenance as far as known, and what the document has to choose from."""
    return {"provenance": {}, **{key: trace[key] for key in ("provenance", "available") if key in trace}}


def _place(fault: BaseException) -> str:
    trace = fault.__traceback__
    if trace is None:
        return "?"
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"
