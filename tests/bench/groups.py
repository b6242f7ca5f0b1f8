"""What is measured. Each function is one group: it sets two things side by side and returns their ratios."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import documents
from bench.containers import Bench, bench
from bench.measure import Cost, Group, call, command, interleaved, ratio
from bench.readers import Peer, extraction
from builders.jobs import job
from fumehood import Fumehood
from fumehood.staging.staged import Source, from_bytes

#: What the command line loads before it can print a document, in the order in which it does.
_STAGES = (
    ("the command line", "from fumehood.cli.main import build_app; build_app()"),
    ("settings", "from fumehood.config import load_settings; load_settings()"),
    ("the engine's client", "from fumehood.sandbox import docker_engine, docker_image"),
    ("a sandbox, ready", "from fumehood import Fumehood; hood = Fumehood(); hood.machine.ready()"),
    ("reading and checking answers", "from fumehood.documents import collect, shapes; shapes.prepare()"),
    ("printing", "from fumehood.documents import render_markdown, sanitise, views"),
)

_TO_READY = "from fumehood_sandbox import wire, worker; worker._import_ahead()"


@dataclass(frozen=True, slots=True)
class Setting:
    """Where things are, and how long the measuring may take."""

    peer: Path
    full: bool
    folder: Path

    @property
    def command_rounds(self) -> int:
        return 15 if self.full else 3

    @property
    def rounds(self) -> int:
        return 40 if self.full else 10

    def write(self, name: str) -> Path:
        """The document of that name as a file."""
        path = self.folder / f"{name}{documents.extension(name)}"
        if not path.exists():
            path.write_bytes(documents.make(name))
        return path


@contextmanager
def setting(peer: Path, *, full: bool) -> Iterator[Setting]:
    with tempfile.TemporaryDirectory(prefix="fumehood-bench-") as folder:
        yield Setting(peer, full, Path(folder))


def _environment() -> dict[str, str]:
    """Ours, but bytecode may be kept: an installed program has it."""
    return {name: value for name, value in os.environ.items() if name not in {"PYTHONDONTWRITEBYTECODE", "PYTHONPATH"}}


def cold_commands(now: Setting) -> Group:
    group = Group("`fumehood extract FILE` (no spare container) over `markitdown FILE` (no sandbox at all)")
    ours, theirs = str(Path(sys.executable).with_name("fumehood")), str(now.peer.with_name("markitdown"))
    for name in documents.SMALL if now.full else documents.SMALL[:1]:
        path = str(now.write(name))
        costs = interleaved(
            {
                "ours": lambda path=path: command([ours, "extract", "--quiet", path], _environment()),  # type: ignore[misc]
                "theirs": lambda path=path: command([theirs, path], _environment()),  # type: ignore[misc]
            },
            now.command_rounds,
        )
        group.figures += [
            ratio(f"{name}: waiting time", costs["ours"], costs["theirs"], bar=1.0, unit="markitdown"),
            ratio(f"{name}: the host's CPU", costs["ours"], costs["theirs"], clock="cpu", unit="markitdown"),
        ]
    return group


def second_document(now: Setting) -> Group:
    """Also the overhead of a whole request over a container that does nothing."""
    group = Group("A whole request in a running process (API, no spare container)")
    data = documents.make("docx")
    with Fumehood() as hood, bench(now.folder / "state") as containers:

        def request() -> Cost:
            hood._store.clear()
            source = Source("a.docx", lambda limit: from_bytes(data, "a.docx", limit=limit))
            return call(lambda: hood.extract(source, raise_on_error=True))

        costs = interleaved(
            {"request": request, "nothing": lambda: call(containers.life), "extraction": extraction(data, ".docx")}, now.rounds
        )
        group.figures += [
            ratio("docx: over a container that does nothing", costs["request"], costs["nothing"], unit="bare container"),
            ratio("docx: over the extraction in process", costs["request"], costs["extraction"], unit="extraction"),
            ratio("docx: the host's CPU over that of a bare container", costs["request"], costs["nothing"], clock="cpu", unit="bare container"),
        ]  # fmt: skip
    return group


def sustained(now: Setting) -> Group:
    group = Group("Four at a time: time a document over time a container that does nothing, same image and policy")
    count = 24 if now.full else 8
    families = documents.SMALL if now.full else documents.SMALL[:1]
    with bench(now.folder / "state") as containers:
        sides: dict[str, Callable[[], Cost]] = {"nothing": lambda: _four_at_a_time(containers.life, count)}
        for name in families:
            data = documents.make(name)
            sides[name] = lambda data=data: _four_at_a_time(lambda: _read(containers, data), count)  # type: ignore[misc]
        costs = interleaved(sides, 3 if now.full else 1)
    for name in families:
        # At least 0.7 of the rate for families read without a model library is at most 1/0.7 of the time; PDF: 0.5.
        bar = 2.0 if name == "pdf" else 1 / 0.7
        group.figures.append(ratio(name, costs[name], costs["nothing"], bar=bar, unit="bare container"))
    return group


def _read(containers: Bench, data: bytes) -> None:
    outcome = containers.sandbox.run(job(data))
    if outcome.error is not None:
        raise outcome.error


def _four_at_a_time(work: Callable[[], object], count: int) -> Cost:
    def all_of_it() -> None:
        with ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(work) for _ in range(count)]:
                done.result()

    return call(all_of_it)


def extractions(now: Setting) -> Group:
    group = Group("Extraction in process (detect, read, encode frames) over markitdown's library, both warm")
    with Peer(now.peer) as peer:
        for name in (*documents.SMALL, *(documents.LARGE if now.full else ())):
            path = now.write(name)
            ours = extraction(path.read_bytes(), documents.extension(name))
            rounds = 3 if name in documents.LARGE else now.rounds
            costs = interleaved({"ours": ours, "theirs": lambda path=path: peer.convert(path)}, rounds)  # type: ignore[misc]
            group.figures.append(ratio(name, costs["ours"], costs["theirs"], clock="cpu", bar=0.25, unit="markitdown"))
    return group


def worker_start(now: Setting) -> Group:
    group = Group("CPU of the worker in its container, over that of Python doing nothing there")
    sides = {"nothing": "pass", "until READY": _TO_READY}
    for family in documents.SMALL:
        sides[f"until the {family} reader is loaded"] = f"{_TO_READY}; import fumehood_sandbox.extractors.{family}"
    with bench(now.folder / "state") as containers:
        costs = interleaved(
            {
                name: lambda code=code: Cost(0.0, containers.cpu_of(code))  # type: ignore[misc]
                for name, code in sides.items()
            },
            now.command_rounds,
        )
    for name in list(sides)[1:]:
        group.figures.append(ratio(name, costs[name], costs["nothing"], clock="cpu", unit="bare Python"))
    return group


def imports(now: Setting) -> Group:
    group = Group("CPU of the host's start-up, stage by stage (each with all before it), over that of Python doing nothing")
    sides = {"nothing": "pass"}
    code = ""
    for name, step in _STAGES:
        code += step + "\n"
        sides[name] = code
    python = sys.executable
    costs = interleaved(
        {
            name: lambda code=code: command([python, "-c", code], _environment())  # type: ignore[misc]
            for name, code in sides.items()
        },
        now.command_rounds,
    )
    for name, _ in _STAGES:
        group.figures.append(ratio(name, costs[name], costs["nothing"], clock="cpu", unit="bare Python"))
    return group


ALL: dict[str, Callable[[Setting], Group]] = {
    "cold": cold_commands,
    "second": second_document,
    "sustained": sustained,
    "extraction": extractions,
    "worker": worker_start,
    "imports": imports,
}
