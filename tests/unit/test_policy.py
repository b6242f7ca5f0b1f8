"""The create request: complete, pure, each field with its reason, and any other stored value noticed."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from fumehood.limits import MIB, Limits
from fumehood.sandbox.engine import ContainerSpec
from fumehood.sandbox.facts import BY_ID
from fumehood.sandbox.policy import POLICY, create_request, differences, policy_hash
from fumehood.sandbox.runner import seccomp_profile

SPEC = ContainerSpec(
    image_id="sha256:" + "a" * 64,
    limits=Limits().for_size(MIB),
    labels={"app": "fumehood", "app.req": "1"},
    seccomp='{"defaultAction":"SCMP_ACT_ERRNO"}',
    outer_seconds=41,
)


def stored(spec: ContainerSpec = SPEC) -> dict[str, Any]:
    """What an honest engine keeps of the request."""
    request = copy.deepcopy(create_request(spec))
    host = request.pop("HostConfig")
    host["Runtime"] = host["Runtime"] or "runc"
    host["RestartPolicy"]["MaximumRetryCount"] = 0
    for name in ("Binds", "Links", "Mounts", "Devices", "CapAdd"):
        host[name] = None
    host["MaskedPaths"], host["ReadonlyPaths"] = ["/proc/kcore"], ["/proc/sys"]
    request["Labels"]["of.the.image"] = "1"
    return {"Config": request, "HostConfig": host, "Image": spec.image_id, "Mounts": []}


def test_the_request_in_full() -> None:
    request = create_request(SPEC)
    host = request.pop("HostConfig")
    assert request.pop("Entrypoint") == [
        "/usr/bin/python3",
        "-I",
        "-S",
        "-B",
        "-c",
        "from fumehood_sandbox.worker import main; main()",
        "41",
    ]
    assert request == {
        "Image": SPEC.image_id,
        "Cmd": [],
        "Env": ["PATH=/usr/bin:/bin", "HOME=/tmp", "LANG=C.UTF-8", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"],
        "User": "65532:65532",
        "WorkingDir": "/",
        "Hostname": "x",
        "Labels": {"app": "fumehood", "app.req": "1"},
        "Healthcheck": {"Test": ["NONE"]},
        "StopSignal": "SIGKILL",
        "Tty": False,
        "OpenStdin": True,
        "StdinOnce": True,
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "NetworkDisabled": True,
        "Volumes": {},
    }
    assert host.pop("Ulimits") == [
        {"Name": "nofile", "Soft": 256, "Hard": 256},
        {"Name": "fsize", "Soft": 64 * MIB, "Hard": 64 * MIB},
        {"Name": "core", "Soft": 0, "Hard": 0},
        {"Name": "cpu", "Soft": 36, "Hard": 37},
        {"Name": "msgqueue", "Soft": 0, "Hard": 0},
        {"Name": "memlock", "Soft": 65536, "Hard": 65536},
    ]
    assert host.pop("SecurityOpt") == ["no-new-privileges:true", "seccomp=" + SPEC.seccomp]
    assert host == {
        "NetworkMode": "none",
        "ReadonlyRootfs": True,
        "Privileged": False,
        "CapAdd": [],
        "CapDrop": ["ALL"],
        "Memory": 512 * MIB,
        "MemorySwap": 512 * MIB,
        "OomScoreAdj": 1000,
        "PidsLimit": 64,
        "NanoCpus": 1_000_000_000,
        "Tmpfs": {"/tmp": f"rw,noexec,nosuid,nodev,size={64 * MIB},nr_inodes=4096,mode=1777"},
        "Binds": [],
        "Mounts": [],
        "VolumesFrom": [],
        "Devices": [],
        "DeviceRequests": [],
        "DeviceCgroupRules": [],
        "GroupAdd": [],
        "Links": [],
        "PortBindings": {},
        "PublishAllPorts": False,
        "ExtraHosts": [],
        "Sysctls": {},
        "IpcMode": "none",
        "CgroupnsMode": "private",
        "PidMode": "",
        "UTSMode": "",
        "UsernsMode": "",
        "LogConfig": {"Type": "none", "Config": {}},
        "Init": False,
        "AutoRemove": False,
        "RestartPolicy": {"Name": "no"},
        "Runtime": "",
    }


def test_every_field_has_a_reason_and_stands_once() -> None:
    assert all(len(flag.reason) >= 8 for flag in POLICY)
    paths = [flag.path for flag in POLICY]
    assert len(paths) == len(set(paths))


def test_the_facts_named_are_facts_of_the_canary() -> None:
    known = set(BY_ID)
    assert {fact for flag in POLICY for fact in flag.facts} <= known


#: Required facts that no field of the create request brings about, and what does.
PROVED_ELSEWHERE = {
    "probe": "the canary itself",
    "no-setuid": "the image is built without any",
    "stored-as-asked": "every field, compared after the create",
    "engine-warnings": "the engine's answer to the create request",
}


def test_every_required_fact_is_named_by_the_field_it_proves() -> None:
    named = {fact for flag in POLICY for fact in flag.facts}
    required = {fact.id for fact in BY_ID.values() if fact.required}
    assert required - named == set(PROVED_ELSEWHERE)


def test_accepting_one_proof_of_a_field_does_not_accept_another_field() -> None:
    kept = stored()
    kept["HostConfig"]["SecurityOpt"] = ["seccomp=unconfined"]
    kept["HostConfig"]["Memory"] = 0
    assert differences(SPEC, kept, accepted={"denied-calls", "memory-enforced"}) == [
        "HostConfig.SecurityOpt",
        "HostConfig.Memory",
    ]


def test_pure() -> None:
    first = create_request(SPEC)
    first["HostConfig"]["CapAdd"].append("SYS_ADMIN")
    first["Env"].append("X=1")
    assert create_request(SPEC)["HostConfig"]["CapAdd"] == []
    assert "X=1" not in create_request(SPEC)["Env"]


def test_an_honest_engine_differs_in_nothing() -> None:
    assert differences(SPEC, stored()) == []


# An empty runtime means the engine's own, whatever it is called; for a named one see test_a_named_runtime.
@pytest.mark.parametrize("flag", [f for f in POLICY if f.path != "HostConfig.Runtime"], ids=lambda f: f.path)
def test_any_field_stored_otherwise_is_noticed(flag: Any) -> None:
    kept = stored()
    name = flag.path.removeprefix("HostConfig.")
    place = kept["HostConfig"] if flag.path.startswith("HostConfig.") else kept["Config"]
    asked = flag.value(SPEC)
    place[name] = {
        bool: lambda: not asked,
        int: lambda: asked + 1,
        str: lambda: asked + "x",
        list: lambda: [*asked, "x"],
        dict: lambda: {"app": "other"} if name == "Labels" else {**asked, "x": "y"},
    }[type(asked)]()
    assert differences(SPEC, kept) == [flag.path]


def test_a_named_runtime() -> None:
    from dataclasses import replace

    asked = replace(SPEC, runtime="runsc", gvisor=True)
    kept = stored(asked)
    assert create_request(asked)["HostConfig"]["PidsLimit"] == 256, "gVisor's own threads count"
    assert differences(asked, kept) == []
    kept["HostConfig"]["Runtime"] = "runc"
    assert differences(asked, kept) == ["HostConfig.Runtime"]


def test_what_the_engine_adds_by_itself_is_noticed() -> None:
    kept = stored()
    kept["Mounts"] = [{"Type": "volume"}]
    kept["Image"] = "sha256:" + "b" * 64
    kept["HostConfig"]["MaskedPaths"] = []
    kept["HostConfig"]["OomKillDisable"] = True
    assert differences(SPEC, kept) == ["Image (resolved)", "Mounts", "HostConfig.MaskedPaths", "HostConfig.OomKillDisable"]


def test_dropped_limits_are_noticed_unless_accepted_by_name() -> None:
    kept = stored()
    kept["HostConfig"]["Memory"] = kept["HostConfig"]["MemorySwap"] = 0
    assert differences(SPEC, kept) == ["HostConfig.Memory", "HostConfig.MemorySwap"]
    assert differences(SPEC, kept, accepted={"memory-limit"}) == []


def test_the_hash_says_when_the_policy_changed_and_only_then() -> None:
    from dataclasses import replace

    assert policy_hash(replace(SPEC, labels={"app": "fumehood", "app.req": "2"})) == policy_hash(SPEC)
    assert policy_hash(replace(SPEC, seccomp="{}")) != policy_hash(SPEC)


def test_the_shipped_call_list() -> None:
    profile = json.loads(seccomp_profile())
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    assert {a["architecture"] for a in profile["archMap"]} == {"SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"}
    assert all(a["subArchitectures"] == [] for a in profile["archMap"]), "32-bit entries stay dead"
    rules = profile["syscalls"]
    clone = next(r for r in rules if r["names"] == ["clone"])
    assert (clone["args"][0]["value"], clone["args"][0]["valueTwo"], clone["args"][0]["op"]) == (
        0x7E020000,
        0,
        "SCMP_CMP_MASKED_EQ",
    )
    clone3 = next(r for r in rules if r["names"] == ["clone3"])
    assert (clone3["action"], clone3["errnoRet"]) == ("SCMP_ACT_ERRNO", 38)
    assert {r["action"] for r in rules} == {"SCMP_ACT_ALLOW", "SCMP_ACT_ERRNO"}


def test_the_shipped_call_list_is_what_its_maker_makes() -> None:
    """Nothing was added by hand, and nothing of what no reader may call is in it."""
    import importlib.util
    from pathlib import Path

    place = Path(__file__).resolve().parents[2] / "scripts" / "seccomp_from_strace.py"
    module_spec = importlib.util.spec_from_file_location("seccomp_from_strace", place)
    assert module_spec is not None
    assert module_spec.loader is not None
    maker = importlib.util.module_from_spec(module_spec)
    module_spec.loader.exec_module(maker)
    shipped = json.loads(maker.PROFILE.read_text())
    assert maker.profile(set(shipped["syscalls"][0]["names"])) == shipped
    with pytest.raises(SystemExit, match="socket"):
        maker.profile({"read", "socket"})
