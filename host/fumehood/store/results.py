"""The result cache: one container a document, then answers from here.

Bounded by number, by memory and by what long answers keep on disk; least recently used out first. A second request for what is being read already
waits for that answer instead of starting a container of its own.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from fumehood.errors import InputError
from fumehood.store.keys import StoreKey

T = TypeVar("T")

#: Two of the longest answers that there can be, or many long ones.
MAX_DISK_BYTES: Final = 1024 * 1024 * 1024

#: How often a waiter looks whether it was cancelled itself.
_LOOK_SECONDS: Final = 0.05


@dataclass(slots=True)
class _Entry(Generic[T]):
    value: T
    size: int
    disk: int


class ResultStore(Generic[T]):
    """Values by `StoreKey`. Thread-safe.

    Args:
        max_documents: How many values are kept; 0 keeps none.
        max_bytes: How much they may weigh together.
        weigh: The approximate size of a value in memory.
        keep: Whether a value is worth keeping (an answer that the next attempt might better is not).
        weigh_disk: The size of the file that a value is read back from.
        max_disk_bytes: How much of the disk they may take together.
    """

    def __init__(
        self,
        max_documents: int,
        max_bytes: int,
        *,
        weigh: Callable[[T], int],
        keep: Callable[[T], bool],
        weigh_disk: Callable[[T], int] = lambda _value: 0,
        max_disk_bytes: int = MAX_DISK_BYTES,
    ) -> None:
        self._max_documents = max_documents
        self._max_bytes = max_bytes
        self._weigh = weigh
        self._keep = keep
        self._weigh_disk = weigh_disk
        self._max_disk_bytes = max_disk_bytes
        self._disk = 0
        self._entries: OrderedDict[StoreKey, _Entry[T]] = OrderedDict()
        self._pending: dict[StoreKey, threading.Event] = {}
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, key: StoreKey) -> T | None:
        with self._lock:
            return self._get(key)

    def get_or_run(
        self, key: StoreKey, run: Callable[[], T], *, cancelled: Callable[[], bool] = lambda: False
    ) -> tuple[T, bool]:
        """The value of *key* and whether it came from the store; *run* makes it when it is not there.

        Of several callers at once one runs. When its value is not kept (it failed, was cancelled, raised), the next one runs
        its own. A waiter that is *cancelled* meanwhile stops waiting and runs *run*, which is expected to notice.
        """
        mine = threading.Event()
        while True:
            with self._lock:
                value = self._get(key)
                if value is not None:
                    return value, True
                running = self._pending.setdefault(key, mine)
            if running is mine:
                break
            while not running.wait(_LOOK_SECONDS):
                if cancelled():
                    return run(), False
        try:
            value = run()
            self._put(key, value)
            return value, False
        finally:
            with self._lock:
                del self._pending[key]
            mine.set()

    def find(self, doc_id: str, principal: str) -> list[StoreKey]:
        """The keys of the content that *principal* knows by the label *doc_id*, most recently used last; empty when unknown.

        Raises:
            InputError: ``invalid-argument`` when two contents bear the label.
        """
        with self._lock:
            keys = [key for key in self._entries if key.principal == principal and key.doc_id == doc_id]
        if len({key.sha256 for key in keys}) > 1:
            raise InputError(
                "invalid-argument", f"{doc_id} is the label of two documents", hint="Give the path of the document instead."
            )
        return keys

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self._bytes = self._disk = 0

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def total_bytes(self) -> int:
        return self._bytes

    def _get(self, key: StoreKey) -> T | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        self._entries.move_to_end(key)
        return entry.value

    def _put(self, key: StoreKey, value: T) -> None:
        if not self._keep(value):
            return
        size, disk = self._weigh(value), self._weigh_disk(value)
        if size > self._max_bytes or disk > self._max_disk_bytes:
            return
        with self._lock:
            old = self._entries.pop(key, None)
            if old is not None:
                self._forget(old)
            self._entries[key] = _Entry(value, size, disk)
            self._bytes += size
            self._disk += disk
            while self._is_full():
                self._forget(self._entries.popitem(last=False)[1])

    def _is_full(self) -> bool:
        over = self._bytes > self._max_bytes or self._disk > self._max_disk_bytes
        return over or len(self._entries) > self._max_documents

    def _forget(self, entry: _Entry[T]) -> None:
        self._bytes -= entry.size
        self._disk -= entry.disk
