"""Sets of ids that stay small whatever an answer holds: numbered ones (``b12``) are a bit each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from fumehood_sandbox.frames import ProtocolError

_NUMBERED: Final = re.compile(r"([A-Za-z_]{1,12})(0|[1-9][0-9]{0,7})")
_MAX_NUMBER: Final = 1 << 24
_MAX_PREFIXES: Final = 4
#: Ids of another form are kept one by one.
_MAX_OTHERS: Final = 20_000


class IdSet:
    """A set of ids: `add`, ``in``, `lacks`."""

    def __init__(self) -> None:
        self._bits: dict[str, bytearray] = {}
        self._others: set[str] = set()

    def add(self, name: str) -> bool:
        """Put *name* in; False when it was there.

        Raises:
            ProtocolError: too many ids that are not numbered.
        """
        numbered = _NUMBERED.fullmatch(name)
        if numbered is not None and (number := int(numbered[2])) < _MAX_NUMBER:
            bits = self._bits.get(numbered[1])
            if bits is None and len(self._bits) < _MAX_PREFIXES:
                bits = self._bits[numbered[1]] = bytearray()
            if bits is not None:
                at, bit = number >> 3, 1 << (number & 7)
                if at >= len(bits):
                    bits.extend(bytes(max(at + 1 - len(bits), len(bits))))
                if bits[at] & bit:
                    return False
                bits[at] |= bit
                return True
        if name in self._others:
            return False
        if len(self._others) >= _MAX_OTHERS:
            raise ProtocolError("a long answer with ids that are not numbered")
        self._others.add(name)
        return True

    def add_new(self, names: Iterable[str]) -> None:
        """Put *names* in.

        Raises:
            ProtocolError: one of them was there.
        """
        for name in names:
            if not self.add(name):
                raise ProtocolError("an id that is empty, too long or not unique")

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        numbered = _NUMBERED.fullmatch(name)
        if numbered is not None:
            bits = self._bits.get(numbered[1], b"")
            number = int(numbered[2])
            if number >> 3 < len(bits) and bits[number >> 3] & (1 << (number & 7)):
                return True
        return name in self._others

    def lacks(self, wanted: IdSet) -> bool:
        """Whether any of *wanted* is not in this set."""
        for prefix, bits in wanted._bits.items():
            mine = int.from_bytes(self._bits.get(prefix, b""), "little")
            rest = int.from_bytes(bits, "little") & ~mine
            # What is no bit here may be one of the others.
            if rest and (not self._others or any(f"{prefix}{number}" not in self for number in _set_bits(rest))):
                return True
        return any(name not in self for name in wanted._others)


def _set_bits(number: int) -> Iterable[int]:
    data = number.to_bytes((number.bit_length() + 7) // 8, "little")
    for at, byte in enumerate(data):
        if byte:
            yield from (at * 8 + bit for bit in range(8) if byte & (1 << bit))
