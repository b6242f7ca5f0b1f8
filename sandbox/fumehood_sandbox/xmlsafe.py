"""XML from a document: no entity is ever expanded, nothing outside is ever read, depth and text size are bounded.

The standard library's own parser in C (expat under `_elementtree`) makes plain ElementTree elements: no parents, no comments, no
processing instructions. It has no option for most of what is promised here, so each promise stands below beside what
keeps it:

- *Entities, and anything outside.* Both need a document type. What holds none is read by the fast parser, which then knows the
  five predefined entities only. What holds one is read by a parser that refuses at the first entity with a value, adds no
  defaults from the document type, and has no means to open anything (`_with_doctype`).
- *No document type hides in an encoding.* Whatever is not UTF-8 is decoded here, and the parser is told that it reads UTF-8
  (`xmlbytes`): it reads the very bytes that were looked through.
- *Depth, and the length of one text.* The bytes are fed in small steps. After each one the way down to the place that is being read
  is measured (`xmlfeed`).

What cannot be read is an `ExtractError`: ``corrupt`` for markup that is not well-formed, ``limit`` for markup made to exhaust a
parser (``kind``: xml-entity, depth, text). The parser's own words are not passed on: they may quote the document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from fumehood_sandbox.errors import ExtractError
from fumehood_sandbox.xmlbytes import bare, pieces, plain, to_transitional
from fumehood_sandbox.xmlfeed import MAX_DEPTH, MAX_TEXT, Feed, bound_text, measure, too_deep, too_long
from fumehood_sandbox.xmlrows import RowCutter, Stretch

if TYPE_CHECKING:
    from xml.etree.ElementTree import ParseError, TreeBuilder
else:  # see `xmlfeed`
    from _elementtree import ParseError, TreeBuilder

_OUT_OF_MEMORY: Final = 1
_AMPLIFICATION: Final = 43  # XML_ERROR_AMPLIFICATION_LIMIT_BREACH

_DOCTYPE: Final = b"<!DOCTYPE"
#: Patterns for the few parts with a document type: not compiled before one comes.
_PROLOG: Final = rb"(?s)\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*)*"
_ENTITY: Final = (
    rb"<!ENTITY\s+(%\s+)?[^\s\"'>]+\s+(SYSTEM|PUBLIC)?\s*(?:\"([^\"]*)\"|'([^']*)')(?:\s*(?:\"([^\"]*)\"|'([^']*)'))?"
)
_SYSTEM: Final = rb"<!DOCTYPE\s+\S+\s+(?:SYSTEM|PUBLIC\s+(?:\"[^\"]*\"|'[^']*'))\s*(?:\"([^\"]*)\"|'([^']*)')"


def external_ids(data: bytes) -> list[str] | None:
    """What the DOCTYPE of *data* refers to outside, without looking: None when there is no DOCTYPE.

    Raises:
        ExtractError: ``limit(xml-entity)`` when it declares an entity with a value: no Office program writes one, and each
            kind of expansion bomb needs one. ``corrupt`` as `parse`.
    """
    return _outside(plain(data))


def _outside(data: bytes) -> list[str] | None:
    if _DOCTYPE not in data:
        return None
    prolog = re.match(_PROLOG, data)
    at = prolog.end() if prolog else 0
    if not data.startswith(_DOCTYPE, at):
        return None
    subset = data[at : at + 256 * 1024]
    found = [m.group(1) or m.group(2) or b"" for m in re.finditer(_SYSTEM, subset)]
    for match in re.finditer(_ENTITY, subset):
        if not match.group(2):
            raise _has_entities()
        values = [v for v in match.groups()[2:] if v is not None]
        found.append(values[-1])
    return [v.decode("utf-8", "replace") for v in found]


def parse(
    data: bytes,
    *,
    on_external: Callable[[str], None] | None = None,
    strict: bool = True,
    alive: Callable[[], None] | None = None,
) -> Any:
    """The root element of *data*. *alive* is called once a mebibyte.

    References to outside (an external subset, external entities) are told to *on_external* and left out of the tree.
    With *strict*, ISO strict names are read as the transitional ones.

    Raises:
        ExtractError: ``corrupt`` or ``limit``.
    """
    data = plain(data)
    if strict:
        data = to_transitional(data)
    text, rest, declares = bare(data)
    if declares:
        return _with_doctype(data, on_external)
    feed = Feed(alive)
    try:
        feed.feed(text)
        feed.feed(rest)
        root = feed.close()
    except ParseError as error:
        raise _failure(error.code) from None
    if not feed.certain:
        measure([root], 1)
    bound_text(root, data)
    return root


def pull(
    chunks: Iterable[bytes], whole: frozenset[str] = frozenset(), *, alive: Callable[[], None] | None = None
) -> Iterator[tuple[Any, list[Any]]]:
    """A part too large for a tree, as it is read: ``(parent, children)``, all complete but the parent. *alive*: as for `parse`.

    What stands between two looks at a part comes as one subtree, so the caller walks down from what it is given; a parent
    that is still open comes with its first children, and later in its own parent's list with the rest. Elements named in
    *whole* come only when they are complete. What was given is dropped when the caller comes back.

    ISO strict names are read as the transitional ones as long as each stands whole in its piece: they stand in the root.

    Raises:
        ExtractError: ``corrupt``, or ``limit``, at once for any document type. What stood before the damage was given.
    """
    for given in _pull(chunks, whole, alive, None):
        assert not isinstance(given, Stretch)
        yield given


def pull_rows(
    chunks: Iterable[bytes], whole: frozenset[str], cutter: RowCutter, *, alive: Callable[[], None] | None = None
) -> Iterator[tuple[Any, list[Any]] | Stretch]:
    """As `pull`; rows that *cutter* finds come as text, in their place.

    Raises:
        ExtractError: as `pull`.
    """
    return _pull(chunks, whole, alive, cutter)


def _pull(
    chunks: Iterable[bytes], whole: frozenset[str], alive: Callable[[], None] | None, cutter: RowCutter | None
) -> Iterator[tuple[Any, list[Any]] | Stretch]:
    feed = Feed(alive)
    rest = b""
    try:
        for piece in pieces(chunks):
            text, rest, declares = bare(rest + piece)
            if declares:
                raise _has_entities()
            if len(rest) > MAX_TEXT:
                raise too_long()
            if cutter is not None:
                text = yield from _cut(feed, cutter, text, whole)
            feed.feed(text)
            yield from feed.finished(whole)
        if cutter is not None:
            rest = cutter.give_up(b"") + rest
        feed.feed(rest)
        root = feed.close()
    except ParseError as error:
        yield from feed.broken_off(whole)
        raise _failure(error.code) from None
    if len(root):
        feed.check(root, 1)
        yield root, list(root)


def _cut(
    feed: Feed, cutter: RowCutter, text: bytes, whole: frozenset[str]
) -> Generator[tuple[Any, list[Any]] | Stretch, None, bytes]:
    """Give out the rows in *text*; what of it is for the parser."""
    before, behind = cutter.before(text)
    if not behind:
        feed.feed(before)
        cutter.opened(feed.root)
        return b""
    if before:
        feed.feed(before)
        yield from feed.finished(whole)
        cutter.opened(feed.root)
    stretch, rest = cutter.cut(behind)
    if stretch is not None:
        feed.passed(len(behind))
        yield stretch
        if stretch.refused:
            rest = stretch.refused.encode() + cutter.give_up(rest)
    return rest


def _with_doctype(data: bytes, on_external: Callable[[str], None] | None) -> Any:
    """The root element of *data*, which holds a document type."""
    import pyexpat  # noqa: PLC0415 - loaded with the fast parser; slower by far, so that only these few parts are read with it

    outside = dict.fromkeys(_outside(data) or ())
    builder = TreeBuilder()
    parser = pyexpat.ParserCreate("utf-8", "}")
    parser.buffer_text = True
    parser.specified_attributes = True  # defaults of the document type add nothing
    parser.SetParamEntityParsing(pyexpat.XML_PARAM_ENTITY_PARSING_NEVER)  # no external subset
    # There is no ExternalEntityRefHandler: a reference to outside is passed over.
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise too_deep()
        builder.start(_name(tag), {_name(key): value for key, value in attributes.items()})

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_name(tag))

    def entity(*declared: Any) -> None:
        value, system = declared[2], declared[4]  # expat's order: name, is parameter, value, base, system, public, notation
        if value is not None:
            raise _has_entities()
        outside.setdefault(system or "")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = builder.data, entity
    try:
        parser.Parse(data, True)
    except pyexpat.ExpatError as error:
        raise _failure(error.code) from None
    root = builder.close()
    bound_text(root, data)
    if on_external is not None:
        for target in outside:
            on_external(target)
    return root


def _name(name: str) -> str:
    return "{" + name if "}" in name else name


def _failure(code: int) -> ExtractError:
    """The parser's complaint as a code of ours."""
    if code == _OUT_OF_MEMORY:
        return ExtractError("out-of-memory", "a part needs more memory than there is")
    if code == _AMPLIFICATION:
        return _has_entities()
    return ExtractError("corrupt", "XML is not well-formed")


def _has_entities() -> ExtractError:
    return ExtractError("limit", "a part declares XML entities", kind="xml-entity")
