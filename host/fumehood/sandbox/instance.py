"""This host process as the owner of containers: its id, its lock file, its journal, the labels it gives.

The lock file says that the process lives: it is locked as long as it does, and a kernel lets go of a lock when its owner
dies, however it dies. The journal has each container's id before that container starts. `fumehood.sandbox.reaper` reads both.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import secrets
import socket
import threading
import time
import uuid
from pathlib import Path
from typing import Final

from fumehood.errors import FumehoodError
from fumehood.sandbox.image_lock import state_refused

APP: Final = "fumehood"
_ID: Final = re.compile("[0-9a-f]{32}")
_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
#: From this size on the journal is begun anew.
_JOURNAL_BYTES: Final = 64 * 1024
_LOCK_SECONDS: Final = 5.0


def machine_host() -> str:
    """``machine-id:uid``: containers of another machine or user on the same engine are never ours to sweep."""
    for place in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        with contextlib.suppress(OSError):
            if machine := Path(place).read_text(encoding="ascii", errors="replace").strip():
                return f"{machine}:{os.getuid()}"
    return f"{socket.gethostname()}:{os.getuid()}"


def boot_id() -> str:
    """This boot of the machine; empty where the system does not say."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return ""


def files_of(folder: Path, instance: str) -> tuple[Path, Path] | None:
    """The lock and the journal of *instance* (a label's word, so anything) in the folder of the instances."""
    return (folder / f"{instance}.lock", folder / f"{instance}.journal") if _ID.fullmatch(instance) else None


def instances_folder(state: Path) -> Path:
    """Where the instances of a state folder have their files."""
    return state / "instances"


class Instance:
    """One living host process. *state* is the state folder (``~/.local/state/fumehood``). Thread-safe.

    Nothing is written before the first container.
    """

    def __init__(self, state: Path) -> None:
        self.id = uuid.uuid4().hex
        self._folder = instances_folder(state)
        self._host, self._boot = machine_host(), boot_id()
        self._mutex = threading.Lock()
        self._lock_fd: int | None = None
        self._journal_fd: int | None = None
        self._journal_bytes = 0
        self._existing: set[str] = set()
        self._in_use: set[str] = set()
        self._lost_track = False

    @property
    def lock_path(self) -> Path:
        return self._folder / f"{self.id}.lock"

    @property
    def journal_path(self) -> Path:
        return self._folder / f"{self.id}.journal"

    def labels(self, seconds: float) -> dict[str, str]:
        """The labels of a container that lives at most *seconds* from now. Takes the lock first: a label must not be a lie."""
        self._open()
        return {
            "app": APP,
            "app.instance": self.id,
            "app.host": self._host,
            "app.boot": self._boot,
            "app.deadline": str(int(time.time() + seconds) + 1),
            "app.req": secrets.token_hex(8),
        }

    def created(self, container: str) -> None:
        """Write *container* into the journal: before it starts."""
        self._in_use.add(container)
        self._existing.add(container)
        self._note(f"created {container}\n")

    def let_go(self, container: str) -> None:
        """Nobody will use *container* any more: a sweep may remove it when its time is over, should its removal fail."""
        self._in_use.discard(container)

    def removed(self, container: str) -> None:
        """*container* is gone."""
        self._in_use.discard(container)
        self._existing.discard(container)
        with contextlib.suppress(FumehoodError):  # a sweep finds out by itself
            self._note(f"removed {container}\n")

    def lost_track(self) -> None:
        """The engine may have made a container whose id did not get here."""
        self._lost_track = True

    def in_use(self, container: str) -> bool:
        """Whether someone in this process still counts on *container*."""
        return container in self._in_use

    def abandoned(self, container: str) -> bool:
        """Whether *container* is ours, and given up: its removal is under way, or has failed."""
        return container in self._existing and container not in self._in_use

    def close(self) -> None:
        """Let the lock go. Idempotent.

        Both files go too, unless a container is left that could not be removed: then the free lock tells the next sweep,
        anyone's, that its owner is gone.
        """
        with self._mutex:
            for path in () if self._existing or self._lost_track else (self.journal_path, self.lock_path):
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)
            for descriptor in (self._journal_fd, self._lock_fd):
                if descriptor is not None:
                    os.close(descriptor)
            self._journal_fd = self._lock_fd = None

    def __del__(self) -> None:
        if self._lock_fd is not None:
            self.close()

    def _note(self, line: str) -> None:
        self._open()
        with self._mutex:
            if self._journal_fd is None:
                return
            try:
                self._journal_bytes += os.write(self._journal_fd, line.encode("ascii", "replace"))
                if self._journal_bytes > _JOURNAL_BYTES:
                    self._shorten()
            except OSError as error:  # a full disk
                raise state_refused(error.strerror) from error

    def _shorten(self) -> None:
        """Begin the journal anew with the containers that exist: a server may live for years."""
        lines = "".join(f"created {container}\n" for container in sorted(self._existing))
        fresh = self.journal_path.with_suffix(".journal-new")
        journal = os.open(fresh, _FLAGS | os.O_APPEND, 0o600)
        try:
            self._journal_bytes = os.write(journal, lines.encode("ascii", "replace"))
            fresh.rename(self.journal_path)
        except BaseException:
            os.close(journal)
            fresh.unlink(missing_ok=True)
            raise
        assert self._journal_fd is not None
        os.close(self._journal_fd)
        self._journal_fd = journal

    def _open(self) -> None:
        with self._mutex:
            if self._journal_fd is not None:
                return
            try:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                if self._lock_fd is None:  # else the journal alone failed, a moment ago
                    self._lock_fd = self._locked()
                self._journal_fd = os.open(self.journal_path, _FLAGS | os.O_APPEND, 0o600)
            except OSError as error:
                raise state_refused(error.strerror) from error

    def _locked(self) -> int:
        """The lock file, made and locked. A sweep that saw it in between takes it for a dead one's: then once more."""
        end = time.monotonic() + _LOCK_SECONDS
        while True:
            lock = os.open(self.lock_path, _FLAGS & ~os.O_EXCL, 0o600)
            try:
                with contextlib.suppress(BlockingIOError):
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    if is_still(lock, self.lock_path):
                        return lock
            except BaseException:
                os.close(lock)
                raise
            os.close(lock)
            if time.monotonic() > end:
                raise TimeoutError(errno.ETIMEDOUT, "its lock is held by another")
            time.sleep(0.002)


def is_still(descriptor: int, path: Path) -> bool:
    """Whether *path* still names the file that *descriptor* has open."""
    try:
        there, mine = path.lstat(), os.fstat(descriptor)
    except OSError:
        return False
    return (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino)
