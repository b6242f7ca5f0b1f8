"""Which runtime is tried, what counts as gVisor, and the processes that a failed start of it leaves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from builders.probe_report import INFO
from fumehood.errors import FumehoodError, make_error
from fumehood.sandbox import runtimes, strays
from fumehood.sandbox.attestation import Attestation

DOCKER = replace(INFO, runtimes={"runc": "runc", "runsc": "/usr/bin/runsc"})


@pytest.mark.parametrize(
    ("name", "registered", "gvisor"),
    [
        ("runsc", "/usr/local/bin/runsc", True),
        ("safe", "/opt/runsc-2026", True),
        ("safe", "io.containerd.runsc.v1", True),
        ("io.containerd.runsc.v1", "", True),
        ("runsc", "/usr/bin/runc", False),
        ("runsc", "", False),
        ("gvisor", "/usr/bin/crun", False),
        ("runc", "runc", False),
        ("runc", "/opt/runsc/runc", False),
    ],
)
def test_what_is_registered_decides_and_not_the_name(name: str, registered: str, gvisor: bool) -> None:
    info = replace(INFO, runtimes={name: registered})
    assert runtimes.is_gvisor(name, info) is gvisor
    assert runtimes.is_gvisor(None, replace(info, default_runtime=name)) is gvisor


@pytest.mark.parametrize(
    ("setting", "changes", "tried"),
    [
        ("auto", {}, ["runsc", None]),
        ("auto", {"runtimes": {"runc": "runc"}}, [None]),
        ("auto", {"runtimes": {"runc": "runc", "runsc": "/usr/bin/runc"}}, [None]),
        ("auto", {"runtimes": {"b": "/usr/bin/runsc", "a": "/usr/bin/runsc"}}, ["a", None]),
        ("auto", {"default_runtime": "runsc"}, [None]),
        ("auto", {"kind": "podman"}, [None]),
        ("runsc", {"kind": "podman"}, ["runsc"]),
        ("runc", {}, ["runc"]),
        ("no-such", {}, ["no-such"]),
    ],
)
def test_what_is_tried(setting: str, changes: dict[str, object], tried: list[str | None]) -> None:
    assert runtimes.candidates(setting, replace(DOCKER, **changes)) == tried  # type: ignore[arg-type] # by name


class Made:
    def __init__(self, runtime: str | None) -> None:
        self.runtime = runtime
        self.attestation: Attestation | None = None


def _settle(setting: str, failing: dict[str | None, FumehoodError]) -> tuple[Made, list[tuple[str | None, bool]], list[str]]:
    asked: list[tuple[str | None, bool]] = []
    over: list[str] = []

    def attest(made: Made, has_other: bool) -> Attestation:
        asked.append((made.runtime, has_other))
        if made.runtime in failing:
            raise failing[made.runtime]
        return Attestation("full")

    made = runtimes.settle(setting, DOCKER, Made, attest, lambda runtime, _why: over.append(runtime))
    return made, asked, over


def test_auto_takes_the_first_that_can_be_proved() -> None:
    made, asked, over = _settle("auto", {})
    assert (made.runtime, asked, over) == ("runsc", [("runsc", True)], [])
    assert made.attestation == Attestation("full")
    weak = make_error("sandbox-too-weak", "it is")
    made, asked, over = _settle("auto", {"runsc": weak})
    assert (made.runtime, asked, over) == (None, [("runsc", True), (None, False)], ["runsc"])


def test_what_was_chosen_by_name_has_no_other() -> None:
    weak = make_error("sandbox-too-weak", "it is")
    with pytest.raises(FumehoodError) as caught:
        _settle("runsc", {"runsc": weak})
    assert caught.value is weak


def test_an_engine_that_is_gone_is_no_reason_to_try_another_runtime() -> None:
    with pytest.raises(FumehoodError) as caught:
        _settle("auto", {"runsc": make_error("engine-unreachable", "gone")})
    assert caught.value.code == "engine-unreachable"


def test_processes_without_a_container(tmp_path: Path) -> None:
    known, unknown = "a" * 64, "b" * 64
    for number, words in {
        "11": f"runsc-sandbox\0--root=/run\0boot\0{known}\0",
        "12": f"runsc-sandbox\0--root=/run\0boot\0{unknown}\0",
        "13": f"runsc-gofer\0--bundle=/run/moby/{unknown}\0",
        "14": f"grep\0runsc-sandbox\0{unknown}\0",
        "self": f"runsc-sandbox\0{unknown}\0",
    }.items():
        (tmp_path / number).mkdir()
        (tmp_path / number / "cmdline").write_bytes(words.encode())
    (tmp_path / "15").mkdir()
    assert strays.strays([known], tmp_path) == [12, 13]
    assert "kill -9 12 13" in strays.told([13, 12])
