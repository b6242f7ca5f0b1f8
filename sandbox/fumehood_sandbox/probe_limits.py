"""The limits that are in force, and proof that they bite. CPU and file size are proved with lower limits in a child."""

from __future__ import annotations

import os
import resource
import signal
from mmap import mmap
from pathlib import Path
from typing import Final

from fumehood_sandbox.probe_child import Child, errno_name, in_child
from fumehood_sandbox.probe_files import Filled, fill_bytes, remove

MIB: Final = 1024 * 1024

_RLIMITS: Final = {
    "nofile": resource.RLIMIT_NOFILE,
    "fsize": resource.RLIMIT_FSIZE,
    "core": resource.RLIMIT_CORE,
    "cpu": resource.RLIMIT_CPU,
    "msgqueue": getattr(resource, "RLIMIT_MSGQUEUE", 12),
    "memlock": resource.RLIMIT_MEMLOCK,
}

#: Version 1 writes "no limit" as the largest multiple of a page, version 2 as "max".
_NO_LIMIT: Final = 1 << 60

#: observation: (file in cgroup v2, controller and file in v1)
_CGROUP_FILES: Final = {
    "memory": ("memory.max", "memory", "memory.limit_in_bytes"),
    "pids": ("pids.max", "pids", "pids.max"),
}


def rlimits() -> dict[str, list[int]]:
    """[soft, hard] of each limit; -1 is "none"."""
    return {name: list(resource.getrlimit(number)) for name, number in _RLIMITS.items()}


# -- control groups ---------------------------------------------------------------------------------------------------


def cgroup_mounts(table: str = "/proc/self/mountinfo") -> dict[str, str]:
    """Where each controller is mounted; version 2 under the name ``2``."""
    found: dict[str, str] = {}
    for line in Path(table).read_text(errors="replace").splitlines():
        before, _, after = line.partition(" - ")
        fields, more = before.split(), after.split()
        if len(fields) < 6 or not more:
            continue
        if more[0] == "cgroup2":
            found["2"] = fields[4]
        elif more[0] == "cgroup" and len(more) > 2:
            for option in more[2].split(","):
                found[option] = fields[4]
    return found


def _number(path: str) -> int | None:
    try:
        text = Path(path).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    value = int(text) if text.isdigit() else _NO_LIMIT
    return value if value < _NO_LIMIT else -1


def cgroup_limits(places: dict[str, str]) -> dict[str, int | None]:
    """The limits as the kernel holds them; None: cannot be seen, -1: none set.

    ``swap`` is what may be swapped out beyond the memory limit. ``cpu_milli`` is thousandths of one processor.
    """
    values: dict[str, int | None] = {}
    for name, (newer, controller, older) in _CGROUP_FILES.items():
        values[name] = _number(f"{places[controller]}/{older}") if controller in places else None
        if values[name] is None and "2" in places:
            values[name] = _number(f"{places['2']}/{newer}")
    values["swap"] = _swap(places, values["memory"])
    values["cpu_milli"] = _cpu(places)
    return values


def _swap(places: dict[str, str], memory: int | None) -> int | None:
    if "memory" in places:
        both = _number(f"{places['memory']}/memory.memsw.limit_in_bytes")
        if both is None or memory is None:
            return None
        return both - memory if both >= 0 and memory >= 0 else -1
    return _number(f"{places['2']}/memory.swap.max") if "2" in places else None


def _cpu(places: dict[str, str]) -> int | None:
    try:
        if "cpu" in places:
            quota = int(Path(f"{places['cpu']}/cpu.cfs_quota_us").read_text(encoding="ascii"))
            period = int(Path(f"{places['cpu']}/cpu.cfs_period_us").read_text(encoding="ascii"))
        elif "2" in places:
            first, second = Path(f"{places['2']}/cpu.max").read_text(encoding="ascii").split()
            quota, period = -1 if first == "max" else int(first), int(second)
        else:
            return None
    except (OSError, ValueError):
        return None
    return quota * 1000 // period if quota >= 0 else -1


def cgroup_paths() -> list[str]:
    """The paths in ``/proc/self/cgroup``: ``/`` alone in a namespace of its own."""
    try:
        lines = Path("/proc/self/cgroup").read_text(errors="replace").splitlines()
    except OSError:
        return []
    return sorted({line.split(":", 2)[2] for line in lines if line.count(":") >= 2})[:20]


# -- proofs -----------------------------------------------------------------------------------------------------------


def start_cpu() -> Child | None:
    """A child that computes past a CPU limit of one second, to be waited for later."""

    def attempt() -> None:
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CPU, (1, 2))
        while True:
            sum(range(10_000))

    try:
        return Child(attempt)
    except OSError:
        return None


def file_size(folder: str) -> str:
    """A child that writes past a file size limit of 4 KiB."""
    path = f"{folder}/.fumehood-probe-size"

    def attempt() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        for _ in range(3):
            os.write(handle, bytes(4096))

    try:
        return in_child(attempt)
    finally:
        remove([path])


def dumps_core() -> bool:
    """Whether the kernel says that it dumped the memory of a child that aborts."""
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGABRT, signal.SIG_DFL)
        os.abort()
    return os.WCOREDUMP(os.waitpid(pid, 0)[1])


def forks(stop: int) -> Filled:
    """Children that wait, until the kernel refuses one or there are *stop*."""
    read, write = os.pipe()
    children: list[int] = []
    end = "no end"
    try:
        while len(children) < stop:
            pid = os.fork()
            if pid == 0:
                try:
                    os.close(write)
                    os.read(read, 1)
                finally:
                    os._exit(0)
            children.append(pid)
    except OSError as error:
        end = errno_name(error.errno)
    os.close(write)
    os.close(read)
    for pid in children:
        os.waitpid(pid, 0)
    return Filled(len(children), end)


def descriptors(stop: int) -> Filled:
    """Descriptors of one file, until the kernel refuses one or there are *stop*."""
    held: list[int] = []
    end = "no end"
    try:
        while len(held) < stop:
            held.append(os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        end = errno_name(error.errno)
    for handle in held:
        os.close(handle)
    return Filled(len(held), end)


def overrun_memory(folder: str, on_disk: int, in_memory: int) -> int:
    """Hold *on_disk* bytes in *folder* and touch *in_memory* bytes; returns their sum if still alive.

    The sum is over the container's memory, each part alone is under it: whoever is killed here proves that the limit
    bites and that the scratch folder counts towards it.
    """
    filled, files = fill_bytes(folder, on_disk)
    try:
        with mmap(-1, in_memory) as area:
            for offset in range(0, in_memory, 4096):
                area[offset] = 1
            return filled.amount + in_memory
    finally:
        remove(files)
