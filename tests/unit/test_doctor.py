"""``fumehood doctor``: the shape of its report, its exit status, and that it says how to mend what it found."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import pytest

from builders.probe_report import INFO, SPEC, evidence, good_report
from fumehood.cli import doctor as command
from fumehood.cli.main import main
from fumehood.config import Settings
from fumehood.errors import InputError, make_error
from fumehood.sandbox import doctor
from fumehood.sandbox.docker_resolve import Endpoint
from fumehood.sandbox.doctor import Report, diagnose
from fumehood.sandbox.facts import FACTS, Judged, judge
from fumehood.sandbox.image_trust import TrustedImage
from fumehood.sandbox.reaper import Removed, Swept

IMAGE = TrustedImage(id="sha256:" + "1" * 64, lock_id="abc", source="local", name="core", recipe="r", layers=())


class Nothing:
    """A client, or an engine's image side, that is only passed around."""

    api: Any = None

    def __init__(self, *_: object, **__: object) -> None:
        self.api = self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def info(self) -> dict[str, Any]:
        return {
            "ServerVersion": "29.5.1", "OperatingSystem": "Debian", "KernelVersion": "6", "Architecture": "x86_64", "NCPU": 2,
            "MemTotal": 8 * 10**9, "CgroupVersion": "2", "CgroupDriver": "systemd", "Driver": "overlay2", "Runtimes": {"runc": {}},
            "DefaultRuntime": "runc", "SecurityOptions": ["name=seccomp"], "Warnings": ["WARNING: No swap limit support"],
        }  # fmt: skip

    def version(self) -> dict[str, Any]:
        return {"ApiVersion": "1.55", "Components": [{"Name": "runc", "Version": "1.3.3"}]}


class Engine(Nothing):
    """The side that containers are made by."""

    def info(self) -> Any:
        return INFO


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """A machine on which all is well; a test changes what it is about."""
    given: dict[str, Any] = {"image": IMAGE, "report": good_report(), "built": [], "around": {}, "swept": Swept()}

    def image(**_: object) -> TrustedImage:
        if isinstance(given["image"], Exception):
            raise given["image"]
        trusted: TrustedImage = given["image"]
        return trusted

    def judge_now(*_: object, **__: object) -> list[Judged]:
        return judge(evidence(given["report"], **given["around"]))

    monkeypatch.setattr(doctor, "open_client", lambda _setting: (Nothing(), Endpoint("unix:///d.sock", "DOCKER_HOST")))
    monkeypatch.setattr(doctor, "ImageEngine", Nothing)
    monkeypatch.setattr(doctor, "DockerEngine", Engine)
    monkeypatch.setattr(doctor, "trusted_image", image)
    monkeypatch.setattr(doctor, "build_image", lambda name, **_: given["built"].append(name))
    monkeypatch.setattr(doctor.reaper, "sweep", lambda _engine, _state: given["swept"])
    monkeypatch.setattr(doctor, "state_folder", lambda: tmp_path)
    monkeypatch.setattr(doctor.canary, "judge_now", judge_now)
    return given


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = main(["doctor", *arguments])
    return status, capsys.readouterr().out


