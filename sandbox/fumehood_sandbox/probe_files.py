"""What of the file system can be written, run or filled."""

from __future__ import annotations

import errno
import os
import signal
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from mmap import MAP_PRIVATE, PROT_EXEC, PROT_READ, mmap
from pathlib import Path
from typing import Final

from fumehood_sandbox.probe_child import ending, errno_name, word

MIB: Final = 1024 * 1024
_MARK: Final = ".fumehood-probe"
_FILE_BYTES: Final = 24 * MIB
_UNWALKED: Final = frozenset({"/proc", "/sys"})
_MAX_LISTED: Final = 50

_MASKED: Final = (
    "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug",
    "/proc/scsi", "/proc/acpi", "/sys/firmware", "/sys/devices/virtual/powercap",
)  # fmt: skip
_TELLING: Final = (
    "/proc/cmdline", "/proc/version", "/proc/meminfo", "/proc/diskstats", "/proc/self/mountinfo",
    "/proc/sys/kernel/random/boot_id",
)  # fmt: skip


def _create(path: str, mode: int = 0o600) -> int:
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, mode)


@dataclass(slots=True)
class Walk:
    """What a look into every directory found."""

    directories: int
    writable: list[str]
    setuid: list[str]


def walk(root: str = "/") -> Walk:
    """Try to create a file in every directory below *root*, and list set-uid and set-gid files.

    ``/proc`` and ``/sys`` are left out: they hold no files of the image, and nothing can be created in them.
    """
    found = Walk(0, [], [])
    pending = [root]
    while pending:
        directory = pending.pop()
        found.directories += 1
        try:
            handle = _create(os.path.join(directory, _MARK))  # noqa: PTH118 - a path of bytes a second: this walks thousands
        except OSError:
            pass
        else:
            os.close(handle)
            os.unlink(os.path.join(directory, _MARK))  # noqa: PTH108, PTH118
            found.writable.append(directory)
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if entry.path not in _UNWALKED:
                            pending.append(entry.path)
                    elif entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_mode & 0o6000:
                        found.setuid.append(entry.path)
        except OSError:
            continue
    found.writable = sorted(found.writable)[:_MAX_LISTED]
    found.setuid = sorted(found.setuid)[:_MAX_LISTED]
    return found


def devices(root: str = "/dev") -> list[str]:
    """Device nodes below *root*; terminals' own folder left out."""
    found = []
    try:
        with os.scandir(root) as entries:
            for entry in entries:
                mode = entry.stat(follow_symlinks=False).st_mode
                if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
                    found.append(entry.name)
    except OSError:
        pass
    return sorted(found)[:_MAX_LISTED]


def mounts(table: str = "/proc/self/mountinfo") -> list[tuple[str, str, list[str]]]:
    """(mount point, file system type, options) of every mount. The source is left out: it holds paths of the host."""
    found = []
    for line in Path(table).read_text(errors="replace").splitlines():
        before, _, after = line.partition(" - ")
        fields, more = before.split(), after.split()
        if len(fields) < 6 or len(more) < 1:
            continue
        options = fields[5].split(",")
        if more[0] == "tmpfs" and len(more) > 2:
            options += [o for o in more[2].split(",") if o.startswith(("size=", "nr_inodes=", "mode="))]
        found.append((fields[4], more[0], options))
    return found


def readable(paths: tuple[str, ...]) -> list[str]:
    """Those of *paths* that give at least one byte, or one entry."""
    found = []
    for path in paths:
        try:
            if os.path.isdir(path):  # noqa: PTH112
                answers = bool(os.listdir(path))  # noqa: PTH208
            else:
                handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
                try:
                    answers = bool(os.read(handle, 1))
                finally:
                    os.close(handle)
        except OSError:
            continue
        if answers:
            found.append(path)
    return found


def masked() -> list[str]:
    """Places that the engine should mask and that can be read all the same."""
    return readable(_MASKED)


def telling() -> list[str]:
    """Places that say something about the host and can be read."""
    return readable(_TELLING)


# -- the scratch folder -----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Filled:
    """How much went in, and how it ended."""

    amount: int
    end: str


