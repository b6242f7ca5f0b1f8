"""The canary's probe: tries, from inside, everything that the policy forbids, and reports what happened.

It judges nothing: the host compares (`fumehood.sandbox.facts`). It runs in a container that has seen no document and
sees none afterwards. Standard library and ctypes only; nothing here is imported for a document.

    run(request) -> dict            what goes into the RESULT frame
    python -m fumehood_sandbox.probe    the same by hand, in a container only
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, Final

from fumehood_sandbox import probe_files as files
from fumehood_sandbox import probe_first as first
from fumehood_sandbox import probe_limits as limits
from fumehood_sandbox import probe_network as network
from fumehood_sandbox import probe_syscalls as syscalls
from fumehood_sandbox.contract import Request, Scalar

PROBE_VERSION: Final = 3
SCRATCH: Final = "/tmp"  # noqa: S108 - the very folder whose limits are probed

_STATUS: Final = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
_NAMESPACES: Final = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")


def _option(options: dict[str, Scalar], name: str, default: int) -> int:
    value = options.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _status() -> dict[str, str]:
    fields = {}
    for line in Path("/proc/self/status").read_text(errors="replace").splitlines():
        name, _, value = line.partition(":")
        fields[name] = value.strip()
    return fields


def _text(path: str) -> str:
    try:
        return Path(path).read_bytes()[:200].decode("ascii", errors="replace").strip().strip("\0")
    except OSError:
        return ""


def _namespaces() -> dict[str, int]:
    found = {}
    for name in _NAMESPACES:
        try:
            found[name] = os.stat(f"/proc/self/ns/{name}").st_ino  # noqa: PTH116
        except OSError:
            found[name] = -1
    return found


def _no_new_privileges(status: dict[str, str]) -> int:
    """What the status file says; gVisor keeps it out of there, but answers the call that asks for it."""
    return int(status["NoNewPrivs"]) if "NoNewPrivs" in status else syscalls.no_new_privileges()


def _uid_map() -> list[list[int]]:
    return [[int(n) for n in line.split()] for line in _text("/proc/self/uid_map").splitlines()][:10]


def _environment() -> list[str]:
    """The names (never the values) that the process was started with."""
    try:
        block = Path("/proc/self/environ").read_bytes()
    except OSError:
        return ["?"]  # what cannot be read is not proved: no name that anybody expects
    return sorted(item.split(b"=", 1)[0].decode("ascii", errors="replace")[:100] for item in block.split(b"\0") if item)[:50]


def _identity() -> dict[str, Any]:
    status = _status()
    return {
        "uids": list(os.getresuid()),
        "gids": list(os.getresgid()),
        "groups": os.getgroups()[:50],
        "capabilities": {name: int(status.get(name, "-1"), 16) for name in _STATUS},
        "no_new_privs": _no_new_privileges(status),
        "seccomp": int(status.get("Seccomp", "-1")),
        "uid_map": _uid_map(),
        "oom_score_adj": int(_text("/proc/self/oom_score_adj") or "0"),
        "pid1": _text("/proc/1/comm"),
        "parent": os.getppid(),
        "first_stopped": first.stopped(),
        "first_memory": first.memory(),
        "ttys": [os.isatty(n) for n in (0, 1, 2)],
        "namespaces": _namespaces(),
        "label": _text("/proc/self/attr/apparmor/current") or _text("/proc/self/attr/current"),
        "environment": _environment(),
        "hostname": os.uname().nodename[:100],
        "working_directory": os.getcwd()[:200],  # noqa: PTH109
    }


def _network() -> dict[str, Any]:
    return {
        "interfaces": network.interfaces()[:50],
        "sockets": network.sockets(),
        "connect": network.connect(),
        "resolve": network.resolve(),
        "resolver_bytes": network.size_of("/etc/resolv.conf"),
        "hosts_bytes": network.size_of("/etc/hosts"),
    }


def _files(options: dict[str, Scalar]) -> dict[str, Any]:
    walked = files.walk()
    filled, left = files.fill_bytes(SCRATCH, _option(options, "tmpfs_bytes", 64 * files.MIB) + 8 * files.MIB)
    files.remove(left)
    inodes = files.fill_inodes(SCRATCH, _option(options, "tmpfs_inodes", 4096) + 64)
    return {
        "directories": walked.directories,
        "writable": walked.writable,
        "setuid": walked.setuid,
        "devices": files.devices(),
        "mounts": [list(m) for m in files.mounts()][:200],
        "shm": os.path.lexists("/dev/shm"),  # noqa: S108
        "queue": files.queue(),
        "scratch_bytes": filled.amount,
        "scratch_bytes_end": filled.end,
        "scratch_inodes": inodes.amount,
        "scratch_inodes_end": inodes.end,
        "scratch_exec": files.run_script(SCRATCH),
        "scratch_loader": files.run_by_loader(SCRATCH),
        "scratch_map": files.map_code(SCRATCH),
        "masked_readable": files.masked(),
        "telling_readable": files.telling(),
    }


def _limits(options: dict[str, Scalar], places: dict[str, str]) -> dict[str, Any]:
    in_force = limits.rlimits()
    pids = _option(options, "pids", 64)
    forked = limits.forks(pids + 8) if pids else files.Filled(0, "not tried")
    opened = limits.descriptors(_option(options, "nofile", 256) + 8)
    values = limits.cgroup_limits(places)
    return {
        "rlimits": in_force,
        "memory": values["memory"],
        "swap": values["swap"],
        "pids": values["pids"],
        "cpu_milli": values["cpu_milli"],
        "cgroup_paths": limits.cgroup_paths(),
        "forks": forked.amount,
        "forks_end": forked.end,
        "descriptors": opened.amount,
        "descriptors_end": opened.end,
        "file_size": limits.file_size(SCRATCH),
        "core_dumped": limits.dumps_core(),
    }


def run(request: Request) -> dict[str, Any]:
    """Everything that can be seen from inside.

    ``request.options`` gives the limits in force (``tmpfs_bytes``, ``tmpfs_inodes``, ``pids``, ``nofile``), so that a
    missing one is noticed a little beyond and not at the end of the machine. With ``proof: "memory"`` the probe only runs
    over its memory limit: it does not answer when all is well. With ``proof: "processes"`` it only makes processes, which
    ends some sandboxes as a whole; such a probe is told ``pids: 0`` otherwise.
    """
    options = request.options
    if options.get("proof") == "memory":
        on_disk, in_memory = _option(options, "scratch_bytes", 0), _option(options, "allocate_bytes", 0)
        return {"probe": PROBE_VERSION, "survived": limits.overrun_memory(SCRATCH, on_disk, in_memory)}
    if options.get("proof") == "processes":
        made = limits.forks(_option(options, "pids", 64) + 8)
        return {"probe": PROBE_VERSION, "forks": made.amount, "forks_end": made.end}
    places = limits.cgroup_mounts()
    burning = limits.start_cpu()
    report: dict[str, Any] = {"probe": PROBE_VERSION, "machine": os.uname().machine}
    report |= {"kernel": syscalls.kernel(), "kernel_log": syscalls.kernel_log()}
    report |= _identity()
    report |= _network()
    report |= {"syscalls": syscalls.refused(), "foreign": syscalls.foreign_entries()}
    report |= _files(options)
    report |= _limits(options, places)
    report["cpu"] = burning.wait(60.0) if burning is not None else "no child"
    return report


def main() -> None:
    """Print the report, in a container only: the probe fills folders and forks until it is stopped."""
    if not any(os.path.lexists(mark) for mark in ("/.dockerenv", "/run/.containerenv")):
        raise SystemExit("The probe runs in a container only.")
    options: dict[str, Scalar] = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    sys.stdout.write(json.dumps(run(Request(op="probe", options=options)), indent=1) + "\n")


if __name__ == "__main__":
    main()
