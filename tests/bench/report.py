"""Figures as text for a terminal and as the tables of docs/performance.md."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.measure import Figure, Group

BEGIN: Final = "<!-- figures: written by `scripts/bench.sh --full --write-docs` -->"
END: Final = "<!-- figures: end -->"


@dataclass(frozen=True, slots=True)
class Measured:
    """A group as it was measured: how long that took, and what else the machine did meanwhile (load average)."""

    key: str
    group: Group
    seconds: float
    load: tuple[float, float]

    def as_dict(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "title": self.group.title,
            "seconds": round(self.seconds, 1),
            "load": self.load,
            "notes": self.group.notes,
            "figures": [figure.as_dict() for figure in self.group.figures],
        }


def text(measured: Measured) -> Iterator[str]:
    """One group for a terminal."""
    yield f"{measured.key}: {measured.group.title}"
    yield f"  {'':<58} {'min':>8} {'figure':>8} {'max':>8}   bar"
    for figure in measured.group.figures:
        numbers = " ".join(f"{_number(value):>8}" for value in _row(figure))
        yield f"  {_name(figure):<58} {numbers}   {_bar(figure)}".rstrip()
    yield from (f"  ({note})" for note in measured.group.notes)
    low, high = measured.load
    yield f"  {measured.seconds:.0f} s, load {low:.1f} to {high:.1f}"
    yield ""


def markdown(groups: Sequence[Measured], machine: Mapping[str, str], command: str) -> str:
    """The tables of every group, with the machine and the command."""
    lines = [
        "| what | |",
        "|---|---|",
        f"| command | `{command}` |",
        *(f"| {key} | {value} |" for key, value in machine.items()),
    ]
    lines += ["", *verdict(groups), "", "![Each figure over its bar](performance.svg)"]
    for measured in groups:
        low, high = measured.load
        lines += ["", f"### `{measured.key}`", "", f"{measured.group.title}. Load {low:.1f} to {high:.1f}.", ""]
        lines += ["| figure | min | figure | max | rounds | bar |", "|---|---|---|---|---|---|"]
        for figure in measured.group.figures:
            low_value, value, high_value = map(_number, _row(figure))
            lines.append(f"| {_name(figure)} | {low_value} | {value} | {high_value} | {len(figure.values)} | {_bar(figure)} |")
        lines += [f"\n({note})" for note in measured.group.notes]
    return "\n".join(lines) + "\n"


def verdict(groups: Sequence[Measured]) -> Iterator[str]:
    """How many bars are reached, and each that is not, before the tables that hold them all."""
    barred = [(measured.key, figure) for measured in groups for figure in measured.group.figures if figure.bar is not None]
    missed = [(key, figure) for key, figure in barred if not figure.reached]
    yield f"{len(barred) - len(missed)} of {len(barred)} bars are reached" + (". Those that are not:" if missed else ".")
    if missed:
        yield ""
    for key, figure in missed:
        yield f"- `{key}`: {_name(figure)}: {_number(figure.value)} ({'≥' if figure.at_least else '≤'} {figure.bar:g})"


def write_between_marks(page: Path, content: str) -> None:
    """Put *content* between the two marks of *page*.

    Raises:
        RuntimeError: the page has no such marks.
    """
    before = page.read_text(encoding="utf-8")
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    if len(pattern.findall(before)) != 1:
        raise RuntimeError(f"{page.name} does not have the marks of the figures once")
    page.write_text(pattern.sub(lambda _found: f"{BEGIN}\n\n{content}\n{END}", before), encoding="utf-8")


def this_machine(engine: Mapping[str, Any]) -> dict[str, str]:
    """What the figures were measured on. *engine*: what it says of itself (``docker info``)."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processors": f"{os.cpu_count()} x {_processor()}",
        "memory": f"{memory:.0f} GiB",
        "system": f"{_system()}, Linux {platform.release()}",
        "engine": f"server {engine['ServerVersion']}, {engine['DefaultRuntime']}, {engine['Driver']}, cgroup v{engine.get('CgroupVersion', '?')}",
        "Python of the host": platform.python_version(),
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _system() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:
        return "Linux"


def _row(figure: Figure) -> tuple[float, float, float]:
    return min(figure.values), figure.value, max(figure.values)


def _name(figure: Figure) -> str:
    return figure.name + (" (CPU)" if figure.clock == "cpu" else "") + (f" [{figure.unit}]" if figure.unit != "x" else "")


def _number(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _bar(figure: Figure) -> str:
    if figure.bar is None:
        return ""
    sign = "≥" if figure.at_least else "≤"
    return f"{sign} {figure.bar:g}: {'reached' if figure.reached else 'NOT reached'}"
