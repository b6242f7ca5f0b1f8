"""The contract, enforced: payloads of frames become dataclasses, or a `ProtocolError` that quotes nothing of them.

Strict pydantic validation over the contract's own dataclasses. Unknown keys are dropped. Free text that stands beside the
document (details, reasons, messages, names of formats) is made one short printable line here.
"""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass, make_dataclass
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from fumehood.documents.untrusted_json import check, tidy
from fumehood_sandbox import contract
from fumehood_sandbox.contract import Document, Failure, Format, Method, PartKind, Progress
from fumehood_sandbox.frames import ProtocolError

_T = TypeVar("_T")

_STRICT: Final = ConfigDict(strict=True, allow_inf_nan=False, extra="ignore")
_MAX_TRIED: Final = 16
_MAX_WARNINGS: Final = 2000


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
}
assert set(_ITEMS) == set(get_args(PartKind))

_Count = Annotated[int, Field(ge=0)]
_Attempt = Annotated[int, Field(ge=1, le=_MAX_TRIED)]
_Id = Annotated[str, Field(min_length=1, max_length=100)]


@dataclass(frozen=True, slots=True)
class Part:
    """A PART frame: items of one kind."""

    attempt: int
    kind: PartKind
    owner: int | str | None
    items: list[Any]


@dataclass(frozen=True, slots=True)
class AssetPiece:
    """An ASSET frame: a piece of an image's bytes, opaque."""

    attempt: int
    id: str
    last: bool
    data: bytes


@_strict
@dataclass(slots=True)
class Result:
    """A RESULT frame: the document without its streamed lists, and what the work cost by the container's own account."""

    attempt: _Attempt
    document: Document
    cpu_ms: _Count | None = None
    peak_memory_mb: _Count | None = None


@_strict
@dataclass(slots=True)
class Failed(Failure):
    """An ERROR frame, with what the work cost."""

    cpu_ms: _Count | None = None
    peak_memory_mb: _Count | None = None


@_strict
@dataclass(slots=True)
class _AssetHead:
    attempt: _Attempt
    id: _Id
    last: bool


def _part_shape(kind: str, item: Any) -> Any:
    fields: list[Any] = [("kind", Literal[kind]), ("attempt", _Attempt), ("items", list[item])]
    return _strict(make_dataclass(f"_{kind}", [*fields, ("owner", _Count | _Id | None, None)], slots=True))


_SHAPES: Final = tuple(_part_shape(kind, item) for kind, item in _ITEMS.items())
_PART: Final[TypeAdapter[Any]] = TypeAdapter(
    Annotated[Union[_SHAPES], Field(discriminator="kind")]  # type: ignore[arg-type]  # noqa: UP007 - made at run time
)
_RESULT: Final = TypeAdapter(Result)
_FAILED: Final = TypeAdapter(Failed)
_PROGRESS: Final = TypeAdapter(Progress)
_ASSET_HEAD: Final = TypeAdapter(_AssetHead)


def parse_part(untrusted: bytes) -> Part:
    """The items of a PART frame, each as its kind."""
    part = _validated(_PART, untrusted)
    if part.kind == "attachments":
        for attachment in part.items:
            if attachment.document is not None:
                tidy_document(attachment.document)
    return Part(part.attempt, part.kind, part.owner, part.items)


def parse_asset(untrusted: bytes) -> AssetPiece:
    """The header of an ASSET frame, and its bytes untouched."""
    length = int.from_bytes(untrusted[:2], "big")
    if len(untrusted) < 2 + length:
        raise ProtocolError("an asset without its header")
    head = _validated(_ASSET_HEAD, untrusted[2 : 2 + length])
    return AssetPiece(head.attempt, head.id, head.last, untrusted[2 + length :])


def parse_progress(untrusted: bytes) -> Progress:
    progress = _validated(_PROGRESS, untrusted)
    progress.unit = tidy(progress.unit, 20)
    return progress


def parse_result(untrusted: bytes) -> Result:
    """The RESULT frame. What only the host may say of a document (its id, its view, that it is partial) is reset."""
    result = _validated(_RESULT, untrusted)
    tidy_document(result.document)
    return result


def parse_failure(untrusted: bytes) -> Failed:
    failed = _validated(_FAILED, untrusted)
    failed.detail = tidy(failed.detail)
    failed.kind = None if failed.kind is None else tidy(failed.kind, 40)
    failed.tried = [_tidy_method(m) for m in failed.tried[:_MAX_TRIED]]
    if failed.format is not None:
        _tidy_format(failed.format)
    return failed


def tidy_document(document: Document) -> None:
    """Make the free text beside *document*'s content short printable lines, and reset what the host alone decides."""
    document.schema, document.doc_id, document.view = contract.SCHEMA, "", None
    document.partial, document.stopped_at = False, None
    _tidy_format(document.format)
    document.methods = [_tidy_method(m) for m in document.methods[:_MAX_TRIED]]
    document.counts = {tidy(k, 40): v for k, v in document.counts.items()}
    del document.warnings[_MAX_WARNINGS:]
    for warning in document.warnings:
        warning.code, warning.message = tidy(warning.code, 60), tidy(warning.message, 500)
        warning.where = None if warning.where is None else tidy(warning.where)
    for attachment in document.attachments:
        if attachment.document is not None:
            tidy_document(attachment.document)


def _tidy_format(found: Format) -> None:
    for name in ("family", "name", "mime", "extension", "declared_extension"):
        setattr(found, name, tidy(getattr(found, name), 100))


def _tidy_method(method: Method) -> Method:
    return Method(tidy(method.name, 40), method.ok, None if method.reason is None else tidy(method.reason))


def _validated(adapter: TypeAdapter[_T], untrusted: bytes) -> _T:
    check(untrusted)
    try:
        return adapter.validate_json(untrusted)
    except ValidationError:
        # Pydantic's own message quotes the input.
        raise ProtocolError("a payload that is not of the contract") from None
