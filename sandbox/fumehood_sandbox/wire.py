"""How the worker writes its answer: items gathered into PART frames of about a mebibyte, assets in pieces, one RESULT.

What is gathered goes out every few hundredths of a second, so that little is lost with a worker that is killed. A *sink*
belongs to one attempt of one method; the answer belongs to the process. Output is counted against the request's cap here,
before the host has to cut it.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator
from operator import attrgetter
from typing import Any, Final

from fumehood_sandbox.contract import MAX_ITEMS, STREAMED, Document, Failure, PartKind, Progress, SheetCell
from fumehood_sandbox.errors import ExtractError
from fumehood_sandbox.frames import MAX_FRAME, FrameType, ResponseEncoder
from fumehood_sandbox.hashing import Sha256
from fumehood_sandbox.plain import replace
from fumehood_sandbox.plainjson import encode, plain, safe
from fumehood_sandbox.supervise import oom_kills

OOM_KILLED: Final = "a process of the reader ran out of memory"

_PIECE: Final = 1024 * 1024
#: What may be held back: no more than a pipe takes at once.
_HELD: Final = 64 * 1024
_ENVELOPE: Final = 1024
_TEXT_SLICE: Final = 256 * 1024
_PROGRESS_SECONDS: Final = 0.1
#: From one sending of items to the next: the first comes soon, so that the host checks it while the rest is read.
_FIRST_FLUSH_SECONDS: Final = 0.004
_FLUSH_SECONDS: Final = 0.02
#: Items that may pass between two looks at the clock, and items that are encoded at once where they are small.
_SLICE: Final = 256
_AT_ONCE: Final = 64
_cell_fields: Final = attrgetter(*SheetCell.__slots__)
_NOTHING: Final = (None, None, None)


class Answer:
    """The response stream on one descriptor. Frames are written whole, in order, and hashed."""

    def __init__(self, out: int) -> None:
        self.out = out
        self._encoder = ResponseEncoder(Sha256)
        self._left = MAX_FRAME
        self._held: bytearray | None = None
        self.write(self._encoder.start())

    def allow(self, max_bytes: int) -> None:
        """How much may still be written; the end of the answer always may."""
        self._left = max_bytes - MAX_FRAME

    def frame(self, kind: FrameType, payload: bytes) -> None:
        """Write one frame.

        Raises:
            ExtractError: ``limit`` (kind ``output``) when the answer grows over its cap or the frame over its own.
        """
        final = kind in {FrameType.RESULT, FrameType.ERROR}
        if len(payload) > MAX_FRAME or (not final and len(payload) > self._left):
            raise ExtractError("limit", "the document gives more output than allowed", kind="output")
        self._left -= len(payload)
        self.write(self._encoder.frame(kind, payload))

    def hold(self) -> None:
        """The answer's last frames come now: the small ones go out together, at its `end`.

        Each write wakes three programs on its way to the host, one after the other.
        """
        self._held = bytearray()

    def end(self) -> None:
        last = self._encoder.end()
        if self._held is not None:
            last, self._held = bytes(self._held) + last, None
        self.write(last)

    def write(self, data: bytes | bytearray) -> None:
        """Write bytes as they are. Only `frame` and `end` keep the answer's hash right."""
        if self._held is not None:
            self._held += data
            if len(self._held) <= _HELD:
                return
            data, self._held = self._held, bytearray()
        view = memoryview(data)
        while view:
            view = view[os.write(self.out, view) :]