def test_all_is_well(machine: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    status, out = run(capsys, "--json")
    answer = json.loads(out)
    assert status == 0
    assert list(answer) == ["ok", "engine", "facts"]
    assert answer["ok"] is True
    assert answer["engine"]["attested"] == "full"
    assert answer["engine"]["image"]["id"] == IMAGE.id
    assert len(answer["facts"]) == len(FACTS)
    assert all(set(fact) == {"id", "name", "required", "expected", "found", "ok", "hint"} for fact in answer["facts"])


def test_the_table_names_every_fact(machine: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    status, out = run(capsys)
    assert status == 0
    assert all(fact.id in out for fact in FACTS)
    assert "every required fact was proved" in out
    assert "runc 1.3.3" in out
    assert "cgroup v2" in out
    assert "No swap limit" in out


def test_a_failing_fact_is_status_5_with_its_hint(machine: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    machine["report"]["memory"] = -1
    status, out = run(capsys, "--json")
    answer = json.loads(out)
    failing = [fact for fact in answer["facts"] if not fact["ok"]]
    assert status == 5
    assert answer["ok"] is False
    assert [fact["id"] for fact in failing] == ["memory-limit"]
    assert "delegate" in failing[0]["hint"]
    assert answer["engine"]["error"]["code"] == "sandbox-too-weak"
    _, table = run(capsys)
    assert "FAILS" in table
    assert "sandbox-too-weak" in table
    assert "--accept-weaker memory-limit" in table


def test_accepted_by_name(machine: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    machine["report"]["memory"] = -1
    status, out = run(capsys, "--json", "--accept-weaker", "memory-limit")
    assert status == 0
    assert json.loads(out)["engine"]["missing"] == ["memory-limit"]
    _, table = run(capsys, "--accept-weaker", "memory-limit")
    assert "Weakened, as accepted: memory-limit" in table


def test_an_unknown_fact_is_a_usage_error(machine: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--accept-weaker", "nonsense"]) == 2
    assert "network-none" in capsys.readouterr().err


def test_advice_warns_and_does_not_fail(machine: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    machine["report"]["uid_map"] = [[0, 0, 4294967295]]
    status, out = run(capsys)
    assert status == 0
    assert "warns" in out
    assert "userns-remap" in out


def test_image_missing(machine: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    machine["image"] = make_error("image-missing", "the sandbox image has not been built yet")
    status, out = run(capsys, "--json")
    answer = json.loads(out)
    assert status == 5
    assert answer["engine"]["image"] == {"present": False}
    assert answer["engine"]["error"]["code"] == "image-missing"
    assert "fumehood image build" in answer["engine"]["error"]["hint"]
    assert answer["facts"] == []
    assert "image-missing" in run(capsys)[1]


def test_fix_builds_and_sweeps_first_and_names_what_was_removed(
    machine: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    machine["swept"] = Swept([Removed("c" * 64, "dead"), Removed("d" * 64, "overdue")], 2, make_error("internal", "no more"))
    assert run(capsys)[0] == 0
    assert machine["built"] == []
    assert main(["doctor", "--fix"]) == 0
    assert machine["built"] == ["core"]
    said = capsys.readouterr().err
    assert "removed the left-over container cccccccccccc: its process is gone\n" in said
    assert "removed the left-over container dddddddddddd: its time was over long ago\n" in said
    assert "removed 2 files of processes that are gone\n" in said
    assert "not everything that is left over could be removed: no more\n" in said


def test_fix_with_nothing_to_remove_says_nothing_of_it(machine: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--fix"]) == 0
    assert "remove" not in capsys.readouterr().err


def test_no_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    status, out = run(capsys, "--json")
    answer = json.loads(out)
    assert status == 5
    assert answer["engine"]["reachable"] is False
    assert answer["engine"]["error"]["code"] == "engine-unreachable"
    assert "no such socket" in answer["engine"]["error"]["message"]
    _, table = run(capsys)
    assert "none answers" in table
    assert "No documents are read" in table


def test_diagnose_refuses_unknown_names_at_once() -> None:
    with pytest.raises(InputError):
        diagnose(Settings(accept_weaker=("nonsense",)))


def test_what_an_engine_says_cannot_write_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report()
    report.engine = {"reachable": False}
    report.error = make_error("internal", "\x1b]52;c;evil\x07 refused [bold]")
    command.show(report)
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "[bold]" in out


def test_facts_that_hang_on_a_missing_report_are_counted_and_not_listed(
    machine: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    machine["around"] = {"observed": None, "why": "the runtime failed"}
    status, out = run(capsys)
    assert status == 5
    assert "the runtime failed" in out
    assert "more facts hang on what fails here" in out
    assert "network-none" not in out
    _, whole = run(capsys, "--json")
    assert len(json.loads(whole)["facts"]) == len(FACTS)


def test_a_runtime_that_was_passed_over_is_named_with_the_way_to_mend_it(
    machine: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    info = replace(INFO, runtimes={"runc": "runc", "runsc": "/usr/bin/runsc"})
    monkeypatch.setattr(Engine, "info", lambda _engine: info)
    monkeypatch.setattr(Engine, "list_labelled", lambda _engine, _labels: {}, raising=False)
    monkeypatch.setattr(doctor.strays, "strays", lambda known: [7, 8])

    def judge_now(sandbox: Any, **_: object) -> list[Judged]:
        spec = replace(SPEC, runtime=sandbox.runtime, gvisor=sandbox.runtime == "runsc")
        return judge(evidence(info=info, spec=spec))  # an ordinary kernel, whatever the runtime is called

    monkeypatch.setattr(doctor.canary, "judge_now", judge_now)
    status, out = run(capsys)
    assert status == 0
    assert "runsc is registered too, and passed over" in out
    assert "--network=none" in out
    assert "runtime  runc of" in out
    assert "kill -9 7 8" in out
    status, out = run(capsys, "--json", "--runtime", "runsc")
    assert status == 5
    assert json.loads(out)["engine"]["error"]["code"] == "sandbox-too-weak"
