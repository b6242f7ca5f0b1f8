"""A result as JSON, in the shape that ``docs/output.md`` promises and ``fumehood schema`` prints.

Absent facts are left out, absent lists are ``[]``. Every character of the document is kept; JSON's own escaping is what
makes controls harmless here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, Final, Protocol

from fumehood.errors import FumehoodError
from fumehood.staging.names import without_surrogates
from fumehood_sandbox.contract import STREAMED, Block, Document

#: Which view something is part of: said only where a view leaves it out.
_VIEW_FLAGS: Final = frozenset({"in_accepted", "in_original", "mark_in_accepted", "mark_in_original"})

_PLAIN: Final = (str, int, float, bool)


class Result(Protocol):
    """What `fumehood.results.ExtractResult` has."""

    @property
    def path(self) -> str: ...
    @property
    def document(self) -> Document | None: ...
    @property
    def error(self) -> FumehoodError | None: ...
    @property
    def provenance(self) -> Mapping[str, Any]: ...


def to_dict(result: Result) -> dict[str, Any]:
    """``{path, ok, error?, document?, provenance}``."""
    shape: dict[str, Any] = {"path": without_surrogates(result.path), "ok": result.error is None}
    if result.error is not None:
        shape["error"] = result.error.as_dict()
    if result.document is not None:
        shape["document"] = plain(result.document)
    shape["provenance"] = plain(result.provenance)
    return shape


def to_json(result: Result) -> bytes:
    """`to_dict` as one line of UTF-8 JSON, without a line feed."""
    return b"".join(iter_json(result))


def iter_json(result: Result, *, indent: int | None = None) -> Iterator[bytes]:
    """`to_json` in pieces; of a long document no more than one is held. *indent* is for people, who read no long ones."""
    if indent is not None and not any(_is_long(getattr(result.document, name)) for name in STREAMED if result.document):
        yield dump(to_dict(result), indent=indent)
        return
    shape: dict[str, Any] = {"path": without_surrogates(result.path), "ok": result.error is None}
    if result.error is not None:
        shape["error"] = result.error.as_dict()
    if result.document is None:
        yield dump({**shape, "provenance": plain(result.provenance)})
        return
    yield dump(shape)[:-1] + b',"document":'
    yield from _pieces(result.document)
    yield b',"provenance":' + dump(plain(result.provenance)) + b"}"


def _pieces(value: Any) -> Iterator[bytes]:
    """*value* as JSON: whole, unless it is a sequence that is read from a file, or holds one."""
    if _is_long(value):
        yield from _list_pieces(value)
    elif not dataclasses.is_dataclass(value) or not any(_is_long(getattr(value, name)) for name in _fields(type(value))):
        yield dump(plain(value))
    else:
        lead = b"{"
        for name in _fields(type(value)):
            item = getattr(value, name)
            if _is_said(name, item):
                yield lead + dump(name) + b":"
                yield from _pieces(item)
                lead = b","
        yield b"}"


def _list_pieces(items: Any) -> Iterator[bytes]:
    lead = b"["
    for chunk in items.chunks():
        if not chunk:
            continue
        if any(_is_long(getattr(item, "cells", None)) for item in chunk):
            for item in chunk:
                yield lead
                yield from _pieces(item)
                lead = b","
        else:
            yield lead + dump(plain(chunk))[1:-1]
        lead = b","
    yield b"[]" if lead == b"[" else b"]"


def _is_long(value: Any) -> bool:
    return hasattr(value, "chunks")


def dump(value: Any, *, indent: int | None = None) -> bytes:
    """Plain data as UTF-8 JSON. What JSON has no number for becomes null."""
    from pydantic_core import to_json as encode  # noqa: PLC0415 - only where something is printed

    return encode(value, indent=indent, inf_nan_mode="null")


def plain(value: Any) -> Any:
    """*value* (dataclasses, maps, sequences) as JSON data, None left out of every object."""
    if isinstance(value, _PLAIN) or value is None:
        return value
    if isinstance(value, list | tuple) or _is_long(value):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items() if item is not None}
    shape = {}
    for name in _fields(type(value)):
        item = getattr(value, name)
        if not _is_said(name, item):
            continue
        shape[name] = item if type(item) in _PLAIN else plain(item)
    return shape


def _is_said(name: str, item: Any) -> bool:
    return item is not None and not (item is True and name in _VIEW_FLAGS)


def _fields(kind: type[Any]) -> tuple[str, ...]:
    known = _FIELDS.get(kind)
    if known is None:
        names = [field.name for field in dataclasses.fields(kind)]
        if kind is Block:  # whoever reads it from top to bottom meets an item's label before its text, as on the page
            names.remove("list")
            names.insert(names.index("text"), "list")
        known = _FIELDS[kind] = tuple(names)
    return known


_FIELDS: Final[dict[type[Any], tuple[str, ...]]] = {}
