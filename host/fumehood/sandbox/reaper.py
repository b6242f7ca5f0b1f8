"""Removes what a dead process left: containers, and the files by which its life was known.

A container carries who made it. It is removed when

- its maker is dead: the maker's lock file is here, and free;
- nothing is known of its maker (no lock file here: another state folder, perhaps), and its time has long been over;
- it is our own, and given up: its removal had failed, perhaps since the engine was away.

Never one whose maker holds its lock, of another user or machine, or without our labels: several servers share an engine.
Nothing here keeps a container from running too long, its own deadman does; what a sweep frees is names, memory and disk.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import threading
import time
import weakref
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, Self

from fumehood.errors import FumehoodError
from fumehood.sandbox.engine import Engine
from fumehood.sandbox.instance import APP, Instance, files_of, instances_folder, is_still, machine_host

_log = logging.getLogger("fumehood.sandbox")

#: A container is left over when its own deadman should have ended it so long ago.
OVERDUE_SECONDS: Final = 30
EVERY_SECONDS: Final = 60.0
#: The end of a process waits so long for a sweep that runs.
_STOP_SECONDS: Final = 5.0
#: A dead process's files are kept so long when its journal names a container that is not on this engine.
_KEEP_SECONDS: Final = 24 * 3600

Why = Literal["dead", "left", "overdue"]
_Labels = Mapping[str, str]

REASONS: Final[dict[Why, str]] = {
    "dead": "its process is gone",
    "left": "it could not be removed before",
    "overdue": "its time was over long ago",
}


@dataclass(frozen=True, slots=True)
class Removed:
    """A container that was removed."""

    container: str
    why: Why


@dataclass(slots=True)
class Swept:
    """What a sweep did. *error* is what kept it from removing all that it should have."""

    containers: list[Removed] = field(default_factory=list)
    files: int = 0
    error: FumehoodError | None = None


def sweep(engine: Engine, state: Path, own: Instance | None = None) -> Swept:
    """Remove this user's left-over containers on this machine. Any number of processes may do so at once.

    Raises:
        EnvironmentError_: the engine does not answer.
    """
    swept = Swept()
    folder = instances_folder(state)
    by_owner: defaultdict[str, dict[str, _Labels]] = defaultdict(dict)
    for container, labels in engine.list_labelled({"app": APP, "app.host": machine_host()}).items():
        by_owner[labels.get("app.instance", "")][container] = labels
    for owner, containers in by_owner.items():
        if own is not None and owner == own.id:
            given_up = [c for c in containers if own.abandoned(c)]
            _remove(engine, given_up, "left", swept)
            unknown = [c for c in _overdue(containers) if not own.in_use(c) and c not in given_up]
            _remove(engine, unknown, "overdue", swept)
            for removed in swept.containers:
                own.removed(removed.container)
            continue
        files = files_of(folder, owner)
        if files is None or not os.path.lexists(files[0]):
            _remove(engine, _overdue(containers), "overdue", swept)
            continue
        with _dead(files[0]) as dead:  # holding its lock: another sweep, at the same time, takes it for alive
            if dead:
                _remove(engine, list(containers), "dead", swept)
                _cross_out(files[1], swept)
    _forget(folder, swept)
    return swept


def _remove(engine: Engine, containers: list[str], why: Why, swept: Swept) -> None:
    for container in containers:
        if swept.error is not None and swept.error.code == "engine-unreachable":
            return
        try:
            engine.remove(container)
        except FumehoodError as error:
            swept.error = swept.error or error
        else:
            swept.containers.append(Removed(container, why))


def _overdue(containers: Mapping[str, _Labels]) -> list[str]:
    now = time.time()
    late = []
    for container, labels in containers.items():
        deadline = labels.get("app.deadline", "")
        if deadline.isascii() and deadline.isdigit() and now > int(deadline[:15]) + OVERDUE_SECONDS:
            late.append(container)
    return late


@contextlib.contextmanager
def _dead(lock: Path) -> Iterator[bool]:
    """Whether the owner of the lock file *lock* is dead: it is there, and free. While the block runs, the lock is ours."""
    try:
        descriptor = os.open(lock, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        yield False
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            # Another sweep may have removed the file, and its owner, just starting, made another.
            yield is_still(descriptor, lock)
    finally:
        os.close(descriptor)


def _forget(folder: Path, swept: Swept) -> None:
    """Remove the files of dead owners whose containers are gone."""
    gone = {removed.container for removed in swept.containers}
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return
    for name in names:
        owner, _, kind = name.partition(".")
        files = files_of(folder, owner)
        if files is None:
            continue
        lock, journal = files
        if kind == "lock":
            with _dead(lock) as dead:
                if dead and (not (_journalled(journal) - gone) or _is_old(lock)):
                    swept.files += _unlink(journal) + _unlink(lock)
        elif not os.path.lexists(lock) and _is_old(folder / name):
            swept.files += _unlink(folder / name)


def _journalled(journal: Path) -> set[str]:
    """The containers that *journal* has as created and not as removed."""
    there: set[str] = set()
    with contextlib.suppress(OSError):
        for line in journal.read_text(encoding="ascii", errors="replace").splitlines():
            event, _, container = line.partition(" ")
            if event == "created":
                there.add(container)
            else:
                there.discard(container)
    return there


def _cross_out(journal: Path, swept: Swept) -> None:
    """Write into a dead owner's journal what was removed for it: the sweep that removes the rest is perhaps another's."""
    lines = "".join(f"removed {removed.container}\n" for removed in swept.containers)
    with contextlib.suppress(OSError), journal.open("a", encoding="ascii", errors="replace") as file:
        file.write(lines)


def _is_old(path: Path) -> bool:
    try:
        return time.time() - path.lstat().st_mtime > _KEEP_SECONDS
    except OSError:
        return False


def _unlink(path: Path) -> int:
    """1 when it was there and is gone: a folder that cannot be written keeps its files, which does no harm."""
    try:
        path.unlink()
    except OSError:
        return 0
    return 1


class Reaper:
    """Sweeps at `start`, then every minute, in a thread of its own and quietly: an engine that is away is asked again later.

    A context manager. The thread ends with `stop`, and at the latest with *own*.
    """

    def __init__(self, engine: Engine, state: Path, own: Instance, *, every: float = EVERY_SECONDS) -> None:
        self._end = threading.Event()
        # Nothing in the thread may keep the instance, whose end is what ends it.
        self._thread = threading.Thread(
            target=_reap, args=(engine, state, weakref.ref(own), self._end, every), name="fumehood-reaper", daemon=True
        )
        self._finalizer = weakref.finalize(own, self._end.set)

    def start(self) -> Self:
        self._thread.start()
        return self

    def stop(self) -> None:
        """No sweep begins any more; one that runs is waited for, unless the engine hangs. Idempotent."""
        self._finalizer.detach()
        self._end.set()
        if self._thread.ident is not None:
            self._thread.join(_STOP_SECONDS)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


def _reap(engine: Engine, state: Path, own: weakref.ref[Instance], end: threading.Event, every: float) -> None:
    while (instance := own()) is not None:
        try:
            swept = sweep(engine, state, instance)
        except FumehoodError as error:
            _log.debug("sweep: %s", error.code)
        except Exception as fault:  # noqa: BLE001 - a thread's end would end the sweeping without a word
            _log.warning("sweep failed: %s", type(fault).__name__)
        else:
            for removed in swept.containers:
                _log.info("removed the left-over container %s: %s", removed.container[:12], REASONS[removed.why])
        del instance
        if end.wait(every):
            return
