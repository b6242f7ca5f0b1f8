"""Where the time of one request goes, with a spare container and without."""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Final

from bench.hoods import Hood, opened
from bench.measure import Figure, Group
from bench.setting import Setting
from bench.trace import Trace
from fumehood import Fumehood
from fumehood.documents.collect import Collector
from fumehood.sandbox.admission import Admission
from fumehood.sandbox.box import Box
from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.docker_socket import DockerConnection
from fumehood.sandbox.exchange import Exchange
from fumehood.sandbox.pool import Pool
from fumehood.staging.staged import Staged
from fumehood_sandbox.frames import ResponseDecoder

#: Method to stage. What an exchange does beside sending, receiving and checking is waiting for the container to read.
_PLACES: Final[dict[tuple[type, str], str]] = {
    (Fumehood, "_staged"): "stage",
    (Staged, "sha256"): "hash",
    (Admission, "admit"): "queue",
    (DockerEngine, "create"): "create",
    (DockerEngine, "attach"): "attach",
    (DockerEngine, "start"): "start",
    (Exchange, "run"): "extract",
    (DockerConnection, "send"): "send",
    (DockerConnection, "receive"): "receive",
    (ResponseDecoder, "feed"): "receive",
    (Collector, "add"): "validate",
    (Box, "wait_ready"): "ready",
    (Pool, "take"): "take",
    (Box, "settle"): "remove",
    (Box, "finish"): "remove",
    (Box, "close"): "remove",
}
_OF: Final = "the whole request"
_ORDER: Final = tuple(dict.fromkeys(_PLACES.values()))


def stages(now: Setting) -> Group:
    group = Group("The stages of one request, docx of 300 paragraphs, over the whole request (API, from a file)")
    path = now.write("docx")
    rounds = now.rounds(quick=8, full=30)
    with opened() as hood:
        hood.prepare(path.read_bytes(), path.name)
        _add(group, "spare container", _traced(hood, path, rounds))
    with opened(spares=0) as hood:
        _add(group, "no spare container", _traced(hood, path, rounds))
    return group


def _traced(hood: Hood, path: Path, rounds: int) -> list[tuple[float, Trace]]:
    """The whole time and the trace of each request but the first."""
    seen = []
    for _ in range(rounds + 1):
        trace = Trace()
        with trace.watching(_PLACES):
            started = time.perf_counter()
            hood.read_file(path)
            seen.append((time.perf_counter() - started, trace))
            hood.settle()  # what goes on behind the answer belongs to the trace too
    return seen[1:]


def _add(group: Group, kind: str, seen: list[tuple[float, Trace]]) -> None:
    behind: list[Figure] = []
    for stage in _ORDER:
        if any(trace.stages[stage] for _, trace in seen):
            shares = [trace.stages[stage] / whole for whole, trace in seen]
            group.figures.append(Figure(f"{kind}: {stage}", shares, of=_OF))
        if any(trace.behind[stage] for _, trace in seen):
            behind.append(Figure(f"{kind}: {stage}, behind the answer", [t.behind[stage] / whole for whole, t in seen], of=_OF))
    rest = [1 - sum(trace.stages.values()) / whole for whole, trace in seen]
    group.figures.append(Figure(f"{kind}: everything else", rest, of=_OF))
    group.figures += behind
    if not group.figures:
        raise RuntimeError("no stage was seen")
    wholes = [whole for whole, _ in seen]
    group.notes.append(f"{kind}: the whole request took {statistics.median(wholes) * 1000:.1f} ms")
