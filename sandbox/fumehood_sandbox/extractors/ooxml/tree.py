"""Small walks over element trees, which know their children only."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any


class Parents:
    """The parents in the tree of *root*, worked out when the first one is asked for: most documents need none."""

    __slots__ = ("_known", "_root")

    def __init__(self, root: Any) -> None:
        self._root = root
        self._known: dict[Any, Any] | None = None

    def of(self, element: Any) -> Any | None:
        """The parent of *element*; None for the root."""
        if self._known is None:
            self._known = {child: parent for parent in self._root.iter() for child in parent}
        return self._known.get(element)


def with_parents(element: Any) -> Iterator[tuple[Any, Any]]:
    """``(element, its parent)`` of everything in *element*, in document order."""
    for child in element:
        yield child, element
        yield from with_parents(child)


def among(element: Any, tags: Container[str]) -> Iterator[Any]:
    """*element* and what is in it, in document order, as far as it is called one of *tags*."""
    return (e for e in element.iter() if e.tag in tags)


def inside(element: Any, parent: str, tag: str) -> list[Any]:
    """The children called *tag* of the first child called *parent*."""
    found = element.find(parent)
    return [] if found is None else list(found.findall(tag))


def descend(element: Any, *tags: str) -> Any | None:
    """The first child called so, its first child called so, and so on; None where there is none."""
    for tag in tags:
        if element is None:
            return None
        element = element.find(tag)
    return element
