"""Sequences whose items are made each time they are looked at: what a long document has where a short one has lists.

Like a list that nobody changes: with a length, indexes, slices, and as many walks as one likes. Changing an item changes a
copy.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Generic, TypeVar, cast, overload

T = TypeVar("T")

_CHUNK: Final = 512


class Lazy(Sequence[T], Generic[T]):
    """What all of them have. A kind says `__len__`, `at` and `chunks`."""

    @abstractmethod
    def at(self, index: int) -> T:
        """The item at *index*, which is in range."""

    @abstractmethod
    def chunks(self) -> Iterator[list[T]]:
        """The items, some at a time."""

    def __iter__(self) -> Iterator[T]:
        for chunk in self.chunks():
            yield from chunk

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self.at(at) for at in range(*index.indices(len(self)))]
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(index)
        return self.at(at)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (list, Lazy)):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment] # as a list

    def __repr__(self) -> str:
        return f"<{len(self)} items>"


class Joined(Lazy[T]):
    """A few items in memory, then those of another sequence."""

    def __init__(self, first: list[T], rest: Lazy[T]) -> None:
        self._first = first
        self._rest = rest

    def __len__(self) -> int:
        return len(self._first) + len(self._rest)

    def at(self, index: int) -> T:
        return self._first[index] if index < len(self._first) else self._rest.at(index - len(self._first))

    def chunks(self) -> Iterator[list[T]]:
        yield self._first
        yield from self._rest.chunks()


class Mapped(Lazy[T]):
    """What *make* makes of the numbers from 0 to *length*, of each when it is asked for."""

    def __init__(self, length: int, make: Callable[[int], T]) -> None:
        self._length = length
        self._make = make

    def __len__(self) -> int:
        return self._length

    def at(self, index: int) -> T:
        return self._make(index)

    def chunks(self) -> Iterator[list[T]]:
        for start in range(0, self._length, _CHUNK):
            yield [self._make(index) for index in range(start, min(start + _CHUNK, self._length))]


def as_list(items: Lazy[T]) -> list[T]:
    """*items* where the contract has a list: whoever reads a document only walks through it."""
    return cast("list[Any]", items)
