"""A binary part as a stream of records ([MS-XLSB] 2.1.4): a number, a size, that many bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from fumehood_sandbox.extraction import ExtractError
from fumehood_sandbox.opc import Package

#: The longest record there is a use for: the names of 65,535 sheets of another workbook (2.4.814).
_MAX_RECORD: Final = 8 * 1024 * 1024


def records(package: Package, part: str) -> Iterator[tuple[int, bytes]]:
    """``(number, data)`` of each record of *part*, in order.

    Raises:
        ExtractError: ``corrupt`` where the part breaks off or is no such stream. What stood before was given.
    """
    return split(_pieces(package, part))


def _pieces(package: Package, part: str) -> Iterator[bytes]:
    for piece in package.chunks(part):
        yield piece
        if package.alive is not None:
            package.alive()


def split(pieces: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The records of a part that comes in *pieces*."""
    rest = b""
    for piece in pieces:
        data = rest + piece if rest else piece
        at, end = 0, len(data)
        while True:
            begin = at
            try:
                number = data[begin]
                begin += 1
                if number & 0x80:
                    number = (number & 0x7F) | (data[begin] & 0x7F) << 7
                    begin += 1
                size = data[begin]
                begin += 1
                if size & 0x80:
                    size &= 0x7F
                    for shift in (7, 14, 21):
                        more = data[begin]
                        begin += 1
                        size |= (more & 0x7F) << shift
                        if not more & 0x80:
                            break
            except IndexError:  # the next piece has the rest of it
                break
            if begin + size > end:
                if size > _MAX_RECORD:
                    raise ExtractError("corrupt", "a record longer than any is")
                break
            at = begin + size
            yield number, data[begin:at]
        rest = data[at:]
    if rest:
        raise ExtractError("corrupt", "a part ends inside of a record")
