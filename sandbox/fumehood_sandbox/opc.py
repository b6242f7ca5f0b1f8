r"""Open Packaging (ECMA-376 part 2): parts, content types and relationships of a docx, xlsx or pptx, safely.

Parts are found as Word finds them: without regard to case, with ``\`` as ``/``, with or without a leading ``/``. A
relationship that points outside is inert data. ISO strict names are read as the transitional ones. What is odd but
readable becomes a warning; what is not readable is an `ExtractError` (see `zipsafe` and `xmlsafe`).
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from fumehood_sandbox import xmlsafe
from fumehood_sandbox.errors import ExtractError
from fumehood_sandbox.xmlrows import RowCutter, Stretch
from fumehood_sandbox.zipsafe import Archive, Entry, ZipLimits

_CT: Final = "{http://schemas.openxmlformats.org/package/2006/content-types}"
_REL: Final = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_STRICT: Final = b"purl.oclc.org/ooxml"

#: Where the main part usually is, for a package that does not say.
_USUAL_MAIN: Final = ("word/document.xml", "xl/workbook.xml", "xl/workbook.bin", "ppt/presentation.xml")
_USUAL_TYPES: Final = {
    "word/document.xml": "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    "xl/workbook.xml": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
    "xl/workbook.bin": "application/vnd.ms-excel.sheet.binary.macroEnabled.main",
    "ppt/presentation.xml": "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
}

#: The last pieces of relationship types that the strict form spells otherwise (ISO/IEC 29500 part 1, 15.2.12).
_STRICT_KINDS: Final = {"extendedProperties": "extended-properties", "customProperties": "custom-properties"}

_T = TypeVar("_T")

Warn = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Relationship:
    """One relationship: ``kind`` is the last piece of its type; ``target`` a part's name, or the outside reference as written.

    ``fragment`` is what stands behind the number sign of a reference to a part.
    """

    id: str
    kind: str
    target: str
    external: bool = False
    type: str = ""
    fragment: str = ""


def _key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


#: Bytes of parts that are read a second time and more often.
_MAX_AGAIN: Final = 16 << 20


def _ignore(_code: str, _message: str = "") -> None: ...


class Package:
    """The parts of *data*, a ZIP archive in memory.

    *warn* takes ``(code, message)`` of what is odd. ``external_entities`` lists ``(part, reference)`` for references to
    outside in a document type: never opened.

    Raises:
        ExtractError: ``corrupt``, ``limit``, ``encrypted`` or ``unsupported``.
    """

    def __init__(self, data: bytes, warn: Warn = _ignore, limits: ZipLimits | None = None) -> None:
        self.alive: Callable[[], None] | None = None
        """Called now and then while a large part is parsed."""
        self._warn = warn
        self._archive = Archive(data, limits, warn)
        self._entries: dict[str, Entry] = {}
        self.strict = False
        self.external_entities: list[tuple[str, str]] = []
        for entry in self._archive.entries:
            key = _key(entry.name)
            if key in self._entries and not key.endswith("/"):
                warn("duplicate-part", "two parts have one name; the last is read")
            self._entries[key] = entry
        self._types: tuple[dict[str, str], dict[str, str]] | None = None
        self._rels: dict[str, dict[str, Relationship]] = {}
        self._main: str | None = None
        self._parsed: set[str] = set()
        self._again = 0

    @property
    def names(self) -> list[str]:
        """Every part's name as it is looked up (lower case, ``/``), folders left out."""
        return [key for key in self._entries if not key.endswith("/")]

    def __contains__(self, name: str) -> bool:
        return self._find(name) is not None

    def _find(self, name: str) -> Entry | None:
        key = _key(name)
        found = self._entries.get(key)
        if found is None and "%" in key:
            from urllib.parse import unquote  # noqa: PLC0415 - larger than all of this module, and seldom needed

            found = self._entries.get(_key(unquote(name)))
        return found

    def _entry(self, name: str) -> Entry:
        entry = self._find(name)
        if entry is None:
            raise ExtractError("corrupt", "a part is missing")
        return entry

    def size(self, name: str) -> int:
        """The size that the directory claims for *name*."""
        return self._entry(name).size

    def read(self, name: str) -> bytes:
        """The bytes of a part.

        Raises:
            ExtractError: also ``corrupt`` when there is no such part.
        """
        return self._archive.read(self._entry(name))

    def chunks(self, name: str) -> Iterator[bytes]:
        """The bytes of a part in pieces."""
        return self._archive.chunks(self._entry(name))

    def head(self, name: str, size: int = 4096) -> bytes:
        """At most *size* first bytes of a part."""
        return next(self._archive.chunks(self._entry(name), size), b"")

    def xml(self, name: str) -> Any:
        """The root element of a part."""
        data = self.read(name)
        self._parsed.add(_key(name))
        if _STRICT in data[:4096]:
            self.strict = True
        return xmlsafe.parse(data, on_external=lambda target: self._outside(name, target), alive=self.alive)

    def optional_xml(self, name: str | None) -> Any | None:
        """The root element of a part that the document can do without: None when it is missing or broken (with a warning).

        So it is when it was read before, and the parts that were read again have too many bytes by now: a part is referred to
        from one place, as Office writes it, but may be from any number.

        Raises:
            ExtractError: for a ``limit`` or an encrypted entry, which are the whole document's matter.
        """
        entry = self._find(name) if name else None
        if not name or entry is None:
            return None
        if _key(name) in self._parsed:
            self._again += entry.size
            if self._again > _MAX_AGAIN:
                self._warn("part-repeated", "a part that many places refer to is not read again for each of them")
                return None
        try:
            return self.xml(name)
        except ExtractError as error:
            if error.code not in {"corrupt", "unsupported"}:
                raise
            self._warn("part-unreadable", "a part of the package cannot be read")
            return None

    def stream(self, name: str, whole: frozenset[str] = frozenset()) -> Iterator[tuple[Any, list[Any]]]:
        """``(parent, children)`` of a large part as it is read (see `xmlsafe.pull`)."""
        chunks = self.chunks(name)
        return _to_its_end(xmlsafe.pull(chunks, whole, alive=self.alive), chunks)

    def stream_rows(self, name: str, whole: frozenset[str], cutter: RowCutter) -> Iterator[tuple[Any, list[Any]] | Stretch]:
        """As `stream`, with the rows that *cutter* finds as text."""
        chunks = self.chunks(name)
        return _to_its_end(xmlsafe.pull_rows(chunks, whole, cutter, alive=self.alive), chunks)

    def inspect(self) -> None:
        """Look at the beginning of the XML parts that nobody has read for a document type.

        Raises:
            ExtractError: ``limit(xml-entity)`` as for a part that is read.
        """
        for name in self.names:
            if name in self._parsed or not name.endswith((".xml", ".rels", ".vml")):
                continue
            try:
                targets = xmlsafe.external_ids(self.head(name)) or []
            except ExtractError as error:
                if error.code not in {"corrupt", "unsupported"}:
                    raise
                continue
            for target in targets:
                self._outside(name, target)

    def _outside(self, name: str, target: str) -> None:
        self.external_entities.append((name, target))
        self._warn("external-entity", "a part refers to an outside entity; nothing was opened")

    def content_type(self, name: str) -> str:
        """The content type of a part; "" when the package does not say."""
        if self._types is None:
            self._types = self._content_types()
        overrides, defaults = self._types
        key = _key(name)
        return overrides.get(key) or defaults.get(posixpath.splitext(key)[1].removeprefix("."), "")

    def _content_types(self) -> tuple[dict[str, str], dict[str, str]]:
        root = self.optional_xml("[Content_Types].xml")
        overrides: dict[str, str] = {}
        defaults: dict[str, str] = {}
        if root is None:
            self._warn("no-content-types", "the package does not list its content types")
            return dict(_USUAL_TYPES), defaults
        for child in root:
            kind = child.get("ContentType") or ""
            if child.tag == _CT + "Override":
                overrides[_key(child.get("PartName") or "")] = kind
            elif child.tag == _CT + "Default":
                defaults[(child.get("Extension") or "").lower()] = kind
        return overrides, defaults

    def relationships(self, part: str = "") -> dict[str, Relationship]:
        """The relationships of *part* by id; those of the package for ""."""
        key = _key(part)
        known = self._rels.get(key)
        if known is None:
            known = self._rels[key] = self._relationships(key)
        return known

    def _relationships(self, key: str) -> dict[str, Relationship]:
        folder, name = posixpath.split(key)
        root = self.optional_xml(posixpath.join(folder, "_rels", name + ".rels"))
        found: dict[str, Relationship] = {}
        for child in () if root is None else root:
            if child.tag != _REL:
                continue
            target, kind = child.get("Target") or "", child.get("Type") or ""
            external = child.get("TargetMode") == "External"
            fragment = ""
            if not external:
                fragment = target.partition("#")[2]
                target = resolve(folder, target)
            last = kind.rsplit("/", 1)[-1]
            last = _STRICT_KINDS.get(last, last)
            relation = Relationship(child.get("Id") or "", last, target, external, kind, fragment)
            found[relation.id] = relation
        return found

    def all_relationships(self) -> Iterator[tuple[str, Relationship]]:
        """Every relationship of the package, with the part that has it ("" for the package's own; part 2, 8.3.4)."""
        for name in self.names:
            folder, _, last = name.rpartition("_rels/")
            if last.endswith(".rels"):
                part = folder + last.removesuffix(".rels")
                yield from ((part, relation) for relation in self.relationships(part).values())

    def related(self, part: str, kind: str) -> str | None:
        """The name of the first existing part that *part* refers to as *kind*; None when there is none."""
        for relation in self.relationships(part).values():
            if relation.kind == kind and not relation.external and self._find(relation.target) is not None:
                return relation.target
        return None

    @property
    def main(self) -> str:
        """The name of the main part.

        Raises:
            ExtractError: ``corrupt`` when there is none.
        """
        if self._main is None:
            self._main = self.related("", "officeDocument") or next((n for n in _USUAL_MAIN if n in self), None)
        if self._main is None:
            raise ExtractError("corrupt", "the package has no main part")
        return self._main

    @property
    def main_type(self) -> str:
        """The content type of the main part."""
        return self.content_type(self.main) or _USUAL_TYPES.get(_key(self.main), "")


def _to_its_end(pulled: Iterator[_T], chunks: Iterator[bytes]) -> Iterator[_T]:
    """*pulled* out of *chunks*. Where the markup is broken, the rest is unpacked all the same: a bomb is one whatever it holds."""
    try:
        yield from pulled
    except ExtractError as error:
        if error.code == "corrupt":
            for _ in chunks:
                pass
        raise


def resolve(folder: str, target: str) -> str:
    """The part that *target*, written in a part of *folder*, names. Never leaves the package."""
    target = target.replace("\\", "/")
    path = target if target.startswith("/") else posixpath.join("/", folder, target)
    return posixpath.normpath(path.split("#", 1)[0] or "/").lstrip("/")
