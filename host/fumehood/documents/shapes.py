"""The contract's dataclasses as strict validators, one for each kind of payload, built when it is first needed.

Made straight for pydantic's core: an object becomes a dictionary of the keys that stood in it, an array a tuple. Nothing of
the contract's own is built before the whole payload is known to be valid (`fumehood.documents.build` does that), and how
many keys were taken can be counted. `prepare` builds what nearly every answer needs: there is time for that while a
container starts.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from pydantic_core import SchemaValidator, core_schema
from pydantic_core.core_schema import CoreSchema

from fumehood.documents.untrusted_json import MAX_INTEGER
from fumehood_sandbox import contract
from fumehood_sandbox.contract import CELL_FORMS, MAX_SHEET_COLUMNS, MAX_SHEET_ROWS, STREAMED, Failure, PartKind

MAX_TRIED: Final = 16

ITEMS: Final[dict[PartKind, type[Any]]] = {
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
assert set(ITEMS) == set(get_args(PartKind))

_STR: Final = core_schema.str_schema(strict=True)
_INT: Final = core_schema.int_schema(strict=True, ge=-MAX_INTEGER, le=MAX_INTEGER)
_ANY_INT: Final = core_schema.int_schema(strict=True)
_COUNT: Final = core_schema.int_schema(strict=True, ge=0, le=MAX_INTEGER)
_PLAIN: Final[dict[Any, CoreSchema]] = {
    str: _STR,
    int: _INT,
    float: core_schema.float_schema(strict=True, allow_inf_nan=False),
    bool: core_schema.bool_schema(strict=True),
    NoneType: core_schema.none_schema(),
    Any: core_schema.any_schema(),
}
_ATTEMPT: Final = core_schema.int_schema(strict=True, ge=1, le=MAX_TRIED)
_ID: Final = core_schema.str_schema(strict=True, min_length=1, max_length=100)
_OWNER: Final = core_schema.nullable_schema(core_schema.union_schema([_COUNT, _ID]))
_ABSENT: Final = core_schema.nullable_schema(_COUNT)

#: Rules that a type alone does not say.
_NARROWER: Final[dict[tuple[type[Any], str], CoreSchema]] = {
    (contract.Block, "id"): _ID,
    (contract.Table, "id"): _ID,
    (contract.SheetCell, "row"): core_schema.int_schema(strict=True, ge=1, le=MAX_SHEET_ROWS),
    (contract.SheetCell, "col"): core_schema.int_schema(strict=True, ge=1, le=MAX_SHEET_COLUMNS),
}


@dataclass(slots=True)
class Failed(Failure):
    """An ERROR frame, with what the work cost."""

    cpu_ms: int | None = None
    peak_memory_mb: int | None = None


def hints(shape: type[Any]) -> dict[str, Any]:
    """The types of a dataclass's fields."""
    return {name: hint for name, hint in get_type_hints(shape).items() if name in shape.__dataclass_fields__}


def _schema(hint: Any) -> CoreSchema:
    if hint in _PLAIN:
        return _PLAIN[hint]
    if is_dataclass(hint):
        # A document may hold others, in attachments: the only shape that contains itself.
        return core_schema.definition_reference_schema("Document") if hint is contract.Document else _object(hint)  # type: ignore[arg-type]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return core_schema.literal_schema(list(arguments))
    if origin is list:
        return core_schema.list_schema(_schema(arguments[0]), strict=True)
    if origin is dict:
        return core_schema.dict_schema(_schema(arguments[0]), _schema(arguments[1]), strict=True)
    if origin in (Union, UnionType):
        # A bound here would make a float of an integer beyond it; who takes such a value looks at it.
        rest = [_ANY_INT if one is int and float in arguments else _schema(one) for one in arguments if one is not NoneType]
        schema = rest[0] if len(rest) == 1 else core_schema.union_schema(list(rest))
        return core_schema.nullable_schema(schema) if NoneType in arguments else schema
    raise TypeError(f"no validator for {hint}")


