"""Ends containers whose answer has been taken already, behind the back of whoever waited for it.

An answer is complete at its END. What comes after (the container's exit, its removal) costs the engine longer than a small
document takes to be read, and tells nothing of the answer; a container that ends badly then is worth a line in the log.
"""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from fumehood.errors import FumehoodError
from fumehood.sandbox.box import Box
from fumehood.sandbox.exchange import Ending
from fumehood.sandbox.exits import classify
from fumehood.sandbox.life import finish

_log = logging.getLogger("fumehood")

_THREADS: Final = 2
#: Containers that may wait to be ended. Whoever brings one more ends it alone: a backlog would be memory in use.
_MOST: Final = 8


class Janitor:
    """Takes containers over. Thread-safe. Its threads are waited for when the process ends, closed or not."""

    def __init__(self, threads: int = _THREADS, most: int = _MOST) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="fumehood-janitor")
        self._most = most
        self._waiting = 0
        self._closed = False
        self._change = threading.Condition()

    def take(self, box: Box) -> bool:
        """End *box*, whose answer was complete, soon. False when that is the caller's to do: there is too much to do here."""
        with self._change:
            if self._closed or self._waiting >= self._most:
                return False
            self._waiting += 1
        try:
            self._threads.submit(self._end, box)
        except BaseException as error:  # no thread could be started, or an interrupt came
            self._done()
            if isinstance(error, RuntimeError):
                return False
            raise
        return True

    def settled(self, seconds: float) -> bool:
        """Wait until nothing is left to do; whether that came about."""
        with self._change:
            return self._change.wait_for(lambda: not self._waiting, seconds)

    def close(self) -> None:
        """Returns when every container that was taken is gone."""
        with self._change:
            self._closed = True
        self._threads.shutdown()

    def _end(self, box: Box) -> None:
        try:
            with box:
                _, end = finish(box, Ending("answered", complete=True))
            late = classify(end)
            if late is not None:
                # The code and our own words for it: nothing of a document is in them.
                _log.warning("a container ended badly after its answer was taken: %s: %s", late.code, late.message)
        except FumehoodError as error:
            _log.warning("a container could not be removed: %s: %s", error.code, error.message)
        except Exception as fault:  # noqa: BLE001 - the next container is ended all the same
            _log.error("a container could not be removed: %s", type(fault).__name__)
        finally:
            self._done()

    def _done(self) -> None:
        with self._change:
            self._waiting -= 1
            self._change.notify_all()
