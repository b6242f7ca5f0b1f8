"""A `Fumehood` as a program holds one, and what the benchmark has to know of its inside: when a spare container is there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fumehood import Fumehood
from fumehood.config import load_settings
from fumehood.results import ExtractResult
from fumehood.routing import route
from fumehood.staging.staged import Source, from_bytes

_SETTLE_SECONDS = 60.0
#: The pool looks back at this many documents, and then some.
_ENOUGH = 12


class Hood:
    """Reads documents that were never read before: nothing comes from memory."""

    def __init__(self, hood: Fumehood) -> None:
        self.api = hood

    def read(self, data: bytes, name: str) -> ExtractResult:
        """One document, from bytes to a result.

        Raises:
            FumehoodError: it could not be read.
        """
        self.api._store.clear()
        return self.api.extract(Source(name, lambda limit: from_bytes(data, name, limit=limit)), raise_on_error=True)

    def read_file(self, path: Path) -> None:
        """The same, from a file."""
        self.api._store.clear()
        self.api.extract(path, raise_on_error=True)

    def settle(self) -> None:
        """Wait until as many spare containers wait as are wanted, and until the used ones are gone.

        Raises:
            RuntimeError: that did not come about.
        """
        ready = self.api.machine.ready()
        if not (ready.pool.settled(_SETTLE_SECONDS) and ready.runner._janitor.settled(_SETTLE_SECONDS)):
            raise RuntimeError("the pool does not settle")

    def prepare(self, data: bytes, name: str, *, spares: int = 1) -> None:
        """Have *spares* that have loaded the reader of such a document: as a program has that has read some, so many at a time.

        Raises:
            RuntimeError: there is no spare.
        """
        self.api.warm_up()
        with from_bytes(data, name, limit=len(data)) as staged:
            hint = route(staged, self.api.settings.limits).hint
        pool = self.api.machine.ready().pool
        for _ in range(_ENOUGH):
            self.read(data, name)
            self.settle()
            if set(pool.hints()) == {hint}:
                pool.want(spares)
                self.settle()
                return
        raise RuntimeError(f"no spare container came for {hint}, but for {pool.hints()}")

    def close(self) -> None:
        """End it, with every container of it, now."""
        self.api.close()


@contextmanager
def opened(*, jobs: int | None = None, spares: int | None = None) -> Iterator[Hood]:
    """A hood whose sandbox has been proved; it is closed, with all its containers, in the end. *spares*: 0 for none."""
    pool = None if spares is None else {"spares": spares}
    with Fumehood(load_settings(jobs=jobs, pool=pool)) as hood:
        hood.machine.ready()
        yield Hood(hood)
