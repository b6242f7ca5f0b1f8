"""The server's life over stdio, from the handshake to an end that leaves no container behind.

FastMCP alone ends badly: SIGTERM kills it without any cleanup, and after SIGINT it stays until stdin closes, because a
thread that is blocked in reading stdin cannot be stopped. So the loop is ours: a signal cancels the calls, each of which
takes its container away, and then the process exits without waiting for that thread.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.to_thread

from fumehood.errors import FumehoodError, make_error
from fumehood.server.app import build
from fumehood.server.calls import Calls
from fumehood.staging.names import escape_line

if TYPE_CHECKING:
    from pathlib import Path

    from anyio.abc import TaskGroup
    from fastmcp import FastMCP

    from fumehood.config import Settings

_log = logging.getLogger("fumehood.server")

#: Clients close stdin, send SIGTERM after some seconds, and SIGKILL after some more.
GRACE_SECONDS: Final = 8.0
_LOOK_SECONDS: Final = 1.0
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def main(settings: Settings, *, toolsets: str | None = None) -> int:
    """Serve over stdio until stdin closes (0) or a signal comes (128 + its number; then this does not return).

    Raises:
        FumehoodError: ``invalid-argument`` for an unknown toolset.
    """
    from fumehood.allocator import keep_little  # noqa: PLC0415
    from fumehood.api import Fumehood  # noqa: PLC0415

    _log_to_stderr()
    keep_little()
    calls = Calls(Fumehood(settings))
    server = build(calls, toolsets=toolsets.split(",") if toolsets is not None else None)
    warn_of_roots(settings.allowed_roots)
    try:
        anyio.run(_serve, server, calls)
    except ExceptionGroup as faults:
        _unless_unwritable(faults)
    return 0


def warn_of_roots(roots: Sequence[Path]) -> None:
    """Say it at the start when no path, or none below one of *roots*, can be read: a client would only see refusals."""
    if not roots:
        _log.warning("no folder is allowed: paths are refused, uploads are read (serve --allow DIR allows one)")
    for root in roots:
        if not root.is_dir():
            _log.warning("the allowed folder %s is not there, or is no folder", escape_line(str(root)))


def _unless_unwritable(faults: ExceptionGroup[Exception]) -> None:
    """Nothing when all that happened is that the client stopped reading; an error of ours when stdout took nothing at all."""
    unwritable, others = faults.split(OSError)
    if unwritable is None or others is not None:
        raise faults
    fault: BaseException = unwritable
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    if not isinstance(fault, ConnectionError) and isinstance(fault, OSError):
        why = (fault.strerror or "unknown reason").lower()
        raise make_error("output-not-writable", f"standard output cannot be written: {why}", hint="It is the client's to read.")


def _log_to_stderr() -> None:
    """One line an event; the protocol owns stdout."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="fumehood: %(levelname)s %(message)s")


async def _serve(server: FastMCP[Any], calls: Calls) -> None:
    end = _End(calls)
    async with anyio.create_task_group() as group:
        with anyio.open_signal_receiver(*_SIGNALS) as signals:
            group.start_soon(_on_signal, signals, end, group)
            group.start_soon(_on_hangup, os.dup(1), end)  # the transport puts something else in its place
            group.start_soon(_get_ready, calls)
            try:
                await server.run_stdio_async(show_banner=False)
            finally:
                # stdin is closed: the calls were cancelled with the connection; wait until their containers are gone.
                with anyio.CancelScope(shield=True):
                    await end.wind_up()
            group.cancel_scope.cancel()


async def _on_hangup(out: int, end: _End) -> None:
    """End when nobody reads our answers any more. The reader of stdin, a blocked thread, would not notice."""
    poll = select.poll()
    poll.register(out, 0)  # a broken pipe is reported unasked
    while not any(events & (select.POLLERR | select.POLLHUP) for _, events in poll.poll(0)):  # noqa: ASYNC110
        await anyio.sleep(_LOOK_SECONDS)  # there is no event to wait for
    await end.exit(0)


async def _on_signal(signals: AsyncIterator[signal.Signals], end: _End, group: TaskGroup) -> None:
    ending = False
    async for number in signals:
        if ending:  # asked twice: the deadman in the container and the labels on it do the rest
            os._exit(128 + number)
        ending = True
        group.start_soon(end.exit, 128 + number)


class _End:
    """The end of the server, which several causes may bring about at once: a client that is gone closes stdin and stdout."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._once = anyio.Lock()
        self._wound_up = False

    async def wind_up(self) -> None:
        """End every call and let go of the engine, within the grace. Who comes second waits for the first."""
        self._calls.cancel_all()
        async with self._once:
            if self._wound_up:
                return
            with anyio.move_on_after(GRACE_SECONDS):
                await self._calls.idle()
                await anyio.to_thread.run_sync(self._calls.hood.close, abandon_on_cancel=True)
            self._wound_up = True

    async def exit(self, status: int) -> None:
        """Wind up, and end the process."""
        with anyio.CancelScope(shield=True):
            await self.wind_up()
        sys.stderr.flush()
        os._exit(status)


async def _get_ready(calls: Calls) -> None:
    """Prove the sandbox and start a spare container beside the handshake, not in it: the first document waits for neither."""
    try:
        await anyio.to_thread.run_sync(calls.hood.warm_up, abandon_on_cancel=True)
    except FumehoodError as error:
        # Each call that needs a sandbox says so in its answer; this is for whoever looks at the log.
        _log.warning("documents cannot be read yet: %s: %s", error.code, error.advice)
    except Exception as fault:  # noqa: BLE001 - it would end the server, and the next call tries again and answers
        _log.warning("documents cannot be read yet: %s", type(fault).__name__)
