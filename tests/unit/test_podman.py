"""What Podman is asked, and which spellings of it pass for what was asked."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from builders import probe_report
from builders.probe_report import stored
from fumehood.sandbox import podman
from fumehood.sandbox.policy import POLICY, create_request, differences

SPEC = replace(probe_report.SPEC, seccomp='{"syscalls":[]}')


@pytest.fixture
def told(tmp_path: Path) -> dict[str, Any]:
    """A container as Podman 5.4 describes it."""
    description = stored(SPEC)
    config, host = description["Config"], description["HostConfig"]
    asked = podman.adapted(create_request(SPEC), tmp_path)["HostConfig"]
    profile = asked["SecurityOpt"][1]
    config |= {
        "Image": "localhost/fumehood-sandbox:abc",
        "Env": ["container=podman", *config["Env"][1:], config["Env"][0], "HOSTNAME=x"],
        "Healthcheck": {"Test": ["NONE"], "Interval": 30_000_000_000, "Timeout": 30_000_000_000, "Retries": 3},
        "StopSignal": "9",
        "StdinOnce": False,
        "AttachStdin": False,
        "AttachStdout": False,
        "AttachStderr": False,
        "NetworkDisabled": None,
    }
    limits = [{"Name": f"RLIMIT_{u['Name'].upper()}", "Soft": u["Soft"], "Hard": u["Hard"]} for u in host["Ulimits"]]
    host |= {
        "CapDrop": sorted(podman._DEFAULT_CAPABILITIES),
        "SecurityOpt": ["no-new-privileges", profile],
        "Ulimits": [*limits, {"Name": "RLIMIT_NPROC", "Soft": 9, "Hard": 9}],
        "Tmpfs": {"/tmp": asked["Tmpfs"]["/tmp"] + ",rprivate,tmpcopyup"},
        "PidMode": "private",
        "UTSMode": "private",
        "CgroupnsMode": "",
        "Runtime": "oci",
    }
    return description


def changed(told: dict[str, Any], **accepted: Any) -> list[str]:
    return differences(SPEC, told, spellings=podman.SPELLINGS, **accepted)


def test_all_that_differs_is_what_it_cannot_be_asked(told: dict[str, Any]) -> None:
    assert changed(told) == ["HostConfig.Tmpfs"]
    assert changed(told, accepted={"tmpfs-bounds"}) == []


def test_no_other_engine_may_spell_like_that(told: dict[str, Any]) -> None:
    assert set(podman.SPELLINGS) <= set(differences(SPEC, told))


def test_every_spelling_is_of_a_field_and_has_its_reason() -> None:
    assert set(podman.SPELLINGS) <= {flag.path for flag in POLICY}
    assert all(len(spelling.reason) > 5 for spelling in podman.SPELLINGS.values())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("Config.Env", ["container=podman", "PATH=/usr/bin:/bin", "LD_PRELOAD=/x"]),
        ("Config.Healthcheck", {"Test": ["CMD", "true"]}),
        ("Config.StopSignal", "15"),
        ("HostConfig.CapDrop", ["CHOWN"]),
        ("HostConfig.CapDrop", []),
        ("HostConfig.SecurityOpt", ["no-new-privileges"]),
        ("HostConfig.SecurityOpt", ["no-new-privileges", "seccomp=/etc/other.json"]),
        ("HostConfig.SecurityOpt", ["seccomp=unconfined", "no-new-privileges"]),
        ("HostConfig.Ulimits", [{"Name": "RLIMIT_NOFILE", "Soft": 256, "Hard": 256}]),
        ("HostConfig.PidMode", "host"),
        ("HostConfig.UTSMode", "host"),
        ("HostConfig.CgroupnsMode", "host"),
        ("HostConfig.Memory", 0),
        ("HostConfig.ReadonlyRootfs", False),
    ],
)
def test_and_nothing_more_lenient(told: dict[str, Any], path: str, value: Any) -> None:
    part, name = path.split(".")
    told[part][name] = value
    assert (path if part == "HostConfig" else name) in changed(told)


def test_an_image_of_another_id(told: dict[str, Any]) -> None:
    told["Image"] = "sha256:" + "2" * 64
    assert "Image" in changed(told)


def test_a_capability_that_was_added(told: dict[str, Any]) -> None:
    told["HostConfig"]["CapAdd"] = ["SYS_ADMIN"]
    assert {"HostConfig.CapAdd", "HostConfig.CapDrop"} <= set(changed(told))


def test_the_call_list_goes_by_a_file(tmp_path: Path) -> None:
    text = json.dumps({"defaultAction": "SCMP_ACT_ERRNO", "syscalls": [{"names": ["read"], "action": "SCMP_ACT_ALLOW"}]})
    request = create_request(SPEC)
    request["HostConfig"]["SecurityOpt"][1] = f"seccomp={text}"
    options = podman.adapted(copy.deepcopy(request), tmp_path)["HostConfig"]["SecurityOpt"]
    assert options[0] == "no-new-privileges:true"
    path = Path(options[1].removeprefix("seccomp="))
    assert path.parent == tmp_path
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text() == text
    path.write_text("{}")
    assert podman.adapted(request, tmp_path)["HostConfig"]["SecurityOpt"] == options
    assert path.read_text() == text, "a file that was changed is written again"
    assert list(tmp_path.iterdir()) == [path]
