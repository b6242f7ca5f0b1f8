"""The standard streams in whatever state they were handed over: closed, full, or read by nobody.

A closed descriptor is given its number back first of all. Otherwise the next thing opened gets it, a document or the
engine's socket, and what somebody prints goes there.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any, TextIO


class _Output(io.FileIO):
    """Standard output. It remembers that it could not be written: whoever printed may have kept that to himself."""

    trouble: str | None = None

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            raise
        except OSError as error:
            self.trouble = (error.strerror or "unknown reason").lower()
            raise


class _Errors(io.FileIO):
    """Standard error: what cannot be said is no reason to stop, nor to leave with another exit status."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data) or 0
        except OSError:
            return memoryview(data).nbytes


def settle() -> None:
    """Call first. Standard output that was closed stays unwritable; standard error is written as far as it goes."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is given, so this one; open for reading only, writing to it is refused as before.
            os.open(os.devnull, os.O_RDONLY)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, closefd=False)
    if sys.stdout is None or sys.stdout is sys.__stdout__:  # else somebody has put another in its place
        sys.stdout = _text(_Output(1, "w", closefd=False), sys.stdout, line_buffering=os.isatty(1))
    if sys.stderr is None or sys.stderr is sys.__stderr__:
        sys.stderr = _text(_Errors(2, "w", closefd=False), sys.stderr, line_buffering=True)


def _text(raw: io.FileIO, before: TextIO | None, *, line_buffering: bool) -> io.TextIOWrapper:
    encoding, errors = (before.encoding, before.errors) if before is not None else ("utf-8", "backslashreplace")
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding, errors=errors, line_buffering=line_buffering)


def stdout_trouble() -> str | None:
    """Why standard output did not take what it was given; None when it did."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return raw.trouble if isinstance(raw, _Output) else None


def drop_stdout() -> None:
    """Nothing more is written: keep the interpreter from trying, and complaining, while it exits."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 1)
    os.close(devnull)
