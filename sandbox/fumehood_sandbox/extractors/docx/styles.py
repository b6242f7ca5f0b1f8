"""What a style says about a paragraph or a run: outline level, numbering, and whether its text can be seen.

A style inherits along ``w:basedOn``; a chain is followed at most 40 steps and never twice through one style.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from fumehood_sandbox.extractors.docx.numbering import Numbering
from fumehood_sandbox.extractors.docx.style_names import list_depth_of, role_of
from fumehood_sandbox.extractors.ooxml.bounds import MAX_LABEL
from fumehood_sandbox.extractors.ooxml.names import PPR, RPR, TYPE, VAL, W, number, on
from fumehood_sandbox.extractors.ooxml.tree import descend

_CHAIN: Final = 40
_STYLE: Final = W + "style"
_STYLE_ID: Final = W + "styleId"
_DEFAULT: Final = W + "default"


class Look(NamedTuple):
    """What decides whether a run can be seen, and how it is set. None means "not said here"."""

    vanish: bool | None = None
    color: str | None = None
    size: int | None = None
    """Half-points."""
    fill: str | None = None
    bold: bool | None = None
    italic: bool | None = None
    underline: bool | None = None
    strike: bool | None = None
    vertical: str | None = None

    def over(self, below: Look) -> Look:
        """This look where it says something, *below* elsewhere."""
        return Look._make([mine if mine is not None else under for mine, under in zip(self, below, strict=True)])


PLAIN: Final = Look()


def read_look(rpr: Any) -> Look:
    """The look that an ``w:rPr`` says directly.

    A run of a complex script (right to left, or marked so) is bold, italic and sized by properties of its own (17.3.2.2, .17, .39).
    """
    vanish = bold = italic = underline = strike = None
    color = fill = vertical = None
    size = None
    complex_script: dict[str, Any] = {}
    is_complex = False
    for child in rpr:
        name = _LOOK.get(child.tag)
        if name is None:
            continue
        if name == "b":
            bold = on(child)
        elif name == "i":
            italic = on(child)
        elif name == "u":
            underline = (child.get(VAL) or "single") != "none"
        elif name == "strike":
            strike = on(child) or bool(strike)
        elif name == "vanish":
            vanish = on(child)
        elif name == "color":
            color = child.get(VAL)
        elif name == "sz":
            size = number(child.get(VAL), -1)
        elif name == "shd":
            fill = shading(child)
        elif name == "highlight":
            fill = _HIGHLIGHTS.get(child.get(VAL) or "", fill)
        elif name in _COMPLEX:
            complex_script[name] = child
        elif name in {"rtl", "cs"}:
            is_complex = is_complex or on(child)
        elif name == "vertAlign":
            vertical = {"subscript": "sub", "superscript": "super"}.get(child.get(VAL) or "")
    if is_complex:
        bold = on(complex_script["bCs"]) if "bCs" in complex_script else None
        italic = on(complex_script["iCs"]) if "iCs" in complex_script else None
        size = number(complex_script["szCs"].get(VAL), -1) if "szCs" in complex_script else None
    return Look(vanish, color, size if size is None or size >= 0 else None, fill, bold, italic, underline, strike, vertical)


_LOOK: Final = {W + n: n for n in ("b", "i", "u", "strike", "vanish", "color", "sz", "shd", "highlight", "vertAlign")}
_COMPLEX: Final = frozenset({"bCs", "iCs", "szCs"})
_LOOK.update({W + n: n for n in (*_COMPLEX, "rtl", "cs")})
_LOOK[W + "dstrike"] = "strike"
#: The elements that `read_look` reads: by their value alone, but ``w:shd``.
LOOK_TAGS: Final = frozenset(_LOOK)
_HIGHLIGHTS: Final = {
    "black": "000000", "blue": "0000FF", "cyan": "00FFFF", "green": "00FF00", "magenta": "FF00FF", "red": "FF0000",
    "yellow": "FFFF00", "white": "FFFFFF", "darkBlue": "000080", "darkCyan": "008080", "darkGreen": "008000",
    "darkMagenta": "800080", "darkRed": "800000", "darkYellow": "808000", "darkGray": "808080", "lightGray": "C0C0C0",
}  # fmt: skip


def shading(shd: Any) -> str | None:
    """The fill colour of a ``w:shd``; "?" for a pattern, whose colour cannot be told; None for none."""
    pattern = shd.get(VAL) or "clear"
    if pattern == "solid":
        return shd.get(W + "color") or "?"
    fill = shd.get(W + "fill")
    if pattern not in {"clear", "nil"}:
        return "?"
    return None if fill in {None, "auto"} else fill


@dataclass(slots=True)
class Style:
    """One style, its inheritance already followed."""

    id: str
    name: str = ""
    kind: str = "paragraph"
    level: int | None = None
    """Outline level from 1; None for body text."""
    num_id: str | None = None
    ilvl: int | None = None
    list_depth: int = 1
    """How deep its items stand by its name: several numberings of one level each may make up one list."""
    look: Look = PLAIN
    shaded: bool = False
    """A table style that fills cells somewhere: what is white in it may well be seen."""
    role: str = ""
    """heading, title, caption, quote, code, or ""."""
    chain: tuple[str, ...] = ()
    """Its own id and those it is based on."""


class Styles:
    """The styles of a document by id, each worked out when it is first asked for.

    *root* is the styles part (None when there is none); *numbering* says which level of a list is a style's own.
    """

    def __init__(self, root: Any | None, numbering: Numbering) -> None:
        self._numbering = numbering
        self._raw: dict[str, Any] = {}
        self._known: dict[str, Style | None] = {}
        self._of_paragraphs: dict[str | None, Style | None] = {}
        self._default: str | None = None
        self.look: Look = PLAIN
        """The look of the document defaults."""
        self.language: str | None = None
        if root is not None:
            self._read(root)

    def _read(self, root: Any) -> None:
        for child in root:
            if child.tag == _STYLE:
                style_id = child.get(_STYLE_ID)
                if not style_id:
                    continue
                self._raw.setdefault(style_id, child)
                default = child.get(_DEFAULT)
                if child.get(TYPE) == "numbering":
                    self._numbering_style(style_id, child)
                if default and default not in {"0", "false", "off"} and (child.get(TYPE) or "paragraph") == "paragraph":
                    self._default = style_id
            elif child.tag == W + "docDefaults":
                rpr = descend(child, W + "rPrDefault", RPR)
                if rpr is not None:
                    self.look = read_look(rpr)
                    lang = rpr.find(W + "lang")
                    self.language = lang.get(VAL) if lang is not None else None

    def _numbering_style(self, style_id: str, element: Any) -> None:
        num = descend(element, PPR, W + "numPr", W + "numId")
        if num is not None:
            self._numbering.num_of_style.setdefault(style_id, num.get(VAL) or "")

    def get(self, style_id: str | None) -> Style | None:
        """The style of that id; None where there is none."""
        return self._resolved(style_id, 0) if style_id else None

    def paragraph(self, style_id: str | None) -> Style | None:
        """The style of a paragraph: the default one where none or an unknown one is named."""
        if style_id not in self._of_paragraphs:
            self._of_paragraphs[style_id] = self.get(style_id) or self.get(self._default)
        return self._of_paragraphs[style_id]

    def _resolved(self, style_id: str, depth: int) -> Style | None:
        if style_id in self._known:
            return self._known[style_id]
        element = self._raw.get(style_id)
        if element is None or depth > _CHAIN:
            return None
        style = self._known[style_id] = Style(style_id)  # before its base: a circle ends here
        self._fill(style, element, depth)
        if style.num_id:
            own = self._numbering.level_of_style(style.num_id, style.chain)
            style.ilvl = style.ilvl if own is None else own
        return style

    def _fill(self, style: Style, element: Any, depth: int) -> None:
        base: Style | None = None
        own = PLAIN
        outline: int | None = None
        style.kind = element.get(TYPE) or "paragraph"
        for child in element:
            tag = child.tag
            if tag == W + "name":
                style.name = (child.get(VAL) or "")[:MAX_LABEL]
            elif tag == W + "basedOn":
                base = self._resolved(child.get(VAL) or "", depth + 1)
            elif tag == RPR:
                own = read_look(child)
            elif tag == PPR:
                outline = _paragraph_properties(style, child)
            elif tag in {W + "tblPr", W + "tcPr", W + "tblStylePr"}:
                style.shaded = style.shaded or any(shading(s) not in {None, "FFFFFF"} for s in child.iter(W + "shd"))
        style.chain = (style.id,)
        style.look = own
        if base is not None:
            style.look = own.over(base.look)
            style.shaded = style.shaded or base.shaded
            style.chain += base.chain[:_CHAIN]
            if style.num_id is None:
                style.num_id = base.num_id
                style.ilvl = base.ilvl if style.ilvl is None else style.ilvl
        style.role, named = role_of(style.name or style.id)
        style.list_depth = list_depth_of(style.name or style.id) or (base.list_depth if base is not None else 1)
        if outline is not None:
            style.level = outline + 1 if 0 <= outline < 9 else None
        elif named:
            style.level = named
        elif base is not None:
            style.level = base.level
        if not style.role and base is not None and base.role not in {"heading", "title"}:
            style.role = base.role


def _paragraph_properties(style: Style, ppr: Any) -> int | None:
    """Fill in the numbering of *style*; the outline level from 0, 9 for body text, None when not said."""
    outline: int | None = None
    for prop in ppr:
        if prop.tag == W + "outlineLvl":
            outline = number(prop.get(VAL), 9)
        elif prop.tag == W + "numPr":
            num, ilvl = prop.find(W + "numId"), prop.find(W + "ilvl")
            if num is not None:
                style.num_id = num.get(VAL)
            if ilvl is not None:
                style.ilvl = number(ilvl.get(VAL), 0, low=0, high=8)
    return outline
