"""This host process as the owner of containers: its id, its lock file, its journal, the labels it gives.

The lock file says that the process lives: it is locked as long as it does, and a kernel lets go of a lock when its owner
dies, however it dies. The journal has each container's id before that container starts. A sweep reads both.
"""

from __future__ import annotations

import contextlib
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


def forget_dead(state: Path, instance: str) -> bool:
    """Whether *instance* (a label's word) is known here and dead: its lock is there and free. Its files are removed then.

    A lock that is not there says nothing: the owner may keep its state elsewhere.
    """
    if not _ID.fullmatch(instance):
        return False
    lock, journal = (state / "instances" / f"{instance}.{kind}" for kind in ("lock", "journal"))
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for path in (journal, lock):
            path.unlink(missing_ok=True)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


class Instance:
    """One living host process. *state* is the state folder (``~/.local/state/fumehood``). Thread-safe.

    Nothing is written before the first container.
    """

    def __init__(self, state: Path) -> None:
        self.id = uuid.uuid4().hex
        self._folder = state / "instances"
        self._host, self._boot = machine_host(), boot_id()
        self._mutex = threading.Lock()
        self._lock_fd: int | None = None
        self._journal_fd: int | None = None

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
        self._note(f"created {container}\n")

    def removed(self, container: str) -> None:
        with contextlib.suppress(FumehoodError):  # a sweep finds out by itself
            self._note(f"removed {container}\n")

    def close(self) -> None:
        """Let the lock go and remove both files. Idempotent."""
        with self._mutex:
            for path in (self.journal_path, self.lock_path):
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
        if self._journal_fd is not None:
            try:
                os.write(self._journal_fd, line.encode("ascii", "replace"))
            except OSError as error:  # a full disk
                raise state_refused(error.strerror) from error

    def _open(self) -> None:
        with self._mutex:
            if self._journal_fd is not None:
                return
            try:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
                if self._lock_fd is None:  # else the journal alone failed, a moment ago
                    lock = os.open(self.lock_path, flags, 0o600)
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    self._lock_fd = lock
                self._journal_fd = os.open(self.journal_path, flags | os.O_APPEND, 0o600)
            except OSError as error:
                raise state_refused(error.strerror) from error
