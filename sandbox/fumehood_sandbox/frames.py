"""Frames: how bytes cross the wall, in both directions.

Prelude (host to sandbox), as soon as the container runs: the family that the document will probably be of, so that its
reader is imported before the document is there. READY is the answer to it::

    "FHP1" | u8 length | one of HINTS in ASCII

Request (host to sandbox), not half-closed: end of file on stdin afterwards means that the host is gone::

    "FHQ1" | u32 header length | header JSON (<= 4 KiB) | u64 body length | body | SHA-256 of the body (32)

Response (sandbox to host)::

    "FHR1" | frame ...            frame = u8 type | u32 payload length | payload

and the last frame is END, whose payload is the SHA-256 of every byte before it. All numbers are big-endian. Every length
is checked against its cap before memory is taken for it. Standard library only; both sides import this module.
"""

from __future__ import annotations

import enum
import hashlib
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

PRELUDE_MAGIC: Final = b"FHP1"
#: What a worker can be told to expect. A document of another family is read all the same.
HINTS: Final = frozenset({"", "docx", "xlsx", "pptx", "ooxml", "pdf", "text"})
REQUEST_MAGIC: Final = b"FHQ1"
RESPONSE_MAGIC: Final = b"FHR1"
MAX_HEADER: Final = 4 * 1024
MAX_FRAME: Final = 4 * 1024 * 1024
MAX_RESPONSE: Final = 512 * 1024 * 1024
DIGEST_SIZE: Final = 32

_FRAME_HEAD: Final = struct.Struct(">BI")
_U32: Final = struct.Struct(">I")
_U64: Final = struct.Struct(">Q")


class FrameType(enum.IntEnum):
    """The closed set of response frames."""

    READY = 1
    PROGRESS = 2
    PART = 3
    ASSET = 4
    RESULT = 5
    ERROR = 6
    END = 7


@dataclass(frozen=True, slots=True)
class Frame:
    type: FrameType
    payload: bytes


class ProtocolError(Exception):
    """The other side did not keep to the frames. The message names the rule that was broken and quotes nothing."""


def prelude(hint: str = "") -> bytes:
    """What is sent before the request.

    Raises:
        ValueError: when *hint* is none of `HINTS`.
    """
    if hint not in HINTS:
        raise ValueError("no such hint")
    return PRELUDE_MAGIC + bytes([len(hint)]) + hint.encode()


def request_head(header: bytes, body_length: int) -> bytes:
    """Everything of a request before its body.

    Raises:
        ValueError: when *header* is over 4 KiB.
    """
    if len(header) > MAX_HEADER:
        raise ValueError(f"a request header holds at most {MAX_HEADER} bytes")
    return b"".join((REQUEST_MAGIC, _U32.pack(len(header)), header, _U64.pack(body_length)))


def unpack_u32(data: bytes) -> int:
    """A big-endian unsigned 32-bit number."""
    return int(_U32.unpack(data)[0])


def unpack_u64(data: bytes) -> int:
    """A big-endian unsigned 64-bit number."""
    return int(_U64.unpack(data)[0])


def encode_frame(kind: FrameType, payload: bytes) -> bytes:
    """One frame.

    Raises:
        ValueError: when *payload* is over the frame cap.
    """
    if len(payload) > MAX_FRAME:
        raise ValueError(f"a frame holds at most {MAX_FRAME} bytes")
    return _FRAME_HEAD.pack(kind, len(payload)) + payload


class ResponseDecoder:
    """Reads a response as its bytes arrive; holds at most one frame.

    Call `feed` with each piece and `close` when the stream has ended. Both raise `ProtocolError` on an unknown type, a
    frame over its cap, an answer over *max_bytes*, a wrong hash, bytes after END, or a stream that ends too early.
    """

    def __init__(self, max_bytes: int = MAX_RESPONSE) -> None:
        self._buffer = bytearray()
        self._hash = hashlib.sha256()
        self._left = max_bytes
        self._started = False
        self.ended = False
        self.received = 0

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The frames that *data* completes, END left out (it only sets `ended`)."""
        self.received += len(data)
        self._left -= len(data)
        if self._left < 0:
            raise ProtocolError("the answer is longer than allowed")
        if self.ended and data:
            raise ProtocolError("bytes after END")
        self._buffer += data
        if not self._started:
            if len(self._buffer) < len(RESPONSE_MAGIC):
                if not RESPONSE_MAGIC.startswith(bytes(self._buffer)):
                    raise ProtocolError("wrong magic")
                return
            if not self._buffer.startswith(RESPONSE_MAGIC):
                raise ProtocolError("wrong magic")
            self._hash.update(RESPONSE_MAGIC)
            del self._buffer[: len(RESPONSE_MAGIC)]
            self._started = True
        yield from self._frames()

    def _frames(self) -> Iterator[Frame]:
        while len(self._buffer) >= _FRAME_HEAD.size:
            number, length = _FRAME_HEAD.unpack_from(self._buffer)
            try:
                kind = FrameType(number)
            except ValueError:
                raise ProtocolError("unknown frame type") from None
            if length > MAX_FRAME:
                raise ProtocolError("a frame is longer than allowed")
            end = _FRAME_HEAD.size + length
            if len(self._buffer) < end:
                return
            whole = bytes(self._buffer[:end])
            del self._buffer[:end]
            if kind is FrameType.END:
                if whole[_FRAME_HEAD.size :] != self._hash.digest():
                    raise ProtocolError("wrong hash")
                self.ended = True
                if self._buffer:
                    raise ProtocolError("bytes after END")
                return
            self._hash.update(whole)
            yield Frame(kind, whole[_FRAME_HEAD.size :])

    def close(self) -> None:
        """The stream has ended."""
        if not self.ended:
            raise ProtocolError("the answer ends before END")


class ResponseEncoder:
    """Frames in the order they are written, with the running hash that END carries: *hasher* makes it."""

    def __init__(self, hasher: Callable[[], Any] = hashlib.sha256) -> None:
        self._hash = hasher()

    def start(self) -> bytes:
        self._hash.update(RESPONSE_MAGIC)
        return RESPONSE_MAGIC

    def frame(self, kind: FrameType, payload: bytes) -> bytes:
        data = encode_frame(kind, payload)
        self._hash.update(data)
        return data

    def end(self) -> bytes:
        return encode_frame(FrameType.END, self._hash.digest())
