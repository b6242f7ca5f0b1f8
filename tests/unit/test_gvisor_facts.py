"""The facts under gVisor: another expectation where its kernel is, and only there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from builders.probe_report import INFO, SPEC, evidence, good_report
from fumehood.limits import MIB
from fumehood.sandbox import facts_gvisor, policy
from fumehood.sandbox.engine import ExitInfo
from fumehood.sandbox.evidence import Evidence, Trial, Usage
from fumehood.sandbox.facts import BY_ID, judge

BUILD = "4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016"
GVISOR = replace(SPEC, runtime="runsc", gvisor=True)
REGISTERED = replace(INFO, runtimes={"runc": "runc", "runsc": "/usr/bin/runsc"})


def report() -> dict[str, Any]:
    """What the probe says on gVisor's kernel without our call list."""
    mounts = [
        ["/", "9p", ["ro"]], ["/proc", "proc", ["rw", "noexec"]], ["/dev", "tmpfs", ["rw"]], ["/sys/fs/cgroup/job", "cgroup", ["rw"]],
        ["/tmp", "tmpfs", ["rw", "noexec", "size=67108864"]],
    ]  # fmt: skip
    return good_report() | {
        "kernel": BUILD,
        "kernel_log": "gVisor",
        "first_stopped": "yes",
        "capabilities": {"CapInh": 0, "CapPrm": 0, "CapEff": 0, "CapBnd": 0, "CapAmb": -1},
        "seccomp": 0,
        "oom_score_adj": 0,
        "namespaces": {"cgroup": -1, "ipc": 2, "mnt": 4, "net": 1, "pid": 241, "user": 242, "uts": 3},
        "sockets": {
            "inet": "ok",
            "unix": "ok",
            "netlink": "ok",
            "packet": "EPERM",
            "vsock": "EAFNOSUPPORT",
            "alg": "EAFNOSUPPORT",
        },
        "connect": "EHOSTUNREACH",
        "syscalls": {f"call{n}": "ENOSYS" for n in range(50)} | {"ptrace": "ok", "unshare": "ok"},
        "foreign": {"int80": "-38", "x32": "ENOSYS"},
        "devices": ["full", "fuse", "null", "random", "tty", "urandom", "zero"],
        "mounts": mounts,
        "shm": True,
        "scratch_inodes": 4160,
        "scratch_inodes_end": "no end",
        "scratch_loader": "exit 42",
        "scratch_map": "ok",
        "memory": -1,
        "swap": None,
        "pids": -1,
        "forks": 0,
        "forks_end": "not tried",
        "cpu_milli": -1,
        "cgroup_paths": ["/" + "a" * 64],
    }


def in_gvisor(changes: dict[str, Any] | None = None, **around: Any) -> Evidence:
    request = policy.create_request(GVISOR)
    host = request.pop("HostConfig") | {"Runtime": "runsc"}
    given: dict[str, Any] = {
        "spec": GVISOR,
        "info": REGISTERED,
        "stored": {"Image": GVISOR.image_id, "Config": request, "HostConfig": host, "Mounts": [], "LogPath": ""},
        "usage": Usage(512 * MIB, 256, 12),
        "processes": Trial(ExitInfo(2)),
        "host_namespaces": {"net": 4026531840, "pid": 4026531836, "mnt": 4026531832, "cgroup": 4026531835},
    }
    return evidence(report() | (changes or {}), **(given | around))


def failing(seen: Evidence) -> set[str]:
    return {fact.id for fact in judge(seen) if fact.required and not fact.ok}


def test_all_hold() -> None:
    assert in_gvisor().in_gvisor
    assert failing(in_gvisor()) == set()
    assert set(facts_gvisor.CHECKS) <= set(BY_ID)


def test_with_our_call_list_in_front_of_it_the_ordinary_expectations_hold() -> None:
    filtered = {
        "seccomp": 2, "kernel_log": "EPERM", "connect": "EPERM", "foreign": {"int80": "-1", "x32": "EPERM"},
        "sockets": dict.fromkeys(("inet", "unix", "vsock"), "EPERM"), "syscalls": {f"call{n}": "EPERM" for n in range(50)},
    }  # fmt: skip
    assert failing(in_gvisor(filtered)) == set()
    assert failing(in_gvisor(filtered | {"sockets": {"inet": "ok", "vsock": "EPERM"}})) == {"no-sockets"}
    assert failing(in_gvisor(filtered | {"syscalls": filtered["syscalls"] | {"ptrace": "ok"}})) == {"denied-calls"}  # type: ignore[operator] # a dict


