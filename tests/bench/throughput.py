"""Many documents, several at a time, beside containers that do nothing at the same rate of asking."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from bench import documents
from bench.containers import bench
from bench.hoods import opened
from bench.measure import Cost, Figure, Group, call, interleaved, ratio
from bench.setting import Setting

_AT_A_TIME: Final = (1, 2, 4, 8)
#: Every family there; at the others the ones that differ most.
_ALL_FAMILIES_AT: Final = 4
#: At least this much of the bare rate; PDF is read with a library that is costly to load.
_BARS: Final = {"docx": 0.7, "xlsx": 0.7, "pptx": 0.7, "csv": 0.7, "txt": 0.7, "pdf": 0.5}


def sustained(now: Setting) -> Group:
    group = Group("Documents a second over bare containers a second (create, start, wait, remove; same image, same policy)")
    for at_a_time in _AT_A_TIME if now.full else (1, 4):
        every = now.full and at_a_time == _ALL_FAMILIES_AT
        group.figures += _at(now, at_a_time, tuple(_BARS) if every else ("docx", "txt", "pdf"))
    return group


def _at(now: Setting, at_a_time: int, families: tuple[str, ...]) -> list[Figure]:
    count = max(12, 10 * at_a_time) if now.full else 6 * at_a_time  # many, so that the last of them, alone, do not tell much
    with bench(now.folder / "state") as containers:
        sides: dict[str, Callable[[], Cost]] = {
            "nothing": lambda: _many(containers.life, count, at_a_time),
            "python": lambda: _many(containers.python_life, count, at_a_time),
        }
        for name in families:
            sides[name] = lambda name=name: _read_many(name, count, at_a_time)  # type: ignore[misc]
        costs = interleaved(sides, now.rounds(quick=2, full=3), drop_first=False)
    figures = [
        ratio(
            f"{name}, {at_a_time} at a time", costs["nothing"], costs[name], bar=_BARS[name], at_least=True, of="bare container"
        )
        for name in families
    ]
    python = ratio(f"Python doing nothing, {at_a_time} at a time", costs["nothing"], costs["python"], of="bare container")
    return [*figures, python]


def _read_many(name: str, count: int, at_a_time: int) -> Cost:
    """*count* documents. What the engine does behind a request is in the time too: starting the containers that replace the
    used ones, and removing those. As many spares wait at the end as at the beginning, so that each document stands for one
    container that was made and one that was removed, as on the other side.
    """
    data, file_name = documents.make(name), f"a{documents.extension(name)}"
    # Two threads that ask for the same document at a time would get one answer.
    waiting = [documents.another(data, number) for number in range(count)]
    with opened(jobs=at_a_time) as hood:
        hood.prepare(data, file_name, spares=at_a_time)

        def all_of_it() -> None:
            _all(lambda: hood.read(waiting.pop(), file_name), count, at_a_time)
            hood.settle()

        return call(all_of_it)


def _many(work: Callable[[], object], count: int, at_a_time: int) -> Cost:
    return call(lambda: _all(work, count, at_a_time))


def _all(work: Callable[[], object], count: int, at_a_time: int) -> None:
    with ThreadPoolExecutor(at_a_time) as pool:
        for done in [pool.submit(work) for _ in range(count)]:
            done.result()
