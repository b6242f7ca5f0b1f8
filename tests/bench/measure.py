"""Costs, taken in turns; and figures, which compare two of them round by round. A machine's own speed, and what else it
does at the moment, are in both sides of a comparison.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

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
    """One value a round, and the one of them that stands for all: the median, or another *quantile*."""

    name: str
    values: Sequence[float]
    unit: str = "x"
    """``x``: a ratio. A difference, or a size, has its own unit, and a ratio beside it."""
    of: str = ""
    """What 1.00 of a ratio stands for."""
    clock: Clock = "wall"
    bar: float | None = None
    at_least: bool = False
    """The bar is a lower bound."""
    quantile: float = 0.5

    @property
    def value(self) -> float:
        if self.quantile == 0.5:
            return statistics.median(self.values)
        ordered = sorted(self.values)
        return ordered[min(int(self.quantile * len(ordered)), len(ordered) - 1)]

    @property
    def reached(self) -> bool | None:
        if self.bar is None:
            return None
        return self.value >= self.bar if self.at_least else self.value <= self.bar

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "unit": self.unit,
            "of": self.of,
            "clock": self.clock,
            "min": min(self.values),
            "value": self.value,
            "quantile": self.quantile,
            "max": max(self.values),
            "rounds": len(self.values),
            "bar": self.bar,
            "at_least": self.at_least,
            "reached": self.reached,
        }


@dataclass(slots=True)
class Group:
    """Figures that were measured together, and what they mean."""

    title: str
    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What else there is to say: what could not be measured here, and why."""
    failed: bool = False


def interleaved(sides: Mapping[str, Callable[[], Cost]], rounds: int, *, drop_first: bool = True) -> dict[str, list[Cost]]:
    """Every side once a round, in turns and in changing order. A first round, which fills caches, is not counted: *drop_first*."""
    costs: dict[str, list[Cost]] = {name: [] for name in sides}
    for number in range(0 if drop_first else 1, rounds + 1):
        order = list(sides) if number % 2 else list(sides)[::-1]
        for name in order:
            cost = sides[name]()
            if number:
                costs[name].append(cost)
    return costs


def ratio(
    name: str,
    over: Sequence[Cost],
    under: Sequence[Cost],
    *,
    clock: Clock = "wall",
    bar: float | None = None,
    at_least: bool = False,
    of: str = "",
) -> Figure:
    """The figure of *over* / *under*, round by round."""
    pairs = zip(over, under, strict=True)
    values = [getattr(a, clock) / max(getattr(b, clock), 1e-6) for a, b in pairs]
    return Figure(name, values, of=of, clock=clock, bar=bar, at_least=at_least)


def difference(
    name: str, over: Sequence[Cost], under: Sequence[Cost], *, bar: float | None = None, quantile: float = 0.5
) -> Figure:
    """*over* - *under* in milliseconds of waiting, round by round."""
    values = [(a.wall - b.wall) * 1000 for a, b in zip(over, under, strict=True)]
    return Figure(name, values, unit="ms", bar=bar, quantile=quantile)


def call(work: Callable[[], object]) -> Cost:
    """What *work* costs in this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Cost(time.perf_counter() - wall, time.process_time() - cpu)


def command(argv: Sequence[str], environment: Mapping[str, str] | None = None, *, stdin: Path | None = None) -> Cost:
    """What a command costs from its start to its end. *environment*: this process's own, unless given.

    Raises:
        RuntimeError: it failed, with what it said.
    """
    with tempfile.TemporaryFile() as said, (stdin or Path(os.devnull)).open("rb") as given:
        return _waited(argv, environment, given, said)


def _waited(argv: Sequence[str], environment: Mapping[str, str] | None, given: IO[bytes], said: IO[bytes]) -> Cost:
    wall = time.perf_counter()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=said, stdin=given, env=environment)
    _, status, used = os.wait4(process.pid, 0)
    cost = Cost(time.perf_counter() - wall, used.ru_utime + used.ru_stime)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        said.seek(0)
        raise RuntimeError(f"{' '.join(argv)}: exit {process.returncode}: {said.read()[-400:].decode(errors='replace')}")
    return cost