def _numbered(folder: str) -> Iterator[str]:
    number = 0
    while True:
        yield f"{folder}/{_MARK}-{number}"
        number += 1


def fill_bytes(folder: str, stop: int) -> tuple[Filled, list[str]]:
    """Write zeros into files in *folder* until the kernel refuses or *stop* bytes are in. The caller removes the files."""
    block = bytes(MIB)
    written = 0
    files: list[str] = []
    for path in _numbered(folder):
        try:
            handle = _create(path)
        except OSError as error:
            return Filled(written, errno_name(error.errno)), files
        files.append(path)
        in_file = 0
        try:
            while in_file < _FILE_BYTES:
                if written >= stop:
                    return Filled(written, "no end"), files
                count = os.write(handle, block)
                written += count
                in_file += count
        except OSError as error:
            if error.errno == errno.EFBIG and in_file:
                continue  # this file is as large as one may be; the folder may hold more
            return Filled(written, errno_name(error.errno)), files
        finally:
            os.close(handle)
    raise AssertionError


def fill_inodes(folder: str, stop: int) -> Filled:
    """Create empty files in *folder* until the kernel refuses or there are *stop*; they are removed again."""
    files: list[str] = []
    end = "no end"
    try:
        for path in _numbered(folder):
            if len(files) >= stop:
                break
            os.close(_create(path))
            files.append(path)
    except OSError as error:
        end = errno_name(error.errno)
    remove(files)
    return Filled(len(files), end)


def remove(files: list[str]) -> None:
    for path in files:
        try:
            os.unlink(path)  # noqa: PTH108
        except OSError:
            continue


def run_script(folder: str) -> str:
    """Try to run a file of *folder*: EACCES where nothing can be run, ENOENT where only its interpreter is missing."""
    path = f"{folder}/{_MARK}-script"

    def attempt() -> None:
        handle = _create(path, 0o755)
        os.write(handle, b"#!/nonexistent\n")
        os.close(handle)
        os.execv(path, [path])  # noqa: S606

    try:
        return word(attempt)
    finally:
        remove([path])


def map_code(folder: str) -> str:
    """Try to map a file of *folder* as code."""
    path = f"{folder}/{_MARK}-map"

    def attempt() -> None:
        handle = _create(path)
        try:
            os.write(handle, bytes(4096))
            mmap(handle, 4096, MAP_PRIVATE, PROT_READ | PROT_EXEC).close()
        finally:
            os.close(handle)

    try:
        return word(attempt)
    finally:
        remove([path])


def loader() -> str | None:
    """The dynamic loader of this process."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as lines:  # noqa: PTH123
            for line in lines:
                path = line.split()[-1]
                if path.startswith("/") and path.rpartition("/")[2].startswith("ld-"):
                    return path
    except OSError:
        return None
    return None


def run_by_loader(folder: str) -> str:
    """Try to run a copy of this very program from *folder* through the dynamic loader; ``exit 42`` when it ran."""
    program = loader()
    if program is None:
        return "no loader"
    path = f"{folder}/{_MARK}-copy"
    try:
        handle = _create(path, 0o755)
        try:
            with open("/proc/self/exe", "rb") as source:  # noqa: PTH123
                while block := source.read(MIB):
                    os.write(handle, block)
        finally:
            os.close(handle)
        pid = os.fork()
        if pid == 0:
            try:
                signal.alarm(30)
                quiet = os.open("/dev/null", os.O_RDWR)
                for standard in (0, 1, 2):
                    os.dup2(quiet, standard)
                os.execve(program, [program, path, "-I", "-S", "-c", "raise SystemExit(42)"], {"PYTHONHOME": sys.prefix})  # noqa: S606
            finally:
                os._exit(126)
        return ending(os.waitpid(pid, 0)[1])
    except OSError as error:
        return errno_name(error.errno)
    finally:
        remove([path])


def queue() -> str:
    """Try to create a message queue through its file system."""
    path = f"/dev/mqueue/{_MARK}"
    try:
        return word(lambda: os.close(_create(path)))
    finally:
        remove([path])
