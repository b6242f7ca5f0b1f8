"""What is loaded before work begins: in the container until its worker is ready, and on the host."""

from __future__ import annotations

import sys
from typing import Final

from bench.containers import bench
from bench.measure import Cost, Group, command, interleaved, ratio
from bench.setting import Setting, environment
from fumehood_sandbox.frames import HINTS

#: What the command line loads before it can print a document, in the order in which it does.
_STAGES: Final = (
    ("the command line", "from fumehood.cli.main import build_app; build_app()"),
    ("settings", "from fumehood.config import load_settings; load_settings()"),
    ("the engine's client", "from fumehood.sandbox import docker_engine, docker_image"),
    ("a sandbox, ready", "from fumehood import Fumehood; hood = Fumehood(); hood.machine.ready()"),
    ("reading and checking answers", "from fumehood.documents import collect, shapes; shapes.prepare()"),
    ("printing", "from fumehood.documents import render_markdown, sanitise, views"),
)


def worker_start(now: Setting) -> Group:
    """The worker's own steps, without its second process: that one's CPU is its parent's to report."""
    group = Group(
        "CPU of the worker in its container until READY, by the family it prepares for, over that of Python doing nothing"
    )
    sides = {"nothing": "pass"}
    for hint in sorted(HINTS):
        sides[hint or "no family"] = f"from fumehood_sandbox import wire, worker; worker._import_ahead({hint!r})"
    with bench(now.folder / "state") as containers:
        costs = interleaved(
            {
                name: lambda code=code: Cost(0.0, containers.cpu_of(code))  # type: ignore[misc]
                for name, code in sides.items()
            },
            now.rounds(quick=3, full=15),
        )
    for name in list(sides)[1:]:
        group.figures.append(ratio(name, costs[name], costs["nothing"], clock="cpu", of="bare Python"))
    return group


def imports(now: Setting) -> Group:
    group = Group("CPU of the host's start-up, stage by stage (each with all before it), over that of Python doing nothing")
    sides = {"nothing": "pass"}
    code = ""
    for name, step in _STAGES:
        code += step + "\n"
        sides[name] = code
    costs = interleaved(
        {
            name: lambda code=code: command([sys.executable, "-c", code], environment())  # type: ignore[misc]
            for name, code in sides.items()
        },
        now.rounds(quick=3, full=15),
    )
    for name, _ in _STAGES:
        group.figures.append(ratio(name, costs[name], costs["nothing"], clock="cpu", of="bare Python"))
    return group
