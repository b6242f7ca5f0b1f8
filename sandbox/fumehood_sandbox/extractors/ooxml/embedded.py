"""Embedded parts of an Office package: found by the relationships of its parts, and attached when all else was read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import Final

from fumehood_sandbox.contract import Attachment
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.opc import Package, Relationship

#: The last piece of the relationship's type of a part that is a file of its own (ECMA-376 part 1, 15.2.10 and 15.2.11).
_KINDS: Final = frozenset({"package", "oleObject"})
#: And of a chart, whose own package is the workbook that it shows (21.2; [MS-ODRAWXML] 2.24).
_CHARTS: Final = frozenset({"chart", "chartEx"})
#: And of sound and film (15.2.1, 15.2.17; [MS-PPTX] 2.1.1 for those in the file itself).
_MEDIA: Final = frozenset({"audio", "video", "media"})
_MEDIA_TYPES: Final = {
    ".mp4": "video/mp4", ".m4v": "video/mp4", ".mov": "video/quicktime", ".wmv": "video/x-ms-wmv", ".avi": "video/x-msvideo",
    ".mpg": "video/mpeg", ".mpeg": "video/mpeg", ".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".wav": "audio/wav",
    ".wma": "audio/x-ms-wma", ".mid": "audio/midi", ".aif": "audio/aiff",
}  # fmt: skip
_OCTETS: Final = "application/octet-stream"


def embedded_parts(package: Package) -> Iterator[str]:
    """The names of the embedded parts, each once."""
    seen: set[str] = set()
    for _, relation in relations(package):
        key = relation.target.lower()
        if relation.kind in _KINDS and key not in seen and relation.target in package:
            seen.add(key)
            yield relation.target


def list_media(x: Extraction, package: Package) -> None:
    """List the sound and film in *package*, each part once. They are no documents: nothing of them is read."""
    seen: set[str] = set()
    for _, relation in relations(package):
        if relation.kind in _MEDIA and relation.target.lower() not in seen and relation.target in package:
            seen.add(relation.target.lower())
            name = posixpath.basename(relation.target)
            mime = package.content_type(relation.target) or _MEDIA_TYPES.get(posixpath.splitext(name)[1].lower(), _OCTETS)
            x.add("attachments", Attachment(name[:255], mime, package.size(relation.target)))


def attach_parts(x: Extraction, package: Package, parts: Iterable[str]) -> None:
    """Attach these *parts* of *package*. Last of all: what goes wrong with one takes nothing else along.

    The workbook behind a chart is listed only: what the chart shows of it is read with the chart.
    """
    from fumehood_sandbox.attachments import attach  # noqa: PLC0415 - few documents hold others

    shown: set[str] | None = None
    for part in parts:
        if shown is None:
            shown = {name.lower() for name in _behind_charts(package)}
        name, mime = posixpath.basename(part), package.content_type(part) or _OCTETS
        if part.lower() in shown:
            x.add("attachments", Attachment(name[:255], mime, package.size(part)))
            continue
        try:
            data = package.read(part)
        except ExtractError as error:
            x.warn("attachment-unreadable", f"an embedded part cannot be read ({error.code}: {error.detail})", where=name)
            x.add("attachments", Attachment(name[:255], mime, package.size(part)))
        else:
            attach(x, name, mime, data)


def relations(package: Package) -> Iterator[tuple[str, Relationship]]:
    """The relationships inside *package*, each with the part that has it."""
    return ((part, relation) for part, relation in package.all_relationships() if not relation.external)


def charts_data(package: Package) -> set[str]:
    """The workbooks that hold no more than what charts show, as those of Word and PowerPoint do, by their names in lower case."""
    macros = "macroenabled"
    return {part.lower() for part in _behind_charts(package) if macros not in (package.content_type(part) or "").lower()}


def _behind_charts(package: Package) -> set[str]:
    charts = [relation.target for _, relation in relations(package) if relation.kind in _CHARTS]
    return {
        relation.target
        for chart in charts
        for relation in package.relationships(chart).values()
        if relation.kind == "package" and not relation.external
    }
