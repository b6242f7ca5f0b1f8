"""Whether the container's first process, which ends it when nobody else does, is out of a reader's reach."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Final

from fumehood_sandbox.probe_child import word

_FIRST: Final = 1


def stopped(process: int = _FIRST) -> str:
    """``yes`` or ``no`` after *process* was told to stop, or the errno's name; it goes on afterwards.

    A child of ours is told the same after it, and its stop waited for: what comes of the first signal has come by then.
    """
    child = os.fork()
    if child == 0:
        while True:
            signal.pause()
    try:
        return word(lambda: _stop(process, child))
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _stop(process: int, child: int) -> str:
    os.kill(process, signal.SIGSTOP)
    try:
        os.kill(child, signal.SIGSTOP)
        os.waitpid(child, os.WUNTRACED)
        state = next(line for line in Path(f"/proc/{process}/status").read_text().splitlines() if line.startswith("State:"))
        return "yes" if state.split()[1] in {"T", "t"} else "no"
    finally:
        os.kill(process, signal.SIGCONT)


def memory(process: int = _FIRST) -> str:
    """The word for opening the memory of *process* to write into it."""
    return word(lambda: os.close(os.open(f"/proc/{process}/mem", os.O_RDWR | os.O_CLOEXEC)))
