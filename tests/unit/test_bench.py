"""The arithmetic of ``make bench``, and that its documents are read by the first method of their family."""

from __future__ import annotations

import pytest

from bench import documents
from bench.measure import Cost, interleaved, ratio
from bench.readers import extraction
from fumehood_sandbox.extraction import ExtractError


def test_a_figure_is_a_ratio_round_by_round():
    over, under = [Cost(2.0, 1.0), Cost(3.0, 1.0), Cost(9.0, 1.0)], [Cost(1.0, 4.0), Cost(1.0, 2.0), Cost(3.0, 1.0)]
    figure = ratio("x", over, under, bar=2.9)
    assert list(figure.ratios) == [2.0, 3.0, 3.0]
    assert (figure.median, figure.reached) == (3.0, False)
    assert ratio("x", over, under, clock="cpu", bar=0.5).as_dict()["max"] == 1.0
    assert ratio("x", over, under, clock="cpu", bar=0.5).reached


def test_sides_take_turns_and_the_first_round_does_not_count():
    calls = []

    def side(name):
        def run():
            calls.append(name)
            return Cost(len(calls), 0.0)

        return run

    costs = interleaved({"a": side("a"), "b": side("b")}, 2)
    assert calls == ["b", "a", "a", "b", "b", "a"]
    assert [c.wall for c in costs["a"]] == [3, 6]


@pytest.mark.parametrize("name", documents.SMALL)
def test_documents_are_read_by_the_first_method(name):
    extraction(documents.make(name), documents.extension(name))()
    assert documents.make(name)[:2] in {b"PK", b"%P"}


def test_what_cannot_be_read_is_a_failure_of_the_benchmark():
    with pytest.raises(ExtractError):
        extraction(b"PK\x03\x04 no archive", ".docx")()
