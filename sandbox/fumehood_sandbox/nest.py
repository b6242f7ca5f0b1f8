"""How much the documents in a document may take, all of one request together: in number, bytes, depth, time and output."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from fumehood_sandbox.errors import ExtractError
from fumehood_sandbox.zipsafe import MIB, ZipLimits

MAX_DEPTH: Final = 3
#: Of one request, at all depths together: documents that are read, and their bytes.
MAX_READ: Final = 100
MAX_BYTES: Final = 128 * MIB
#: What the document in one attachment, with all that is in it, may be as JSON: its bytes, and the keys of its objects, of which
#: the host takes 120,000 in a frame of 4 MiB.
_FRAME_BYTES: Final = 3 * MIB
_FRAME_KEYS: Final = 100_000
#: The same for all attachments of a request together.
_ALL_BYTES: Final = 64 * MIB
#: With less left of it than this no document is begun.
_LEAST: Final = 64 * 1024
#: What an embedded package may unpack to: the document around it is in memory, too.
_ZIP: Final = ZipLimits(part_bytes=64 * MIB, total_bytes=96 * MIB)
#: The share of the time for a request after which no further document is begun or read on.
_TIME: Final = 0.5


@dataclass(slots=True)
class Nest:
    """What the embedded documents of one request may still take, all of them together."""

    deadline: float
    depth: int = 0
    documents: int = MAX_READ
    input: int = MAX_BYTES
    output: int = _ALL_BYTES
    room: int = 0
    """Bytes that are left of the frame that is being filled, and keys."""
    keys: int = 0
    read: set[bytes] = field(default_factory=set)
    """The hashes of what was read."""

    @classmethod
    def until(cls, started: float, deadline_s: float) -> Nest:
        """That of a request which *started* then (on the clock of `monotonic`) and has so many seconds."""
        return cls(started + _TIME * deadline_s)

    @property
    def zip_limits(self) -> ZipLimits:
        """The bounds of an embedded package."""
        return _ZIP

    def refusal(self, size: int) -> str | None:
        """Why *size* bytes more are not to be read; None when they are."""
        if self.depth >= MAX_DEPTH:
            return f"embedded in more than {MAX_DEPTH} documents"
        if self.documents <= 0:
            return f"more than {MAX_READ} embedded documents"
        if size > self.input:
            return f"embedded documents of more than {MAX_BYTES // MIB} MiB"
        if monotonic() > self.deadline:
            return "no time left for embedded documents"
        if self.output < _LEAST:
            return "embedded documents give more output than allowed"
        return None

    def enter(self, size: int) -> None:
        """A document of *size* bytes that was not refused is going to be read; `leave` follows whatever comes of it."""
        self.documents -= 1
        self.input -= size
        if self.depth == 0:
            self.room, self.keys = _FRAME_BYTES, _FRAME_KEYS
        self.depth += 1

    def leave(self) -> None:
        self.depth -= 1

    def take(self, data: bytes) -> None:
        """Count *data*, JSON of what an embedded document holds.

        Raises:
            ExtractError: ``limit`` (kind ``output``), it does not fit any more; (kind ``time``), it is too late.
        """
        keys = data.count(b'":')
        if len(data) > min(self.room, self.output) or keys > self.keys:
            raise ExtractError("limit", "an embedded document gives more output than allowed", kind="output")
        self.room -= len(data)
        self.output -= len(data)
        self.keys -= keys
        if monotonic() > self.deadline:
            raise ExtractError("limit", "no time left for an embedded document", kind="time")
