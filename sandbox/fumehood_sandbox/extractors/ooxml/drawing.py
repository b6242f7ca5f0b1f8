"""DrawingML text: paragraphs, their levels and links (ECMA-376 part 1, 21.1.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from fumehood_sandbox.extractors.ooxml import omml

A: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
R: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MC: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"

_ALTERNATE, _CHOICE, _FALLBACK = MC + "AlternateContent", MC + "Choice", MC + "Fallback"
_MATH: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}oMath"
_P, _T, _RPR, _PPR, _BR, _END, _HLINK = (A + n for n in ("p", "t", "rPr", "pPr", "br", "endParaRPr", "hlinkClick"))
#: What is not read where there is a Fallback: its picture says more.
_ONLY_SHOWN: Final = frozenset({"contentPart", "model3d", "sldZm", "sectionZm", "summaryZm"})
_ONLY_SHOWN_IN: Final = "{http://schemas.microsoft.com/office/webextensions/"
_RUN_TAGS: Final = frozenset({A + "r", A + "fld"})


@dataclass(slots=True)
class Piece:
    """A run: its text, its character properties (or None), and the relationship of its link.

    ``field`` is the type of a field (20.1.10, ``slidenum`` …), whose text is what it last showed.
    """

    text: str
    properties: Any | None = None
    link: str | None = None
    latex: str | None = None
    field: str | None = None


@dataclass(slots=True)
class Paragraph:
    """An ``a:p``: its pieces, and its own properties (or None)."""

    pieces: list[Piece] = field(default_factory=list)
    properties: Any | None = None

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)

    @property
    def level(self) -> int:
        """The outline level from 0."""
        value = self.properties.get("lvl") if self.properties is not None else None
        return int(value) if value and value.isdecimal() and len(value) == 1 else 0


def read_paragraph(element: Any) -> Paragraph:
    paragraph = Paragraph()
    for child in alternatives(element):
        tag = child.tag
        if tag in _RUN_TAGS:
            properties = child.find(_RPR)
            text = "".join([t.text or "" for t in child.findall(_T)])
            if text:
                paragraph.pieces.append(Piece(text.replace("\v", "\n"), properties, _link(properties), field=child.get("type")))
        elif tag == _BR:
            paragraph.pieces.append(Piece("\n"))
        elif tag == _PPR:
            paragraph.properties = child
        elif tag != _END:  # mathematics and what else may stand here: its text
            paragraph.pieces.extend(_other(child))
    return paragraph


def _other(element: Any) -> Iterator[Piece]:
    """Mathematics, or whatever else holds text."""
    found = False
    for formula in element.iter(_MATH):
        found = True
        latex, text = omml.convert(formula, _ignore)
        yield Piece(text, latex=latex)
    if not found:
        text = "".join([t.text or "" for t in element.iter() if t.tag.endswith("}t")])
        if text:
            yield Piece(text)


def _ignore(_code: str, _message: str) -> None: ...


def _link(properties: Any | None) -> str | None:
    link = properties.find(_HLINK) if properties is not None else None
    return link.get(R + "id") if link is not None else None


def paragraphs(element: Any) -> Iterator[Paragraph]:
    """Every ``a:p`` under *element*, in document order, ``mc:Fallback`` left out."""
    return (read_paragraph(child) for child in named(element, _P))


def named(element: Any, tag: str) -> Iterator[Any]:
    """What `walk` gives, as far as it is called *tag*."""
    if next(element.iter(_ALTERNATE), None) is None:
        found: Iterator[Any] = element.iter(tag)
        return found
    return (child for child in _walk(element) if child.tag == tag)


def alternatives(element: Any) -> Iterator[Any]:
    """The children of *element*, an ``mc:AlternateContent`` replaced by what one of its branches holds.

    That is the first Choice of which something can be read, else the Fallback (ECMA-376 part 3, 9.3), else the first Choice.
    """
    for child in element:
        if child.tag == _ALTERNATE:
            chosen = _branch(child)
            if chosen is not None:
                yield from alternatives(chosen)
        else:
            yield child


def _branch(alternate: Any) -> Any | None:
    first = alternate.find(_CHOICE)
    fallback = alternate.find(_FALLBACK)
    if first is None or fallback is None:
        return fallback if first is None else first
    return next((choice for choice in alternate.findall(_CHOICE) if _is_read(choice)), fallback)


def _is_read(choice: Any) -> bool:
    """Whether there is more in *choice* than what is shown by the picture in its Fallback: ink, a model, an object's VML."""
    for element in choice.iter():
        namespace, _, name = element.tag.rpartition("}")
        if name in _ONLY_SHOWN or namespace.startswith(_ONLY_SHOWN_IN):
            return False
        if name == "oleObj" and not any(inner.tag.endswith("}pic") for inner in element):
            return False
    return True


def walk(element: Any) -> Iterator[Any]:
    """*element* and everything under it in document order, alternatives resolved. Depth is bounded by the parser (256)."""
    if next(element.iter(_ALTERNATE), None) is None:
        every: Iterator[Any] = element.iter()
        return every
    return _walk(element)


def _walk(element: Any) -> Iterator[Any]:
    yield element
    for child in alternatives(element):
        yield from _walk(child)
