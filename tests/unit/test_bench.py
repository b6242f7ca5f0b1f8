"""The arithmetic of ``make bench``, and that its documents are read by the first method of their family."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager

import pytest

from bench import documents
from bench.measure import Cost, Figure, difference, interleaved, ratio
from bench.readers import extraction
from bench.trace import Trace
from fumehood_sandbox.extraction import ExtractError


def test_a_figure_is_a_ratio_round_by_round():
    over, under = [Cost(2.0, 1.0), Cost(3.0, 1.0), Cost(9.0, 1.0)], [Cost(1.0, 4.0), Cost(1.0, 2.0), Cost(3.0, 1.0)]
    figure = ratio("x", over, under, bar=2.9)
    assert list(figure.values) == [2.0, 3.0, 3.0]
    assert (figure.value, figure.reached) == (3.0, False)
    assert ratio("x", over, under, clock="cpu", bar=0.5).as_dict()["max"] == 1.0
    assert ratio("x", over, under, clock="cpu", bar=0.5).reached


def test_a_bar_may_be_the_least_or_the_most_and_stand_at_a_percentile():
    assert ratio("x", [Cost(8.0, 0.0)], [Cost(10.0, 0.0)], bar=0.7, at_least=True).reached
    assert not ratio("x", [Cost(6.0, 0.0)], [Cost(10.0, 0.0)], bar=0.7, at_least=True).reached
    values = [float(number) for number in range(100)]
    assert Figure("x", values, quantile=0.95).value == 95.0
    assert Figure("x", values).value == 49.5
    assert Figure("x", [3.0], quantile=0.95).value == 3.0
    assert list(difference("x", [Cost(0.012, 0.0)], [Cost(0.010, 0.0)]).values) == [pytest.approx(2.0)]


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


class _Traced:
    def outer(self):
        time.sleep(0.02)
        return list(self.steps())

    def steps(self):
        for number in range(2):
            time.sleep(0.02)
            yield number

    @contextmanager
    def held(self):
        time.sleep(0.02)
        yield "it"


def test_a_span_leaves_out_what_spans_inside_it_take():
    trace, traced = Trace(), _Traced()
    places = {(_Traced, "outer"): "outer", (_Traced, "steps"): "steps", (_Traced, "held"): "held"}
    with trace.watching(places):
        assert traced.outer() == [0, 1]
        with traced.held() as got:
            assert got == "it"
            time.sleep(0.1)
        thread = threading.Thread(target=traced.outer)
        thread.start()
        thread.join()
    assert trace.stages["outer"] < trace.stages["steps"]
    assert trace.stages["held"] < 0.1  # only the entry counts
    assert trace.behind.keys() == {"outer", "steps"}
    assert _Traced.outer.__qualname__ == "_Traced.outer"
    assert not hasattr(_Traced.outer, "__wrapped__")
