"""Where a reference may lead: this workbook, other workbooks, DDE and OLE servers, add-ins ([MS-XLSB] 2.2.7.4)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from fumehood_sandbox.contract import ActiveContent
from fumehood_sandbox.extraction import ExtractError
from fumehood_sandbox.extractors.xlsb import brt
from fumehood_sandbox.extractors.xlsb.fields import Fields, MalformedError
from fumehood_sandbox.extractors.xlsb.records import records
from fumehood_sandbox.opc import Package

_XTI: Final = struct.Struct("<Iii")
#: A name is written into every formula that uses it.
_MAX_NAME: Final = 255
_MAX_TARGET: Final = 2048
_MAX_SHEETS: Final = 65_535
_MAX_NAMES: Final = 65_535

LinkKind = Literal["self", "same", "addin", "workbook", "dde", "ole", "unknown"]
#: ExternalReferenceType (2.5.44).
_TYPES: Final[dict[int, LinkKind]] = {0: "workbook", 1: "dde", 2: "ole"}


@dataclass(frozen=True, slots=True)
class Xti:
    """A row of BrtExternSheet: a supporting link, and the sheets of it from 0; -1 one that is gone, -2 the whole workbook."""

    link: int
    first: int
    last: int


@dataclass(slots=True)
class Link:
    """A supporting link. ``number`` is what stands in brackets before a reference to another workbook."""

    kind: LinkKind
    number: int = 0
    server: str = ""
    """Of DDE its service, of OLE its program."""
    topic: str = ""
    sheets: list[str] = field(default_factory=list)
    names: list[tuple[str, int]] = field(default_factory=list)
    """Names of a link, each with its sheet from 1; 0 for one of the workbook."""


def read_xtis(fields: Fields) -> Sequence[Xti]:
    """BrtExternSheet (2.4.663)."""
    fields.u32()
    count = fields.left // _XTI.size
    return [Xti(*row) for row in _XTI.iter_unpack(fields.take(count * _XTI.size))]


def read_link(package: Package, part: str) -> Link:
    """The external link in *part*; of kind ``unknown`` where there is none, or as far as it can be read."""
    link = Link("unknown")
    if part not in package:
        return link
    try:
        for record, data in records(package, part):
            _read(link, record, Fields(data))
    except MalformedError:
        pass
    except ExtractError as error:
        if error.code != "corrupt":
            raise
    if link.kind == "ole":  # what it names is the relationship to its file
        relation = package.relationships(part).get(link.topic)
        link.topic = relation.target[:_MAX_TARGET] if relation is not None else ""
    return link


def _read(link: Link, record: int, fields: Fields) -> None:
    if record == brt.BrtBeginSupBook:
        link.kind = _TYPES.get(fields.u16(), "unknown")
        first, second = (fields.nullable() or "")[:_MAX_TARGET], (fields.nullable() or "")[:_MAX_TARGET]
        link.server, link.topic = (second, first) if link.kind == "ole" else (first, second)
    elif record == brt.BrtSupTabs:
        for _ in range(min(fields.u32(), _MAX_SHEETS)):
            link.sheets.append(fields.wide()[:_MAX_NAME])
    elif record == brt.BrtSupNameStart and len(link.names) < _MAX_NAMES:
        link.names.append((fields.wide()[:_MAX_NAME], 0))
    elif record == brt.BrtSupNameBits and link.names:
        fields.u16()
        link.names[-1] = (link.names[-1][0], min(fields.u32(), _MAX_SHEETS))


def linked(package: Package, part: str) -> list[ActiveContent]:
    """The DDE or OLE link in an external link part: its server and topic are what would be started."""
    link = read_link(package, part)
    if link.kind == "dde":
        return [ActiveContent("dde", part, f"{link.server}|{link.topic}")]
    return [ActiveContent("ole_link", part, link.server)] if link.kind == "ole" else []
