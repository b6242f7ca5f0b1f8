"""Which runtime is chosen, and which are refused, on engines that have several."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conformance.subject import Subject

from builders.jobs import job
from engines.conftest import KINDS, Kind, Opened
from fumehood.errors import EnvironmentError_
from fumehood.sandbox import canary
from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.runner import Sandbox
from fumehood.sandbox.runtimes import settle
from fumehood.sandbox.verdicts import Verdicts

pytestmark = pytest.mark.timeout(300)

Make = Callable[[Kind], Subject]
GVISOR = [kind for kind in KINDS if kind.gvisor]


@pytest.fixture
def doctor(tmp_path: Path) -> Callable[..., tuple[int, dict[str, Any]]]:
    """``fumehood doctor --json`` as a process, against an engine; with a state folder that knows the images."""

    def run(subject: Subject, *arguments: str) -> tuple[int, dict[str, Any]]:
        environment = {**os.environ, "FUMEHOOD_ENGINE": subject.address or ""}
        command = [sys.executable, "-m", "fumehood.cli.main", "doctor", "--json", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=200, check=False)
        return done.returncode, json.loads(done.stdout)

    return run


@pytest.mark.parametrize("kind", GVISOR, ids=lambda kind: kind.name)
def test_without_control_groups_it_is_refused(make_subject: Make, kind: Kind, tmp_path: Path) -> None:
    subject = make_subject(Kind("loose", kind.room, "runsc-loose", gvisor=True))
    with pytest.raises(EnvironmentError_) as caught:
        canary.attest(subject.sandbox, verdicts=Verdicts(tmp_path))
    assert caught.value.code == "sandbox-too-weak"
    for fact in ("memory-limit", "memory-enforced", "pids-limit", "cpu-quota"):
        assert fact in caught.value.message
    assert "--ignore-cgroups" in caught.value.hint


def _settled(subject: Subject, folder: Path, setting: str) -> tuple[Sandbox, list[str]]:
    passed_over: list[str] = []
    sandbox = settle(
        setting,
        subject.engine.info(),
        lambda runtime: Sandbox(subject.engine, subject.core, instance=subject.instance, runtime=runtime),
        lambda made, has_other: canary.attest(made, verdicts=Verdicts(folder), believe_refusal=has_other),
        lambda runtime, _why: passed_over.append(runtime),
    )
    return sandbox, passed_over


@pytest.mark.parametrize("kind", GVISOR, ids=lambda kind: kind.name)
def test_auto_takes_gvisor_and_the_answer_says_so(make_subject: Make, kind: Kind, tmp_path: Path) -> None:
    sandbox, passed_over = _settled(make_subject(kind), tmp_path, "auto")
    assert (sandbox.runtime, passed_over) == ("runsc", [])
    outcome = sandbox.run(job(b"a document\n", extension=".txt", seconds=100))
    assert outcome.error is None, outcome.error
    assert outcome.provenance.runtime == "runsc"
    assert outcome.provenance.attested == "full"


@pytest.fixture
def networked(make_subject: Make, opened: Callable[[str], Opened]) -> Iterator[Subject]:
    """gVisor registered as its own installer does it: it does not start without a network. What a failed start leaves is ended."""
    subject = make_subject(Kind("networked", "docker-26", "runsc-net", gvisor=True))
    yield subject
    for process in opened("docker-26").room.processes("runsc-"):
        os.kill(process, 9)


def test_a_runtime_that_does_not_start_is_refused_with_the_way_to_register_it(
    networked: Subject, doctor: Callable[..., tuple[int, dict[str, Any]]], opened: Callable[[str], Opened]
) -> None:
    status, report = doctor(networked, "--runtime", "runsc-net")
    assert status == 5
    assert report["engine"]["error"]["code"] == "sandbox-too-weak"
    assert "--network=none" in report["engine"]["error"]["hint"]
    # One start, not one for each proof: what it leaves running, no request to the engine can end. So doctor tells of it.
    left = opened("docker-26").room.processes("runsc-")
    assert len([process for process in left if process in opened("docker-26").room.processes("runsc-sandbox")]) <= 1
    said = [warning for warning in report["engine"]["warnings"] if "belong to no container" in warning]
    assert bool(said) == bool(left)
    assert all(str(process) in said[0] for process in left)


def test_auto_passes_over_what_cannot_be_proved_and_remembers_that(
    networked: Subject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = networked.engine.info()
    from dataclasses import replace

    only = replace(info, runtimes={"runc": "runc", "runsc-net": info.runtimes["runsc-net"]})
    monkeypatch.setattr(networked.engine, "_info", only)
    started: list[str] = []
    start = DockerEngine.start
    monkeypatch.setattr(
        DockerEngine, "start", lambda engine, container: (started.append(container), start(engine, container))[1]
    )
    for starts in (5, 5):
        sandbox, passed_over = _settled(networked, tmp_path, "auto")
        assert (sandbox.runtime, passed_over) == (None, ["runsc-net"])
        assert len(started) == starts


def test_podman_is_refused_until_what_it_lacks_is_accepted(
    make_subject: Make, doctor: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    kind = next(kind for kind in KINDS if kind.room == "podman-5")
    subject = make_subject(kind)
    status, report = doctor(subject)
    assert status == 5
    assert {fact["id"] for fact in report["facts"] if fact["required"] and not fact["ok"]} == kind.lacks
    accepted = [word for fact in sorted(kind.lacks) for word in ("--accept-weaker", fact)]
    status, report = doctor(subject, *accepted)
    assert status == 0, report["engine"].get("error")
    assert set(report["engine"]["missing"]) == kind.lacks
    assert report["engine"]["runtime"] == "runc"


def test_podmans_runtime_is_its_services(make_subject: Make, tmp_path: Path) -> None:
    kind = next(kind for kind in KINDS if kind.room == "podman-5")
    subject = make_subject(Kind("podman-runsc", kind.room, "runsc", gvisor=True, lacks=kind.lacks))
    with pytest.raises(EnvironmentError_) as caught:
        canary.attest(subject.sandbox, verdicts=Verdicts(tmp_path), accept_weaker=sorted(kind.lacks))
    assert caught.value.code == "sandbox-too-weak"
