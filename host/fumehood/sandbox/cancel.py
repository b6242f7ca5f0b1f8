"""A cancel token: set once, from any thread or a signal handler, and it wakes whoever waits on its descriptor."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import Self


class CancelToken:
    """Passed down a request. `cancel` wakes a selector that watches `fileno`; the token stays cancelled."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._cancelled = False
        self._closed = False
        self._followers: list[CancelToken] = []
        # Between a look at `_closed` and the write, the descriptor could become another file's. A signal handler may come
        # in while its own thread holds it.
        self._lock = threading.RLock()

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def cancel(self) -> None:
        """Ask for the end of the request. Idempotent, harmless after the request has ended."""
        self._cancelled = True
        with self._lock:
            if not self._closed:
                with contextlib.suppress(OSError):  # a full pipe is awake already
                    os.write(self._writer, b"\0")
        for follower in list(self._followers):
            follower.cancel()

    def pass_on(self, follower: CancelToken) -> None:
        """Let *follower* be cancelled with this token, also when that has happened already."""
        self._followers.append(follower)
        if self._cancelled:
            follower.cancel()

    def fileno(self) -> int:
        """Becomes readable when the token is cancelled."""
        return self._reader

    def close(self) -> None:
        with self._lock:
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
