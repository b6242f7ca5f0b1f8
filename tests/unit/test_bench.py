"""The arithmetic of ``make bench``, and that its documents are read by the first method of their family."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bench import documents, plot, report
from bench.measure import Cost, Figure, Group, difference, interleaved, ratio
from bench.readers import NoSuchReaderError, Peer, UnreadableError, extraction, in_its_own_process
from bench.reading import chosen
from bench.report import Measured
from bench.sizes import slopes
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


@pytest.mark.parametrize("name", [*documents.SMALL, *documents.PLAIN])
def test_documents_are_read_by_the_first_method(name):
    data = documents.make(name)
    extraction(data, documents.extension(name))()
    extraction(documents.another(data, 7), documents.extension(name))()
    assert documents.another(data, 7) != documents.another(data, 8)


def test_what_cannot_be_read_is_a_failure_of_the_benchmark():
    with pytest.raises(ExtractError):
        extraction(b"PK\x03\x04 no archive", ".docx")()


class _Traced:
    """Every step takes a second of *now*."""

    def __init__(self):
        self.now = 0.0

    def outer(self):
        self.now += 1
        return list(self.steps())

    def steps(self):
        for number in range(2):
            self.now += 1
            yield number

    @contextmanager
    def held(self):
        self.now += 1
        yield "it"


def test_a_span_leaves_out_what_spans_inside_it_take():
    traced = _Traced()
    trace = Trace(clock=lambda: traced.now)
    places = {(_Traced, "outer"): "outer", (_Traced, "steps"): "steps", (_Traced, "held"): "held"}
    with trace.watching(places):
        assert traced.outer() == [0, 1]
        with traced.held() as got:
            assert got == "it"
            traced.now += 10
        thread = threading.Thread(target=traced.outer)
        thread.start()
        thread.join()
    assert trace.stages == {"outer": 1.0, "steps": 2.0, "held": 1.0}  # of the manager only its entry
    assert trace.behind == {"outer": 1.0, "steps": 2.0}
    assert not hasattr(_Traced.outer, "__wrapped__")


def _measured():
    figures = [
        Figure("small & good", [0.2, 0.3, 0.4], bar=0.5, of="other"),
        Figure("rate", [0.5, 0.6], bar=0.7, at_least=True),
        Figure("overhead", [3.0, 4.0], unit="ms", bar=5.0),
        Figure("no bar", [2.0], clock="cpu"),
    ]
    return Measured("group", Group("A title", figures, ["nothing came"]), 3.0, (0.5, 1.5))


def test_the_tables_say_figures_bars_and_what_is_missing():
    page = report.markdown([_measured()], {"memory": "24 GiB"}, "scripts/bench.sh")
    assert "| small & good | 0.20 | 0.30 | 0.40 | 3 | ≤ 0.5: reached |" in page
    assert "| rate | 0.50 | 0.55 | 0.60 | 2 | ≥ 0.7: NOT reached |" in page
    assert "| overhead [ms] |" in page
    assert "| no bar (CPU) | 2.00 | 2.00 | 2.00 | 1 |  |" in page
    assert "(nothing came)" in page
    before, _, _ = page.partition("###")
    assert "2 of 3 bars are reached. Those that are not:\n\n- `group`: rate: 0.55 (≥ 0.7)\n" in before


def test_the_tables_go_between_the_marks_of_a_page(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
    report.write_between_marks(page, r"new \1")
    assert page.read_text() == f"before\n{report.BEGIN}\n\nnew \\1\n{report.END}\nafter\n"
    page.write_text("no marks")
    with pytest.raises(RuntimeError):
        report.write_between_marks(page, "new")


def test_the_page_has_the_marks():
    page = (Path(__file__).resolve().parents[2] / "docs/performance.md").read_text(encoding="utf-8")
    assert page.count(report.BEGIN) == page.count(report.END) == 1


def test_the_picture_turns_every_bar_so_that_left_is_good():
    reached, rate, overhead, _ = _measured().group.figures
    assert plot.cost(reached, 0.25) == pytest.approx(0.5)
    assert plot.cost(rate, 0.35) == pytest.approx(2.0)
    drawn = ET.fromstring(plot.svg([_measured()]))
    space = "{http://www.w3.org/2000/svg}"
    assert len(drawn.findall(f"{space}circle")) == 2  # the third does not reach its bar: a cross
    assert any("small & good" in (text.text or "") for text in drawn.iter(f"{space}text"))
    assert overhead.reached


def test_real_documents_are_chosen_in_an_order_that_is_always_the_same(tmp_path):
    for name in ("a/one.docx", "a/two.docx", "b/three.docx", "b/four.pdf"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    names = [path.name for path in chosen(tmp_path, "docx")]
    assert sorted(names) == ["one.docx", "three.docx", "two.docx"]
    assert names == [path.name for path in chosen(tmp_path, "docx")]


def test_a_reader_in_a_process_of_its_own_gives_costs_and_outlives_what_it_cannot_read(tmp_path):
    good, bad = tmp_path / "good.txt", tmp_path / "bad.docx"
    good.write_bytes(documents.make("txt"))
    bad.write_bytes(b"PK\x03\x04 no archive")
    with in_its_own_process() as reader:
        with pytest.raises(UnreadableError):
            reader.convert(bad)
        assert reader.convert(good).cpu > 0
    with pytest.raises(NoSuchReaderError), Peer("markitdown-that-is-not-there", Path(sys.executable)):
        pass


def test_sizes_of_made_documents():
    assert len(documents.table_lines(100_000)) == pytest.approx(100_000, rel=0.01)
    assert len(documents.prose(100_000)) == pytest.approx(100_000, rel=0.01)


def test_a_slope_of_one_grows_as_the_input_does():
    costs = {"1": [Cost(0.1, 0), Cost(0.1, 0)], "10": [Cost(1.0, 0), Cost(10.0, 0)], "100": [Cost(10.0, 0), Cost(1000.0, 0)]}
    assert slopes((1, 10, 100), costs) == pytest.approx([1.0, 2.0])
