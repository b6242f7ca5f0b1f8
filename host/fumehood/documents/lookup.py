"""Items by their ids. Those of a long document stay in its file: only their places are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, TypeVar


class Named(Protocol):
    id: str


T = TypeVar("T", bound=Named)


def by_id(items: Sequence[T]) -> Mapping[str, T]:
    """*items* by their ids; of two with one id the last."""
    return {item.id: item for item in items} if isinstance(items, list) else _Places(items)


class _Places(Mapping[str, T]):
    def __init__(self, items: Sequence[T]) -> None:
        self._items = items
        self._at = {item.id: at for at, item in enumerate(items)}

    def __getitem__(self, name: str) -> T:
        return self._items[self._at[name]]

    def __contains__(self, name: object) -> bool:
        return name in self._at

    def __iter__(self) -> Iterator[str]:
        return iter(self._at)

    def __len__(self) -> int:
        return len(self._at)
