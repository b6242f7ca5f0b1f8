"""SIGINT and SIGTERM while containers run: end them, remove them, then leave with 130 or 143.

The engine is only ever talked to from worker threads. So the main thread can be interrupted anywhere: the handler asks the
workers to stop and raises, and the exception waits for them on its way out. A second signal does not wait.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any, Self, TypeVar

from fumehood.sandbox.cancel import CancelToken

T = TypeVar("T")

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupt:
    """A context manager that turns the first signal into `token` being cancelled and a ``KeyboardInterrupt``.

    It swallows that exception; `status` is then 128 plus the signal's number, and 0 when none came. Any other exception
    that leaves the block cancels the token too.
    """

    def __init__(self) -> None:
        self.token = CancelToken()
        self.status = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup(1)
                    self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        return kind is KeyboardInterrupt and self.status != 0

    def run(self, work: Callable[[], T]) -> T:
        """*work* in a worker thread, waited for also when a signal comes."""
        with ThreadPoolExecutor(1, thread_name_prefix="fumehood") as pool:
            return pool.submit(work).result()

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if self.status:
            if os.isatty(2):
                os.write(2, b"\x1b[?25h")  # a progress line that is cut off has hidden the cursor
            os._exit(128 + number)  # the deadman in the container sees to the rest
        self.status = 128 + number
        self.token.cancel()
        raise KeyboardInterrupt
