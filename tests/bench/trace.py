"""Where the time of a request goes: methods of the host are wrapped while it is measured, so that unmeasured requests pay nothing.

Spans nest, and each counts only what the spans inside it do not.
"""

from __future__ import annotations

import functools
import inspect
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any
from unittest import mock


class Trace:
    """Seconds by stage. *stages* of the thread that made it; what other threads do is in *behind*."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self.stages: dict[str, float] = defaultdict(float)
        self.behind: dict[str, float] = defaultdict(float)
        self._owner = threading.get_ident()
        self._local = threading.local()
        self._lock = threading.Lock()

    @contextmanager
    def span(self, stage: str) -> Iterator[None]:
        """Time spent here is *stage*'s, but for what inner spans take."""
        inner, self._local.inner = getattr(self._local, "inner", 0.0), 0.0
        started = self._clock()
        try:
            yield
        finally:
            took = self._clock() - started
            into = self.stages if threading.get_ident() == self._owner else self.behind
            with self._lock:
                into[stage] += took - self._local.inner
            self._local.inner = inner + took

    @contextmanager
    def watching(self, places: Mapping[tuple[type, str], str]) -> Iterator[None]:
        """Methods, given as class and name, are spans while this lasts. A generator's steps are, and a context manager's entry."""
        with ExitStack() as stack:
            for (owner, name), stage in places.items():
                stack.enter_context(mock.patch.object(owner, name, self._wrapped(getattr(owner, name), stage)))
            yield

    def _wrapped(self, work: Callable[..., Any], stage: str) -> Callable[..., Any]:
        if inspect.isgeneratorfunction(work):

            @functools.wraps(work)
            def steps(*args: Any, **options: Any) -> Iterator[Any]:
                running = work(*args, **options)
                while True:
                    with self.span(stage):
                        try:
                            item = next(running)
                        except StopIteration:
                            return
                    yield item

            return steps
        if inspect.isgeneratorfunction(inspect.unwrap(work)):  # made by contextlib.contextmanager

            @contextmanager
            @functools.wraps(work)
            def entered(*args: Any, **options: Any) -> Iterator[Any]:
                manager: AbstractContextManager[Any] = work(*args, **options)
                with ExitStack() as stack:
                    with self.span(stage):
                        got = stack.enter_context(manager)
                    yield got

            return entered

        @functools.wraps(work)
        def called(*args: Any, **options: Any) -> Any:
            with self.span(stage):
                return work(*args, **options)

        return called
