"""How long one item may be: an item crosses to the host in one frame, and a frame has 4 MiB whatever its characters are."""

from __future__ import annotations

from typing import Final

from fumehood_sandbox.extraction import Extraction

#: Six bytes a character at worst in JSON, twice in an item (value and text): well within a frame. Excel's own bound is 32,767.
MAX_TEXT: Final = 200_000


def cut(x: Extraction, text: str, where: str | None = None) -> str:
    """*text*, cut with a warning where it is longer than `MAX_TEXT`."""
    if len(text) <= MAX_TEXT:
        return text
    x.warn("text-cut", f"a text is longer than {MAX_TEXT} characters and was cut", where=where)
    return text[:MAX_TEXT]
