"""What a client is told while its call runs: first what is waited for, then how far the document is.

The specification wants the number to rise with every notification, whatever a reader counts and however often it begins
anew; the message has what was really said.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Awaitable, Callable
from typing import Final

from fumehood_sandbox.contract import Progress

_log = logging.getLogger("fumehood.server")

Report = Callable[[float, float | None, str], Awaitable[None]]

#: How much the number rises where nothing was counted.
_STEP: Final = 0.001
_UNIT_CHARS: Final = 20


class Teller:
    """One call's notifications. `progressed` comes from the call's thread, `tell` from the server's loop.

    *phase* says what is waited for until the document tells of itself.
    """

    def __init__(self, report: Report, phase: Callable[[], str]) -> None:
        self._report = report
        self._phase = phase
        self._latest: Progress | None = None
        self._told: Progress | str | None = None
        self._done = 0.0

    def progressed(self, progress: Progress) -> None:
        self._latest = progress

    async def tell(self) -> None:
        """Send what is new since the last time, if anything is."""
        news: Progress | str = self._latest if self._latest is not None else self._phase()
        if news == self._told:
            return
        self._told = news
        if isinstance(news, str):
            self._done += _STEP
            await self._send(None, news)
            return
        counted = float(news.done)
        self._done = max(self._done + _STEP, counted if math.isfinite(counted) else 0.0)
        total = float(news.total) if news.total is not None and news.total >= self._done else None
        await self._send(total, describe(news))

    async def _send(self, total: float | None, message: str) -> None:
        try:
            await self._report(self._done, total, message)
        except Exception as fault:  # noqa: BLE001 - a client that does not listen is no reason to end its call
            _log.debug("progress was not delivered: %s", type(fault).__name__)


def describe(progress: Progress) -> str:
    """``page 3 of 10``. The unit is a container's word: nothing but letters of it is passed on."""
    unit = progress.unit[:_UNIT_CHARS] if progress.unit.isascii() and progress.unit.isalpha() else "step"
    return f"{unit} {progress.done}" + (f" of {progress.total}" if progress.total is not None else "")
