"""A `Fumehood` as a program holds one, and what the benchmark has to know of its inside: when a spare container is there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fumehood import Fumehood
from fumehood.config import load_settings
from fumehood.staging.staged import Source, from_bytes

_SPARE_SECONDS = 30.0


class Hood:
    """Reads documents that were never read before: nothing comes from memory."""

    def __init__(self, hood: Fumehood) -> None:
        self.api = hood

    def read(self, data: bytes, name: str) -> None:
        """One document, from bytes to a result.

        Raises:
            FumehoodError: it could not be read.
        """
        self.api._store.clear()
        self.api.extract(Source(name, lambda limit: from_bytes(data, name, limit=limit)), raise_on_error=True)

    def read_file(self, path: Path) -> None:
        """The same, from a file."""
        self.api._store.clear()
        self.api.extract(path, raise_on_error=True)

    def close(self) -> None:
        """End it, with every container of it, now."""
        self.api.close()

    def has_spare(self, extension: str) -> bool:
        """Whether a container waits that has loaded the reader of such a document; waits for one."""
        end = time.monotonic() + _SPARE_SECONDS
        while time.monotonic() < end:
            pool = getattr(self.api, "_pool", None)
            if pool is None:
                return False
            time.sleep(0.01)
        return False


@contextmanager
def opened(*, jobs: int | None = None, spares: int | None = None) -> Iterator[Hood]:
    """A hood whose sandbox has been proved; it is closed, with all its containers, in the end. *spares*: 0 for none."""
    with Fumehood(load_settings(jobs=jobs)) as hood:
        hood.machine.ready()
        yield Hood(hood)
