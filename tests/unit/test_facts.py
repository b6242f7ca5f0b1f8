"""Each fact holds on good evidence and fails, alone, on the evidence that is about it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from builders.probe_report import INFO, evidence, good_report, stored
from fumehood.errors import EnvironmentError_, FumehoodError, InputError
from fumehood.sandbox import policy
from fumehood.sandbox.engine import ExitInfo
from fumehood.sandbox.evidence import MAX_REPORT, PROBE_VERSION, Trial, parse_observation, parse_survived
from fumehood.sandbox.facts import BY_ID, FACTS, attest, check_names, judge
from fumehood_sandbox import probe

MIB = 1024 * 1024


def failing(**changes: Any) -> set[str]:
    report = {**good_report(), **changes}
    return {fact.id for fact in judge(evidence(report)) if not fact.ok}


def failing_around(**changes: Any) -> set[str]:
    return {fact.id for fact in judge(evidence(**changes)) if not fact.ok}


def test_all_hold_on_good_evidence() -> None:
    judged = judge(evidence())
    assert [fact.id for fact in judged if not fact.ok] == []
    assert all(fact.hint is None for fact in judged)
    assert attest(judged).level == "full"


@pytest.mark.parametrize(
    ("fact", "changes"),
    [
        ("network-none", {"interfaces": ["eth0", "lo"]}),
        ("network-none", {"connect": "ok"}),
        ("network-none", {"connect": "ETIMEDOUT"}),
        ("network-none", {"interfaces": []}),
        ("no-resolver", {"resolver_bytes": 25}),
        ("no-resolver", {"hosts_bytes": 150}),
        ("no-resolver", {"resolve": "resolved"}),
        ("no-resolver", {"resolve": "timeout"}),
        ("no-sockets", {"sockets": {"inet": "EPERM", "vsock": "ok"}}),
        ("no-sockets", {"sockets": {"inet": "EAFNOSUPPORT"}}),
        ("no-sockets", {"sockets": {}}),
        ("user", {"uids": [0, 0, 0]}),
        ("user", {"uids": [65532, 65532, 0]}),
        ("user", {"groups": [65532, 0]}),
        ("no-capabilities", {"capabilities": {**good_report()["capabilities"], "CapBnd": 1 << 21}}),
        ("no-capabilities", {"capabilities": {}}),
        ("no-new-privileges", {"no_new_privs": 0}),
        ("seccomp", {"seccomp": 0}),
        ("denied-calls", {"syscalls": {**good_report()["syscalls"], "unshare": "ok"}}),
        ("denied-calls", {"syscalls": {**good_report()["syscalls"], "mount": "EFAULT"}}),
        ("denied-calls", {"syscalls": {"mount": "EPERM"}}),
        ("i386-dead", {"foreign": {"int80": "3", "x32": "SIGSYS"}}),
        ("i386-dead", {"foreign": {"int80": "not run", "x32": "SIGSYS"}}),
        ("i386-dead", {"foreign": {}}),
        ("own-namespaces", {"namespaces": {**good_report()["namespaces"], "pid": 2}}),
        ("own-namespaces", {"namespaces": {}}),
        ("own-namespaces", {"hostname": "build-server"}),
        ("cgroup-namespace", {"cgroup_paths": ["/docker/abc"]}),
        ("cgroup-namespace", {"cgroup_paths": []}),
        ("user-namespace", {"uid_map": [[0, 0, 4294967295]]}),
        ("init", {"pid1": "docker-init", "parent": 7}),
        ("init", {"pid1": ""}),
        ("init", {"parent": 7}),
        ("init", {"first_stopped": "yes"}),
        ("init", {"first_stopped": "EPERM"}),
        ("init", {"first_memory": "ok"}),
        ("no-mounts", {"mounts": [*good_report()["mounts"], ["/usr/sbin/docker-init", "ext4", ["ro"]]]}),
        ("no-tty", {"ttys": [False, True, False]}),
        ("image-config", {"environment": ["PATH", "LD_PRELOAD"]}),
        ("image-config", {"working_directory": "/srv"}),
        ("read-only-root", {"writable": ["/dev", "/tmp"]}),
        ("read-only-root", {"writable": []}),
        ("read-only-root", {"mounts": [["/", "overlay", ["rw"]], *good_report()["mounts"][1:]]}),
        ("no-setuid", {"setuid": ["/usr/bin/su"]}),
        ("tmpfs-bounds", {"scratch_inodes": 4160, "scratch_inodes_end": "no end"}),
        ("tmpfs-bounds", {"scratch_bytes": 72 * MIB, "scratch_bytes_end": "no end"}),
        ("tmpfs-bounds", {"scratch_bytes": 0, "scratch_bytes_end": "EACCES"}),
        ("tmpfs-noexec", {"scratch_exec": "ENOENT"}),
        ("tmpfs-noexec", {"scratch_loader": "exit 42"}),
        ("tmpfs-noexec", {"scratch_map": "ok"}),
        ("tmpfs-noexec", {"mounts": [["/", "overlay", ["ro"]], ["/tmp", "tmpfs", ["rw", "noexec", "nodev"]]]}),
        ("no-mounts", {"mounts": [*good_report()["mounts"], ["/data", "ext4", ["rw"]]]}),
        ("no-mounts", {"mounts": [*good_report()["mounts"], ["/data", "tmpfs", ["rw"]]]}),
        ("no-devices", {"devices": ["kvm", "null"]}),
        ("no-devices", {"devices": []}),
        ("no-shared-memory", {"shm": True}),
        ("no-queues", {"queue": "ok"}),
        ("masked-paths", {"masked_readable": ["/proc/keys"]}),
        ("memory-limit", {"memory": -1}),
        ("memory-limit", {"memory": 2048 * MIB}),
        ("memory-limit", {"swap": 512 * MIB}),
        ("pids-limit", {"forks": 72, "forks_end": "no end"}),
        ("pids-limit", {"pids": -1}),
        ("cpu-quota", {"cpu_milli": -1}),
        ("cpu-quota", {"cpu_milli": None}),
        ("ulimits", {"rlimits": {**good_report()["rlimits"], "core": [0, -1]}}),
        ("ulimits", {"rlimits": {**good_report()["rlimits"], "nofile": [1024, 1024]}}),
        ("ulimits", {"descriptors_end": "no end"}),
        ("file-size-limit", {"file_size": "ok"}),
        ("cpu-limit", {"cpu": "timeout"}),
        ("no-core-dump", {"core_dumped": True}),
        ("oom-score", {"oom_score_adj": 0}),
    ],
)
def test_one_observation_fails_one_fact(fact: str, changes: dict[str, Any]) -> None:
    assert failing(**changes) == {fact}


@pytest.mark.parametrize(
    ("fact", "changes"),
    [
        ("no-log", {"stored": stored() | {"LogPath": "/var/lib/x.log"}}),
        ("no-log", {"stored": stored() | {"HostConfig": stored()["HostConfig"] | {"LogConfig": {"Type": "json-file"}}}}),
        ("exit-readable", {"stored": stored() | {"HostConfig": stored()["HostConfig"] | {"AutoRemove": True}}}),
        ("runtime", {"stored": stored() | {"HostConfig": stored()["HostConfig"] | {"Runtime": "other"}}}),
        ("no-mounts", {"stored": stored() | {"Mounts": [{"Destination": "/data"}]}}),
        ("engine-warnings", {"warnings": ("no swap limit",)}),
        ("stored-as-asked", {"differences": ("HostConfig.Sysctls",)}),
        ("no-resolver", {"differences": ("NetworkDisabled",)}),
        ("memory-enforced", {"memory": Trial(ExitInfo(0), survived=300 * MIB)}),
        ("memory-enforced", {"memory": Trial(ExitInfo(137))}),
        ("memory-enforced", {"memory": Trial(ExitInfo(0, oom_killed=True))}),
        ("deadman", {"deadman": Trial(None, "still running after 8 s")}),
        ("deadman", {"deadman": Trial(ExitInfo(0))}),
        ("host-death", {"host_death": Trial(None, "it did not end by itself")}),
        ("runc-version", {"info": replace(INFO, runtime_version="1.1.5+ds1")}),
        ("runc-version", {"info": replace(INFO, runtime_version="1.3.2")}),
        ("runc-version", {"info": replace(INFO, runtime_version="")}),
        ("engine-version", {"info": replace(INFO, version="28.2.2")}),
    ],
)
def test_what_the_engine_shows(fact: str, changes: dict[str, Any]) -> None:
    assert failing_around(**changes) == {fact}


@pytest.mark.parametrize("version", ["1.2.8", "1.3.3", "1.4.0", "v1.3.4", "1.2.9-rhel"])
def test_mended_runc(version: str) -> None:
    info = replace(INFO, runtime_version=version)
    assert failing_around(info=info) == set()


def test_label_only_where_the_engine_has_one() -> None:
    info = replace(INFO, security_options=("name=apparmor",))
    unlabelled = {**good_report(), "label": "unconfined"}
    assert {f.id for f in judge(evidence(unlabelled, info=info)) if not f.ok} == {"confinement"}
    assert failing(label="unconfined") == set()


def test_arm_has_no_other_entry() -> None:
    assert failing(machine="aarch64", foreign={}) == set()


def test_a_kernel_without_a_foreign_entry_is_closed_as_well() -> None:
    assert failing(foreign={"int80": "SIGSEGV", "x32": "ENOSYS"}) == set()


def test_a_memory_limit_that_cannot_be_seen_must_bite() -> None:
    unseen = {**good_report(), "memory": None, "swap": None}
    assert {f.id for f in judge(evidence(unseen)) if not f.ok} == set()
    lived = Trial(ExitInfo(0), survived=300 * MIB)
    assert {f.id for f in judge(evidence(unseen, memory=lived)) if not f.ok} == {"memory-limit", "memory-enforced"}


def test_without_a_report_nothing_inside_is_proved() -> None:
    judged = judge(evidence(observed=None, why="the runtime failed"))
    failing = {fact.id: fact.found for fact in judged if not fact.ok}
    assert failing["probe"] == "the runtime failed"
    assert {"network-none", "seccomp", "read-only-root", "memory-limit"} <= set(failing)
    with pytest.raises(EnvironmentError_) as caught:
        attest(judged)
    assert caught.value.code == "sandbox-too-weak"
    assert caught.value.message == "The sandbox could not be proved: the runtime failed"


def test_policy_and_facts_know_each_other() -> None:
    named = {name for flag in policy.POLICY for name in flag.facts}
    assert named <= set(BY_ID)


def test_every_fact_says_why_and_how_to_mend() -> None:
    for fact in FACTS:
        assert fact.name
        assert len(fact.reason) > 10
        assert fact.hint.endswith((".", "`"))


def test_host_and_image_speak_of_the_same_probe() -> None:
    assert probe.PROBE_VERSION == PROBE_VERSION


# -- accepting --------------------------------------------------------------------------------------------------------


def test_a_failing_required_fact_is_too_weak() -> None:
    judged = judge(evidence({**good_report(), "seccomp": 0, "shm": True}))
    with pytest.raises(EnvironmentError_) as caught:
        attest(judged)
    assert caught.value.code == "sandbox-too-weak"
    assert "seccomp" in caught.value.message
    assert "no-shared-memory" in caught.value.message
    assert "--accept-weaker seccomp" in caught.value.hint
    assert caught.value.exit_status == 5


def test_accepted_by_name_is_weakened_and_says_so() -> None:
    judged = judge(evidence({**good_report(), "seccomp": 0, "shm": True}))
    with pytest.raises(EnvironmentError_, match="no-shared-memory"):
        attest(judged, ["seccomp"])
    attestation = attest(judged, ["seccomp", "no-shared-memory"])
    assert (attestation.level, attestation.missing) == ("weakened", ("seccomp", "no-shared-memory"))


def test_accepting_what_holds_is_still_full() -> None:
    assert attest(judge(evidence()), ["seccomp"]).level == "full"


def test_advisory_facts_never_refuse() -> None:
    assert attest(judge(evidence({**good_report(), "uid_map": [[0, 0, 4294967295]]}))).level == "full"


@pytest.mark.parametrize("name", ["nonsense", "", "user-namespace"])
def test_unknown_or_advisory_names_are_refused(name: str) -> None:
    with pytest.raises(InputError) as caught:
        check_names([name])
    assert caught.value.code == "invalid-argument"
    assert "network-none" in caught.value.message


# -- the report is untrusted ------------------------------------------------------------------------------------------


def refused(payload: bytes) -> FumehoodError:
    with pytest.raises(FumehoodError) as caught:
        parse_observation(payload)
    return caught.value


@pytest.mark.parametrize(
    "changes",
    [
        {"surprise": 1},
        {"seccomp": "2"},
        {"seccomp": True},
        {"seccomp": 2.0},
        {"memory": 2**60},
        {"pid1": "x" * 201},
        {"pid1": "\x1b[31m"},
        {"pid1": "\u202e"},
        {"shm": 0},
        {"probe": 1},
        {"writable": ["/tmp"] * 61},
        {"uids": "65532"},
        {"mounts": [["/", "overlay"]]},
        {"syscalls": {f"c{n}": "EPERM" for n in range(101)}},
    ],
)
def test_a_report_of_another_shape_is_no_report(changes: dict[str, Any]) -> None:
    error = refused(json.dumps({**good_report(), **changes}).encode())
    assert error.code == "protocol"
    assert "\x1b" not in error.message


@pytest.mark.parametrize("missing", ["seccomp", "mounts", "probe"])
def test_a_missing_observation_is_no_report(missing: str) -> None:
    report = good_report()
    del report[missing]
    assert missing in refused(json.dumps(report).encode()).message


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b'{"probe": NaN}',
        b"\xff\xfe",
        b'{"a":' * 50_000,
        b" " * (MAX_REPORT + 1),
        b'{"probe": 3' + b"0" * 10_000 + b"}",
    ],
)
def test_junk_is_no_report(payload: bytes) -> None:
    assert refused(payload).code == "protocol"


def test_survivor() -> None:
    assert parse_survived(b'{"probe": 3, "survived": 276824064}') == 276824064
    with pytest.raises(FumehoodError):
        parse_survived(b'{"probe": 3, "survived": -5}')
