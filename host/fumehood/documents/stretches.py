"""A block's runs as stretches that look alike: what the renderers put their marks around.

Word splits text into runs for reasons that nobody sees; joined here, ``**bold**`` comes out once and not in pieces. Each
stretch says how its text is formatted, whether it is hidden and why, and (in a view that shows both sides of the revisions)
whether it was inserted or deleted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from fumehood_sandbox.contract import Block, Run

Change = Literal["inserted", "deleted"]


@dataclass(frozen=True, slots=True)
class Style:
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    vertical: Literal["sub", "super"] | None = None
    link: str | None = None
    hidden: str | None = None
    change: Change | None = None


@dataclass(slots=True)
class Stretch:
    """Text of one style, or one object in the line: an image, an equation or a note's reference."""

    style: Style
    text: str = ""
    image_id: str | None = None
    latex: str | None = None
    note_id: str | None = None


def stretches(block: Block, *, changes: bool) -> Iterator[Stretch]:
    """The stretches of *block*. With *changes*, insertions and deletions are told apart (markup view).

    A heading that is bold from end to end says nothing with it: it is a heading, no more.
    """
    runs = block.runs or [Run(block.text)]
    says_bold = block.type != "heading" or not all(run.bold for run in runs if run.text.strip())
    whole = block_hidden(block)
    last: Stretch | None = None
    for run in runs:
        change: Change | None = None
        if changes:
            accepted = block.in_accepted and run.in_accepted
            if not accepted:
                change = "deleted"
            elif not (block.in_original and run.in_original):
                change = "inserted"
        hidden = whole or reason(run.hidden)
        link = run.link if run.link and run.text.strip() else None
        plain = not run.text.strip()  # what only spaces look like does not matter, and marks around them break
        style = Style(
            bold=run.bold and says_bold and not plain,
            italic=run.italic and not plain,
            strike=run.strike and not plain,
            code=run.code and not plain,
            vertical=None if plain else run.vertical,
            link=link,
            hidden=hidden,
            change=change,
        )
        single = run.image_id is not None or run.latex is not None or run.note_id is not None
        if single:
            if last is not None:
                yield last
                last = None
            yield Stretch(style, run.text, run.image_id, run.latex, run.note_id)
        elif not run.text:
            continue
        elif last is not None and last.style == style:
            last.text += run.text
        else:
            if last is not None:
                yield last
            last = Stretch(style, run.text)
    if last is not None:
        yield last


def block_hidden(block: Block) -> str | None:
    """Why the whole block is hidden: its own reason, or the one that all its runs share."""
    if block.hidden:
        return reason(block.hidden)
    reasons = {run.hidden for run in block.runs if run.text.strip()}
    return reason(next(iter(reasons))) if len(reasons) == 1 else None


def reason(untrusted_reason: str | None) -> str | None:
    """A reason for ``[hidden: …]``: one word of our own making, whatever came."""
    if not untrusted_reason:
        return None
    return re.sub(r"[^a-z0-9_, -]+", "", untrusted_reason.lower())[:40].strip() or "hidden"
