"""The contract's dataclasses as strict pydantic validators, one for each kind of payload, built when it is first needed.

Building them takes longer than reading a small document, and few answers need all of them. `prepare` builds those that
nearly every answer needs: there is time for that while a container starts.
"""

from __future__ import annotations

from dataclasses import dataclass, field, is_dataclass, make_dataclass
from functools import cache
from typing import Annotated, Any, Final, Literal, TypeVar, get_args

from pydantic import ConfigDict, Field, TypeAdapter

from fumehood_sandbox import contract
from fumehood_sandbox.contract import STREAMED, Document, Failure, PartKind, Progress

_T = TypeVar("_T")

_STRICT: Final = ConfigDict(strict=True, allow_inf_nan=False, extra="ignore")

MAX_TRIED: Final = 16


def _strict(shape: type[_T]) -> type[_T]:
    """*shape* with our validation rules: what pydantic's ``with_config`` does, for classes that know nothing of pydantic."""
    shape.__pydantic_config__ = _STRICT  # type: ignore[attr-defined]
    return shape


for _shape in list(vars(contract).values()):
    if isinstance(_shape, type) and is_dataclass(_shape):
        _strict(_shape)

_ITEMS: Final[dict[str, Any]] = {
    "blocks": contract.Block,
    "tables": contract.Table,
    "sheets": contract.Sheet,
    "slides": contract.Slide,
    "pages": contract.Page,
    "revisions": contract.Revision,
    "comments": contract.Comment,
    "notes": contract.Note,
    "images": contract.Image,
    "outline": contract.OutlineItem,
    "links": contract.Link,
    "attachments": contract.Attachment,
    "active_content": contract.ActiveContent,
    "cells": contract.SheetCell,
    "table_cells": contract.Cell,
    "block_text": str,
    "format": contract.Format,
}
assert set(_ITEMS) == set(get_args(PartKind))

_Count = Annotated[int, Field(ge=0)]
_Attempt = Annotated[int, Field(ge=1, le=MAX_TRIED)]
_Id = Annotated[str, Field(min_length=1, max_length=100)]


@_strict
@dataclass(slots=True)
class Failed(Failure):
    """An ERROR frame, with what the work cost."""

    cpu_ms: _Count | None = None
    peak_memory_mb: _Count | None = None


@_strict
@dataclass(slots=True)
class PartHead:
    """What a PART frame says before its items."""

    kind: PartKind


@_strict
@dataclass(slots=True)
class AssetHead:
    """The JSON before an asset's bytes."""

    attempt: _Attempt
    id: _Id
    last: bool


@cache
def part(kind: PartKind) -> TypeAdapter[Any]:
    """A PART frame of that kind, and of no other."""
    this_kind: Any = Literal[kind]
    items: Any = list[_ITEMS[kind]]  # type: ignore[valid-type]
    fields: list[Any] = [("kind", this_kind), ("attempt", _Attempt), ("items", items), ("owner", _Count | _Id | None, None)]
    return TypeAdapter(_strict(make_dataclass(f"_{kind}", fields, slots=True)))


@cache
def result() -> TypeAdapter[Any]:
    """A RESULT frame. Its document is a `Document` whose streamed lists are empty: they came before it."""
    nothing: list[Any] = [(name, Annotated[list[Any], Field(max_length=0)], field(default_factory=list)) for name in STREAMED]
    rest: type[Any] = _strict(make_dataclass("_Rest", nothing, bases=(Document,), slots=True))
    costs: list[Any] = [("cpu_ms", _Count | None, None), ("peak_memory_mb", _Count | None, None)]
    return TypeAdapter(_strict(make_dataclass("_Result", [("attempt", _Attempt), ("document", rest), *costs], slots=True)))


@cache
def failed() -> TypeAdapter[Failed]:
    return TypeAdapter(Failed)


@cache
def progress() -> TypeAdapter[Progress]:
    return TypeAdapter(Progress)


@cache
def part_head() -> TypeAdapter[PartHead]:
    return TypeAdapter(PartHead)


@cache
def asset_head() -> TypeAdapter[AssetHead]:
    return TypeAdapter(AssetHead)


def prepare() -> None:
    """Build what the answer of an ordinary document needs. Safe beside other threads."""
    result()
    part("format")
    part("blocks")
    part("tables")
