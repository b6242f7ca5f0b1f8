"""Lines in a code style, of which a style says so one by one, as the listings that they make up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, TypeVar

from fumehood_sandbox.contract import Block

#: A listing is at most this long: a page of a long answer is cut between nodes.
_LISTING_CHARS: Final = 8000

N = TypeVar("N")


def listings(nodes: Iterable[N]) -> Iterator[N | Block]:
    """*nodes* with neighbouring lines of code put together."""
    held: Block | None = None
    for node in nodes:
        line = node if isinstance(node, Block) and _is_line_of_code(node) else None
        if held is not None and line is not None and _goes_on(held, line):
            held = replace(held, text=f"{held.text}\n{line.text}", runs=[])
            continue
        if held is not None:
            yield held
        held = line
        if line is None:
            yield node
    if held is not None:
        yield held


def _is_line_of_code(block: Block) -> bool:
    """Whether *block* can stand in a listing without losing what a renderer marks: revisions, notes, hidden text."""
    return (
        block.type == "code"
        and block.style is not None
        and block.mark_in_accepted == block.mark_in_original
        and all(run.in_accepted and run.in_original and not run.hidden and not run.note_id for run in block.runs)
    )


def _goes_on(listing: Block, line: Block) -> bool:
    same = (listing.part, listing.hidden, listing.slide, listing.page) == (line.part, line.hidden, line.slide, line.page)
    return same and len(listing.text) + len(line.text) < _LISTING_CHARS
