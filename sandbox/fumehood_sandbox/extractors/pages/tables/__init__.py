"""Tables of a page: those that lines draw, and those that only their words' places show."""

from __future__ import annotations

from collections.abc import Sequence

from fumehood_sandbox.extractors.pages.geometry import Box
from fumehood_sandbox.extractors.pages.tables.aligned import aligned_tables
from fumehood_sandbox.extractors.pages.tables.model import FoundCell, FoundTable, Rule, Word, holds
from fumehood_sandbox.extractors.pages.tables.ruled import is_coarse, ruled_tables
from fumehood_sandbox.extractors.pages.tables.rules import rules_of

__all__ = ["FoundCell", "FoundTable", "Rule", "Word", "find_tables", "rules_of"]


def find_tables(
    words: Sequence[Word], across: Sequence[Rule], down: Sequence[Rule], areas: Sequence[Box] = ()
) -> list[FoundTable]:
    """The tables of a page, from top to bottom. *areas* are the columns of its text, each searched by itself."""
    found = [table for table in ruled_tables(words, across, down) if not is_coarse(table, words)]
    rest = [word for word in words if not any(holds(table.box, word) for table in found)]
    parts = [[word for word in rest if holds(area, word)] for area in areas] or [rest]
    for part in parts:
        found.extend(aligned_tables(part, across))
    return sorted(found, key=lambda t: (t.box[1], t.box[0]))
