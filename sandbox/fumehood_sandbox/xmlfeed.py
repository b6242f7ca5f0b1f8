"""The standard library's parser in C, fed in small steps, so that depth and text are bounded while the tree grows.

The parser itself has no bound. Measuring a whole tree takes a third of the time that building it takes, so that is done
only where the steps cannot tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from fumehood_sandbox.errors import ExtractError

if TYPE_CHECKING:
    from xml.etree.ElementTree import ParseError, TreeBuilder, XMLParser
else:  # the module in C alone: what `xml.etree.ElementTree` adds to it is not needed, and takes as long again to import
    from _elementtree import ParseError, TreeBuilder, XMLParser

#: Elements inside each other, the root included.
MAX_DEPTH: Final = 256
#: Characters in one text or attribute.
MAX_TEXT: Final = 10_000_000

#: Bytes fed at a time: seldom more than `MAX_DEPTH` tags, and enough to make the steps cheap.
_STEP: Final = 4096
_SMALLEST_STEP: Final = 512
#: Bytes between two signs of life.
_TICK: Final = 1 << 20


class Feed:
    """The fast parser and the tree that it builds. It must see no document type, no comment and no processing instruction.
    *alive* is called once a mebibyte.

    The way down from the root by each last child is at least as long as the way to the place that is being read. Between two
    steps it cannot have been longer by more than the tags of a step, so that steps with few tags need no second look.
    """

    __slots__ = ("_alive", "_builder", "_depth", "_parser", "_silent", "_tagless", "certain")

    def __init__(self, alive: Callable[[], None] | None = None) -> None:
        self._alive = alive
        self._silent = 0
        self._builder = TreeBuilder()
        self._parser = XMLParser(target=self._builder, encoding="utf-8")  # whatever the part declares (`xmlbytes`)
        self._depth = 0
        self._tagless = 0
        self.certain = True
        """Nothing can have nested deeper than was seen. Otherwise the tree has to be measured."""

    @property
    def root(self) -> Any | None:
        """The root element so far."""
        return self._builder.close()  # this only hands it out

    def feed(self, data: bytes) -> None:
        """Read on.

        Raises:
            ParseError: and ExtractError for a ``limit``.
        """
        at = 0
        while at < len(data):
            end = at + _STEP
            tags = data.count(b"<", at, end)
            if not tags:
                end = data.find(b"<", end)
                self._long(len(data) - at if end < 0 else end - at)
                end = len(data) if end < 0 else end
            else:
                self._tagless = 0
            while tags + self._depth >= MAX_DEPTH and end - at > _SMALLEST_STEP:
                end = at + (end - at) // 2
                tags = data.count(b"<", at, end)
            if tags + self._depth >= MAX_DEPTH:
                self.certain = False
            self._parser.feed(data[at:end])
            self._look()
            self.passed(end - at)
            at = end

    def passed(self, size: int) -> None:
        """*size* bytes of the part were dealt with."""
        self._silent += size
        if self._silent > _TICK and self._alive is not None:
            self._silent = 0
            self._alive()

    def _long(self, size: int) -> None:
        """A text or a tag goes on for *size* bytes more."""
        self.certain = False  # a tag of this length may be put off, and what follows it read unseen in one go
        self._tagless += size
        if self._tagless > MAX_TEXT:
            raise too_long()

    def _look(self) -> None:
        element, depth = self.root, 0
        while element is not None:
            depth += 1
            element = element[-1] if len(element) else None
        self._depth = depth
        if depth > MAX_DEPTH:
            raise too_deep()

    def close(self) -> Any:
        return self._parser.close()

    def finished(self, whole: frozenset[str]) -> Iterator[tuple[Any, list[Any]]]:
        """Give out and drop what is complete: everything but each last child, which may still be open."""
        element, depth = self.root, 1
        while element is not None and len(element) and element.tag not in whole:
            done = element[:-1]
            if done:
                self.check(element, depth)
                yield element, done
                del element[:-1]
            element, depth = element[0], depth + 1

    def broken_off(self, whole: frozenset[str]) -> Iterator[tuple[Any, list[Any]]]:
        """What is complete when the parser has given up."""
        root = self.root
        if root is None:
            return
        try:
            self._builder.start("end", {})  # stands in the innermost element that is open: all others are complete
        except ParseError:  # none is open: the damage stands behind the root
            self.check(root, 1)
            yield root, list(root)
        else:
            yield from self.finished(whole)

    def check(self, element: Any, depth: int) -> None:
        """Measure what is in *element*, which stands at *depth*, where that is needed."""
        if not self.certain:
            measure([element], depth)


def measure(elements: list[Any], depth: int) -> None:
    """*elements* stand at *depth*; what is in them level by level."""
    while elements:
        if depth > MAX_DEPTH:
            raise too_deep()
        elements = list(chain.from_iterable(elements))
        depth += 1


def bound_text(root: Any, data: bytes) -> None:
    """A text may be put together from pieces that are short in the file."""
    if len(data) > MAX_TEXT and b"<![CDATA[" in data and any(len(text) > MAX_TEXT for text in root.itertext()):
        raise too_long()


def too_deep() -> ExtractError:
    return ExtractError("limit", "XML nested too deeply", kind="depth")


def too_long() -> ExtractError:
    return ExtractError("limit", "a piece of text is too long", kind="text")
