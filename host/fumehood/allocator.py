"""How much freed memory a process of many threads keeps for itself.

glibc gives each thread an arena. What is freed at an arena's end goes back to the system only above a threshold, and that
threshold grows to twice the largest block that was ever freed: after a few large answers each arena keeps tens of mebibytes
that nobody uses. Fixed thresholds end that (mallopt(3)). It is the whole process's setting, so a library does not touch it:
the server sets it for its own process, and a program that uses the Python API from many threads for days may do the same.
"""

from __future__ import annotations

import contextlib
import ctypes
from typing import Final

_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3
_THRESHOLD: Final = 1024 * 1024


def keep_little() -> None:
    """Have this process give back freed memory beyond a mebibyte an arena. Does nothing with another C library than glibc."""
    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_TRIM_THRESHOLD, _THRESHOLD)
        mallopt(_M_MMAP_THRESHOLD, _THRESHOLD)
