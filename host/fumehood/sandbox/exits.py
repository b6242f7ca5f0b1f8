"""What the end of a container means: its exit code, the kernel's OOM mark and our own hand, as one error or none."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Final, Literal

from fumehood.errors import FumehoodError, make_error
from fumehood.sandbox.engine import ExitInfo

#: Why the host itself ended the container.
OurKill = Literal["timeout", "cancelled", "output", "protocol", "stalled", "unready"]

_SIGNALLED: Final = 128
_KILLED: Final = _SIGNALLED + signal.SIGKILL
#: The engine's codes when it could not start the worker.
_ENGINE_FAULTS: Final = frozenset({125, 126, 127})
#: The deadman counts from the container's start, our clock from a little earlier.
_DEADMAN_SLACK: Final = 1.0


@dataclass(frozen=True, slots=True)
class End:
    """How one container's life ended, as the runner saw it. *gvisor*: where running out of memory may leave no mark.

    The kernel ends gVisor as a whole then, and on a busy machine the engine's helper may be gone before it can tell of it.
    """

    exit: ExitInfo
    our_kill: OurKill | None
    lived_seconds: float
    outer_seconds: float
    gvisor: bool = False


def classify(end: End) -> FumehoodError | None:
    """The error that *end* stands for, or None when the container ended well.

    A container that ended well may still have failed to answer, and one that answered in full may not have ended well: exit
    code 0 with the OOM mark means that a child process was killed, and what it would have given is missing.
    """
    if end.our_kill is not None and end.our_kill != "protocol":
        return _ours(end.our_kill)
    if end.exit.oom_killed:
        return make_error("out-of-memory", "The reader needed more memory than it may have, and was ended.")
    if end.our_kill == "protocol":
        return _ours(end.our_kill)
    return _by_code(end)


def _ours(kill: OurKill) -> FumehoodError:
    match kill:
        case "timeout":
            return make_error("timeout", "The document took longer than its deadline.")
        case "stalled":
            return make_error(
                "timeout",
                "The reader made no progress for too long.",
                hint="Read other pages (`--pages`), or raise `limits.no_progress_seconds` in the configuration.",
            )
        case "unready":
            return make_error(
                "busy",
                "The container did not start in time.",
                hint="The machine or its container engine is overloaded; try again when it is not.",
            )
        case "cancelled":
            return make_error("cancelled", "The call was cancelled.")
        case "output":
            return make_error("limit", "The document gave more output than allowed.", kind="output")
        case "protocol":
            return make_error("protocol", "The container's answer broke the protocol.")


def _by_code(end: End) -> FumehoodError | None:
    code = end.exit.code
    if code == 0:
        return None
    if code == _KILLED:
        if end.lived_seconds + _DEADMAN_SLACK >= end.outer_seconds:
            return make_error("timeout", "The deadman in the container ended the work.")
        if end.gvisor:
            return make_error("out-of-memory", "The sandbox was killed as a whole, as gVisor is when memory runs out.")
        return make_error("crashed", "The reader was killed from outside or by itself (SIGKILL).")
    if code == _SIGNALLED + signal.SIGALRM:
        return make_error("timeout", "The document took longer than its deadline.")
    if code == _SIGNALLED + signal.SIGXCPU:
        return make_error("limit", "The document used more processor time than allowed.", kind="cpu")
    if code == _SIGNALLED + signal.SIGXFSZ:
        return make_error("limit", "The reader wrote a larger file than allowed.", kind="file-size")
    if code == _SIGNALLED + signal.SIGSYS:
        return make_error("blocked-syscall", "The reader made a forbidden system call and was ended.")
    if code in _ENGINE_FAULTS:
        return make_error("internal", f"The engine could not run the worker (exit code {code}).")
    return make_error("crashed", f"The reader crashed ({_name(code)}).")


def _name(code: int) -> str:
    if code > _SIGNALLED:
        try:
            return signal.Signals(code - _SIGNALLED).name
        except ValueError:
            pass
    return f"exit code {code}"
