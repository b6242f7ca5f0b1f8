"""Fields (ECMA-376 17.16): the stored result is text, the instruction is not; what an instruction would reach for is listed.

A complex field runs from ``begin`` over ``separate`` to ``end``, may hold other fields in either half and may span
paragraphs, so the stack belongs to the story, not to a paragraph.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

from fumehood_sandbox.extractors.ooxml.names import VAL, W, number, on

_WORDS: Final = re.compile(r'"((?:[^"\\]|\\.)*)"|“([^”]*)”|(\S+)')
#: A switch, and not the two backslashes of a network path.
_SWITCH: Final = re.compile(r"\\[^\\]")
_MOST: Final = 4096

#: Fields that would read something outside when they are updated, and how they are listed.
_REACHING: Final = {
    "DDE": "dde", "DDEAUTO": "dde", "LINK": "external_link", "INCLUDETEXT": "external_link", "INCLUDEPICTURE": "external_link",
    "INCLUDE": "external_link", "IMPORT": "external_link", "RD": "external_link", "DATABASE": "external_link",
    "MACROBUTTON": "macro_button", "EMBED": "ole_object",
}  # fmt: skip


def form_field(begin: Any) -> str | None:
    """What the form field that begins at the ``w:fldChar`` *begin* shows when it stores no result."""
    data = begin.find(W + "ffData")
    return form_text(data) if data is not None else None


@dataclass(slots=True)
class Field:
    """One open complex field."""

    instruction: list[str] = field(default_factory=list)
    in_result: bool = False
    outer_link: str | None = None
    shown: str | None = None
    """What a form field without a stored result shows."""
    begun_at: tuple[int, ...] = ()
    """How much had been read where the result begins."""
    says: str | None = None
    """The whole instruction once the result has begun; None for a link, which its text says."""


def kept(instruction: str) -> str | None:
    """What is kept of an *instruction* beside its result; a link is kept as one."""
    said = instruction[:_MOST].strip()
    return None if not said or said.split(None, 1)[0].upper() == "HYPERLINK" else said


def words(instruction: str) -> list[str]:
    """The words of an instruction, quotes taken off."""
    found = []
    for match in _WORDS.finditer(instruction[:_MOST]):
        quoted = match.group(1)
        if quoted is not None:
            found.append(re.sub(r"\\(.)", r"\1", quoted))
        else:
            found.append(match.group(2) if match.group(2) is not None else match.group(3))
        if len(found) == 40:
            break
    return found


def hyperlink(parts: list[str]) -> str | None:
    """The target of a HYPERLINK field: an address, ``#bookmark``, or both."""
    target, anchor, at = "", "", 1
    while at < len(parts):
        word = parts[at]
        if word.lower() == r"\l" and at + 1 < len(parts):
            anchor, at = parts[at + 1], at + 1
        elif word.lower() in {r"\o", r"\t"}:
            at += 1
        elif not _SWITCH.fullmatch(word) and not target:
            target = word
        at += 1
    return (f"{target}#{anchor}" if anchor else target) or None


def reaching(parts: list[str]) -> tuple[str, str] | None:
    """``(type, detail)`` of a field that would act or reach outside; None for one that does not."""
    kind = _REACHING.get(parts[0].upper()) if parts else None
    return (kind, " ".join(parts)[:200]) if kind else None


def button_text(parts: list[str]) -> str | None:
    """What a MACROBUTTON shows: what follows the macro's name."""
    return " ".join(parts[2:]) if parts and parts[0].upper() == "MACROBUTTON" else None


def form_text(data: Any) -> str | None:
    """What a legacy form field (``w:ffData``) shows when it stores no result: its box or its chosen entry."""
    box = data.find(W + "checkBox")
    if box is not None:
        state = box.find(W + "checked")
        if state is None:
            state = box.find(W + "default")
        return "☒" if state is not None and on(state) else "☐"
    choices = data.find(W + "ddList")
    if choices is not None:
        chosen = choices.find(W + "result")
        if chosen is None:
            chosen = choices.find(W + "default")
        entries = [e.get(VAL) or "" for e in choices.findall(W + "listEntry")]
        at = number(chosen.get(VAL), 0) if chosen is not None else 0
        return entries[at] if 0 <= at < len(entries) else None
    return None
