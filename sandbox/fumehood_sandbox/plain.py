"""What the worker needs of ``dataclasses`` when it runs, over ``__slots__`` alone: it is built without that module."""

from __future__ import annotations

from typing import Any, TypeVar

_T = TypeVar("_T")


def replace(item: _T, **changes: Any) -> _T:
    """A copy of *item* with *changes*."""
    shape: Any = type(item)
    return shape(**{name: getattr(item, name) for name in shape.__slots__} | changes)  # type: ignore[no-any-return]
