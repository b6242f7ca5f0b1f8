"""A line on stderr that says how far the work is. Only on a terminal, and only for work that takes its time."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from rich.status import Status

    from fumehood_sandbox.contract import Progress

#: What is done sooner shows nothing, and never pays for the library that draws.
_PATIENCE_SECONDS: Final = 0.5


def wanted(*, quiet: bool) -> bool:
    """Whether progress is shown: stderr is a terminal, and neither NO_COLOR nor CI nor --quiet says no."""
    return not quiet and sys.stderr.isatty() and not os.environ.get("NO_COLOR") and not os.environ.get("CI")


class ProgressLine:
    """A context manager. `progressed` may be called from any thread."""

    def __init__(self, documents: int, *, quiet: bool) -> None:
        self._wanted = wanted(quiet=quiet)
        self._documents = documents
        self._finished = 0
        self._detail = ""
        self._status: Status | None = None
        self._timer: threading.Timer | None = None
        self._lock = threading.RLock()

    def __enter__(self) -> Self:
        self._arm()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def progressed(self, progress: Progress) -> None:
        """One document went on."""
        if not self._wanted:
            return
        of = f" of {progress.total}" if progress.total is not None else ""
        self._detail = f": {progress.unit[:12]} {progress.done}{of}"
        self._draw()

    def finished(self) -> None:
        """One document is done."""
        self._finished += 1
        self._detail = ""
        self._draw()

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Nothing is drawn inside: something else is being printed."""
        self._stop()
        try:
            yield
        finally:
            self._arm()

    def _arm(self) -> None:
        if self._wanted and self._finished < self._documents:
            self._timer = threading.Timer(_PATIENCE_SECONDS, self._start)
            self._timer.daemon = True
            self._timer.start()

    def _start(self) -> None:
        from rich.console import Console
        from rich.status import Status

        with self._lock:
            if self._timer is not None and self._finished < self._documents:
                self._status = Status(self._text(), console=Console(stderr=True), spinner="line")
                self._status.start()

    def _stop(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._status is not None:
                self._status.stop()
                self._status = None

    def _draw(self) -> None:
        with self._lock:
            if self._status is not None:
                self._status.update(self._text())

    def _text(self) -> str:
        # Brackets would be markup to rich; the words here are ours but for the unit, which a container sent.
        return f"reading document {min(self._finished + 1, self._documents)} of {self._documents}{self._detail}".replace(
            "[", "("
        )
