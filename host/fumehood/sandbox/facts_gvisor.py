"""What the facts expect under gVisor, where that is not what they expect elsewhere, and why.

gVisor is a kernel of its own, in user space: a document's system calls reach it and not the host's. So some proofs of the
other runtimes do not apply (there is no filter in front of the host's kernel, but gVisor), some limits show only from outside
(the control groups inside are gVisor's own inventions), and some are not there. No fact claims more than was found:
`Finding.found` says in words what it rests on. A runtime registered with ``--oci-seccomp`` puts our call list in front of
gVisor's kernel as well; then the expectations for calls and sockets are the ordinary ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from fumehood.sandbox import facts_inside
from fumehood.sandbox.evidence import Evidence, Observation, shown
from fumehood.sandbox.fact import Finding, inside
from fumehood.sandbox.policy import create_request

Check = Callable[[Observation, Evidence], Finding]

_FILTERED: Final = 2

#: Families that reach past a network of one's own, to a hypervisor, to the wire, into the kernel: gVisor has none of them.
_NO_FAMILY: Final = frozenset({"EPERM", "EACCES", "EAFNOSUPPORT", "EPROTONOSUPPORT", "ESOCKTNOSUPPORT", "ENOSYS"})
_MUST_BE_REFUSED: Final = ("vsock", "packet", "alg")

#: Calls that succeed because, as they are tried, they change nothing: its own ids once more, no namespace, its own queue.
_HARMLESS: Final = frozenset({"ptrace", "unshare", "setuid", "setgid", "setresuid", "setresgid", "msgget"})

_GVISOR_DEVICES: Final = frozenset({"fuse"})
_OWN_GROUP: Final = re.compile(r"/([0-9a-f]{64})?")
_KILLED: Final = 137


def _filtered(seen: Observation) -> bool:
    return seen.seccomp == _FILTERED


def _network(seen: Observation, _: Evidence) -> Finding:
    # Without an interface gVisor says EHOSTUNREACH at once, which elsewhere means that somebody was asked.
    unreachable = seen.connect in {"ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL", "EPERM", "SIGSYS"}
    found = f"{', '.join(seen.interfaces) or 'none'}; connect: {seen.connect}"
    return Finding("lo; connect fails at once", found, seen.interfaces == ["lo"] and unreachable)


def _sockets(seen: Observation, evidence: Evidence) -> Finding:
    if _filtered(seen):
        return facts_inside.sockets(seen, evidence)
    wrong = {name: seen.sockets.get(name, "not tried") for name in _MUST_BE_REFUSED}
    wrong = {name: answer for name, answer in wrong.items() if answer not in _NO_FAMILY}
    expected = f"{', '.join(_MUST_BE_REFUSED)} refused; the others end inside gVisor"
    return Finding(expected, shown(wrong or expected), not wrong)


def _capabilities(seen: Observation, _: Evidence) -> Finding:
    # gVisor has no ambient set (-1: the status file does not name it).
    held = {name: f"{mask:x}" for name, mask in seen.capabilities.items() if mask and (name, mask) != ("CapAmb", -1)}
    return Finding("none, in every set", shown(held or "none, in every set"), len(seen.capabilities) == 5 and not held)


def _seccomp(seen: Observation, _: Evidence) -> Finding:
    if _filtered(seen):
        return Finding("mode 2, or gVisor's kernel", "mode 2 in front of gVisor's kernel", ok=True)
    found = "gVisor's kernel answers every call; our list is not in front of it (--oci-seccomp puts it there)"
    return Finding("mode 2, or gVisor's kernel", found, ok=True)  # that it is gVisor's kernel was seen


def _calls(seen: Observation, evidence: Evidence) -> Finding:
    if _filtered(seen):
        return facts_inside.calls(seen, evidence)
    wrong = {name: answer for name, answer in seen.syscalls.items() if answer == "ok" and name not in _HARMLESS}
    found = shown(wrong) if wrong else f"{len(seen.syscalls)} answered by gVisor, none that changes anything"
    return Finding("none does anything", found, len(seen.syscalls) >= 40 and not wrong)


def _other_doors(seen: Observation, _: Evidence) -> Finding:
    if seen.machine == "aarch64":
        return Finding("closed", "aarch64 has none", ok=True)
    # gVisor has no i386 table and no x32 numbers; int80 gives the call's own result: an error, never a descriptor.
    refused = {"int80": {"-38", "-1", "SIGSYS", "SIGSEGV"}, "x32": {"ENOSYS", "EPERM", "SIGSYS"}}
    ok = set(seen.foreign) == set(refused) and all(seen.foreign[name] in words for name, words in refused.items())
    return Finding("int80 and x32 refused", ", ".join(f"{k}: {v}" for k, v in seen.foreign.items()) or "not tried", ok)


def _namespaces(seen: Observation, evidence: Evidence) -> Finding:
    # gVisor does not show every kind. Those that it shows have numbers of its own, none of which is ever one of the host's.
    shown_ones = {name: number for name, number in seen.namespaces.items() if number != -1}
    if not {"net", "pid"} <= set(shown_ones):
        return Finding("none shared with the host", f"shows {', '.join(shown_ones) or 'none'}", ok=False)
    return facts_inside.namespaces_of(shown_ones, seen, evidence)


def _first_process(seen: Observation, _: Evidence) -> Finding:
    # gVisor lets it be stopped; the supervisor's own timer kills it then (fumehood_sandbox.supervise).
    return facts_inside.first_process(seen, {"no", "yes"})


def _cgroup_namespace(seen: Observation, _: Evidence) -> Finding:
    foreign = [path for path in seen.cgroup_paths if not _OWN_GROUP.fullmatch(path)]
    own = "gVisor's own, named after the container alone"
    return Finding(f"none, or {own}", shown(", ".join(foreign) or (own if seen.cgroup_paths else "none")), not foreign)


def _scratch_bounds(seen: Observation, evidence: Evidence) -> Finding:
    limits = evidence.spec.limits
    bytes_hold = seen.scratch_bytes_end == "ENOSPC" and 0 < seen.scratch_bytes <= limits.tmpfs_bytes
    counted = seen.scratch_inodes_end == "ENOSPC" and 0 < seen.scratch_inodes <= limits.tmpfs_inodes
    in_memory = "files cost the container's own memory" if _bomb_died(evidence) else "files without bound"
    files = f"{seen.scratch_inodes} files" if counted else in_memory
    return Finding(
        f"full at {limits.tmpfs_bytes} bytes; files bounded by number or memory",
        f"{seen.scratch_bytes} bytes ({seen.scratch_bytes_end}); {files}",
        bytes_hold and (counted or _bomb_died(evidence)),
    )


def _scratch_exec(seen: Observation, _: Evidence) -> Finding:
    marked = "noexec" in facts_inside.mount_options(seen, facts_inside.SCRATCH)
    found = f"run: {seen.scratch_exec}, {'noexec' if marked else 'not noexec'}; a loader may map it, inside gVisor"
    return Finding("run: EACCES, noexec", found, marked and seen.scratch_exec == "EACCES")


def _devices(seen: Observation, _: Evidence) -> Finding:
    foreign = sorted(set(seen.devices) - facts_inside.DEVICES - _GVISOR_DEVICES)
    return Finding("gVisor's own", ", ".join(foreign) or "gVisor's own", bool(seen.devices) and not foreign)


def _shared_memory(seen: Observation, _: Evidence) -> Finding:
    open_ = "/dev/shm" in seen.writable  # noqa: S108 - inside the container
    state = "writable" if open_ else "there, not writable" if seen.shm else "absent"
    return Finding("absent or not writable", state, not open_)


def _memory(_: Observation, evidence: Evidence) -> Finding:
    limit = evidence.spec.limits.memory_bytes
    found = f"{evidence.usage.memory_limit} bytes by the engine's count; a bomb of other limits: {evidence.memory}"
    return Finding(
        f"{limit} bytes by the engine's count; enforced", found, evidence.usage.memory_limit == limit and _bomb_died(evidence)
    )


def _pids(_: Observation, evidence: Evidence) -> Finding:
    limit = int(create_request(evidence.spec)["HostConfig"]["PidsLimit"])
    trial = evidence.processes
    end = trial.exit
    # gVisor cannot pass the host's refusal on: it ends as a whole when it gets no thread for a process.
    died = end is not None and not end.oom_killed and end.code not in {0, _KILLED}
    held = trial.survived is None and (died or bool(end and trial.why.startswith("refused")))
    found = f"{evidence.usage.pids_limit} by the engine's count; a crowd: {trial}"
    return Finding(
        f"{limit} by the engine's count; a crowd is refused or ends", found, held and evidence.usage.pids_limit == limit
    )


def _cpu_quota(_: Observation, evidence: Evidence) -> Finding:
    asked = int((evidence.stored.get("HostConfig") or {}).get("NanoCpus") or 0)
    wanted = int(create_request(evidence.spec)["HostConfig"]["NanoCpus"])
    periods = evidence.usage.cpu_periods
    found = f"{asked / 1e9:g} CPU, metered in {periods} periods" if periods > 0 else "the engine meters no quota"
    return Finding(f"{wanted / 1e9:g} CPU, metered", found, asked == wanted and periods > 0)


def _oom_score(_: Observation, evidence: Evidence) -> Finding:
    kept = (evidence.stored.get("HostConfig") or {}).get("OomScoreAdj")
    return Finding("1000 kept by the engine", f"{kept} kept by the engine; not shown inside gVisor", kept == 1000)


def _bomb_died(evidence: Evidence) -> bool:
    end = evidence.memory.exit
    return end is not None and end.oom_killed and evidence.memory.survived is None


#: By fact: the check that takes the place of its own.
CHECKS: Final[dict[str, Callable[[Evidence], Finding]]] = {
    name: inside(check)
    for name, check in {
        "network-none": _network,
        "no-sockets": _sockets,
        "no-capabilities": _capabilities,
        "seccomp": _seccomp,
        "denied-calls": _calls,
        "i386-dead": _other_doors,
        "own-namespaces": _namespaces,
        "cgroup-namespace": _cgroup_namespace,
        "init": _first_process,
        "tmpfs-bounds": _scratch_bounds,
        "tmpfs-noexec": _scratch_exec,
        "no-devices": _devices,
        "no-shared-memory": _shared_memory,
        "memory-limit": _memory,
        "pids-limit": _pids,
        "cpu-quota": _cpu_quota,
        "oom-score": _oom_score,
    }.items()
}
