"""A line on stderr that says how far the work is. Only on a terminal, and only for work that takes its time."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from fumehood.api import Fumehood
    from fumehood_sandbox.contract import Progress

#: What is done sooner shows nothing, and never pays for the library that draws.
_PATIENCE_SECONDS: Final = 0.5
_UNIT_CHARS: Final = 12


def wanted(*, quiet: bool) -> bool:
    """Whether progress is shown: stderr is a terminal, and neither NO_COLOR nor CI nor --quiet says no."""
    return not quiet and sys.stderr.isatty() and not os.environ.get("NO_COLOR") and not os.environ.get("CI")


def phase_of(hood: Fumehood) -> Callable[[], str]:
    """What *hood* does while no document has told of itself."""
    return lambda: "proving the sandbox" if hood.machine.proved_image is None else "starting a sandbox"


class ProgressLine:
    """A context manager. `progressed` may be called from any thread.

    *phase* says what is waited for until a document tells of itself.
    """

    def __init__(self, documents: int, *, quiet: bool, phase: Callable[[], str] = lambda: "starting a sandbox") -> None:
        self._wanted = wanted(quiet=quiet)
        self._documents = documents
        self._phase = phase
        self._finished = 0
        self._last: Progress | None = None
        self._bar: Bar | None = None
        self._timer: threading.Timer | None = None
        self._lock = threading.RLock()

    def __enter__(self) -> Self:
        self._arm()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def progressed(self, progress: Progress) -> None:
        """One document went on. A second reader that begins a single one anew is shown when it is further than the first."""
        last = self._last
        if last is None or self._documents > 1 or last.unit != progress.unit or last.done <= progress.done:
            self._last = progress

    def finished(self) -> None:
        """One document is done."""
        with self._lock:
            self._finished += 1
            self._last = None

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
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        line = self

        class Drawn(Bar):
            """Asks for what to show each time it is drawn: whoever makes progress has nothing to do with drawing."""

            def get_renderables(self) -> Any:
                for task in self.task_ids:
                    done, total = line._share()
                    self.update(task, description=line._text(), completed=done, total=total)
                return super().get_renderables()

        with self._lock:
            if self._timer is None or self._finished >= self._documents:
                return
            words = TextColumn("{task.description}", markup=False)  # the unit is a container's word
            columns = (SpinnerColumn("line"), words, BarColumn(24), TimeElapsedColumn())
            self._bar = Drawn(*columns, console=Console(stderr=True), transient=True)
            self._bar.add_task("", total=None)
            self._bar.start()

    def _stop(self) -> None:
        with self._lock:
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
        if self._bar is not None:  # until it has stopped: an interrupt comes through here again
            self._bar.stop()  # not under our lock, which the thread that draws asks for
            self._bar = None

    def _share(self) -> tuple[float, float | None]:
        """How much of how much is done; without a total the bar only moves."""
        with self._lock:
            if self._documents > 1:
                return self._finished, self._documents
            last = self._last
            return (last.done, last.total) if last is not None else (0, None)

    def _text(self) -> str:
        with self._lock:
            last = self._last
            text = self._phase() if last is None and not self._finished else "reading"
            if self._documents > 1:
                text += (
                    f" document {min(self._finished + 1, self._documents)} of {self._documents}" if text == "reading" else ""
                )
            if last is not None:
                unit = last.unit[:_UNIT_CHARS] if last.unit.isascii() and last.unit.isalpha() else "step"
                text += f": {unit} {last.done}" + (f" of {last.total}" if last.total is not None else "")
            return text
