"""A result as JSON, in the shape that ``docs/output.md`` promises and ``fumehood schema`` prints.

Absent facts are left out, absent lists are ``[]``. Every character of the document is kept; JSON's own escaping is what
makes controls harmless here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final, Protocol

from fumehood.errors import FumehoodError
from fumehood.staging.names import without_surrogates
from fumehood_sandbox.contract import Document

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
    return dump(to_dict(result))


def dump(value: Any, *, indent: int | None = None) -> bytes:
    """Plain data as UTF-8 JSON. What JSON has no number for becomes null."""
    from pydantic_core import to_json as encode  # noqa: PLC0415 - only where something is printed

    return encode(value, indent=indent, inf_nan_mode="null")


def plain(value: Any) -> Any:
    """*value* (dataclasses, maps, sequences) as JSON data, None left out of every object."""
    if isinstance(value, _PLAIN) or value is None:
        return value
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items() if item is not None}
    shape = {}
    for name in _fields(type(value)):
        item = getattr(value, name)
        if item is None or (item is True and name in _VIEW_FLAGS):
            continue
        shape[name] = item if type(item) in _PLAIN else plain(item)
    return shape


def _fields(kind: type[Any]) -> tuple[str, ...]:
    known = _FIELDS.get(kind)
    if known is None:
        known = _FIELDS[kind] = tuple(field.name for field in dataclasses.fields(kind))
    return known


_FIELDS: Final[dict[type[Any], tuple[str, ...]]] = {}
