"""The two things that only the C library gives: a process's memory kept from others, and a timer that kills.

By ``_ctypes`` alone: all of ``ctypes`` would take longer to import than some documents take to read.
"""

from __future__ import annotations

import _ctypes
import signal
import struct
import time
from typing import Any, Final

_PR_SET_DUMPABLE: Final = 4
_C: Final = _ctypes.dlopen(None, 0)  # type: ignore[arg-type] # None is the program itself

#: ``struct sigevent`` as far as it counts here: value, signal, SIGEV_SIGNAL; the rest of its 64 bytes is not looked at.
_SIGEVENT: Final = "@Pii48x"
_SIGEV_SIGNAL: Final = 0
#: ``struct itimerspec``: seconds and nanoseconds of the repetition and of the first end.
_ITIMERSPEC: Final = "@4l"


class _Byte(_ctypes._SimpleCData):  # type: ignore[type-arg] # noqa: SLF001 - `ctypes.c_ubyte`
    _type_ = "B"


class _Long(_ctypes._SimpleCData):  # type: ignore[type-arg] # noqa: SLF001 - `ctypes.c_long`
    _type_ = "l"


class _TimerId(_ctypes.Array):  # type: ignore[type-arg]
    _type_ = _Byte
    _length_ = struct.calcsize("@l")


def keep_memory(*, closed: bool) -> None:
    """Whether this process's memory is *closed* to core dumps and to every other process of the same user.

    A forked child begins as its parent is.

    Raises:
        OSError: the kernel refused.
    """
    _call("prctl", _PR_SET_DUMPABLE, 0 if closed else 1, 0, 0, 0)


def kill_after(seconds: float) -> None:
    """Have the kernel kill this process (SIGKILL) in *seconds*, stopped or not; there is no way back.

    Raises:
        OSError: the kernel refused.
    """
    timer = _TimerId()
    _call("timer_create", time.CLOCK_MONOTONIC, struct.pack(_SIGEVENT, 0, signal.SIGKILL, _SIGEV_SIGNAL), timer)
    (number,) = struct.unpack("@l", bytes(timer))
    whole = int(seconds)
    _call("timer_settime", _Long(number), 0, struct.pack(_ITIMERSPEC, 0, 0, whole, int((seconds - whole) * 1e9)), None)


def _call(name: str, *arguments: Any) -> None:
    if _ctypes.call_function(_ctypes.dlsym(_C, name), arguments) != 0:
        raise OSError(name)
