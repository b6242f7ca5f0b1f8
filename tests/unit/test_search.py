"""Search: linear time, honest refusals, offsets that fit the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fumehood.documents import search
from fumehood.errors import FumehoodError


def spans(pattern: str, text: str, **options: bool) -> list[tuple[int, int]]:
    return [(s.start, s.end) for s in search.compile_pattern(pattern, **options).spans(text)]


def test_offsets_are_code_points_not_bytes() -> None:
    text = "a😀é needle 漢字 needle"
    assert [text[a:b] for a, b in spans("needle", text)] == ["needle", "needle"]
    assert spans("needle", text)[0] == (4, 10)


@pytest.mark.parametrize("pattern", ["(?=x)", r"(a)\1", "(?<!b)a", "[", "a{2000}", "*"])
def test_what_re2_refuses_is_an_argument_error_with_advice(pattern: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(FumehoodError) as caught:
        search.compile_pattern(pattern)
    assert caught.value.code == "invalid-argument"
    assert "back-references" in caught.value.hint
    assert capfd.readouterr().err == "", "a pattern must not end up in the log"


def test_a_pattern_that_stalls_backtracking_engines_ends() -> None:
    assert spans("(a+)+$", "a" * 50_000 + "b") == []
    assert spans("(x+x+)+y", "x" * 50_000) == []


def test_matches_of_nothing_are_no_hits() -> None:
    assert spans("a*", "bab") == [(1, 2)]


def test_a_search_over_its_budget_says_so() -> None:
    budget = search.Budget(seconds=-1)
    pattern = search.compile_pattern("a", budget=budget)
    with pytest.raises(FumehoodError) as caught:
        list(pattern.spans("aaa"))
    assert (caught.value.code, caught.value.kind) == ("limit", "search")


def test_case() -> None:
    assert spans("é", "É", ignore_case=True) == [(0, 1)]
    assert spans("é", "É", ignore_case=False) == []


@given(
    st.text(min_size=1, max_size=20).filter(lambda s: not any(map(str.isspace, s))), st.text(max_size=30), st.text(max_size=30)
)
def test_a_variant_is_found_where_it_stands(variant: str, before: str, after: str) -> None:
    text = f"{before} {variant} {after}"
    found = [text[s.start : s.end] for _, s in search.Variants([variant], whole_word=False, ignore_case=False).find(text)]
    # Any hyphen stands for any other, and nothing else does.
    assert variant.replace("\u2010", "-").replace("\u2011", "-") in [
        f.replace("\u2010", "-").replace("\u2011", "-") for f in found
    ]


def test_whole_words_know_letters_beyond_ascii() -> None:
    variants = search.Variants(["über"])
    assert [v for v, _ in variants.find("über Überlingen über_ (über)")] == ["über", "über"]


def test_white_space_and_hyphens_in_a_variant_are_any() -> None:
    variants = search.Variants(["cyber security", "e-mail"])
    text = "cyber\u00a0security, cyber  security, e\u2011mail"
    assert [v for v, _ in variants.find(text)] == ["cyber security", "cyber security", "e-mail"]


def test_spellings_that_differ_in_case_only_are_told_apart() -> None:
    counts = [v for v, _ in search.Variants(["Internet", "internet"]).find("Internet internet internet")]
    assert (counts.count("Internet"), counts.count("internet")) == (1, 2)


@pytest.mark.parametrize("variants", [[], [""], ["a", "a"], ["x"] * 51])
def test_variants_that_say_nothing_are_refused(variants: list[str]) -> None:
    with pytest.raises(FumehoodError):
        search.Variants(variants)


@pytest.mark.parametrize(
    ("text", "marker"),
    [
        ("TODO: check", "TODO"),
        ("Todo: check", "TODO"),
        ("todo el mundo", None),  # Spanish
        ("[TODO] check", "TODO"),
        ("  – FIXME later", "FIXME"),
        ("Please TODO", None),
        ("TODOS los dias", None),
        ("[?] which year", "[?]"),
        ("Note to self: call", "NOTE TO SELF"),
        ("To be confirmed by May", "to be confirmed"),
        ("The draft is done", None),
        ("DRAFT 3", "DRAFT"),
        ("Draft laws are read twice", None),
    ],
)
def test_default_markers_stand_at_the_start(text: str, marker: str | None) -> None:
    assert search.Markers(search.DEFAULT_MARKERS).first(text) == marker


def test_markers_inside() -> None:
    assert search.Markers(["CHECK"], inside=True).first("please CHECK this") == "CHECK"
    assert search.Markers(["CHECK"], inside=True).first("CHECKED") is None


def test_context_is_cut_with_an_ellipsis() -> None:
    assert search.context("abcdefgh", search.Span(3, 5), 2) == "…bcdefg…"
    assert search.context("abcdefgh", search.Span(0, 8), 2) == "abcdefgh"
