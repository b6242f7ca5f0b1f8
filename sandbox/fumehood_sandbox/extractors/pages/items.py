"""What begins an item of a list: a bullet, or numbers and letters that go on from line to line (``a. … b. …``, ``1) … 2) …``)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

BULLETS: Final = "•‣◦▪▫●○■□◆◇\u2013∙·➢➤✓✔\uf0b7\uf0a7\uf0d8"
_LABEL: Final = re.compile(r"\(?(?:([0-9]{1,3})|([a-z]))[.)]\s")


def item_starts(lines: Sequence[str]) -> set[int]:
    """The positions in *lines* at which an item begins.

    A line counts by its neighbour only: its number follows the last one, or comes before the next. A lone "5." at a line's
    start is the end of a sentence.
    """
    labelled = [(i, *label) for i, line in enumerate(lines) if (label := _label(line)) is not None]
    found: set[int] = set()
    for (i, kind, number), (j, next_kind, next_number) in pairwise(labelled):
        if kind == next_kind and next_number == number + 1:
            found |= {i, j}
    return found


def looks_like_item(line: str) -> bool:
    return _LABEL.match(line) is not None


def _label(line: str) -> tuple[str, int] | None:
    match = _LABEL.match(line)
    if match is None:
        return None
    return ("number", int(match[1])) if match[1] else ("letter", ord(match[2]))
