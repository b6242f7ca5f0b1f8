"""Costs, taken in turns; and figures, which are ratios of two of them. Nothing else is ever shown: a machine's own speed
and what else it does at the moment are in both sides of a ratio.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Clock = Literal["wall", "cpu"]


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds: *wall* as a person waits, *cpu* as user and system time of the processes that were started or called here.

    What the engine and a container spend is in *wall* only.
    """

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Figure:
    """*name*: the cost of the first over the cost of the second, one ratio a round. *bar*: at most this, where there is one."""

    name: str
    clock: Clock
    ratios: Sequence[float]
    bar: float | None = None
    unit: str = ""
    """What 1.00 stands for."""

    @property
    def median(self) -> float:
        return statistics.median(self.ratios)

    @property
    def reached(self) -> bool | None:
        return None if self.bar is None else self.median <= self.bar

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "clock": self.clock,
            "unit": self.unit,
            "min": min(self.ratios),
            "median": self.median,
            "max": max(self.ratios),
            "rounds": len(self.ratios),
            "bar": self.bar,
            "reached": self.reached,
        }


@dataclass(slots=True)
class Group:
    """Figures that were measured together, and what they mean."""

    title: str
    figures: list[Figure] = field(default_factory=list)


def interleaved(sides: Mapping[str, Callable[[], Cost]], rounds: int) -> dict[str, list[Cost]]:
    """Every side once a round, in turns and in changing order; a first round fills caches and is thrown away."""
    costs: dict[str, list[Cost]] = {name: [] for name in sides}
    for number in range(rounds + 1):
        order = list(sides) if number % 2 else list(sides)[::-1]
        for name in order:
            cost = sides[name]()
            if number:
                costs[name].append(cost)
    return costs


def ratio(
    name: str, over: Sequence[Cost], under: Sequence[Cost], *, clock: Clock = "wall", bar: float | None = None, unit: str = ""
) -> Figure:
    """The figure of *over* / *under*, round by round."""
    pairs = zip(over, under, strict=True)
    return Figure(name, clock, [getattr(a, clock) / max(getattr(b, clock), 1e-6) for a, b in pairs], bar, unit)


def call(work: Callable[[], object]) -> Cost:
    """What *work* costs in this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Cost(time.perf_counter() - wall, time.process_time() - cpu)


def command(argv: Sequence[str], environment: Mapping[str, str]) -> Cost:
    """What a command costs from its start to its end.

    Raises:
        RuntimeError: it failed, with what it said.
    """
    with tempfile.TemporaryFile() as said:
        wall = time.perf_counter()
        process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=said, stdin=subprocess.DEVNULL, env=environment)
        _, status, used = os.wait4(process.pid, 0)
        cost = Cost(time.perf_counter() - wall, used.ru_utime + used.ru_stime)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise RuntimeError(f"{' '.join(argv)}: exit {process.returncode}: {said.read()[-400:].decode(errors='replace')}")
    return cost
