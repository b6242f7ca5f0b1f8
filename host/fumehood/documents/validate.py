"""The contract, enforced: payloads of frames become dataclasses, or a `ProtocolError` that quotes nothing of them.

Strict pydantic validation over the contract's own dataclasses. Unknown keys are dropped. Free text that stands beside the
document (details, reasons, messages, names of formats) is made one short printable line here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar, cast, get_args

from pydantic import TypeAdapter, ValidationError

from fumehood.documents import shapes
from fumehood.documents.shapes import MAX_TRIED, Failed
from fumehood.documents.untrusted_json import check, tidy
from fumehood_sandbox import contract
from fumehood_sandbox.contract import Document, Format, Method, PartKind, Progress
from fumehood_sandbox.frames import ProtocolError

_T = TypeVar("_T")

_MAX_WARNINGS: Final = 2000

_KINDS: Final = frozenset(get_args(PartKind))
#: How our own worker begins a part. Only a hint which validator to take: that one then insists on the kind.
_BEGINNING: Final = re.compile(rb'\{"attempt":[0-9]{1,2},"kind":"([a-z_]{1,20})"')


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


@dataclass(slots=True)
class Result:
    """A RESULT frame: the document without its streamed lists, and what the work cost by the container's own account."""

    attempt: int
    document: Document
    cpu_ms: int | None = None
    peak_memory_mb: int | None = None


def parse_part(untrusted: bytes) -> Part:
    """The items of a PART frame, each as its kind."""
    check(untrusted)
    part = _valid(shapes.part(_kind(untrusted)), untrusted)
    if part.kind == "attachments":
        for attachment in part.items:
            if attachment.document is not None:
                tidy_document(attachment.document)
    elif part.kind == "format":
        for found in part.items:
            _tidy_format(found)
    return Part(part.attempt, part.kind, part.owner, part.items)


def parse_asset(untrusted: bytes) -> AssetPiece:
    """The header of an ASSET frame, and its bytes untouched."""
    length = int.from_bytes(untrusted[:2], "big")
    if len(untrusted) < 2 + length:
        raise ProtocolError("an asset without its header")
    head = _validated(shapes.asset_head(), untrusted[2 : 2 + length])
    return AssetPiece(head.attempt, head.id, head.last, untrusted[2 + length :])


def parse_progress(untrusted: bytes) -> Progress:
    progress = _validated(shapes.progress(), untrusted)
    progress.unit = tidy(progress.unit, 20)
    return progress


def parse_result(untrusted: bytes) -> Result:
    """The RESULT frame. What only the host may say of a document (its id, its view, that it is partial) is reset."""
    result = _validated(shapes.result(), untrusted)
    document = Document(**{f.name: getattr(result.document, f.name) for f in fields(Document)})
    tidy_document(document)
    return Result(result.attempt, document, result.cpu_ms, result.peak_memory_mb)


def parse_failure(untrusted: bytes) -> Failed:
    failed = _validated(shapes.failed(), untrusted)
    failed.detail = tidy(failed.detail)
    failed.kind = None if failed.kind is None else tidy(failed.kind, 40)
    failed.tried = [_tidy_method(m) for m in failed.tried[:MAX_TRIED]]
    if failed.format is not None:
        _tidy_format(failed.format)
    return failed


def tidy_document(document: Document) -> None:
    """Make the free text beside *document*'s content short printable lines, and reset what the host alone decides."""
    document.schema, document.doc_id, document.view = contract.SCHEMA, "", None
    document.partial, document.stopped_at = False, None
    _tidy_format(document.format)
    document.methods = [_tidy_method(m) for m in document.methods[:MAX_TRIED]]
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


def _kind(untrusted: bytes) -> PartKind:
    hint = _BEGINNING.match(untrusted)
    kind = hint[1].decode() if hint else _valid(shapes.part_head(), untrusted).kind
    if kind not in _KINDS:
        raise ProtocolError("a part of no known kind")
    return cast("PartKind", kind)


def _validated(adapter: TypeAdapter[_T], untrusted: bytes) -> _T:
    check(untrusted)
    return _valid(adapter, untrusted)


def _valid(adapter: TypeAdapter[_T], checked: bytes) -> _T:
    try:
        return adapter.validate_json(checked)
    except ValidationError:
        # Pydantic's own message quotes the input.
        raise ProtocolError("a payload that is not of the contract") from None
