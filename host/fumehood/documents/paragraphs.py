"""A word processor document as its paragraphs: what the review tools page through and search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from fumehood_sandbox.contract import Block, Document

#: Blocks that stand for something else than a paragraph: a table's paragraphs are blocks of their own.
_NOT_PARAGRAPHS: Final = frozenset({"table", "slide_break", "sheet_break", "thematic_break"})


@dataclass(frozen=True, slots=True)
class Paragraph:
    """*para_index* is None outside the body (headers, footers, notes, comments)."""

    para_index: int | None
    text: str
    style: str | None
    in_table: bool
    part: str
    hidden: str | None


def paragraphs(viewed: Document, show: Callable[[str], str] = str) -> list[Paragraph]:
    """The paragraphs of *viewed* (a document in one view): the body's in document order, then those of other parts.

    *show* makes a text fit for its reader; offsets that are found later count in what it returns.
    """
    found = [_paragraph(b, show) for b in viewed.blocks if b.type not in _NOT_PARAGRAPHS]
    body = [p for p in found if p.para_index is not None]
    body.sort(key=lambda p: p.para_index or 0)
    return body + [p for p in found if p.para_index is None]


def _paragraph(block: Block, show: Callable[[str], str]) -> Paragraph:
    hidden = block.hidden or next((run.hidden for run in block.runs if run.hidden), None)
    return Paragraph(block.para_index, show(block.text), block.style, block.table_id is not None, block.part, hidden)


def body_texts(found: Sequence[Paragraph]) -> list[str]:
    """The texts of the body, tables and text boxes included."""
    return [p.text for p in found if p.para_index is not None]