@pytest.mark.parametrize(
    ("changes", "fails"),
    [
        ({"interfaces": ["eth0", "lo"]}, "network-none"),
        ({"connect": "ETIMEDOUT"}, "network-none"),
        ({"sockets": {"inet": "ok", "packet": "EPERM", "vsock": "ok", "alg": "EPERM"}}, "no-sockets"),
        ({"sockets": {}}, "no-sockets"),
        ({"capabilities": {"CapInh": 0, "CapPrm": 0, "CapEff": 1, "CapBnd": 0, "CapAmb": -1}}, "no-capabilities"),
        ({"no_new_privs": 0}, "no-new-privileges"),
        ({"syscalls": {f"call{n}": "ENOSYS" for n in range(50)} | {"mount": "ok"}}, "denied-calls"),
        ({"syscalls": {}}, "denied-calls"),
        ({"foreign": {"int80": "3", "x32": "ENOSYS"}}, "i386-dead"),
        ({"namespaces": {"net": 4026531840, "pid": 5}}, "own-namespaces"),
        ({"namespaces": {}}, "own-namespaces"),
        ({"hostname": "host"}, "own-namespaces"),
        ({"cgroup_paths": ["/system.slice/docker.service"]}, "cgroup-namespace"),
        ({"scratch_bytes_end": "no end"}, "tmpfs-bounds"),
        ({"scratch_exec": "ENOENT"}, "tmpfs-noexec"),
        ({"devices": ["null", "sda"]}, "no-devices"),
        ({"writable": ["/dev/shm", "/tmp"]}, "no-shared-memory"),
        ({"uids": [0, 0, 0]}, "user"),
    ],
)
def test_each_can_fail(changes: dict[str, Any], fails: str) -> None:
    assert fails in failing(in_gvisor(changes))


@pytest.mark.parametrize(
    ("around", "fails"),
    [
        ({"usage": Usage(25 * 10**9, 256, 12)}, {"memory-limit"}),
        ({"usage": Usage(512 * MIB, -1, 12)}, {"pids-limit"}),
        ({"usage": Usage(512 * MIB, 256, 0)}, {"cpu-quota"}),
        ({"usage": Usage()}, {"memory-limit", "pids-limit", "cpu-quota"}),
        ({"processes": Trial(ExitInfo(0), survived=264, unit="processes")}, {"pids-limit"}),
        ({"processes": Trial(ExitInfo(137, oom_killed=True))}, {"pids-limit"}),
        ({"processes": Trial(ExitInfo(137))}, {"pids-limit"}),
        ({"processes": Trial(None, "not tried")}, {"pids-limit"}),
        ({"memory": Trial(ExitInfo(0), survived=270 * MIB)}, {"memory-limit", "memory-enforced", "tmpfs-bounds"}),
    ],
)
def test_limits_are_proved_from_outside(around: dict[str, Any], fails: set[str]) -> None:
    assert failing(in_gvisor(**around)) == fails


def test_a_crowd_that_was_refused_is_as_good() -> None:
    assert failing(in_gvisor(processes=Trial(ExitInfo(0), "refused after 200"))) == set()


def test_a_name_without_gvisors_kernel_is_refused_and_judged_as_any_other() -> None:
    """Registered as runsc, but the host's own kernel answers: everything is expected that a plain runtime must hold."""
    seen = in_gvisor({"kernel": "6.12.0-amd64 #1 SMP", "kernel_log": "other"})
    assert not seen.in_gvisor
    assert {"runtime", "seccomp", "no-sockets", "tmpfs-bounds", "memory-limit"} <= failing(seen)
    found = next(fact.found for fact in judge(seen) if fact.id == "runtime")
    assert "not gVisor's" in found


@pytest.mark.parametrize("kernel", [f"{INFO.kernel} #1 SMP Sun Jan 10 15:06:54 PST 2016", "6.12.0-amd64 gVisor"])
def test_the_engines_own_kernel_is_never_gvisors(kernel: str) -> None:
    assert not in_gvisor({"kernel": kernel}).in_gvisor


def test_gvisors_name_on_another_program() -> None:
    spec = replace(SPEC, runtime="runsc")
    stored = evidence().stored
    seen = evidence(
        spec=spec, info=replace(INFO, runtimes={"runsc": "/usr/bin/runc"}), stored=stored | {"HostConfig": stored["HostConfig"] | {"Runtime": "runsc"}}
    )  # fmt: skip
    assert failing(seen) == {"runtime"}


def test_hints_name_the_entry_that_is_wrong() -> None:
    loose = replace(REGISTERED, runtime_arguments={"runsc": ["--network=none", "--ignore-cgroups"]})
    hints = {fact.id: fact.hint for fact in judge(in_gvisor(info=loose, usage=Usage()))}
    assert "--ignore-cgroups" in (hints["pids-limit"] or "")
    silent = in_gvisor(observed=None, why="it did not start")
    assert "--network=none" in ({fact.id: fact.hint for fact in judge(silent)}["probe"] or "")
