"""A ZIP archive in memory, read by its central directory, with every bound on *real* bytes.

A declared size is only a claim: what is inflated is counted. Names are data: they are looked up, never opened. Own reading
of the directory (APPNOTE 6.3.10, 4.3) instead of `zipfile`, so that ten thousand entries are refused before objects are
made of them and each refusal has its code:

- ``corrupt``: no directory, broken streams, entries outside the data;
- ``encrypted``: an entry that carries the encryption flag, once it is read;
- ``unsupported``: another method than stored or deflated, a volume of several;
- ``limit``: ``entries``, ``ratio``, ``bytes``.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from fumehood_sandbox.errors import ExtractError

MIB: Final = 1024 * 1024

_END: Final = struct.Struct("<4s4H2LH")
_END64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR64: Final = struct.Struct("<4sLQL")
_CENTRAL: Final = struct.Struct("<4s6H3L5H2L")
_LOCAL_LENGTHS: Final = struct.Struct("<HH")
_UNKNOWN32: Final = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class ZipLimits:
    """Bounds of one archive."""

    entries: int = 20_000
    part_bytes: int = 256 * MIB
    total_bytes: int = 384 * MIB
    ratio: int = 200
    ratio_from: int = 8 * MIB
    """Below this many real bytes an entry's ratio does not matter."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of the archive, as the central directory has it."""

    name: str
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    """What the directory claims."""
    offset: int


def _no_warning(_code: str, _message: str = "") -> None: ...


