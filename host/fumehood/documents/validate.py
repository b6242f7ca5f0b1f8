"""The contract, enforced: payloads of frames become dataclasses, or a `ProtocolError` that quotes nothing of them.

Strict validation against the contract's own dataclasses (`fumehood.documents.shapes`). Unknown keys are dropped. Free text that stands beside the
document (details, reasons, messages, names of formats) is made one short printable line here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, cast, get_args

from pydantic_core import SchemaValidator, ValidationError, from_json, to_json

from fumehood.documents import shapes
from fumehood.documents.build import Data, build, keys_in, maker
from fumehood.documents.plain_cells import count_plain_cells
from fumehood.documents.shapes import ITEMS, MAX_TRIED, Failed
from fumehood.documents.untrusted_json import MAX_INTEGER, check, count_keys, is_small, tidy
from fumehood_sandbox import contract
from fumehood_sandbox.contract import Document, Format, Method, PartKind, Progress
from fumehood_sandbox.frames import ProtocolError

_MAX_WARNINGS: Final = 2000

_KINDS: Final = frozenset(get_args(PartKind))
#: All of it: nothing follows but the items and two brackets.
_HEAD: Final = re.compile(
    rb'\{"attempt":(?P<attempt>[1-9]|1[0-6]),"kind":"(?P<kind>[a-z_]{1,20})",'
    rb'"owner":(?:null|(?P<number>0|[1-9][0-9]{0,14})|"(?P<name>[A-Za-z0-9_.-]{1,100})"),"items":(?=\[)'
)
_VALUE: Final = 4
_WITHOUT_KEYS: Final = frozenset({"cells", "block_text"})
#: How our own worker begins a part. Only a hint which validator to take: that one then insists on the kind.
_BEGINNING: Final = re.compile(rb'\{"attempt":[0-9]{1,2},"kind":"([a-z_]{1,20})"')


@dataclass(slots=True)
class Part:
    """A PART frame: items of one kind, *count* of them.

    *text* is the items as JSON without the brackets around them. What is in it has been validated.
    """

    attempt: int
    kind: PartKind
    owner: int | str | None
    count: int
    text: bytes
    _items: list[Any] | None = None

    @property
    def items(self) -> list[Any]:
        """The items as plain data: what `fumehood.documents.build.build` takes."""
        if self._items is None:
            self._items = from_json(b"[" + self.text + b"]")
        return self._items

    def taken(self) -> list[Any]:
        """The items, for somebody who changes them: asked for again, they are read from *text* anew."""
        items, self._items = self.items, None
        return items


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


def parse_part(untrusted: bytes) -> list[Any]:
    """The items of a PART frame, each as its kind."""
    part = check_part(untrusted)
    items = build(part.kind, part.items)
    for attachment in items if part.kind == "attachments" else ():
        if attachment.document is not None:
            tidy_document(attachment.document, is_nested=True)
    return items


def check_part(untrusted: bytes) -> Part:
    """A PART frame, its items valid.

    What our worker writes begins in one way only, and is nothing but items after that. They are validated alone, and as many
    keys as they have must be left: then none was unknown or stood twice. Anything else is checked as JSON of any kind is.
    """
    head = _HEAD.match(untrusted)
    if head is not None and untrusted.endswith(b"]}") and is_small(untrusted):
        kind, number = _known_kind(head["kind"].decode()), head["number"]
        owner = head["name"].decode() if head["name"] is not None else None if number is None else int(number)
        text = untrusted[head.end() : -1]
        cells = count_plain_cells(text) if kind == "cells" else 0
        if cells:
            return Part(int(head["attempt"]), kind, owner, cells, text[1:-1])
        items = _valid(shapes.items(kind), text)
        if kind == "cells":
            _check_values(items)
        if kind in _WITHOUT_KEYS or (kind != "attachments" and keys_in(ITEMS[kind], items) == count_keys(text)):
            return Part(int(head["attempt"]), kind, owner, len(items), text[1:-1], items)
    part = _validated(shapes.part(_kind(untrusted)), untrusted)
    items = part["items"]
    if part["kind"] == "cells":
        _check_values(items)
    return Part(part["attempt"], part["kind"], part.get("owner"), len(items), to_json(items)[1:-1], items)


def _check_values(cells: list[tuple[Any, ...]]) -> None:
    """Every value is a scalar of JSON: text, a truth value, nothing, an integer of at most 2**53, a finite number."""
    for value in [value for cell in cells if type(value := cell[_VALUE]) is not str]:
        kind = type(value)
        if kind is float:
            right = isfinite(value)
        elif kind is int:
            right = -MAX_INTEGER <= value <= MAX_INTEGER
        else:
            right = kind is bool or value is None
        if not right:
            raise ProtocolError("a cell's value that is none")


def part_format(part: Part) -> Format:
    """The one item of a part of kind ``format``."""
    found: Format = build("format", part.items)[0]
    _tidy_format(found)
    return found


def parse_asset(untrusted: bytes) -> AssetPiece:
    """The header of an ASSET frame, and its bytes untouched."""
    length = int.from_bytes(untrusted[:2], "big")
    if len(untrusted) < 2 + length:
        raise ProtocolError("an asset without its header")
    head = _validated(shapes.asset_head(), untrusted[2 : 2 + length])
    return AssetPiece(head["attempt"], head["id"], head["last"], untrusted[2 + length :])


def parse_progress(untrusted: bytes) -> Progress:
    progress = Progress(**_validated(shapes.progress(), untrusted))
    progress.unit = tidy(progress.unit, 20)
    return progress


def parse_result(untrusted: bytes) -> Result:
    """The RESULT frame. What only the host may say of a document (its id, its view, that it is partial) is reset."""
    result = _validated(shapes.result(), untrusted)
    document: Document = maker(Document)(result["document"])
    tidy_document(document)
    return Result(result["attempt"], document, result.get("cpu_ms"), result.get("peak_memory_mb"))


def parse_failure(untrusted: bytes) -> Failed:
    failed: Failed = maker(Failed)(_validated(shapes.failed(), untrusted))
    failed.detail = tidy(failed.detail)
    failed.kind = None if failed.kind is None else tidy(failed.kind, 40)
    failed.tried = [_tidy_method(m) for m in failed.tried[:MAX_TRIED]]
    if failed.format is not None:
        _tidy_format(failed.format)
    return failed


def tidy_document(document: Document, *, is_nested: bool = False) -> None:
    """Make the free text beside *document*'s content short printable lines, and reset what the host alone decides.

    That the answer is partial it knows itself; of a nested document only the reader can know it.
    """
    document.schema, document.doc_id, document.view = contract.SCHEMA, "", None
    document.partial, document.stopped_at = document.partial and is_nested, None
    _tidy_format(document.format)
    document.methods = [_tidy_method(m) for m in document.methods[:MAX_TRIED]]
    document.counts = {tidy(k, 40): v for k, v in document.counts.items()}
    del document.warnings[_MAX_WARNINGS:]
    for warning in document.warnings:
        warning.code, warning.message = tidy(warning.code, 60), tidy(warning.message, 500)
        warning.where = None if warning.where is None else tidy(warning.where)
    for attachment in document.attachments:
        if attachment.document is not None:
            tidy_document(attachment.document, is_nested=True)


def _tidy_format(found: Format) -> None:
    for name in ("family", "name", "mime", "extension", "declared_extension"):
        setattr(found, name, tidy(getattr(found, name), 100))


def _tidy_method(method: Method) -> Method:
    return Method(tidy(method.name, 40), method.ok, None if method.reason is None else tidy(method.reason))


def _kind(untrusted: bytes) -> PartKind:
    hint = _BEGINNING.match(untrusted)
    if hint is not None:
        return _known_kind(hint[1].decode())
    check(untrusted)
    return _known_kind(_valid(shapes.part_head(), untrusted)["kind"])


def _known_kind(kind: str) -> PartKind:
    if kind not in _KINDS:
        raise ProtocolError("a part of no known kind")
    return cast("PartKind", kind)


def _validated(validator: SchemaValidator, untrusted: bytes) -> Data:
    check(untrusted)
    data: Data = _valid(validator, untrusted)
    return data


def _valid(validator: SchemaValidator, checked: bytes) -> Any:
    try:
        return validator.validate_json(checked)
    except ValidationError:
        # Its own message quotes the input.
        raise ProtocolError("a payload that is not of the contract") from None
