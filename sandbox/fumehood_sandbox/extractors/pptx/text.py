"""Text bodies of shapes as blocks: paragraphs, list items, runs with formatting and links."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from fumehood_sandbox.contract import Block, Part, Run, Runs
from fumehood_sandbox.extractors.ooxml.bounds import MAX_TEXT
from fumehood_sandbox.extractors.ooxml.drawing import A as A  # noqa: PLC0414 - re-exported for this package
from fumehood_sandbox.extractors.ooxml.drawing import Paragraph, Piece, alternatives, read_paragraph
from fumehood_sandbox.extractors.pptx.bullets import Labels
from fumehood_sandbox.extractors.pptx.names import integer, on

Target = Callable[[Any, str], str | None]
"""From an ``a:hlinkClick`` and the words that it stands on to where it points, or None."""

_HLINK: Final = A + "hlinkClick"
_HOVER: Final = A + "hlinkMouseOver"
_NO_FILL, _SOLID, _LINE, _ALPHA = A + "noFill", A + "solidFill", A + "ln", A + "alpha"
_OPAQUE: Final = 100_000
#: Sizes of text in hundredths of a point.
_USUAL, _TINY = 1800, 100


def body_paragraphs(body: Any, number: int | None = None) -> Iterator[Paragraph]:
    """The paragraphs of a text body, empty ones left out. A field for the slide's number shows *number*, whatever it last showed."""
    for child in alternatives(body):
        if child.tag == A + "p":
            paragraph = read_paragraph(child)
            for piece in paragraph.pieces:
                if piece.field == "slidenum" and number is not None:
                    piece.text = str(number)
            if paragraph.text.strip():
                yield paragraph


def block_of(new_id: str, paragraph: Paragraph, part: Part, slide: int, labels: Labels | None, target: Target) -> Block:
    """One paragraph as a block."""
    block = Block(new_id, text=paragraph.text, part=part, slide=slide)
    block.list = labels.of(paragraph) if labels is not None else None
    if block.list is not None:
        block.type = "list_item"
    if len(block.text) <= MAX_TEXT:  # the text of a longer block crosses in pieces, without runs
        block.runs = runs_of(paragraph, target)
    formulas = [piece.latex for piece in paragraph.pieces if piece.latex]
    if formulas and all(piece.latex or not piece.text.strip() for piece in paragraph.pieces):
        block.type, block.latex = "equation", " ".join(formulas)
    return block


def runs_of(paragraph: Paragraph, target: Target) -> Runs:
    """The runs of a paragraph; none where its text says it all."""
    runs: Runs = [_run(piece, target) for piece in paragraph.pieces]
    plain = Run()
    for run in runs:
        if any(getattr(run, name) != getattr(plain, name) for name in _SAID):
            return runs
    return Runs()


_SAID: Final = ("bold", "italic", "underline", "strike", "vertical", "link", "latex", "hidden")


def _run(piece: Piece, target: Target) -> Run:
    run = Run(piece.text, latex=piece.latex)
    properties = piece.properties
    if properties is None:
        return run
    run.bold, run.italic = on(properties.get("b")), on(properties.get("i"))
    run.underline = properties.get("u") not in {None, "none"}
    run.strike = properties.get("strike") not in {None, "noStrike"}
    raised = integer(properties.get("baseline"))
    run.vertical = "super" if raised > 0 else "sub" if raised < 0 else None
    run.hidden = _unseen(properties) if piece.text.strip() else None
    link, hover = properties.find(_HLINK), properties.find(_HOVER)
    if hover is not None:
        run.link = target(hover, piece.text)
    if link is not None:
        run.link = target(link, piece.text)
    return run


def _unseen(properties: Any) -> str | None:
    """Why nobody would see the run: ``no_fill`` and no outline, ``transparent``, ``tiny_text`` of one point and less."""
    if 0 < integer(properties.get("sz"), _USUAL) <= _TINY:
        return "tiny_text"
    if properties.find(_NO_FILL) is not None:
        line = properties.find(_LINE)
        return "no_fill" if line is None or line.find(_NO_FILL) is not None or not len(line) else None
    fill = properties.find(_SOLID)
    alpha = next(fill.iter(_ALPHA), None) if fill is not None else None
    return "transparent" if alpha is not None and integer(alpha.get("val"), _OPAQUE) <= _OPAQUE // 50 else None
