"""Counts of a document's text: words by two rules, revisions by kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import re2

from fumehood_sandbox.contract import Revision, RevisionType

# Scripts written without spaces between words, where each character is counted (as Word counts them): Han with its
# extensions and compatibility forms, Hiragana, Katakana, Bopomofo. Hangul is written with spaces and counts by words.
_CJK: Final = re.compile(
    "[\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fd-\u30ff\u3105-\u312f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
# A word as UAX #29 sees it, simplified: letters, digits, marks and underscores, with single inner apostrophes and full stops.
_WORD: Final = re2.compile("[\\p{L}\\p{N}\\p{M}_]+(?:['\u2019.][\\p{L}\\p{N}\\p{M}_]+)*")

#: Which of our six groups each kind of revision falls into.
_GROUPS: Final[dict[RevisionType, str]] = {
    "insert": "insert",
    "delete": "delete",
    "move_from": "move",
    "move_to": "move",
    "format": "format",
    "property": "format",
    "numbering_insert": "format",
    "numbering_delete": "format",
    "paragraph_mark_insert": "paragraph_mark",
    "paragraph_mark_delete": "paragraph_mark",
    "paragraph_mark_move_from": "paragraph_mark",
    "paragraph_mark_move_to": "paragraph_mark",
    "row_insert": "table_row",
    "row_delete": "table_row",
    "cell_insert": "table_row",
    "cell_delete": "table_row",
    "cell_merge": "table_row",
}


def words_by_space(texts: Iterable[str]) -> int:
    """What white space separates, paragraph by paragraph: the second seed's ``word_count_approx``."""
    return sum(len(text.split()) for text in texts)


def words(texts: Iterable[str]) -> int:
    """Unicode words; each CJK character is one."""
    total = 0
    for text in texts:
        rest, characters = _CJK.subn(" ", text)
        total += characters
        if rest.isascii():
            total += _ascii_words(rest)
        else:
            total += sum(1 for _ in _WORD.finditer(rest))
    return total


_ASCII_WORD: Final = re.compile(r"\w+(?:['.]\w+)*", re.ASCII)


def _ascii_words(text: str) -> int:
    return len(_ASCII_WORD.findall(text))


def revision_counts(revisions: Iterable[Revision]) -> dict[str, int]:
    """``{insert, delete, move, format, paragraph_mark, table_row}``, each of them present."""
    counted = Counter(_GROUPS[revision.type] for revision in revisions)
    return {name: counted.get(name, 0) for name in ("insert", "delete", "move", "format", "paragraph_mark", "table_row")}


def tracked_paragraphs(revisions: Sequence[Revision]) -> int:
    """How many body paragraphs hold at least one revision."""
    return len({r.para_index for r in revisions if r.para_index is not None})


def authors(revisions: Iterable[Revision]) -> list[str]:
    """Who made the revisions, in the order of their first one."""
    return list(dict.fromkeys(r.author for r in revisions if r.author))
