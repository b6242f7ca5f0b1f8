"""A cancel token: set once, from any thread or a signal handler, and it wakes whoever waits on its descriptor."""

from __future__ import annotations

import contextlib
import os
from typing import Self


class CancelToken:
    """Passed down a request. `cancel` wakes a selector that watches `fileno`; the token stays cancelled."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._cancelled = False
        self._closed = False

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def cancel(self) -> None:
        """Ask for the end of the request. Idempotent, harmless after the request has ended."""
        self._cancelled = True
        if not self._closed:
            with contextlib.suppress(OSError):  # a full pipe is awake already
                os.write(self._writer, b"\0")

    def fileno(self) -> int:
        """Becomes readable when the token is cancelled."""
        return self._reader

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            os.close(self._reader)
            os.close(self._writer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()
