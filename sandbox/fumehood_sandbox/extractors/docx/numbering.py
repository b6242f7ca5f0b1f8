"""List labels as Word renders them: ``word/numbering.xml`` and the counters that run along the text.

ECMA-376 17.9. Paragraphs of one abstract numbering continue each other whichever ``w:num`` they name; a ``startOverride``
restarts at the first paragraph of its ``w:num``; a level restarts after any lower one unless ``w:lvlRestart`` says
otherwise, at the start of its ``w:num`` where that has one; ``%n`` in ``w:lvlText`` is level n's number in its own format (decimal where ``w:isLgl`` asks for it). A level that
a deeper paragraph skips has had its first number: Word shows that number in ``%n``, and the next paragraph there has the second.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any, Final

from fumehood_sandbox.extractors.ooxml.bounds import MAX_LABEL
from fumehood_sandbox.extractors.ooxml.labels import custom_format, format_number
from fumehood_sandbox.extractors.ooxml.names import ALTERNATE, RPR, VAL, W, choice, number, on
from fumehood_sandbox.extractors.ooxml.symbol_fonts import symbols

_LEVELS: Final = 9
#: What stands for a picture that is a bullet.
_PICTURE: Final = "•"
#: Formats that ``w:isLgl`` leaves as they are.
_LEGAL: Final = frozenset({"decimalZero", "none"})
_PLACE: Final = re.compile("%[1-9]")
#: Of a label's pattern, which is filled in for every paragraph: two characters may become one, and what is longer than a label may be
#: is to be seen.
_MOST_TEXT: Final = 2 * (MAX_LABEL + 1)


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a numbering."""

    start: int = 1
    kind: str = "decimal"
    text: str = ""
    font: str = ""
    restart: int | None = None
    """``w:lvlRestart``: 0 never, otherwise the level from 1 whose use restarts this one."""
    legal: bool = False
    style: str | None = None
    picture: bool = False
    """Whether a picture is shown in place of its text."""

    @property
    def ordered(self) -> bool:
        return self.kind not in {"bullet", "none"}


class Abstract:
    """One ``w:abstractNum``; its levels are read when a list first asks for them."""

    __slots__ = ("_element", "_levels", "link", "style")

    def __init__(self, element: Any | None = None) -> None:
        self._element = element
        self._levels: dict[int, Level] | None = None
        self.link = _value(element, "numStyleLink")
        """The style whose numbering this one is."""
        self.style = _value(element, "styleLink")

    @property
    def levels(self) -> dict[int, Level]:
        if self._levels is None:
            found = () if self._element is None else self._element.findall(W + "lvl")
            self._levels = {_ilvl(level): _read_level(level) for level in found}
        return self._levels


def _value(element: Any | None, name: str) -> str | None:
    found = element.find(W + name) if element is not None else None
    return found.get(VAL) if found is not None else None


_NOTHING: Final = Abstract()


@dataclass(slots=True)
class Num:
    abstract: str
    starts: dict[int, int] = field(default_factory=dict)
    levels: dict[int, Level] = field(default_factory=dict)


@dataclass(slots=True)
class Numbering:
    """The numbering part."""

    abstracts: dict[str, Abstract] = field(default_factory=dict)
    nums: dict[str, Num] = field(default_factory=dict)
    by_style: dict[str, str] = field(default_factory=dict)
    """Style id of a numbering style to the abstract numbering that says it is its own."""
    num_of_style: dict[str, str] = field(default_factory=dict)
    """Style id of a numbering style to the numbering that the style names."""

    def level(self, num_id: str, ilvl: int) -> Level | None:
        num = self.nums.get(num_id)
        if num is None:
            return None
        return num.levels.get(ilvl) or self._abstract(num)[1].levels.get(ilvl)

    def _abstract(self, num: Num) -> tuple[str, Abstract]:
        """The abstract numbering of *num* with its id, one numbering style followed."""
        abstract = self.abstracts.get(num.abstract, _NOTHING)
        if abstract.link is None or abstract.levels:
            return num.abstract, abstract
        linked = self.by_style.get(abstract.link)
        if linked is None:
            named = self.nums.get(self.num_of_style.get(abstract.link, ""))
            linked = named.abstract if named is not None else num.abstract
        return linked, self.abstracts.get(linked, abstract)

    def key(self, num_id: str) -> str:
        """What counts together."""
        return self._abstract(self.nums[num_id])[0]

    def level_of_style(self, num_id: str, chain: tuple[str, ...]) -> int | None:
        """The level that names a style of *chain* as its own."""
        num = self.nums.get(num_id)
        if num is None:
            return None
        levels = {**self._abstract(num)[1].levels, **num.levels}
        for style_id in chain:
            for ilvl, level in levels.items():
                if level.style == style_id:
                    return ilvl
        return None


