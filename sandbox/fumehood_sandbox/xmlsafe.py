"""XML from a document: no entity is ever expanded, nothing outside is ever read, depth and text size are bounded.

Every parser setting stands beside its reason. What cannot be read is an `ExtractError`: ``corrupt`` for markup that is not
well-formed, ``limit`` for markup made to exhaust a parser (``kind``: xml-entity, depth, text).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from lxml import etree

from fumehood_sandbox.extraction import ExtractError

_OPTIONS: Final[dict[str, Any]] = {
    "resolve_entities": False,  # an entity stays a node without content
    "no_network": True,  # no DTD or entity over the network
    "load_dtd": False,  # no external subset at all
    "dtd_validation": False,
    "attribute_defaults": False,  # an internal DTD adds nothing
    "huge_tree": False,  # libxml2's own bounds stay: depth 256, text nodes of 10 MB, entity amplification
    "remove_comments": True,  # neither is ever text
    "remove_pis": True,
    "remove_blank_text": False,  # a space in a run is text
}

_PROLOG: Final = re.compile(rb"\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*)*", re.DOTALL)
_ENTITY: Final = re.compile(
    rb"<!ENTITY\s+(%\s+)?[^\s\"'>]+\s+(SYSTEM|PUBLIC)?\s*(?:\"([^\"]*)\"|'([^']*)')(?:\s*(?:\"([^\"]*)\"|'([^']*)'))?"
)
_SYSTEM: Final = re.compile(rb"<!DOCTYPE\s+\S+\s+(?:SYSTEM|PUBLIC\s+(?:\"[^\"]*\"|'[^']*'))\s*(?:\"([^\"]*)\"|'([^']*)')")
_DECLARATION: Final = re.compile(rb"<\?xml[^>]*\?>")

#: ISO/IEC 29500 strict names and the transitional ones that readers know. Longest first, since some begin alike.
STRICT: Final[tuple[tuple[bytes, bytes], ...]] = tuple(
    (b"http://purl.oclc.org/ooxml/" + strict, b"http://schemas.openxmlformats.org/" + transitional)
    for strict, transitional in (
        (b"drawingml/wordprocessingDrawing", b"drawingml/2006/wordprocessingDrawing"),
        (b"drawingml/spreadsheetDrawing", b"drawingml/2006/spreadsheetDrawing"),
        (b"drawingml/chartDrawing", b"drawingml/2006/chartDrawing"),
        (b"drawingml/lockedCanvas", b"drawingml/2006/lockedCanvas"),
        (b"drawingml/compatibility", b"drawingml/2006/compatibility"),
        (b"drawingml/picture", b"drawingml/2006/picture"),
        (b"drawingml/diagram", b"drawingml/2006/diagram"),
        (b"drawingml/chart", b"drawingml/2006/chart"),
        (b"drawingml/main", b"drawingml/2006/main"),
        (b"wordprocessingml/main", b"wordprocessingml/2006/main"),
        (b"spreadsheetml/main", b"spreadsheetml/2006/main"),
        (b"presentationml/main", b"presentationml/2006/main"),
        (b"officeDocument/extendedProperties", b"officeDocument/2006/extended-properties"),
        (b"officeDocument/customProperties", b"officeDocument/2006/custom-properties"),
        (b"officeDocument/docPropsVTypes", b"officeDocument/2006/docPropsVTypes"),
        (b"officeDocument/bibliography", b"officeDocument/2006/bibliography"),
        (b"officeDocument/customXml", b"officeDocument/2006/customXml"),
        (b"officeDocument/relationships", b"officeDocument/2006/relationships"),
        (b"officeDocument/math", b"officeDocument/2006/math"),
        (b"schemaLibrary/main", b"schemaLibrary/2006/main"),
    )
)


def to_transitional(data: bytes) -> bytes:
    """*data* with strict namespace and relationship names written as the transitional ones."""
    if b"purl.oclc.org/ooxml" not in data:
        return data
    for strict, transitional in STRICT:
        data = data.replace(strict, transitional)
    return data


def _plain(data: bytes) -> bytes:
    """*data* as the parser takes it: UTF-16 as UTF-8, nothing before the declaration."""
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return _DECLARATION.sub(b"", data.decode("utf-16", "replace").encode("utf-8", "replace"), count=1)
    if data[:1] != b"<":
        return data.removeprefix(b"\xef\xbb\xbf").lstrip()
    return data


def external_ids(data: bytes) -> list[str] | None:
    """What the DOCTYPE of *data* refers to outside, without looking: None when there is no DOCTYPE.

    Raises:
        ExtractError: ``limit(xml-entity)`` when it declares an entity with a value: no Office program writes one, and each
            kind of expansion bomb needs one.
    """
    data = _plain(data)
    if b"<!DOCTYPE" not in data:
        return None
    prolog = _PROLOG.match(data)
    at = prolog.end() if prolog else 0
    if not data.startswith(b"<!DOCTYPE", at):
        return None
    subset = data[at : at + 256 * 1024]
    found = [m.group(1) or m.group(2) or b"" for m in _SYSTEM.finditer(subset)]
    for match in _ENTITY.finditer(subset):
        if not match.group(2):
            raise ExtractError("limit", "a part declares XML entities", kind="xml-entity")
        values = [v for v in match.groups()[2:] if v is not None]
        found.append(values[-1])
    return [v.decode("utf-8", "replace") for v in found]


def failure(error: etree.XMLSyntaxError) -> ExtractError:
    """The parser's complaint as a code of ours; its words are not passed on, they may quote the document."""
    text = str(error)
    if "depth" in text or "nesting" in text:
        return ExtractError("limit", "XML nested too deeply", kind="depth")
    if "amplification" in text or "entity reference loop" in text:
        return ExtractError("limit", "XML entities", kind="xml-entity")
    if "huge" in text or "uge text" in text or "too long" in text:
        return ExtractError("limit", "a piece of text is too long", kind="text")
    return ExtractError("corrupt", "XML is not well-formed")


