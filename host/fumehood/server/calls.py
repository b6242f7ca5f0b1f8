"""One tool call: a thread of its own, a deadline, progress to the client, and an end that waits for the container to go.

The work blocks (a socket to the engine), so it runs in a thread. A thread cannot be cancelled; its cancel token can. When
the client cancels, the connection ends or a signal comes, the token is cancelled, the thread removes its container and
returns, and only then does the cancellation go on.
"""

from __future__ import annotations

import logging
import time
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.to_thread

from fumehood.errors import FumehoodError, make_error
from fumehood.sandbox.cancel import CancelToken
from fumehood.server.progress import Report, Teller
from fumehood.tools.context import ToolContext
from fumehood.tools.registry import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fumehood.api import Fumehood

_log = logging.getLogger("fumehood.server")

#: A client that gives a tool a minute must still get our answer.
DEADLINE_SECONDS: Final = 55.0
#: How long after the deadline a call that does not end by itself is cut short.
_OVERDUE_SECONDS: Final = 1.5
#: What a document has less than its call: starting its container and making the answer take their time too.
_AROUND_SECONDS: Final = 3.0
_TICK_SECONDS: Final = 0.2
#: Threads beside those for the documents that run or wait for a place: for what is answered from memory.
_MORE_THREADS: Final = 8


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
        until = time.monotonic() + self.deadline
        teller = Teller(report, partial(self._phase, token))
        context = replace(context, on_progress=teller.progressed, until=until - min(_AROUND_SECONDS, self.deadline / 2))
        limiter = await self._thread(token)
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_watch, token, until + _OVERDUE_SECONDS, teller)
                outcome: list[dict[str, Any] | Exception] = []
                work = partial(_attempt, spec, context, arguments)
                # Shielded from cancellation by design (abandon_on_cancel is off): it ends by its token.
                outcome.append(await anyio.to_thread.run_sync(work, limiter=anyio.CapacityLimiter(1)))
                group.cancel_scope.cancel()
        finally:
            limiter.release_on_behalf_of(token)
        result = outcome[0]
        if isinstance(result, FumehoodError) and result.code == "cancelled" and time.monotonic() >= until:
            raise make_error("timeout", f"the call took longer than {self.deadline:g} seconds")
        if isinstance(result, Exception):
            raise result
        return result

    async def _thread(self, token: CancelToken) -> anyio.CapacityLimiter:
        """A thread for the call of *token*. Documents have a queue of their own (`fumehood.sandbox.admission`), and whoever
        may wait in it has a thread: this only keeps a flood of calls from becoming a flood of threads.
        """
        admission = self.hood.admission
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(self.hood.settings.jobs + self.hood.settings.queue + _MORE_THREADS)
        with anyio.move_on_after(admission.wait_seconds) as scope:
            await self._limiter.acquire_on_behalf_of(token)
        if scope.cancelled_caught:
            raise admission.busy(f"{self._limiter.total_tokens:g} calls are running", kind="calls")
        return self._limiter

    def _phase(self, token: CancelToken) -> str:
        """What the call of *token* does while its document has not told of itself."""
        ahead = self.hood.admission.ahead(token)
        if ahead is not None:
            return f"waiting for a sandbox, {ahead} before it" if ahead else "waiting for a sandbox, next"
        if self.hood.admission.admitted(token):
            return "starting a sandbox"
        return "working" if self.hood.machine.proved_image is not None else "proving the sandbox"

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


async def _watch(token: CancelToken, overdue: float, teller: Teller) -> None:
    """Pass progress on, end the call when it is overdue, and pass a cancellation on to its thread."""
    try:
        while True:
            await anyio.sleep(_TICK_SECONDS)
            if time.monotonic() > overdue:
                token.cancel()
            await teller.tell()
    except anyio.get_cancelled_exc_class():
        token.cancel()
        raise


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
