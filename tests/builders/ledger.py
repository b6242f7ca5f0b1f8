"""What a process holds and what stays behind: descriptors, threads, children, memory, files, containers, volumes."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Holding:
    """What a process holds at one moment. *descriptors* are counted by what they are (a file by its path)."""

    descriptors: Counter[str]
    threads: Counter[str]
    children: frozenset[int]
    memory: int

    def grown(self, before: Holding, *, memory: int = 50 * MIB, sockets: int = 0, threads: int = 0) -> list[str]:
        """What is more than *before*, one line each: *memory* bytes, *sockets* and *threads* more are no finding."""
        found = [
            f"descriptor: {what} ({n})"
            for what, n in sorted((self.descriptors - before.descriptors).items())
            if what != "socket"
        ]
        more = self.descriptors["socket"] - before.descriptors["socket"]
        if more > sockets:
            found.append(f"sockets: {more} more than before")
        extra = self.threads - before.threads
        if extra.total() > threads:
            found += [f"thread: {name} ({n})" for name, n in sorted(extra.items())]
        found += [f"child process: {child}" for child in sorted(self.children - before.children)]
        if self.memory - before.memory > memory:
            found.append(f"memory: {(self.memory - before.memory) / MIB:.1f} MiB more than before")
        return found


def holding(process: int | None = None) -> Holding:
    """What *process* holds; this one without a number (then what is not needed any more is given back first)."""
    if process is None:
        gc.collect()
        with contextlib.suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)
        threads = Counter(thread.name for thread in threading.enumerate())
        # What Python does not know of counts too.
        threads["(not Python's)"] = len(list(Path("/proc/self/task").iterdir())) - threads.total()
    else:
        names = (_read(task / "comm") for task in Path(f"/proc/{process}/task").iterdir())
        threads = Counter(name.strip() for name in names)
    place = Path(f"/proc/{process or 'self'}")
    return Holding(_descriptors(place / "fd"), threads, _children(place), _memory(place))


def _descriptors(folder: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    for entry in list(folder.iterdir()):
        with contextlib.suppress(OSError):  # the one that lists them is closed by now
            target = os.readlink(entry)  # noqa: PTH115 - "socket:[123]" is no path
            found[target.partition(":[")[0]] += 1  # sockets and pipes by kind
    return found


def _children(place: Path) -> frozenset[int]:
    return frozenset(int(child) for task in (place / "task").iterdir() for child in _read(task / "children").split())


def _memory(place: Path) -> int:
    for line in _read(place / "status").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def _read(path: Path) -> str:
    with contextlib.suppress(OSError):  # a thread that ends while it is looked at
        return path.read_text()
    return ""


def files(folder: Path, *, but: Iterable[str] = ()) -> list[str]:
    """Every file below *folder*, by its path from there, those named in *but* left out."""
    allowed = set(but)
    found = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())
    return sorted(name for name in found if name not in allowed)


def containers(api: Any, instances: Iterable[str]) -> list[str]:
    """The containers of *instances* that exist, in any state."""
    found = []
    for instance in instances:
        found += [
            f"{c['Id'][:12]} {c['State']}" for c in api.containers(all=True, filters={"label": [f"app.instance={instance}"]})
        ]
    return found


def volumes(api: Any) -> set[str]:
    return {volume["Name"] for volume in api.volumes()["Volumes"] or []}
