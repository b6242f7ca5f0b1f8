"""Embedded parts of an Office package: found by the relationships of its parts, and attached when all else was read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import Final

from fumehood_sandbox.contract import Attachment
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.opc import Package

#: The last piece of the relationship's type of a part that is a file of its own (ECMA-376 part 1, 15.2.10 and 15.2.11).
_KINDS: Final = frozenset({"package", "oleObject"})
_OCTETS: Final = "application/octet-stream"


def embedded_parts(package: Package) -> Iterator[str]:
    """The names of the embedded parts, each once."""
    seen: set[str] = set()
    for name in package.names:
        if not name.endswith(".rels") or "_rels/" not in name:
            continue
        for relation in package.relationships(name.replace("_rels/", "", 1).removesuffix(".rels")).values():
            key = relation.target.lower()
            if relation.kind in _KINDS and not relation.external and key not in seen and relation.target in package:
                seen.add(key)
                yield relation.target


def attach_parts(x: Extraction, package: Package, parts: Iterable[str]) -> None:
    """Attach these *parts* of *package*. Last of all: what goes wrong with one takes nothing else along."""
    for part in parts:
        name, mime = posixpath.basename(part), package.content_type(part) or _OCTETS
        try:
            data = package.read(part)
        except ExtractError as error:
            x.warn("attachment-unreadable", f"an embedded part cannot be read ({error.code}: {error.detail})", where=name)
            x.add("attachments", Attachment(name[:255], mime, package.size(part)))
        else:
            x.attach(name, mime, data)