def _field(shape: type[Any], of: Field[Any], hint: Any) -> CoreSchema:
    return _NARROWER.get((shape, of.name)) or _schema(hint)


def _object(shape: type[Any], more: dict[str, CoreSchema] | None = None, without: frozenset[str] = frozenset()) -> CoreSchema:
    known = hints(shape)
    keys = {
        of.name: core_schema.typed_dict_field(
            _field(shape, of, known[of.name]), required=of.default is MISSING and of.default_factory is MISSING
        )
        for of in fields(shape)
        if of.name not in without
    }
    keys.update((name, core_schema.typed_dict_field(schema, required=False)) for name, schema in (more or {}).items())
    return core_schema.typed_dict_schema(keys, strict=True, extra_behavior="ignore")


def _array(shape: type[Any], forms: tuple[int, ...]) -> CoreSchema:
    """The first fields of *shape* by their places; *forms* says how many there may be."""
    known = hints(shape)
    # A union of five types for each value takes longer than all the rest: `validate.check_values` looks at them.
    items = [_PLAIN[Any] if of.name == "value" else _field(shape, of, known[of.name]) for of in fields(shape)]
    choices = [core_schema.tuple_schema(items[:length], strict=True) for length in forms]
    return core_schema.union_schema(list(choices), mode="left_to_right")


def _keys(required: dict[str, CoreSchema], optional: dict[str, CoreSchema] | None = None) -> CoreSchema:
    keys = {name: core_schema.typed_dict_field(schema) for name, schema in required.items()}
    keys.update((name, core_schema.typed_dict_field(schema, required=False)) for name, schema in (optional or {}).items())
    return core_schema.typed_dict_schema(keys, strict=True, extra_behavior="ignore")


def _items(kind: PartKind) -> CoreSchema:
    shape = ITEMS[kind]
    item = _array(shape, CELL_FORMS) if kind == "cells" else _STR if shape is str else _object(shape)
    return core_schema.list_schema(item, strict=True)


def _validator(kind: PartKind, schema: CoreSchema) -> SchemaValidator:
    if kind != "attachments":
        return SchemaValidator(schema)
    document: Any = {**_object(contract.Document), "ref": "Document"}
    return SchemaValidator(core_schema.definitions_schema(schema, [document]))


@cache
def items(kind: PartKind) -> SchemaValidator:
    """The items of a PART frame."""
    return _validator(kind, _items(kind))


@cache
def part(kind: PartKind) -> SchemaValidator:
    """A PART frame of that kind, and of no other: ``{attempt, kind, items, owner?}``."""
    this_kind = core_schema.literal_schema([kind])
    return _validator(kind, _keys({"kind": this_kind, "attempt": _ATTEMPT, "items": _items(kind)}, {"owner": _OWNER}))


@cache
def result() -> SchemaValidator:
    """A RESULT frame. Its document's streamed lists are empty: they came before it."""
    nothing = core_schema.list_schema(core_schema.any_schema(), strict=True, max_length=0)
    document = _object(contract.Document, dict.fromkeys(STREAMED, nothing), frozenset(STREAMED))
    return SchemaValidator(_keys({"attempt": _ATTEMPT, "document": document}, {"cpu_ms": _ABSENT, "peak_memory_mb": _ABSENT}))


@cache
def failed() -> SchemaValidator:
    return SchemaValidator(_object(Failure, {"cpu_ms": _ABSENT, "peak_memory_mb": _ABSENT}))


@cache
def progress() -> SchemaValidator:
    return SchemaValidator(_object(contract.Progress))


@cache
def part_head() -> SchemaValidator:
    """What a PART frame says before its items."""
    return SchemaValidator(_keys({"kind": core_schema.literal_schema(list(ITEMS))}))


@cache
def asset_head() -> SchemaValidator:
    """The JSON before an asset's bytes."""
    return SchemaValidator(_keys({"attempt": _ATTEMPT, "id": _ID, "last": _PLAIN[bool]}))


def prepare() -> None:
    """Build what the answer of an ordinary document needs. Safe beside other threads."""
    result()
    items("format")
    items("blocks")
    items("tables")
