"""Items of nested lists as lines of Markdown: markers, indentation, and what keeps two lists apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from fumehood.documents.list_items import BOXES, goes_on
from fumehood.documents.markdown_inline import escape
from fumehood_sandbox.contract import Block

_SIMPLE_NUMBER: Final = re.compile(r"(\d{1,9})([.)])")
#: Nested deeper than this, items are indented no further.
_MOST_LEVELS: Final = 12
#: A list that begins right after another one of its kind would go on with that one's numbers.
_APART: Final = "<!-- -->"


@dataclass(frozen=True, slots=True)
class _Open:
    """The item last written at some depth: what its list goes on from."""

    depth: int
    marker: str

    @property
    def width(self) -> int:
        return len(self.marker) + 1

    @property
    def next(self) -> str:
        """The marker that a viewer gives the item after this one."""
        number = _SIMPLE_NUMBER.fullmatch(self.marker)
        return f"{int(number[1]) + 1}{number[2]}" if number else self.marker


class MarkdownLists:
    """Writes the items of one run of list items, one after the other."""

    def __init__(self) -> None:
        self._open: list[_Open] = []

    def clear(self) -> None:
        """What was written last was no item."""
        self._open.clear()

    def item(self, block: Block, label: str, text: str) -> tuple[str, bool]:
        """``(lines, apart)`` of an item with that cleaned *label* and rendered *text*, "" where there is nothing to show.

        *apart* says that a blank line has to stand before it: it begins a list of its own.
        """
        facts = block.list
        depth = facts.depth if facts else 1
        if goes_on(block):
            self._close(depth + 1)
            return self._indented(self._indent(), text) if text else "", False
        ordered = bool(facts and facts.ordered)
        number = _SIMPLE_NUMBER.fullmatch(label)
        if not text and not (ordered and number):
            return "", False
        if ordered and (number or not label):
            marker = f"{int(number[1])}{number[2]}" if number else ""
        else:
            marker = "-"
            if ordered:
                text = f"{escape(label)} {text}"
            elif label in BOXES:
                text = f"[{'x' if BOXES[label] else ' '}] {text}"
        before = self._close(depth)
        if not marker:  # the format does not say its number
            marker = before.next if before is not None and before.marker != "-" else "1."
        apart = before is not None and marker != before.next and marker[-1] == before.marker[-1]
        indent = self._indent()
        self._open.append(_Open(depth, marker))
        lead = f"{indent}{_APART}\n\n" if apart else ""
        return lead + (indent + marker + " " + self._indented(indent + " " * (len(marker) + 1), text).lstrip()).rstrip(), apart

    def _close(self, depth: int) -> _Open | None:
        """Close the items as deep as *depth* and deeper; the last one of just that depth."""
        last = None
        while self._open and self._open[-1].depth >= depth:
            last = self._open.pop()
        return last if last is not None and last.depth == depth else None

    def _indent(self) -> str:
        return " " * sum(item.width for item in self._open[:_MOST_LEVELS])

    @staticmethod
    def _indented(indent: str, text: str) -> str:
        return indent + text.replace("\n", "\n" + indent)
