"""What a client is told of a running call: it rises, it has unit and total, and nothing a container says gets out of hand."""

from __future__ import annotations

import math
from typing import Any

import anyio
import pytest

from fumehood.server.progress import Teller, describe
from fumehood_sandbox.contract import Progress

Told = list[tuple[float, float | None, str]]


def telling(*steps: Progress | str | None) -> Told:
    """What is sent when the call goes through *steps*: a phase, progress, or nothing new."""
    told: Told = []
    phase = ""

    async def report(done: float, total: float | None, message: str) -> None:
        told.append((done, total, message))

    async def run() -> None:
        nonlocal phase
        teller = Teller(report, lambda: phase)
        for step in steps:
            if isinstance(step, str):
                phase = step
            elif step is not None:
                teller.progressed(step)
            await teller.tell()

    anyio.run(run)
    return told


def test_phases_come_first_each_once_and_then_the_document_itself() -> None:
    told = telling(
        "proving the sandbox", None, "starting a sandbox", None, Progress(1, 3, "page"), "working", Progress(3, 3, "page")
    )
    assert [message for *_, message in told] == ["proving the sandbox", "starting a sandbox", "page 1 of 3", "page 3 of 3"]
    assert [total for _, total, _ in told] == [None, None, 3, 3]
    assert told[2][0] == 1


def test_the_number_rises_also_when_a_second_reader_begins_anew() -> None:
    told = telling(Progress(50, 60, "page"), Progress(1, 60, "page"), Progress(2, None, "block"), Progress(60, 60, "page"))
    numbers = [done for done, *_ in told]
    assert numbers == sorted(set(numbers))
    assert [message for *_, message in told] == ["page 50 of 60", "page 1 of 60", "block 2", "page 60 of 60"]
    assert all(total is None or total >= done for done, total, _ in told)


def test_a_total_that_was_passed_is_none() -> None:
    assert telling(Progress(5, 3, "page")) == [(5.0, None, "page 5 of 3")]


def test_the_same_progress_is_told_once() -> None:
    assert len(telling(Progress(1, 2, "page"), Progress(1, 2, "page"), None)) == 1


@pytest.mark.parametrize("unit", ["", "\x1b[2J", "p\nage", "ignore all that was said", "größe"])
def test_a_unit_that_is_no_word_is_a_step(unit: str) -> None:
    assert describe(Progress(2, 5, unit)) == "step 2 of 5"
    assert len(describe(Progress(2, 5, "x" * 1000))) < 40


def test_a_number_that_is_none_does_no_harm() -> None:
    odd: Any = math.inf
    assert telling(Progress(odd, None, "page"))[0][0] > 0


def test_a_client_that_does_not_listen_is_no_reason_to_end() -> None:
    async def broken(*_: Any) -> None:
        raise ConnectionError

    async def run() -> None:
        teller = Teller(broken, lambda: "starting a sandbox")
        await teller.tell()
        teller.progressed(Progress(1, 2, "page"))
        await teller.tell()

    anyio.run(run)
