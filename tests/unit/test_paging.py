"""Paging: whole, bounded, at borders, and bound to its document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fumehood.documents import paging
from fumehood.documents.pieces import Piece, join
from fumehood.errors import FumehoodError

SCOPE = paging.scope("00" * 32, view="accepted")


def pages(pieces: list[Piece], limit: int) -> list[paging.Page]:
    found = [paging.page(pieces, SCOPE, None, limit=limit)]
    while (cursor := found[-1].next_cursor) is not None:
        found.append(paging.page(pieces, SCOPE, cursor, limit=limit))
        assert len(found) < 10_000
    return found


texts = st.lists(st.text(alphabet="ab \n漢é\u0301", min_size=1, max_size=60), max_size=20)


@given(texts, st.integers(min_value=1, max_value=80))
def test_nothing_is_lost_and_no_page_is_too_long(parts: list[str], limit: int) -> None:
    pieces = [Piece(text, f"b{i}") for i, text in enumerate(parts)]
    found = pages(pieces, limit)
    assert all(len(page.text) <= limit for page in found)
    assert "".join(page.text for page in found).replace("\n", "") == "".join(parts).replace("\n", "")
    assert {page.total for page in found} == {len(join(pieces))}
    assert [page.number for page in found] == list(range(1, len(found) + 1))
    assert found[-1].done == found[-1].total


def test_a_page_ends_between_blocks() -> None:
    found = pages([Piece("a" * 30), Piece("b" * 30), Piece("c" * 30)], 70)
    assert [page.text.strip("\n") for page in found] == ["a" * 30 + "\n\n" + "b" * 30, "c" * 30]


def test_one_page_is_the_whole_text() -> None:
    pieces = [Piece("one"), Piece("two")]
    assert pages(pieces, 1000)[0].text == join(pieces)
    assert paging.page(pieces, SCOPE, limit=None).text == join(pieces)


def test_a_table_that_goes_on_has_its_head_again() -> None:
    head = "| a |\n| --- |"
    pieces = [Piece(head), *(Piece(f"| {i:04} |", None, "\n", head + "\n") for i in range(20))]
    found = pages(pieces, 80)
    assert len(found) > 1
    assert all(page.text.startswith(head) for page in found)


def test_a_block_longer_than_a_page_is_cut_at_lines_then_spaces_then_anywhere() -> None:
    assert pages([Piece("line one\nline two\nline three")], 20)[0].text == "line one\nline two\n"
    assert pages([Piece("word " * 10)], 12)[0].text == "word word "
    assert pages([Piece("x" * 30)], 12)[0].text == "x" * 12


def test_an_accent_stays_with_its_letter() -> None:
    text = "e\u0301" * 20
    assert all(not page.text.startswith("\u0301") for page in pages([Piece(text)], 7))


def test_an_empty_document_is_one_empty_page() -> None:
    assert [(p.text, p.total) for p in pages([], 10)] == [("", 0)]


def test_a_cursor_of_another_document_or_other_options_is_refused() -> None:
    cursor = paging.make_cursor(SCOPE, paging.Position(1))
    for scope in (paging.scope("11" * 32, view="accepted"), paging.scope("00" * 32, view="original")):
        with pytest.raises(FumehoodError) as caught:
            paging.read_cursor(cursor, scope)
        assert caught.value.code == "invalid-argument"
        assert "another document" in caught.value.message


@given(st.text(max_size=60))
def test_what_is_no_cursor_is_refused(text: str) -> None:
    if not text:
        return
    with pytest.raises(FumehoodError) as caught:
        paging.read_cursor(text, SCOPE)
    assert caught.value.code == "invalid-argument"


def test_a_changed_cursor_is_refused() -> None:
    cursor = paging.make_cursor(SCOPE, paging.Position(3, 4, 5))
    assert paging.read_cursor(cursor, SCOPE) == paging.Position(3, 4, 5)
    for i, char in enumerate(cursor[:-1]):
        changed = cursor[:i] + ("A" if char != "A" else "B") + cursor[i + 1 :]
        with pytest.raises(FumehoodError):
            paging.read_cursor(changed, SCOPE)


def test_a_position_beyond_the_text_is_refused() -> None:
    for position in (paging.Position(9), paging.Position(0, 99)):
        with pytest.raises(FumehoodError):
            paging.page([Piece("short")], SCOPE, paging.make_cursor(SCOPE, position))


@given(texts.filter(bool))
def test_sections_are_counted_without_cutting(parts: list[str]) -> None:
    pieces = [Piece(text) for text in parts]
    assert paging.page(pieces, SCOPE, section_chars=10_000).sections == 1
    assert paging.page(pieces, SCOPE, section_chars=20).sections >= len(join(pieces)) // 40


def test_a_row_whose_head_takes_half_the_page_by_itself() -> None:
    head = "h" * 60
    found = pages([Piece(head), *(Piece("r" * 70, None, "\n", head + "\n") for _ in range(3))], 100)
    assert "".join(page.text for page in found).count("r") == 210
    assert found[-1].done == found[-1].total
