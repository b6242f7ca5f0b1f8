"""Validated items in a file instead of in memory, read back a chunk at a time.

The file is made in the cache folder (0700), readable by its owner only, and has no name: it vanishes with the last sequence
that reads from it, or with the process. What is in it was validated when it came and nobody else can write it, so decoding
checks nothing again.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
import weakref
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, TypeVar

from fumehood.documents.build import build
from fumehood.documents.lazy import Lazy
from fumehood.errors import FumehoodError, make_error
from fumehood_sandbox.contract import PartKind
from fumehood_sandbox.frames import ProtocolError

T = TypeVar("T")

#: How much of a sequence is decoded at a time, unless one item alone is more.
CHUNK_BYTES: Final = 256 * 1024
CHUNK_ITEMS: Final = 8_192
#: An answer that jumps between its sheets and tables all the time would need an index larger than itself.
MAX_CHUNKS: Final = 400_000
_KEPT_CHUNKS: Final = 4


class SpoolFile:
    """Bytes in a nameless file. Writing is one thread's, reading anyone's."""

    def __init__(self) -> None:
        self._descriptor = _nameless()
        self.size = 0
        self.chunks = 0
        self.closed = weakref.finalize(self, os.close, self._descriptor)
        self.recent = _Recent()

    def append(self, data: bytes) -> int:
        """Write *data* and say where it begins.

        Raises:
            FumehoodError: ``internal``, the disk does not take it.
        """
        begin = self.size
        view = memoryview(data)
        try:
            while view:
                written = os.pwrite(self._descriptor, view, self.size)
                self.size += written
                view = view[written:]
        except OSError as error:
            raise _trouble("kept", error) from error
        return begin

    def read(self, offset: int, length: int) -> bytes:
        """Raises `FumehoodError` (``internal``) when the disk does not give it back."""
        try:
            data = os.pread(self._descriptor, length, offset)
        except OSError as error:
            raise _trouble("read back", error) from error
        if len(data) != length:
            raise make_error("internal", "the answer could not be read back: the file has become shorter")
        return data

    def long_text(self, offset: int, length: int) -> str:
        """UTF-8 of any length as text, without its bytes beside it."""
        if length == 0:
            return ""
        begin = offset - offset % mmap.ALLOCATIONGRANULARITY
        try:
            with (
                mmap.mmap(self._descriptor, offset - begin + length, offset=begin, access=mmap.ACCESS_READ) as mapped,
                memoryview(mapped) as view,
                view[offset - begin :] as data,
            ):
                return str(data, "utf-8")
        except (OSError, ValueError) as error:
            raise _trouble("read back", error) from error


class _Recent:
    """The chunks that were looked at last, decoded."""

    def __init__(self) -> None:
        self._chunks: OrderedDict[tuple[int, int], list[Any]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[int, int], decode: Callable[[], list[Any]]) -> list[Any]:
        with self._lock:
            known = self._chunks.get(key)
            if known is not None:
                self._chunks.move_to_end(key)
                return known
        items = decode()
        with self._lock:
            self._chunks[key] = items
            while len(self._chunks) > _KEPT_CHUNKS:
                self._chunks.popitem(last=False)
        return items


def _nameless() -> int:
    from platformdirs import user_cache_path  # noqa: PLC0415 - for long answers only

    try:
        folder = user_cache_path("fumehood")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            return os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except (OSError, AttributeError):  # a file system or a system that has no nameless files
            descriptor, name = tempfile.mkstemp(prefix=".answer-", dir=folder)
            Path(name).unlink()
            return descriptor
    except OSError as error:
        raise _trouble("kept", error) from error


def _trouble(what: str, error: OSError | ValueError) -> FumehoodError:
    reason = os.strerror(error.errno or 0).lower() if isinstance(error, OSError) else "the file has become shorter"
    return make_error(
        "internal",
        f"the answer could not be {what} in the cache folder: {reason}",
        hint="A long answer is kept in the cache folder (XDG_CACHE_HOME) while it is used: make room there, or name another.",
    )


class Spooled(Lazy[T]):
    """A sequence in a `SpoolFile`: its length is known, its items are decoded each time they are looked at.

    Changing an item changes a copy. *settle* is called with the position of a chunk's first item and the chunk, whenever one
    was decoded.
    """

    def __init__(self, file: SpoolFile, kind: PartKind) -> None:
        self.file = file
        self.kind = kind
        self.settle: Callable[[int, list[Any]], None] | None = None
        # Tables and sheets hold sequences of this file. Remembered with the file they would keep it open for ever.
        self._recent = _Recent() if kind in {"tables", "sheets"} else file.recent
        self.revised = False
        """Whether any of the items is not part of every view."""
        self._offsets = array("Q")
        self._lengths = array("L")
        self._firsts = array("Q")
        self._suspect = bytearray()
        self._length = 0
        self._held: list[bytes] = []
        self._held_bytes = 0
        self._held_items = 0
        self._held_suspect = False

    # --- writing ----------------------------------------------------------------------------------------------------

    def add(self, text: bytes, count: int, *, suspect: bool) -> None:
        """Take *count* items as JSON, without the brackets around them. `flush` before reading."""
        if count == 0:
            return
        if self._held and (self._held_bytes + len(text) > CHUNK_BYTES or self._held_items + count > CHUNK_ITEMS):
            self.flush()
        self._held.append(text)
        self._held_bytes += len(text)
        self._held_items += count
        self._held_suspect |= suspect
        self._length += count
        if self._held_bytes > CHUNK_BYTES or self._held_items > CHUNK_ITEMS:
            self.flush()

    def flush(self) -> None:
        if not self._held:
            return
        self.file.chunks += 1
        if self.file.chunks > MAX_CHUNKS:
            raise ProtocolError("an answer in too many pieces")
        data = b",".join(self._held)
        self._offsets.append(self.file.append(data))
        self._lengths.append(len(data))
        self._firsts.append(self._length - self._held_items)
        self._suspect.append(self._held_suspect)
        self._held, self._held_bytes, self._held_items, self._held_suspect = [], 0, 0, False

    # --- reading ----------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._length

    def at(self, index: int) -> T:
        number = bisect_right(self._firsts, index) - 1
        items: list[T] = self._recent.get((id(self), number), lambda: self._decode(number))
        return items[index - self._firsts[number]]

    def __repr__(self) -> str:
        return f"<{self._length} {self.kind} in a file>"

    def chunks(self) -> Iterator[list[T]]:
        """The items a chunk at a time."""
        for number in range(len(self._offsets)):
            yield self._decode(number)

    def suspects(self) -> Iterator[T]:
        """The items that may hold characters which nobody sees, and some of their neighbours."""
        for number, suspect in enumerate(self._suspect):
            if suspect:
                yield from self._decode(number)

    def _decode(self, number: int) -> list[T]:
        from pydantic_core import from_json  # noqa: PLC0415 - loaded since the answer was validated

        text = self.file.read(self._offsets[number], self._lengths[number])
        items: list[T] = build(self.kind, from_json(b"[" + text + b"]", cache_strings="keys"))
        if self.settle is not None:
            self.settle(self._firsts[number], items)
        return items

    @property
    def memory(self) -> int:
        """Bytes of memory that the index takes."""
        return 500 + len(self._offsets) * 33

    @property
    def disk(self) -> int:
        return self.file.size


class LongText:
    """One text that is longer than a frame, as UTF-8 in a `SpoolFile`."""

    def __init__(self, file: SpoolFile) -> None:
        self._file = file
        self._pieces: list[tuple[int, int]] = []

    def add(self, texts: Iterable[str]) -> None:
        for text in texts:
            data = text.encode()
            at = self._file.append(data)
            if self._pieces and sum(self._pieces[-1]) == at:
                self._pieces[-1] = (self._pieces[-1][0], self._pieces[-1][1] + len(data))
            else:
                self._pieces.append((at, len(data)))

    def after(self, begin: str) -> str:
        """*begin* and the text, put together without holding it twice."""
        texts = [self._file.long_text(offset, length) for offset, length in self._pieces]
        return begin + (texts[0] if len(texts) == 1 else "".join(texts))
