"""A long answer is never held: the host's memory stays what it was, whatever comes out of a container."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import pytest

from bench import documents
from builders.jobs import Order, job
from fumehood.documents.render_markdown import iter_markdown
from fumehood.documents.spool import Spooled
from fumehood.documents.views import apply_view
from fumehood.limits import MIB, Limits
from fumehood.sandbox.runner import Sandbox


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024


@contextmanager
def peak_above_now(measured: list[float]) -> Iterator[None]:
    """Appends the MiB by which this process grew at most."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    before = _status("VmRSS")
    yield
    measured.append(_status("VmHWM") - before)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.mark.parametrize(
    ("name", "make", "held_mib"),
    [
        # held_mib: what the items would take as objects, measured; the bar lies far below
        ("txt", lambda: documents.prose(40_000_000), 80),
        ("csv", lambda: documents.table_lines(12_000_000), 120),
    ],
)
def test_memory_does_not_grow_with_a_document(sandbox: Sandbox, name: str, make: Callable[[], bytes], held_mib: int) -> None:
    body = make()
    sandbox.run(job(b"warm", extension=".txt"))
    measured: list[float] = []
    with peak_above_now(measured):
        outcome = sandbox.run(job(body, extension=f".{name}", seconds=200))
        assert outcome.error is None
        assert outcome.document is not None
        written = sum(map(len, iter_markdown(apply_view(outcome.document, "accepted"))))
    assert written > 0.9 * len(body)
    assert measured[0] < held_mib / 2


@pytest.mark.timeout(400)
def test_a_workbook_of_a_million_cells(sandbox: Sandbox) -> None:
    """Whole within the memory of every document; and where time runs out, what was read until then."""
    body = documents.make("xlsx-million")
    measured: list[float] = []
    begin = monotonic()
    with peak_above_now(measured):
        outcome = sandbox.run(job(body, extension=".xlsx", seconds=290))
    took = monotonic() - begin
    assert outcome.error is None
    assert outcome.document is not None
    cells = outcome.document.sheets[0].cells
    assert (outcome.document.counts["cells"], len(cells)) == (1_000_000, 1_000_000)
    assert (cells[0].ref, cells[-1].ref, cells[-1].text) == ("A1", "T50000", "237500")
    assert measured[0] < 128, "as objects they would take a gigabyte"

    outcome = sandbox.run(job(body, extension=".xlsx", seconds=max(1.0, took / 3)))
    assert outcome.error is not None
    assert outcome.error.code == "timeout"
    assert outcome.document is not None
    assert outcome.document.partial
    read = outcome.document.sheets[0].cells
    assert 0 < len(read) < 1_000_000
    assert read[len(read) - 1] == cells[len(read) - 1]


def test_an_answer_that_is_all_it_may_be(order: Order) -> None:
    """512 MiB of valid blocks: refused for their size, and what came until then can be walked through."""
    order("fail", code="unsupported")
    measured: list[float] = []
    with peak_above_now(measured):
        outcome = order("flood-parts", seconds=250, limits=Limits(wall_seconds=250))
        assert outcome.error is not None
        assert (outcome.error.code, outcome.error.kind) == ("limit", "output")
        if outcome.document is not None:
            assert isinstance(outcome.document.blocks, Spooled)
            assert sum(len(block.text) for block in outcome.document.blocks) > 400 * MIB
    assert measured[0] < 64
