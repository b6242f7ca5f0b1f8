"""JSON of the contract's objects, by the standard library's C code alone.

``json`` itself imports ``re`` and with it more than a small document takes to read; the C scanner and encoder under it need
none of that. A field that has its class's default is left out: the other side knows it. What JSON cannot carry to everyone
is mended: lone surrogates become U+FFFD, integers beyond 2**53 text, numbers that are none null.
"""

from __future__ import annotations

import _json
from operator import attrgetter
from typing import Any, Final

_SAFE_INTEGER: Final = 2**53
_MAY_BE_TOO_LONG: Final = frozenset({int, dict, list})
_SPACE: Final = " \t\n\r"
_MADE: Final = object()
"""Stands for a default that is made for each object: an empty list or mapping."""


class _Settings:
    """What the C scanner asks of a decoder."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int

    @staticmethod
    def parse_constant(_name: str) -> None:
        """``NaN`` and its like, which are no JSON but are written."""


_scan: Final = _json.make_scanner(_Settings())  # type: ignore[arg-type] # any object with these attributes will do


def decode(data: bytes | str) -> Any:
    """The value that *data* is.

    Raises:
        ValueError: it is no JSON.
        RecursionError: it nests too deeply.
    """
    text = (data if isinstance(data, str) else data.decode()).lstrip(_SPACE)
    try:
        value, end = _scan(text, 0)
    except StopIteration:
        raise ValueError("no JSON") from None
    if text[end:].strip(_SPACE):
        raise ValueError("more than one value")
    return value


def encode(value: Any) -> bytes:
    """*value* as JSON: objects of the contract, and what JSON has."""
    try:
        return "".join(_encoder(value, 0)).encode()
    except (OverflowError, ValueError):  # UnicodeEncodeError is one
        return "".join(_encoder(_mended(value), 0)).encode()


def safe(value: Any) -> Any:
    """*value* with its integers, where they are too long, as text: those in a list or a mapping too, but in no object."""
    kind = value.__class__
    if kind is int:
        return value if -_SAFE_INTEGER <= value <= _SAFE_INTEGER else str(value)
    if kind is dict:
        return {key: safe(item) for key, item in value.items()}
    if kind is list and value[0:1] and value[0].__class__ is int:
        return [safe(item) for item in value]
    return value


_Shape = tuple[Any, tuple[tuple[str, Any], ...]]
_shapes: Final[dict[type, _Shape]] = {}


def plain(item: Any) -> dict[str, Any]:
    """The fields of *item* that say something its class does not."""
    shape = item.__class__
    known = _shapes.get(shape)
    if known is None:
        known = _shapes[shape] = _learned(shape)
    values, fields = known
    said = {}
    for (name, unsaid), value in zip(fields, values(item), strict=True):
        if value is unsaid or (unsaid is _MADE and not value):
            continue
        said[name] = safe(value) if value.__class__ in _MAY_BE_TOO_LONG else value
    return said


def _learned(shape: type) -> _Shape:
    """How to take the fields of *shape*, and what each is when nothing is said. Its ``__init__`` tells."""
    names: tuple[str, ...] = getattr(shape, "__slots__", ())
    if not names:
        raise TypeError(f"no JSON for {shape.__name__}")
    init: Any = shape.__init__  # type: ignore[misc]
    given = init.__code__.co_varnames[1 : init.__code__.co_argcount]
    defaults = dict(zip(reversed(given), reversed(init.__defaults__ or ()), strict=False))
    unsaid = [defaults.get(name, _shapes) for name in names]  # no field is `_shapes`: one without a default is always said
    fields = tuple(
        (name, default if default is None or isinstance(default, (str, int, float)) or default is _shapes else _MADE)
        for name, default in zip(names, unsaid, strict=True)
    )
    take = attrgetter(*names)
    return (take if len(names) > 1 else lambda item: (take(item),)), fields


_encoder: Final = _json.make_encoder(None, plain, _json.encode_basestring, None, ":", ",", False, False, False)


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, int):
        return safe(value)
    if isinstance(value, dict):
        return {_mended(str(key)): _mended(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_mended(item) for item in value]
    return _mended(plain(value))
