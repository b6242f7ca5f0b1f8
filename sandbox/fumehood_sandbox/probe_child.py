"""Tries that may kill: each one in a forked child, its end told as one word.

A word is ``ok``, an errno name (``EPERM``), a signal name (``SIGSYS``), ``exit N``, ``timeout``, or what the try returned.
"""

from __future__ import annotations

import errno
import os
import select
import signal
from collections.abc import Callable
from typing import Final

MAX_WORD: Final = 200

#: Seconds for a try that takes none: the machine may be very busy.
PATIENCE: Final = 30.0


def errno_name(number: int | None) -> str:
    """``EPERM`` and the like."""
    return errno.errorcode.get(number or 0, f"errno {number}")


def word(attempt: Callable[[], object]) -> str:
    """The end of *attempt*, run right here."""
    try:
        value = attempt()
    except OSError as error:
        return errno_name(error.errno)
    return "ok" if value is None else str(value)[:MAX_WORD]


def ending(status: int) -> str:
    """How a process ended, from its wait status."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            return signal.Signals(number).name
        except ValueError:
            return f"signal {number}"
    return f"exit {os.WEXITSTATUS(status)}"


class Child:
    """A try that runs in a process of its own, from the moment of construction."""

    def __init__(self, attempt: Callable[[], object]) -> None:
        self._read, write = os.pipe()
        try:
            self._pid = os.fork()
        except OSError:
            os.close(self._read)
            os.close(write)
            raise
        if self._pid == 0:
            try:
                os.close(self._read)
                os.write(write, word(attempt).encode())
            finally:
                os._exit(0)
        os.close(write)

    def wait(self, timeout: float = PATIENCE) -> str:
        """The child's word; *timeout* seconds after which it is killed."""
        said = b""
        try:
            ready, _, _ = select.select([self._read], [], [], timeout)
            if ready:
                said = os.read(self._read, MAX_WORD + 1)
            else:
                os.kill(self._pid, signal.SIGKILL)
        finally:
            os.close(self._read)
        _, status = os.waitpid(self._pid, 0)
        if not ready:
            return "timeout"
        return said.decode(errors="replace") if said else ending(status)


def in_child(attempt: Callable[[], object], timeout: float = PATIENCE) -> str:
    """Run *attempt* in a forked child and return its word."""
    try:
        child = Child(attempt)
    except OSError as error:
        return f"no child: {errno_name(error.errno)}"
    return child.wait(timeout)


def each_in_child(attempts: dict[str, Callable[[], object]], timeout: float = PATIENCE) -> dict[str, str]:
    """Run every attempt in as few children as it takes: one, and another one after each attempt that kills its child."""
    answers: dict[str, str] = {}
    pending = list(attempts.items())
    while pending:
        words, end = _run_until_killed([attempt for _, attempt in pending], timeout)
        for (name, _), said in zip(pending, [*words, end], strict=False):
            answers[name] = said
        pending = pending[len(words) + 1 :]
    return answers


def _run_until_killed(attempts: list[Callable[[], object]], timeout: float) -> tuple[list[str], str]:
    """The words of the attempts that were survived, and how the child ended."""
    read, write = os.pipe()
    try:
        pid = os.fork()
    except OSError as error:
        os.close(read)
        os.close(write)
        return [], f"no child: {errno_name(error.errno)}"
    if pid == 0:
        try:
            os.close(read)
            for attempt in attempts:
                os.write(write, word(attempt).replace("\n", " ").encode() + b"\n")
        finally:
            os._exit(0)
    os.close(write)
    said = b""
    while True:
        ready, _, _ = select.select([read], [], [], timeout)
        if not ready:
            os.kill(pid, signal.SIGKILL)
            break
        piece = os.read(read, 64 * 1024)
        if not piece:
            break
        said += piece
    os.close(read)
    _, status = os.waitpid(pid, 0)
    return said.decode(errors="replace").splitlines(), ending(status) if ready else "timeout"
