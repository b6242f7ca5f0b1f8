"""Tables of a page: those that lines draw, and those that only their words' places show."""

from __future__ import annotations

from collections.abc import Sequence

from fumehood_sandbox.extractors.pages.layout import Box, Group
from fumehood_sandbox.extractors.pages.tables.aligned import aligned_tables
from fumehood_sandbox.extractors.pages.tables.model import FoundCell, FoundTable, Rule, Word, holds
from fumehood_sandbox.extractors.pages.tables.ruled import is_coarse, ruled_tables
from fumehood_sandbox.extractors.pages.tables.rules import rules_of

__all__ = ["FoundCell", "FoundTable", "Rule", "Word", "find_tables", "placed", "rules_of"]


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


def placed(groups: Sequence[Group], tables: Sequence[FoundTable]) -> list[Group]:
    """*groups* with each of the *tables* a group of its own, where its first line stood, and without its lines."""
    out: list[Group] = []
    waiting = list(tables)
    for group in groups:
        kept = []
        for line in group.lines:
            table = next((t for t in tables if line.horizontal and not line.hidden and _inside(line.box, t.box)), None)
            if table is None:
                kept.append(line)
            elif table in waiting:
                waiting.remove(table)
                out.append(Group([], table))
        if kept:
            out.append(Group(kept))
    out.extend(Group([], table) for table in waiting)
    return out


def _inside(box: Box, table: Box) -> bool:
    across = min(box[2], table[2]) - max(box[0], table[0])
    middle = (box[1] + box[3]) / 2
    return table[1] - 1 <= middle <= table[3] + 1 and across >= 0.6 * (box[2] - box[0])