class Archive:
    """The entries of *data*.

    Raises:
        ExtractError: as the module says.
    """

    def __init__(self, data: bytes, limits: ZipLimits | None = None, warn: Callable[[str, str], None] = _no_warning) -> None:
        self._data = data
        self._limits = limits or ZipLimits()
        self._warn = warn
        self._read = 0
        self._furthest: dict[Entry, int] = {}
        """How far each entry was read: what is read a second time is no more of the archive. Two names of the same bytes are
        two entries."""
        self.entries = self._directory()

    def _directory(self) -> list[Entry]:
        data = self._data
        at = data.rfind(b"PK\x05\x06", max(0, len(data) - 65_557 - 4096))
        if at < 0:
            at = data.rfind(b"PK\x05\x06")  # a long tail of junk
        if at < 0 or at + _END.size > len(data):
            raise ExtractError("corrupt", "no ZIP directory")
        _, disk, first_disk, _, count, size, offset, _ = _END.unpack_from(data, at)
        end = at
        if _UNKNOWN32 in {size, offset} or count == 0xFFFF:
            end, count, size, offset = self._end64(at, (at, count, size, offset))
        elif disk != first_disk and disk:
            raise ExtractError("unsupported", "a volume of a split ZIP")
        start = end - size
        shift = start - offset  # what stands before the archive (a prefix) moves every offset
        if start < 0 or data[start : start + 4] not in {b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06"}:
            start, shift = offset, 0  # junk between directory and end
        if shift:
            self._warn("zip-junk", "bytes stand before the archive")
        if count > self._limits.entries:
            raise ExtractError("limit", "too many entries", kind="entries")
        return list(self._central(start, end, shift))

    def _end64(self, at: int, plain: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
        """``(end, count, size, offset)`` of a ZIP64 directory, or *plain* where there is none."""
        data = self._data
        locator = at - _LOCATOR64.size
        if locator < 0 or data[locator : locator + 4] != b"PK\x06\x07":
            return plain
        where = int(_LOCATOR64.unpack_from(data, locator)[2])
        if data[where : where + 4] != b"PK\x06\x06":
            where = data.rfind(b"PK\x06\x06", 0, locator)
        if where < 0 or where + _END64.size > len(data):
            raise ExtractError("corrupt", "broken ZIP64 directory")
        fields = _END64.unpack_from(data, where)
        return where, int(fields[7]), int(fields[8]), int(fields[9])

    def _central(self, start: int, end: int, shift: int) -> Iterator[Entry]:
        data, at, seen = self._data, start, 0
        while at + _CENTRAL.size <= end and data[at : at + 4] == b"PK\x01\x02":
            fields = _CENTRAL.unpack_from(data, at)
            flags, method, crc, packed, size = fields[3], fields[4], fields[7], fields[8], fields[9]
            name_length, extra_length, comment_length, offset = fields[10], fields[11], fields[12], fields[16]
            seen += 1
            if seen > self._limits.entries:
                raise ExtractError("limit", "too many entries", kind="entries")
            at += _CENTRAL.size
            raw = data[at : at + name_length]
            extra = data[at + name_length : at + name_length + extra_length]
            at += name_length + extra_length + comment_length
            if _UNKNOWN32 in {packed, size, offset}:
                packed, size, offset = _zip64(extra, packed, size, offset)
            if flags & 0x800:
                name = raw.decode("utf-8", "replace")
            else:
                name = raw.decode("ascii") if raw.isascii() else raw.decode("cp437")
            yield Entry(name, flags, method, crc, packed, size, offset + shift)
        if not seen:
            raise ExtractError("corrupt", "the ZIP directory is empty or broken")

    def chunks(self, entry: Entry, size: int = MIB) -> Iterator[bytes]:
        """The real bytes of *entry*, in pieces of at most *size*."""
        data = self._data
        if entry.flags & 1 or entry.method == 99:
            raise ExtractError("encrypted", "an encrypted ZIP entry")
        if entry.method not in {0, 8}:
            raise ExtractError("unsupported", "an unusual ZIP method")
        head = entry.offset
        if head < 0 or data[head : head + 4] != b"PK\x03\x04" or head + 30 > len(data):
            raise ExtractError("corrupt", "a ZIP entry is missing")
        name_length, extra_length = _LOCAL_LENGTHS.unpack_from(data, head + 26)
        begin = head + 30 + name_length + extra_length
        packed = memoryview(data)[begin : begin + entry.packed]
        if len(packed) < entry.packed:
            raise ExtractError("corrupt", "a ZIP entry is cut short")
        real = crc = 0
        pieces = self._stored(packed, size) if entry.method == 0 else self._inflated(packed, size)
        for piece in pieces:
            real += len(piece)
            known = self._furthest.get(entry, 0)
            if real > known:
                self._furthest[entry] = real
                self._read += real - known
            if real > self._limits.part_bytes or self._read > self._limits.total_bytes:
                raise ExtractError("limit", "too many bytes when unpacked", kind="bytes")
            if real > self._limits.ratio_from and real > self._limits.ratio * max(1, entry.packed):
                raise ExtractError("limit", "packed far too well", kind="ratio")
            crc = zlib.crc32(piece, crc)
            yield piece
        if real != entry.size:
            self._warn("zip-size", "an entry's real size is not the one it claims")
        elif crc != entry.crc:
            self._warn("zip-crc", "an entry's checksum is wrong")

    @staticmethod
    def _stored(packed: memoryview, size: int) -> Iterator[bytes]:
        for at in range(0, len(packed), size):
            yield bytes(packed[at : at + size])

    @staticmethod
    def _inflated(packed: memoryview, size: int) -> Iterator[bytes]:
        stream = zlib.decompressobj(-15)
        rest: bytes | memoryview = packed
        try:
            while True:
                piece = stream.decompress(rest, size)
                if piece:
                    yield piece
                if stream.eof:
                    return
                rest = stream.unconsumed_tail
                if not piece and not rest:
                    raise ExtractError("corrupt", "a packed entry ends too early")
        except zlib.error:
            raise ExtractError("corrupt", "a packed entry is broken") from None

    def read(self, entry: Entry) -> bytes:
        """All real bytes of *entry*."""
        return b"".join(self.chunks(entry))


def _zip64(extra: bytes, packed: int, size: int, offset: int) -> tuple[int, int, int]:
    """The 64-bit values of the extra field 1, in the order the format has them: size, packed size, offset."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = _LOCAL_LENGTHS.unpack_from(extra, at)
        body = extra[at + 4 : at + 4 + length]
        at += 4 + length
        if kind != 1:
            continue
        numbers = [int.from_bytes(body[i : i + 8], "little") for i in range(0, len(body) - 7, 8)]
        if size == _UNKNOWN32 and numbers:
            size = numbers.pop(0)
        if packed == _UNKNOWN32 and numbers:
            packed = numbers.pop(0)
        if offset == _UNKNOWN32 and numbers:
            offset = numbers.pop(0)
    return packed, size, offset
