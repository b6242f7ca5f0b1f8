"""DrawingML text: paragraphs, their levels and links (ECMA-376 part 1, 21.1.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from fumehood_sandbox.extractors.ooxml import omml

A: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
R: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MC: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"

_MATH: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}oMath"
_RUN_TAGS: Final = frozenset({A + "r", A + "fld"})


@dataclass(slots=True)
class Piece:
    """A run: its text, its character properties (or None), and the relationship of its link."""

    text: str
    properties: Any | None = None
    link: str | None = None
    latex: str | None = None


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
            properties = child.find(A + "rPr")
            text = "".join([t.text or "" for t in child.findall(A + "t")])
            if text:
                paragraph.pieces.append(Piece(text.replace("\v", "\n"), properties, _link(properties)))
        elif tag == A + "br":
            paragraph.pieces.append(Piece("\n"))
        elif tag == A + "pPr":
            paragraph.properties = child
        elif tag != A + "endParaRPr":  # mathematics and what else may stand here: its text
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
    link = properties.find(A + "hlinkClick") if properties is not None else None
    return link.get(R + "id") if link is not None else None


def paragraphs(element: Any) -> Iterator[Paragraph]:
    """Every ``a:p`` under *element*, in document order, ``mc:Fallback`` left out."""
    for child in walk(element):
        if child.tag == A + "p":
            yield read_paragraph(child)


def alternatives(element: Any) -> Iterator[Any]:
    """The children of *element*, an ``mc:AlternateContent`` replaced by what its first Choice holds (else its Fallback)."""
    for child in element:
        if child.tag == MC + "AlternateContent":
            chosen = child.find(MC + "Choice")
            if chosen is None:
                chosen = child.find(MC + "Fallback")
            if chosen is not None:
                yield from alternatives(chosen)
        else:
            yield child


def walk(element: Any) -> Iterator[Any]:
    """*element* and everything under it in document order, alternatives resolved. Depth is bounded by the parser (256)."""
    yield element
    for child in alternatives(element):
        yield from walk(child)
