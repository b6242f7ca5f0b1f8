"""Whether a paragraph has a bullet or a number, through shape, layout and master, and what its label is (21.1.2.4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from fumehood_sandbox.contract import ListInfo
from fumehood_sandbox.extractors.ooxml.bounds import MAX_LABEL
from fumehood_sandbox.extractors.ooxml.drawing import A, Paragraph
from fumehood_sandbox.extractors.ooxml.labels import format_number, letter, roman
from fumehood_sandbox.extractors.ooxml.symbol_fonts import symbols
from fumehood_sandbox.extractors.ooxml.tree import descend
from fumehood_sandbox.extractors.pptx.names import P, integer, placeholder

_TITLES: Final = frozenset({"title", "ctrTitle"})
_BODIES: Final = frozenset({"body", "obj", "subTitle", "tbl", "chart", "dgm", "media", "clipArt", "pic"})
_MARKS: Final = (A + "buNone", A + "buChar", A + "buAutoNum", A + "buBlip")
_FONTS: Final = (A + "buFont", A + "buFontTx")
_BULLET: Final = "•"
#: What a type of number begins with, and the number format that Word has for the same digits.
_DIGITS: Final = (
    ("circleNum", "decimalEnclosedCircle"), ("ea1", "chineseCounting"), ("thaiNum", "thaiNumbers"), ("hindiNum", "hindiNumbers"),
    ("hebrew2", "hebrew2"), ("arabic1", "arabicAlpha"),
)  # fmt: skip


class Inheritance:
    """Layout and master of a slide, and the presentation's own text style, as far as bullets and places need them."""

    def __init__(self, layout: Any | None, master: Any | None, defaults: Any | None = None) -> None:
        self._defaults = defaults
        self._layout = _Placeholders(layout)
        self._master = _Placeholders(master)
        self._styles = master.find(P + "txStyles") if master is not None else None

    def ancestors(self, kind: str, index: str) -> list[Any]:
        """The shapes of layout and master that a placeholder takes after, nearest first."""
        found = []
        layout = self._layout.at(index, kind)
        if layout is None and kind != "obj":
            layout = self._layout.of(kind)
        if layout is not None:
            found.append(layout)
            kind = (placeholder(layout) or (kind, index))[0]
        wanted = "title" if kind in _TITLES else "body" if kind in _BODIES else kind
        master = self._master.of(wanted)
        if master is not None:
            found.append(master)
        return found

    def lists(self, shape: Any, place: tuple[str, str] | None) -> list[Any]:
        """List styles from the shape outwards."""
        shapes = [shape, *(self.ancestors(*place) if place else ())]
        found = [descend(s, P + "txBody", A + "lstStyle") for s in shapes]
        if self._styles is not None and place is not None:
            kind = place[0]
            name = "titleStyle" if kind in _TITLES else "bodyStyle" if kind in _BODIES else "otherStyle"
            found.append(self._styles.find(P + name))
        found.append(self._defaults)
        return [f for f in found if f is not None]


class _Placeholders:
    """The placeholders of a layout or master, the first of each index and type."""

    def __init__(self, root: Any | None) -> None:
        self._of: dict[str, Any] = {}
        self._at: dict[tuple[str, str | None], tuple[int, Any]] = {}
        """By index and type (None for any), with their order."""
        for number, shape in enumerate(root.iter(P + "sp") if root is not None else ()):
            place = placeholder(shape)
            if place is None:
                continue
            kind, index = place
            self._of.setdefault(kind, shape)
            self._at.setdefault((index, kind), (number, shape))
            self._at.setdefault((index, None), (number, shape))

    def of(self, kind: str) -> Any | None:
        """The first one of that type."""
        return self._of.get(kind)

    def at(self, index: str, kind: str) -> Any | None:
        """The first one of that index and type; one of no type in particular stands for every other."""
        found = [self._at.get((index, k)) for k in ((None,) if kind == "obj" else (kind, "obj"))]
        return min((f for f in found if f is not None), key=lambda f: f[0], default=(0, None))[1]


@dataclass(slots=True)
class Labels:
    """Counts the numbered paragraphs of one text body. *lists* are its list styles, nearest first."""

    lists: list[Any]
    _counts: dict[int, tuple[str, int, int]] = field(default_factory=dict)

    def of(self, paragraph: Paragraph) -> ListInfo | None:
        """The list item that *paragraph* is; None for a plain one."""
        level = paragraph.level
        if not paragraph.text.strip():
            return None
        mark = self._nearest(paragraph.properties, level, _MARKS)
        for deeper in [k for k in self._counts if k > level]:
            del self._counts[deeper]
        if mark is None or mark.tag == A + "buNone":
            self._counts.pop(level, None)
            return None
        if mark.tag != A + "buAutoNum":
            self._counts.pop(level, None)
            return ListInfo(level + 1, ordered=False, label=self._character(mark, paragraph.properties, level))
        kind, start = mark.get("type") or "arabicPeriod", max(1, integer(mark.get("startAt"), 1))
        known, known_start, count = self._counts.get(level, ("", 0, 0))
        count = count + 1 if (known, known_start) == (kind, start) else start  # another start is another list
        self._counts[level] = (kind, start, count)
        return ListInfo(level + 1, ordered=True, label=number_label(kind, count))

    def _character(self, mark: Any, own: Any | None, level: int) -> str:
        if mark.tag != A + "buChar":
            return _BULLET  # a picture
        font = self._nearest(own, level, _FONTS)
        return symbols((mark.get("char") or _BULLET)[:MAX_LABEL], (font.get("typeface") or "") if font is not None else "")

    def _nearest(self, own: Any | None, level: int, tags: tuple[str, ...]) -> Any | None:
        """The first of *tags* in the paragraph's own properties, else in the list styles' for its level."""
        levels = [own, *(style.find(f"{A}lvl{level + 1}pPr") for style in self.lists)]
        for properties in levels:
            if properties is not None:
                for tag in tags:
                    found = properties.find(tag)
                    if found is not None:
                        return found
        return None


def number_label(kind: str, count: int) -> str:
    """The label of an automatic number: its type names the digits and what stands around them (20.1.10.61)."""
    if kind.startswith("alphaLc"):
        text = letter(count).lower()
    elif kind.startswith("alphaUc"):
        text = letter(count).upper()
    elif kind.startswith("romanLc"):
        text = roman(count).lower()
    elif kind.startswith("romanUc"):
        text = roman(count).upper()
    else:
        text = format_number(count, next((known for begin, known in _DIGITS if kind.startswith(begin)), "decimal"))
    if kind.endswith("ParenBoth"):
        return f"({text})"
    if kind.endswith("ParenR"):
        return f"{text})"
    if kind.endswith("Minus"):
        return f"{text}-"
    return f"{text}." if kind.endswith("Period") else text
