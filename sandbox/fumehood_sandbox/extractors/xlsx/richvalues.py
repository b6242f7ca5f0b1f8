"""Cells that show more than their value: newer errors, and pictures ([MS-XLSX] 2.3.6, 2.6.175 to 2.6.181).

Such a cell holds ``#VALUE!`` for programs that know nothing of it, and in its attribute ``vm`` a number that leads, by way of the
workbook's metadata (18.9), to a rich value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from fumehood_sandbox.extractors.ooxml.tree import inside
from fumehood_sandbox.extractors.xlsx.names import R, S, integer
from fumehood_sandbox.opc import Package

_RICH: Final = "{http://schemas.microsoft.com/office/spreadsheetml/2017/richdata}"
_RELATIONS: Final = "{http://schemas.microsoft.com/office/spreadsheetml/2022/richvaluerel}"
_KIND: Final = "XLRICHVALUE"
_IMAGE: Final = "_rvRel:LocalImageIdentifier"
_ERRORS: Final = {
    8: "#SPILL!",
    9: "#CONNECT!",
    10: "#BLOCKED!",
    11: "#UNKNOWN!",
    12: "#FIELD!",
    13: "#CALC!",
    14: "#BUSY!",
    18: "#EXTERNAL!",
    19: "#TIMEOUT!",
}
_MAX_VALUES: Final = 200_000


@dataclass(frozen=True, slots=True)
class RichPicture:
    """A picture in a cell: by which relationship of which part it is found, and what it shows in words."""

    part: str
    relation: str
    alt: str | None


RichValue = RichPicture | str
"""A picture, or the name of an error."""


def read_rich_values(package: Package, main: str) -> dict[int, RichValue]:
    """What cells show, by their attribute ``vm``. Of rich values of other kinds (stocks, places) the cell holds what it shows."""
    metadata = package.optional_xml(package.related(main, "sheetMetadata"))
    values = {} if metadata is None else _values(package, main)
    if metadata is None or not values:
        return {}
    kinds = [element.get("name") for element in inside(metadata, S + "metadataTypes", S + "metadataType")]
    places: list[int] = []
    for future in metadata.findall(S + "futureMetadata"):
        if future.get("name") == _KIND:
            for block in future.findall(S + "bk"):
                place = next(block.iter(_RICH + "rvb"), None)
                places.append(-1 if place is None else integer(place.get("i"), -1))
    found: dict[int, RichValue] = {}
    for number, block in enumerate(inside(metadata, S + "valueMetadata", S + "bk")[:_MAX_VALUES], 1):
        for record in block.findall(S + "rc"):
            kind, index = integer(record.get("t")), integer(record.get("v"), -1)
            if 0 < kind <= len(kinds) and kinds[kind - 1] == _KIND and 0 <= index < len(places) and places[index] in values:
                found[number] = values[places[index]]
    return found


def _values(package: Package, main: str) -> dict[int, RichValue]:
    """The rich values that are errors or pictures, by their place."""
    data = package.optional_xml(package.related(main, "rdRichValue"))
    structures = package.optional_xml(package.related(main, "rdRichValueStructure"))
    if data is None or structures is None:
        return {}
    shapes = [(s.get("t"), [k.get("n") or "" for k in s.findall(_RICH + "k")]) for s in structures.findall(_RICH + "s")]
    part = package.related(main, "richValueRel") or ""
    relations = package.optional_xml(part)
    ids = [] if relations is None else [e.get(R + "id") or "" for e in relations.findall(_RELATIONS + "rel")]
    found: dict[int, RichValue] = {}
    for number, element in enumerate(data.findall(_RICH + "rv")[:_MAX_VALUES]):
        shape = integer(element.get("s"), -1)
        if not 0 <= shape < len(shapes):
            continue
        kind, names = shapes[shape]
        said = dict(zip(names, _texts(element), strict=False))
        error, image = integer(said.get("errorType"), -1), integer(said.get(_IMAGE), -1)
        if kind == "_error" and error in _ERRORS:
            found[number] = _ERRORS[error]
        elif 0 <= image < len(ids):
            found[number] = RichPicture(part, ids[image], said.get("Text"))
    return found


def _texts(element: Any) -> list[str]:
    return [value.text or "" for value in element.findall(_RICH + "v")]
