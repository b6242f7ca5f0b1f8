"""What size costs: time against the size of the input, and the host's memory."""

from __future__ import annotations

import math
import statistics
from typing import Final

from bench import documents
from bench.hoods import opened
from bench.measure import Cost, Figure, Group, call, interleaved, ratio
from bench.memory import host_memory, taken, write
from bench.setting import Setting
from fumehood.results import ExtractResult

_MB: Final = 1_000_000
_MEMORY_BAR: Final = 64.0
#: A workbook by its cells, a PDF by its pages.
_HUGE: Final = ("xlsx-100000", "xlsx-1000000", "pages-3000")


def time_by_size(now: Setting) -> Group:
    """The slope is that of a straight line through the logarithms: 1 is a time that grows as the input does."""
    group = Group("Time against the size of the input (CSV and text; API, a cold container), over that of 1 MB")
    sizes = (1, 10, 100) if now.full else (1, 10)
    with opened() as hood:
        for kind, content in (("csv", documents.table_lines), ("txt", documents.prose)):
            bodies = {size: content(size * _MB) for size in sizes}
            costs = interleaved(
                {
                    str(size): lambda body=body, kind=kind: call(lambda: hood.read(body, f"a.{kind}"))  # type: ignore[misc]
                    for size, body in bodies.items()
                },
                1,
                drop_first=False,
            )
            group.figures += [
                ratio(f"{kind}, {size} MB", costs[str(size)], costs["1"], of="1 MB of the same") for size in sizes[1:]
            ]
            group.figures.append(Figure(f"{kind}: slope, 1 to {sizes[-1]} MB", slopes(sizes, costs), of="grows as the size"))
    return group


def slopes(sizes: tuple[int, ...], costs: dict[str, list[Cost]]) -> list[float]:
    """One a round."""
    at = [math.log(size) for size in sizes]
    rounds = zip(*(costs[str(size)] for size in sizes), strict=True)
    return [statistics.linear_regression(at, [math.log(cost.wall) for cost in costs_of]).slope for costs_of in rounds]


def validation(now: Setting) -> Group:
    """What the host does for an answer, beside what the container did for it."""
    group = Group("The host's CPU for one document over the CPU of its container's worker, imports included (API)")
    with opened() as hood:
        for name in documents.SMALL:
            data, values = documents.make(name), list[float]()
            for _ in range(now.rounds(quick=3, full=15)):
                results: list[ExtractResult] = []
                cost = call(lambda: results.append(hood.read(data, f"a{documents.extension(name)}")))  # noqa: B023 - called at once
                values.append(cost.cpu * 1000 / max(results[0].provenance["cpu_ms"], 1))
            group.figures.append(_share(name, values))
    for name in _HUGE if now.full else _HUGE[:1]:
        group.figures.append(_share(_label(name), [taken(write(now.folder, name), "none").host_share]))
    return group


def _share(name: str, values: list[float]) -> Figure:
    return Figure(name, values, of="worker", clock="cpu", bar=0.2)


def memory(now: Setting) -> Group:
    group = Group("The host's memory above idle for one document that is read and written out as Markdown")
    for name, above in host_memory(now.folder, full=now.full).items():
        bar = _MEMORY_BAR if "200" in name else None
        group.figures.append(Figure(name, [above], unit="MiB", bar=bar))
    return group


def _label(name: str) -> str:
    kind, _, size = name.partition("-")
    return f"{kind}, {int(size):,} {'cells' if kind == 'xlsx' else 'pages'}"