def read_numbering(root: Any | None) -> Numbering:
    """The numbering part (None when there is none)."""
    numbering = Numbering()
    for child in () if root is None else root:
        if child.tag == W + "abstractNum":
            abstract = Abstract(child)
            abstract_id = child.get(W + "abstractNumId") or ""
            numbering.abstracts[abstract_id] = abstract
            if abstract.style:
                numbering.by_style.setdefault(abstract.style, abstract_id)
        elif child.tag == W + "num":
            num = Num(_value(child, "abstractNumId") or "")
            for override in child.findall(W + "lvlOverride"):
                ilvl = _ilvl(override)
                start, level = override.find(W + "startOverride"), override.find(W + "lvl")
                if start is not None:
                    num.starts[ilvl] = number(start.get(VAL), 1)
                if level is not None:
                    num.levels[ilvl] = _read_level(level)
            numbering.nums[child.get(W + "numId") or ""] = num
    return numbering


def _ilvl(element: Any) -> int:
    return number(element.get(W + "ilvl"), 0, low=0, high=_LEVELS - 1)


def _read_level(element: Any) -> Level:
    level = Level()
    changes: dict[str, Any] = {}
    for child in element:
        tag = child.tag
        if tag == ALTERNATE:  # a custom format, with its decimal fallback left unread
            picked = choice(child)
            child = picked.find(W + "numFmt") if picked is not None else None  # noqa: PLW2901
            tag = W + "numFmt" if child is not None else ""
        if tag == W + "start":
            changes["start"] = number(child.get(VAL), 1)
        elif tag == W + "numFmt":
            changes["kind"] = child.get(VAL) or "decimal"
            if changes["kind"] == "custom":
                changes["kind"] = custom_format(child.get(W + "format") or "")
        elif tag == W + "lvlText":
            changes["text"] = (child.get(VAL) or "")[:_MOST_TEXT]
        elif tag == W + "lvlPicBulletId":
            changes["picture"] = True
        elif tag == W + "lvlRestart":
            changes["restart"] = number(child.get(VAL), 0)
        elif tag == W + "isLgl":
            changes["legal"] = on(child)
        elif tag == W + "pStyle":
            changes["style"] = child.get(VAL)
        elif tag == RPR:
            fonts = child.find(W + "rFonts")
            if fonts is not None:
                changes["font"] = fonts.get(W + "ascii") or fonts.get(W + "hAnsi") or ""
    return replace(level, **changes)


class Counters:
    """The numbers so far, in one view of the document."""

    def __init__(self, numbering: Numbering) -> None:
        self._numbering = numbering
        self._counts: dict[str, dict[int, int]] = {}
        self._started: set[tuple[str, int]] = set()

    def label(self, num_id: str, ilvl: int) -> str | None:
        """The label of the next paragraph of *num_id* at *ilvl*; None when the numbering does not have that level."""
        numbering = self._numbering
        level = numbering.level(num_id, ilvl)
        if level is None:
            return None
        num = numbering.nums[num_id]
        counts = self._counts.setdefault(numbering.key(num_id), {})
        for at in range(ilvl + 1):
            if at in num.starts and (num_id, at) not in self._started:
                self._started.add((num_id, at))
                counts[at] = num.starts[at] - 1 if at == ilvl else num.starts[at]
            elif at < ilvl and at not in counts and (skipped := numbering.level(num_id, at)) is not None:
                counts[at] = num.starts.get(at, skipped.start)
        counts[ilvl] = counts.get(ilvl, num.starts.get(ilvl, level.start) - 1) + 1
        for deeper in range(ilvl + 1, _LEVELS):
            if deeper in counts:
                below = numbering.level(num_id, deeper)
                restart = below.restart if below else None
                if restart is None or 0 < ilvl + 1 <= restart:
                    del counts[deeper]
        return self._text(num_id, level, counts)

    def _text(self, num_id: str, level: Level, counts: dict[int, int]) -> str:
        if level.picture:
            return _PICTURE
        if level.kind == "bullet":
            return symbols(level.text, level.font).strip()

        def number_of(place: str) -> str:
            at = int(place[1]) - 1
            other = self._numbering.level(num_id, at) or Level()
            value = counts.get(at, other.start)
            kind = "decimal" if level.legal and other.kind not in _LEGAL else other.kind
            return format_number(value, kind)

        shown = {place: number_of(place) for place in set(_PLACE.findall(level.text))}
        return symbols(_PLACE.sub(lambda match: shown[match.group()], level.text), "").strip()
