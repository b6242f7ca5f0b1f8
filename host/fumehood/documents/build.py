"""Validated plain data becomes the contract's dataclasses, and its keys are counted.

Only for what a validator of `fumehood.documents.shapes` has let through: nothing is checked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from types import NoneType
from typing import Any, get_args, get_origin

from fumehood.documents.shapes import ITEMS, hints
from fumehood_sandbox.contract import PartKind

Data = dict[str, Any]


@cache
def _nested(shape: Any) -> tuple[tuple[str, Any, bool], ...]:
    """The fields of *shape* that hold other dataclasses: name, class, and whether it is a list of them."""
    found = []
    for name, hint in hints(shape).items():
        inner = next((one for one in get_args(hint) if one is not NoneType), hint) if get_origin(hint) is not dict else hint
        if hasattr(inner, "__dataclass_fields__"):
            found.append((name, inner, get_origin(hint) is list))
    return tuple(found)


@cache
def maker(shape: Any) -> Callable[[Data], Any]:
    """What makes one *shape* of its keys. It may change what it is given."""
    nested = _nested(shape)
    if not nested:
        return lambda data: shape(**data)

    def make(data: Data) -> Any:
        for name, inner, many in nested:
            held = data.get(name)
            if held is not None:  # one with every default is empty
                one = maker(inner)
                data[name] = [one(each) for each in held] if many else one(held)
        return shape(**data)

    return make


def build(kind: PartKind, items: list[Any]) -> list[Any]:
    """The items of a part."""
    shape: Any = ITEMS[kind]
    if shape is str:
        return items
    if kind == "cells":
        return [shape(*item) for item in items]
    make = maker(shape)
    return [make(item) for item in items]


def keys_in(shape: Any, items: Iterable[Data]) -> int:
    """How many keys *items* have, with everything in them. Not for shapes with free keys (`dict` fields)."""
    held = items if isinstance(items, list) else list(items)
    total = sum(map(len, held))
    for name, inner, many in _nested(shape):
        within = [item[name] for item in held if item.get(name)]
        total += keys_in(inner, [one for some in within for one in some] if many else within)
    return total
