"""How long one item may be: an item crosses to the host in one frame, and a frame has 4 MiB whatever its characters are."""

from __future__ import annotations

from typing import Final

from fumehood_sandbox.extraction import Extraction

#: Six bytes a character at worst in JSON, twice in an item (value and text): well within a frame. Excel's own bound is 32,767.
MAX_TEXT: Final = 200_000
#: Of what is written once and said again with each paragraph: a style's name (Word takes 253 characters), a list's label.
MAX_LABEL: Final = 255


def cut(x: Extraction, text: str, where: str | None = None) -> str:
    """*text*, cut with a warning where it is longer than `MAX_TEXT`."""
    if len(text) <= MAX_TEXT:
        return text
    x.warn("text-cut", f"a text is longer than {MAX_TEXT} characters and was cut", where=where)
    return text[:MAX_TEXT]


def cut_label(x: Extraction, label: str) -> str:
    """A list's *label*, cut with a warning where it is longer than `MAX_LABEL`."""
    if len(label) <= MAX_LABEL:
        return label
    x.warn("label-cut", f"the label of a list is longer than {MAX_LABEL} characters and was cut")
    return label[:MAX_LABEL]
