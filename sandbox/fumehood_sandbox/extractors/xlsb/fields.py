"""The small structures that records are made of ([MS-XLSB] 2.5), read one after the other."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Final

_U16: Final = struct.Struct("<H").unpack_from
_U32: Final = struct.Struct("<I").unpack_from
_F64: Final = struct.Struct("<d").unpack_from
_RFX: Final = struct.Struct("<4I").unpack_from
_U32_BYTES: Final = struct.Struct("<I").pack
_NULL: Final = 0xFFFFFFFF
_PADDING: Final = b"\0\0\0\0"

#: Errors by their code (2.5.97.2).
ERRORS: Final = {
    0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?", 0x24: "#NUM!", 0x2A: "#N/A", 0x2B: "#GETTING_DATA",
}  # fmt: skip


class MalformedError(Exception):
    """A record does not hold what its kind says."""


class Fields:
    """Reads *data* from *at* on. Every method raises `MalformedError` where too little is left."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data = data
        self.at = at

    @property
    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, size: int) -> bytes:
        at = self.at
        if size > len(self.data) - at:
            raise MalformedError
        self.at = at + size
        return self.data[at : at + size]

    def unpack(self, unpack_from: Callable[[bytes, int], tuple[Any, ...]], size: int) -> tuple[Any, ...]:
        """The *size* bytes that a ``Struct.unpack_from`` takes."""
        at = self.at
        self.at = at + size
        try:
            return unpack_from(self.data, at)
        except struct.error:
            raise MalformedError from None

    def u8(self) -> int:
        return self.take(1)[0]

    def u16(self) -> int:
        return int(self.unpack(_U16, 2)[0])

    def u32(self) -> int:
        return int(self.unpack(_U32, 4)[0])

    def f64(self) -> float:
        return float(self.unpack(_F64, 8)[0])

    def rfx(self) -> tuple[int, int, int, int]:
        """UncheckedRfX (2.5.154): first and last row, first and last column, from 0."""
        first_row, last_row, first_col, last_col = self.unpack(_RFX, 16)
        return first_row, last_row, first_col, last_col

    def chars(self, count: int) -> str:
        """*count* characters of UTF-16; half a pair reads as a replacement character."""
        return self.take(2 * count).decode("utf-16-le", "replace")

    def wide(self) -> str:
        """XLWideString (2.5.169)."""
        return self.chars(self.u32())

    def nullable(self) -> str | None:
        """XLNullableWideString (2.5.167); also RelID (2.5.115)."""
        count = self.u32()
        return None if count == _NULL else self.chars(count)

    def rich(self) -> str:
        """RichStr (2.5.122): the text, without its formatting and without a phonetic reading."""
        self.take(1)
        return self.wide()

    def formula(self) -> tuple[bytes, bytes]:
        """``(rgce, rgcb)``: the tokens of a parsed formula (2.5.97) and what goes with some of them."""
        rgce = self.take(self.u32())
        return rgce, self.take(self.u32())


def rk_number(rk: int) -> float:
    """RkNumber (2.5.123): thirty bits of a whole number or of a float, perhaps in hundredths."""
    if rk & 2:
        value: float = (rk >> 2) - (1 << 30 if rk & 0x80000000 else 0)
    else:
        value = _F64(_PADDING + _U32_BYTES(rk & 0xFFFFFFFC), 0)[0]
    return value / 100 if rk & 1 else value
