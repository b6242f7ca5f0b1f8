"""Rendered text in pieces that a page may be cut between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """A rendered block, or a row of a long table.

    *glue* stands between the piece before and this one (not at the start of a page); *opening* is what a page that starts
    with this piece needs in front of it: the head of the table that it continues.
    """

    text: str
    block_id: str | None = None
    glue: str = "\n\n"
    opening: str = ""


def join(pieces: Iterable[Piece]) -> str:
    """The whole text, ending in one newline (empty when there is none)."""
    return "".join(texts(pieces))


def texts(pieces: Iterable[Piece]) -> Iterator[str]:
    """`join` piece by piece."""
    glue = False
    for piece in pieces:
        if glue:
            yield piece.glue
        glue = True
        yield piece.text
    if glue:
        yield "\n"
