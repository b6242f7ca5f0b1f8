"""Counts."""

from __future__ import annotations

from typing import get_args

import pytest

from fumehood.documents import stats
from fumehood_sandbox.contract import Revision, RevisionType


@pytest.mark.parametrize(
    ("text", "words", "approximate"),
    [
        ("", 0, 0),
        ("one two  three", 3, 3),
        ("don't stop", 2, 2),
        ("a - b", 2, 3),
        ("well-known", 2, 1),
        ("3.14 and e.g", 3, 3),
        ("漢字かな", 4, 1),
        ("abc漢字def", 4, 1),
        ("한국어 문서", 2, 2),
        ("हिन्दी भाषा", 2, 2),  # vowel signs are marks, and part of the word
        ("naïve café", 2, 2),
        ("\u2019quoted\u2019", 1, 1),
    ],
)
def test_words_by_both_rules(text: str, words: int, approximate: int) -> None:
    assert (stats.words([text]), stats.words_by_space([text])) == (words, approximate)


def test_words_do_not_join_over_paragraphs() -> None:
    assert stats.words(["one", "two"]) == stats.words_by_space(["one", "two"]) == 2


def test_every_kind_of_revision_falls_into_a_group() -> None:
    kinds = get_args(RevisionType)
    counts = stats.revision_counts(Revision(str(i), kind) for i, kind in enumerate(kinds))
    assert sum(counts.values()) == len(kinds)
    assert set(counts) == {"insert", "delete", "move", "format", "paragraph_mark", "table_row"}
    assert counts["move"] == 2


def test_a_paragraph_with_two_revisions_counts_once() -> None:
    revisions = [
        Revision("1", "insert", para_index=3),
        Revision("2", "delete", para_index=3),
        Revision("3", "insert", part="header"),
    ]
    assert stats.tracked_paragraphs(revisions) == 1


def test_authors_in_order_of_their_first_change() -> None:
    revisions = [
        Revision("1", "insert", "B"),
        Revision("2", "insert", "A"),
        Revision("3", "insert", "B"),
        Revision("4", "insert", ""),
    ]
    assert stats.authors(revisions) == ["B", "A"]
