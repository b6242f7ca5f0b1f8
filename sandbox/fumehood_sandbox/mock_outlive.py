"""Code that has taken over the worker and wants to live on without its host: it goes at the first process with all there is."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import resource
import signal
import struct
from collections.abc import Callable, Iterable
from typing import Final

from fumehood_sandbox.mock_answers import Order
from fumehood_sandbox.mock_deeds import hang, ignore_signals
from fumehood_sandbox.wire import Answer

#: What stderr says when everything has been tried.
TRIED: Final = b"tried everything"

_FIRST: Final = 1
_EVERYBODY: Final = -1
_STOPPING: Final = (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
_FLOODS: Final = 2
_F_SETSIG: Final = 10
_SI_QUEUE: Final = -1
_TRACING: Final = (16, 0x4206)  # PTRACE_ATTACH, PTRACE_SEIZE
_SCHED_IDLE: Final = 5

#: Numbers on x86_64 and aarch64 of calls that Python has no function for.
_CALLS: Final = {
    "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424), "ptrace": (101, 117), "setpriority": (141, 140), "sched_setscheduler": (144, 119),
}  # fmt: skip


def outlive(answer: Answer, order: Order) -> None:
    """Try everything, say so on stderr, go on with signals without end, and stay.

    *hold_stdin*: keep a writing end of stdin, so that it never ends. *stop_only*: leave out the signals that end a process,
    where they would end the first one: that is no way to live on.
    """
    ignore_signals()
    os.setsid()
    signals = _STOPPING if order.get("stop_only") else range(1, signal.NSIG)
    for number in signals:
        _try(os.kill, _EVERYBODY, number)
    _signal_first(signals)
    _change_files()
    _slow_down()
    _let_stdin_stop_it()
    if order.get("hold_stdin"):
        _try(os.open, "/proc/self/fd/0", os.O_WRONLY | os.O_NONBLOCK)
    for _ in range(_FLOODS):
        if os.fork() == 0:
            os.setsid()
            while True:
                _signal_first(signals)
    os.write(2, TRIED)
    hang(answer, {})


def _try(way: Callable[..., object], *arguments: object) -> None:
    with contextlib.suppress(OSError, ValueError):
        way(*arguments)


def _call(name: str, *arguments: int | bytes) -> int:
    number = _CALLS[name][os.uname().machine == "aarch64"]
    values = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    return int(ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(number), *values))


def _signal_first(signals: Iterable[int]) -> None:
    """Every signal by every call that sends one; not to its group, whose number means everybody."""
    for number in signals:
        told = struct.pack("@3i", number, 0, _SI_QUEUE).ljust(128, b"\0")
        _try(os.kill, _FIRST, number)
        _call("tkill", _FIRST, number)
        _call("tgkill", _FIRST, _FIRST, number)
        _call("rt_sigqueueinfo", _FIRST, number, told)
        _call("rt_tgsigqueueinfo", _FIRST, _FIRST, number, told)
        _call("pidfd_send_signal", _call("pidfd_open", _FIRST, 0), number, 0, 0)
    for request in _TRACING:
        _call("ptrace", request, _FIRST, 0, 0)


def _change_files() -> None:
    """Nothing is written: a memory that opens is lost already, and the test sees it in what this says."""
    for name in ("mem", "oom_score_adj", "coredump_filter", "clear_refs"):
        with contextlib.suppress(OSError):
            os.close(os.open(f"/proc/{_FIRST}/{name}", os.O_WRONLY))
            os.write(2, f"opened {name}\n".encode())


def _slow_down() -> None:
    """Take processor time and limits from the first process, as far as that does not end it."""
    for limit in (resource.RLIMIT_SIGPENDING, resource.RLIMIT_NPROC, resource.RLIMIT_NICE):
        _try(resource.prlimit, _FIRST, limit, (0, 0))
    _try(os.sched_setaffinity, _FIRST, {min(os.sched_getaffinity(0))})
    _call("setpriority", 0, _FIRST, 19)
    _call("sched_setscheduler", _FIRST, _SCHED_IDLE, struct.pack("@i", 0))


def _let_stdin_stop_it() -> None:
    """The end of stdin, which the first process waits for, raises a signal that the kernel itself sends: to stop it."""
    _try(fcntl.fcntl, 0, fcntl.F_SETOWN, _FIRST)
    _try(fcntl.fcntl, 0, _F_SETSIG, signal.SIGSTOP)
    _try(fcntl.fcntl, 0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)
