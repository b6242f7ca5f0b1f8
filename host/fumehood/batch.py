"""Many documents in one call: how many spare containers they are worth, so that none is started that nobody will use."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fumehood.sandbox.pool import Pool


class Batch:
    """What is known of the documents of `Fumehood.extract_many`. Thread-safe.

    Args:
        workers: How many are read at a time.
        documents: How many there are; -1 when that is not known.
    """

    def __init__(self, workers: int, documents: int) -> None:
        self._workers = workers
        self._left = documents if documents >= 0 else None
        self._begun = 0
        self._pool: Pool | None = None
        self._lock = threading.Lock()

    def begins(self, pool: Pool) -> None:
        """One more document is about to be read. The first pays for no other: there may be none."""
        with self._lock:
            self._begun += 1
            left = self._left
            if left is not None:
                self._left = max(0, left - 1)
            if (left is None and self._begun == 1) or (left == 1 and self._begun == 1):
                return
            self._pool = pool
            pool.want(self._workers, to_come=left)

    def over(self) -> None:
        """No document comes any more."""
        if self._pool is not None:
            self._pool.want(0, to_come=0)