def parse(data: bytes, *, on_external: Callable[[str], None] | None = None, strict: bool = True) -> Any:
    """The root element of *data*.

    References to outside (an external subset, external entities) are told to *on_external* and left out of the tree.
    With *strict*, ISO strict names are read as the transitional ones.

    Raises:
        ExtractError: ``corrupt`` or ``limit``.
    """
    data = _plain(data)
    outside = external_ids(data)
    if strict:
        data = to_transitional(data)
    try:
        root = etree.fromstring(data, etree.XMLParser(**_OPTIONS))
    except etree.XMLSyntaxError as error:
        raise failure(error) from None
    except ValueError:
        raise ExtractError("corrupt", "XML is not well-formed") from None
    if outside is None:
        if root.getroottree().docinfo.internalDTD is not None:  # one that hid in another encoding
            raise ExtractError("limit", "a part declares a document type", kind="xml-entity")
        return root
    for target in outside:
        if on_external is not None:
            on_external(target)
    for node in list(root.iter(etree.Entity)):
        _drop_entity(node)
    return root


def _drop_entity(node: Any) -> None:
    """Take an entity reference out of the tree and keep the text after it."""
    parent = node.getparent()
    if parent is None:
        return
    tail, before = node.tail or "", node.getprevious()
    node.tail = None
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    parent.remove(node)


def pull(
    chunks: Iterable[bytes], events: Sequence[str] = ("end",), tags: Sequence[str] | None = None
) -> Iterator[tuple[str, Any]]:
    """``(event, element)`` of a part too large for a tree; the caller clears what it has read.

    ISO strict names are read as the transitional ones as long as each stands whole in its piece: they stand in the root.

    Raises:
        ExtractError: ``corrupt``, or ``limit``, at once for any document type.
    """
    parser = etree.XMLPullParser(events=tuple(events), tag=list(tags) if tags else None, **_OPTIONS)
    first = True
    is_strict = False
    try:
        for piece in chunks:
            data = piece
            if first:
                data = _plain(data)
                if external_ids(data) is not None:
                    raise ExtractError("limit", "a part declares a document type", kind="xml-entity")
                is_strict = b"purl.oclc.org/ooxml" in data
                first = False
            parser.feed(to_transitional(data) if is_strict else data)
            yield from parser.read_events()
        parser.close()
        yield from parser.read_events()
    except etree.XMLSyntaxError as error:
        yield from parser.read_events()  # what stood before the damage, in this piece
        raise failure(error) from None