class FrameSink:
    """The sink of one attempt (`fumehood_sandbox.extraction.Sink`). Call `flush` when the attempt is done."""

    def __init__(self, answer: Answer, attempt: int) -> None:
        self._answer = answer
        self._attempt = attempt
        self._kind: PartKind = "blocks"
        self._owner: int | str | None = None
        self._waiting: list[bytes] = []
        self._size = 0
        self._next_progress = 0.0
        self._pause = _FIRST_FLUSH_SECONDS
        self._next_flush = time.monotonic() + self._pause
        self._items = 0

    def items(self, kind: PartKind, items: list[Any], owner: int | str | None = None) -> None:
        if (kind, owner) != (self._kind, self._owner):
            self.flush()
            self._kind, self._owner = kind, owner
        self._items += len(items)
        if self._items > MAX_ITEMS:
            raise ExtractError("limit", f"the document has more than {MAX_ITEMS:,} blocks, cells and other parts", kind="items")
        for start in range(0, len(items), _SLICE):
            for data, item in _encoded(kind, items[start : start + _SLICE]):
                self._item(data, item)
            if time.monotonic() > self._next_flush:
                self.flush()

    def _item(self, data: bytes, item: Any) -> None:
        if self._kind == "attachments":  # a whole document may be in one, and the host counts the keys of a frame
            self.flush()
        if self._size + len(data) > _PIECE:
            self.flush()
        if len(data) > MAX_FRAME - _ENVELOPE:
            self._oversized(item)
            return
        self._waiting.append(data)
        self._size += len(data) + 1

    def _oversized(self, item: Any) -> None:
        """A block whose text alone is longer than a frame: its text follows in ``block_text`` parts."""
        if self._kind != "blocks" or item.runs or not isinstance(item.text, str):
            raise ExtractError("limit", "one item of the document is larger than a frame", kind="output")
        text = item.text
        self.items("blocks", [replace(item, text="")])
        for start in range(0, len(text), _TEXT_SLICE):
            self.items("block_text", [text[start : start + _TEXT_SLICE]], item.id)
        self.flush()
        self._kind, self._owner = "blocks", None

    def flush(self) -> None:
        self._pause = min(2 * self._pause, _FLUSH_SECONDS)
        self._next_flush = time.monotonic() + self._pause
        if not self._waiting:
            return
        head = encode({"attempt": self._attempt, "kind": self._kind, "owner": self._owner})
        payload = b"".join((head[:-1], b',"items":[', b",".join(self._waiting), b"]}"))
        self._waiting, self._size = [], 0
        self._answer.frame(FrameType.PART, payload)

    def asset(self, image_id: str, data: bytes) -> None:
        self.flush()
        view = memoryview(data)
        for start in range(0, max(len(view), 1), _PIECE):
            last = start + _PIECE >= len(view)
            head = encode({"attempt": self._attempt, "id": image_id, "last": last})
            piece = b"".join((len(head).to_bytes(2, "big"), head, view[start : start + _PIECE]))
            self._answer.frame(FrameType.ASSET, piece)

    def progress(self, progress: Progress) -> None:
        """Tell the host, ten times a second at most; what was read so far goes first."""
        now = time.monotonic()
        if now > self._next_flush:
            self.flush()
        if now < self._next_progress:
            return
        self._next_progress = now + _PROGRESS_SECONDS
        self.flush()
        self._answer.frame(FrameType.PROGRESS, encode(progress))

    def result(self, document: Document) -> None:
        """Send what is left in *document*: its lists as parts, everything else in the RESULT frame.

        Raises:
            ExtractError: ``out-of-memory``, the kernel has killed a process of this container for its memory. Whatever was
                read then may lack what that process should have done.
        """
        for name in STREAMED:
            if items := getattr(document, name):
                self.items(name, items)
        self.flush()
        if oom_kills():
            raise ExtractError("out-of-memory", OOM_KILLED)
        rest = {name: value for name, value in plain(document).items() if name not in STREAMED}
        self._answer.frame(FrameType.RESULT, encode({"attempt": self._attempt, "document": rest, **usage()}))


def _encoded(kind: PartKind, items: list[Any]) -> Iterator[tuple[bytes, Any]]:
    """*items* as JSON, without the brackets around them: many at a time where they are small. Each with its first item."""
    for start in range(0, len(items), _AT_ONCE):
        some = items[start : start + _AT_ONCE]
        values = [_array(cell) for cell in some] if kind == "cells" else some
        data = encode(values)[1:-1]
        if len(data) <= _PIECE:
            yield data, some[0]
        else:
            yield from zip(map(encode, values), some, strict=True)


def _array(cell: SheetCell) -> tuple[Any, ...]:
    """A cell as one of `CELL_FORMS`."""
    values: tuple[Any, ...] = _cell_fields(cell)
    if values[4].__class__ is int:  # no other number of a cell can be as long
        values = (*values[:4], safe(values[4]), *values[5:])
    if values[9:] != _NOTHING:
        return values
    return values[:9] if values[6:9] != _NOTHING else values[:6]


def send_failure(answer: Answer, failure: Failure) -> None:
    answer.frame(FrameType.ERROR, encode({**plain(replace(failure, detail=failure.detail[:200])), **usage()}))


def usage() -> dict[str, int]:
    """What the work cost so far: processor milliseconds and peak memory."""
    spent = resource.getrusage(resource.RUSAGE_SELF)
    return {"cpu_ms": round((spent.ru_utime + spent.ru_stime) * 1000), "peak_memory_mb": spent.ru_maxrss // 1024}
