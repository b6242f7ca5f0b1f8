"""One document at a time: with a spare container, as a command, and in a process that runs already."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from bench import competitor, documents
from bench.containers import bench
from bench.hoods import Hood, opened
from bench.measure import Cost, Group, call, command, difference, interleaved, ratio
from bench.readers import extraction, first_time
from bench.setting import Setting, environment


def warm(now: Setting) -> Group:
    group = Group("A request that a spare container waits for (API), over the same extraction in this process")
    for name in (*documents.SMALL, "txt"):
        data, extension = documents.make(name), documents.extension(name)
        with opened() as hood:
            hood.prepare(data, f"a{extension}")
            alone = extraction(data, extension)
            # Both sides have the machine to themselves: the container that replaces the used one is there.
            sides = {
                "request": lambda: _warm(hood, data, extension),  # noqa: B023
                "extraction": lambda: _settled(hood, alone),  # noqa: B023
            }
            if name == "docx":
                sides["first"] = first_time(now.write(name))
            costs = interleaved(sides, now.rounds(quick=20, full=120) if name == "docx" else now.rounds(quick=8, full=40))
            request, under = costs["request"], costs["extraction"]
            group.figures += [
                difference(f"{name}: more than the extraction, median", request, under, bar=5.0),
                difference(f"{name}: more than the extraction, 95th percentile", request, under, bar=20.0, quantile=0.95),
                ratio(f"{name}: over the extraction", request, under, of="extraction"),
            ]
            if "first" in costs:
                group.figures.append(
                    ratio(f"{name}: a process's first extraction over a later one", costs["first"], under, of="extraction")
                )
    return group


def warm_against_docker_run(now: Setting) -> Group:
    group = Group("`docker run --rm -i --network none MARKITDOWN < FILE`, over a request that a spare container waits for")
    image = competitor.image()
    with opened() as hood:
        for name in (*documents.SMALL, "txt") if now.full else ("docx",):
            path, data, extension = now.write(name), documents.make(name), documents.extension(name)
            hood.prepare(data, f"a{extension}")
            costs = interleaved(
                {
                    "theirs": lambda path=path: competitor.docker_run(image, path),  # type: ignore[misc]
                    "ours": lambda data=data, extension=extension: _warm(hood, data, extension),  # type: ignore[misc]
                },
                now.rounds(quick=3, full=15 if name == "docx" else 3),
            )
            bar = 40.0 if name == "docx" else None
            group.figures.append(
                ratio(
                    f"{name}: as many times faster", costs["theirs"], costs["ours"], bar=bar, at_least=True, of="warm request"
                )
            )
    return group


def _settled(hood: Hood, measured: Callable[[], Cost]) -> Cost:
    hood.settle()
    return measured()


def _warm(hood: Hood, data: bytes, extension: str) -> Cost:
    return _settled(hood, lambda: call(lambda: hood.read(data, f"a{extension}")))


def cold_commands(now: Setting) -> Group:
    group = Group("`fumehood extract FILE` (no spare container) over `markitdown FILE` (no sandbox at all)")
    ours, theirs = str(Path(sys.executable).with_name("fumehood")), str(now.peer.with_name("markitdown"))
    for name in (*documents.SMALL, "txt") if now.full else ("docx",):
        path = str(now.write(name))
        costs = interleaved(
            {
                "ours": lambda path=path: command([ours, "extract", "--quiet", path], environment()),  # type: ignore[misc]
                "theirs": lambda path=path: command([theirs, path], environment()),  # type: ignore[misc]
            },
            now.rounds(quick=3, full=15 if name == "docx" else 5),
        )
        group.figures += [
            ratio(f"{name}: waiting time", costs["ours"], costs["theirs"], bar=1.0, of="markitdown"),
            ratio(f"{name}: the host's CPU", costs["ours"], costs["theirs"], clock="cpu", of="markitdown"),
        ]
    return group


def without_a_spare(now: Setting) -> Group:
    """Also the overhead of a whole request over a container that does nothing."""
    group = Group("A whole request in a running process (API, no spare container)")
    data = documents.make("docx")
    with opened(spares=0) as hood, bench(now.folder / "state") as containers:
        costs = interleaved(
            {
                "request": lambda: call(lambda: hood.read(data, "a.docx")),
                "nothing": lambda: call(containers.life),
                "extraction": extraction(data, ".docx"),
            },
            now.rounds(quick=8, full=30),
        )
    group.figures += [
        ratio("docx: over a container that does nothing", costs["request"], costs["nothing"], of="bare container"),
        ratio("docx: over the extraction in process", costs["request"], costs["extraction"], of="extraction"),
        ratio("docx: the host's CPU over that of a bare container", costs["request"], costs["nothing"], clock="cpu", of="bare container"),
    ]  # fmt: skip
    return group
