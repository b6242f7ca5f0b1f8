"""A report of the probe from a sandbox in which everything holds, and evidence around it."""

from __future__ import annotations

import json
from typing import Any

from fumehood.limits import Limits
from fumehood.sandbox import policy
from fumehood.sandbox.engine import ContainerSpec, EngineInfo, ExitInfo
from fumehood.sandbox.evidence import Evidence, Trial, parse_observation

SPEC = ContainerSpec(
    image_id="sha256:" + "1" * 64, limits=Limits(), labels={"app": "fumehood", "app.req": "1"}, seccomp="{}", outer_seconds=40
)
INFO = EngineInfo(
    kind="docker",
    version="29.5.1",
    api_version="1.55",
    id="ENGINE",
    kernel="6.12.0-amd64",
    default_runtime="runc",
    runtimes={"runc": "runc"},
    runtime_version="1.3.3",
)
OPTIONS = ["rw", "nosuid", "nodev", "noexec", "relatime"]


def good_report() -> dict[str, Any]:
    """The report as the probe's JSON would be."""
    return {
        "probe": 3,
        "machine": "x86_64",
        "kernel": "6.12.0-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.12.1-1",
        "kernel_log": "EPERM",
        "uids": [65532] * 3,
        "gids": [65532] * 3,
        "groups": [65532],
        "capabilities": dict.fromkeys(("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"), 0),
        "no_new_privs": 1,
        "seccomp": 2,
        "uid_map": [[0, 100000, 65536]],
        "oom_score_adj": 1000,
        "pid1": "python3",
        "parent": 1,
        "first_stopped": "no",
        "first_memory": "EACCES",
        "ttys": [False] * 3,
        "namespaces": {name: 100 + n for n, name in enumerate(("cgroup", "ipc", "mnt", "net", "pid", "user", "uts"))},
        "label": "docker-default (enforce)",
        "environment": ["HOME", "HOSTNAME", "LANG", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PATH"],
        "hostname": "x",
        "working_directory": "/",
        "interfaces": ["lo"],
        "sockets": dict.fromkeys(("inet", "unix", "vsock", "netlink"), "EPERM"),
        "connect": "EPERM",
        "resolve": "EAI -3",
        "resolver_bytes": 0,
        "hosts_bytes": 0,
        "syscalls": {f"call{n}": "EPERM" for n in range(50)},
        "foreign": {"int80": "SIGSYS", "x32": "SIGSYS"},
        "directories": 241,
        "writable": ["/tmp"],
        "setuid": [],
        "devices": ["full", "null", "random", "tty", "urandom", "zero"],
        "mounts": [
            ["/", "overlay", ["ro"]],
            ["/proc", "proc", OPTIONS],
            ["/dev", "tmpfs", ["rw", "nosuid"]],
            ["/sys/fs/cgroup", "cgroup2", ["ro"]],
            ["/tmp", "tmpfs", OPTIONS],
        ],
        "shm": False,
        "queue": "EMFILE",
        "scratch_bytes": 64 * 1024 * 1024,
        "scratch_bytes_end": "ENOSPC",
        "scratch_inodes": 4095,
        "scratch_inodes_end": "ENOSPC",
        "scratch_exec": "EACCES",
        "scratch_loader": "exit 127",
        "scratch_map": "EPERM",
        "masked_readable": [],
        "telling_readable": ["/proc/cmdline"],
        "rlimits": {
            "nofile": [256, 256],
            "fsize": [64 * 1024 * 1024] * 2,
            "core": [0, 0],
            "cpu": [35, 36],
            "msgqueue": [0, 0],
            "memlock": [65536, 65536],
        },
        "memory": 512 * 1024 * 1024,
        "swap": 0,
        "pids": 64,
        "cpu_milli": 1000,
        "cgroup_paths": ["/"],
        "forks": 59,
        "forks_end": "EAGAIN",
        "descriptors": 250,
        "descriptors_end": "EMFILE",
        "file_size": "SIGXFSZ",
        "core_dumped": False,
        "cpu": "SIGXCPU",
    }


def stored(spec: ContainerSpec = SPEC) -> dict[str, Any]:
    """What an engine that changes nothing describes the container as."""
    request = policy.create_request(spec)
    host = request.pop("HostConfig") | {"Runtime": "runc"}
    return {"Image": spec.image_id, "Config": request, "HostConfig": host, "Mounts": [], "LogPath": ""}


def evidence(report: dict[str, Any] | None = None, **changes: Any) -> Evidence:
    """Evidence in which every fact holds, but for *report* and *changes*."""
    observed = parse_observation(json.dumps(report if report is not None else good_report()).encode())
    given: dict[str, Any] = {
        "spec": SPEC,
        "info": INFO,
        "observed": observed,
        "stored": stored(),
        "memory": Trial(ExitInfo(137, oom_killed=True)),
        "deadman": Trial(ExitInfo(137)),
        "host_death": Trial(ExitInfo(120)),
        "host_namespaces": {"net": 1, "pid": 2, "mnt": 3, "ipc": 4, "uts": 5, "cgroup": 6, "user": 7},
    }
    return Evidence(**(given | changes))
