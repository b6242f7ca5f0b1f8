"""What a sweep removes, and what it leaves: containers, lock files, journals. Several sweeps at once, and a process just starting."""

from __future__ import annotations

import fcntl
import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from fumehood.errors import make_error
from fumehood.sandbox import instance as instances
from fumehood.sandbox.instance import Instance, machine_host
from fumehood.sandbox.reaper import Reaper, Removed, sweep

Labels = dict[str, str]


class Listing:
    """An engine that lists and removes. *trouble* is raised for the containers it names."""

    def __init__(self, containers: dict[str, Labels] | None = None) -> None:
        self.containers = containers or {}
        self.asked: Mapping[str, str] = {}
        self.trouble: dict[str, Exception] = {}
        self.listed = threading.Event()
        self.attempts: list[str] = []

    def list_labelled(self, labels: Mapping[str, str]) -> dict[str, Labels]:
        self.asked = labels
        self.listed.set()
        if "*" in self.trouble:
            raise self.trouble["*"]
        return dict(self.containers)

    def remove(self, container: str) -> None:
        self.attempts.append(container)
        if container in self.trouble:
            raise self.trouble[container]
        self.containers.pop(container, None)


def die(owner: Instance) -> None:
    """As a kill leaves it: the kernel has let go of the lock, the files are there."""
    for descriptor in (owner._lock_fd, owner._journal_fd):
        if descriptor is not None:
            os.close(descriptor)
    owner._lock_fd = owner._journal_fd = None


def files(state: Path) -> set[str]:
    return {path.name for path in (state / "instances").iterdir()}


def files_of(*owners: Instance) -> set[str]:
    return {name for owner in owners for name in (owner.lock_path.name, owner.journal_path.name)}


def swept(engine: Any, state: Path, own: Instance | None = None) -> dict[str, str]:
    return {removed.container: removed.why for removed in sweep(engine, state, own).containers}


def aged(labels: Labels, seconds: int) -> Labels:
    """Labels of a container whose time was over *seconds* ago."""
    return {**labels, "app.deadline": str(int(time.time()) - seconds)}


# -- which containers -------------------------------------------------------------------------------------------------


def test_what_could_not_be_removed_is_the_next_sweeps_also_when_its_owner_has_ended_well(tmp_path: Path) -> None:
    owner = Instance(tmp_path)
    labels = owner.labels(3600)
    owner.created("left")
    owner.let_go("left")
    owner.close()
    assert files(tmp_path) == files_of(owner), "the free lock says that it is dead"
    engine = Listing({"left": labels})
    assert swept(engine, tmp_path) == {"left": "dead"}
    assert files(tmp_path) == set()


def test_a_container_whose_id_was_never_heard_is_found_by_its_label(tmp_path: Path) -> None:
    owner = Instance(tmp_path)
    labels = owner.labels(3600)
    owner.lost_track()
    owner.close()
    assert swept(Listing({"unheard": labels}), tmp_path) == {"unheard": "dead"}
    assert files(tmp_path) == set()


def test_a_living_owner_removes_what_it_had_given_up(tmp_path: Path) -> None:
    own = Instance(tmp_path)
    labels = own.labels(3600)
    for name in ("in use", "given up"):
        own.created(name)
    own.let_go("given up")
    engine = Listing({"in use": labels, "given up": labels})
    assert swept(engine, tmp_path, own) == {"given up": "left"}
    own.removed("in use")
    own.close()
    assert files(tmp_path) == set(), "nothing is left, nor known to be"


def test_of_an_unknown_owner_only_what_is_long_overdue(tmp_path: Path) -> None:
    now = int(time.time())
    engine = Listing(
        {
            "overdue": {"app.deadline": str(now - 31)},
            "another's": {"app.deadline": str(now - 31), "app.instance": "0" * 32},
            "odd name": {"app.deadline": str(now - 31), "app.instance": "../../etc/passwd"},
            "just over": {"app.deadline": str(now - 5)},
            "working": {"app.deadline": str(now + 60), "app.instance": "0" * 32},
            "without": {},
            "odd": {"app.deadline": "²"},
            "long": {"app.deadline": "9" * 5000},
        }
    )
    assert swept(engine, tmp_path) == {"overdue": "overdue", "another's": "overdue", "odd name": "overdue"}
    assert set(engine.containers) == {"just over", "working", "without", "odd", "long"}
    assert engine.asked == {"app": "fumehood", "app.host": machine_host()}


def test_everything_of_a_dead_owner_and_nothing_of_a_living_one(tmp_path: Path) -> None:
    living, killed = Instance(tmp_path), Instance(tmp_path)
    of = {"alive": living.labels(60), "killed": killed.labels(60)}
    engine = Listing({**of, "late and alive": aged(of["alive"], 10_000), "late and killed": aged(of["killed"], 10_000)})
    for name, owner in (("alive", living), ("killed", killed)):
        owner.created(name)
    die(killed)
    assert swept(engine, tmp_path) == {"killed": "dead", "late and killed": "dead"}
    assert files(tmp_path) == files_of(living)
    living.close()


def test_our_own_when_its_time_is_over_and_nobody_uses_it(tmp_path: Path) -> None:
    own = Instance(tmp_path)
    labels = own.labels(60)
    names = ("used", "not removed", "never seen", "recent")
    engine = Listing({name: aged(labels, 31) for name in names} | {"recent": labels})
    for name in ("used", "not removed"):
        own.created(name)
    own.let_go("not removed")
    assert swept(engine, tmp_path) == {}, "another process leaves it all"
    assert swept(engine, tmp_path, own) == {"not removed": "left", "never seen": "overdue"}
    own.close()


def test_an_owner_that_dies_while_others_sweep_is_swept_next_time(tmp_path: Path) -> None:
    owner = Instance(tmp_path)
    engine = Listing({"c": owner.labels(60)})
    assert swept(engine, tmp_path) == {}
    die(owner)
    assert swept(engine, tmp_path) == {"c": "dead"}


def test_a_real_process_that_is_killed(tmp_path: Path) -> None:
    """The kernel's word, not ours: SIGKILL for a process that holds its lock."""
    code = (
        "import sys, time; from pathlib import Path; from fumehood.sandbox.instance import Instance\n"
        "owner = Instance(Path(sys.argv[1])); print(owner.labels(60)['app.instance'], flush=True)\n"
        "owner.created('c'); print('ready', flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        name = process.stdout.readline().strip()
        assert process.stdout.readline() == "ready\n"
        engine = Listing({"c": {"app.instance": name, "app.deadline": "0"}})
        assert swept(engine, tmp_path) == {}
        process.kill()
        process.wait(30)
        assert swept(engine, tmp_path) == {"c": "dead"}
    assert files(tmp_path) == set()


# -- trouble on the way -----------------------------------------------------------------------------------------------


def test_one_that_cannot_be_removed_does_not_keep_the_others(tmp_path: Path) -> None:
    owner = Instance(tmp_path)
    engine = Listing({name: owner.labels(60) for name in "abc"})
    for name in "abc":
        owner.created(name)
    die(owner)
    engine.trouble["a"] = make_error("internal", "refused")
    result = sweep(engine, tmp_path)  # type: ignore[arg-type]
    assert result.containers == [Removed("b", "dead"), Removed("c", "dead")]
    assert result.error is engine.trouble["a"]
    assert files(tmp_path) == files_of(owner), "what is left of it is still known to be a dead one's"
    engine.trouble.clear()
    assert swept(engine, tmp_path) == {"a": "dead"}


def test_an_engine_that_goes_away_is_not_asked_for_each_container(tmp_path: Path) -> None:
    owner = Instance(tmp_path)
    engine = Listing({name: owner.labels(60) for name in "abcdef"})
    die(owner)
    engine.trouble = {name: make_error("engine-unreachable", "gone") for name in "abcdef"}
    assert sweep(engine, tmp_path).error is not None  # type: ignore[arg-type]
    assert len(engine.attempts) == 1


def test_a_state_folder_that_cannot_be_written_still_says_who_is_dead(tmp_path: Path) -> None:
    owner = Instance(tmp_path)
    engine = Listing({"c": owner.labels(60)})
    die(owner)
    owner.lock_path.chmod(0o400)
    owner.lock_path.parent.chmod(0o500)
    try:
        assert swept(engine, tmp_path) == {"c": "dead"}
    finally:
        owner.lock_path.parent.chmod(0o700)


def test_without_a_state_folder_there_is_nothing_to_forget(tmp_path: Path) -> None:
    assert sweep(Listing(), tmp_path / "none").files == 0  # type: ignore[arg-type]


def test_a_lock_that_is_no_plain_file_says_nothing(tmp_path: Path) -> None:
    owner = Instance(tmp_path)
    engine = Listing({"c": owner.labels(60)})
    die(owner)
    lock = owner.lock_path
    lock.unlink()
    lock.symlink_to(tmp_path / "other")
    (tmp_path / "other").touch()
    assert swept(engine, tmp_path) == {}
    lock.unlink()
    os.mkfifo(lock)
    swept(engine, tmp_path)  # does not hang


# -- several at once --------------------------------------------------------------------------------------------------


def test_two_sweeps_at_once_remove_each_container_once(tmp_path: Path) -> None:
    owner = Instance(tmp_path)
    engine = Listing({name: owner.labels(60) for name in "abcdefgh"})
    die(owner)
    inside, go_on = threading.Event(), threading.Event()

    class Slow(Listing):
        def remove(self, container: str) -> None:
            inside.set()
            assert go_on.wait(30)
            super().remove(container)

    slow = Slow(engine.containers)
    first = threading.Thread(target=lambda: sweep(slow, tmp_path))  # type: ignore[arg-type]
    first.start()
    assert inside.wait(30)
    assert swept(engine, tmp_path) == {}, "the first one holds the dead one's lock"
    assert owner.lock_path.exists()
    go_on.set()
    first.join(30)
    assert sorted(slow.attempts) == list("abcdefgh")
    assert files(tmp_path) == set()


def test_a_process_just_starting_survives_sweeps(tmp_path: Path) -> None:
    """Between the making of a lock file and its locking a sweep may take it for a dead one's, and remove it."""
    engine, end, starts = Listing(), threading.Event(), 0

    def sweeps() -> None:
        while not end.is_set():
            sweep(engine, tmp_path)  # type: ignore[arg-type]

    threads = [threading.Thread(target=sweeps) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        until = time.monotonic() + 3
        while time.monotonic() < until:
            owner = Instance(tmp_path)
            owner.labels(60)
            with owner.lock_path.open() as lock, pytest.raises(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            owner.close()
            starts += 1
    finally:
        end.set()
        for thread in threads:
            thread.join(30)
    assert starts > 10
    assert files(tmp_path) == set()


def test_a_lock_that_was_swept_between_making_and_locking_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, seen = fcntl.flock, []

    def flock(descriptor: int, operation: int) -> None:
        if not seen:
            seen.append(owner.lock_path.unlink())  # a sweep, just now
        real(descriptor, operation)

    owner = Instance(tmp_path)
    monkeypatch.setattr(instances.fcntl, "flock", flock)
    owner.labels(60)
    monkeypatch.undo()
    with owner.lock_path.open() as lock, pytest.raises(BlockingIOError):
        real(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    owner.close()


# -- files ------------------------------------------------------------------------------------------------------------


def test_the_files_of_a_dead_owner_go_when_its_journal_is_even(tmp_path: Path) -> None:
    even, open_ended, living = Instance(tmp_path), Instance(tmp_path), Instance(tmp_path)
    for owner in (even, open_ended, living):
        owner.labels(60)
        owner.created("a")
    even.removed("a")
    die(even)
    die(open_ended)
    assert sweep(Listing(), tmp_path).files == 2  # type: ignore[arg-type]
    assert files(tmp_path) == files_of(open_ended, living), "its container may be on another engine"
    long_ago = time.time() - 2 * 24 * 3600
    os.utime(open_ended.lock_path, (long_ago, long_ago))
    assert sweep(Listing(), tmp_path).files == 2  # type: ignore[arg-type]
    assert files(tmp_path) == files_of(living)
    living.close()


def test_what_else_lies_there_stays_and_a_journal_without_a_lock_goes_in_time(tmp_path: Path) -> None:
    folder = tmp_path / "instances"
    folder.mkdir()
    (folder / "notes.txt").touch()
    (folder / f"{'a' * 32}.journal").touch()
    (folder / f"{'b' * 32}.journal").touch()
    long_ago = time.time() - 2 * 24 * 3600
    os.utime(folder / f"{'b' * 32}.journal", (long_ago, long_ago))
    assert sweep(Listing(), tmp_path).files == 1  # type: ignore[arg-type]
    assert files(tmp_path) == {"notes.txt", f"{'a' * 32}.journal"}


def test_the_journal_of_a_long_life_stays_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instances, "_JOURNAL_BYTES", 2000)
    owner = Instance(tmp_path)
    owner.created("kept")
    for number in range(500):
        owner.created(f"{number:064}")
        assert owner.journal_path.stat().st_size <= 2200
        owner.removed(f"{number:064}")
    lines = owner.journal_path.read_text().splitlines()
    assert lines[0] == "created kept"
    assert len(lines) < 40
    assert files(tmp_path) == files_of(owner)
    owner.removed("kept")
    owner.close()
    assert files(tmp_path) == set()


# -- the thread -------------------------------------------------------------------------------------------------------


def wait_until(condition: Callable[[], Any], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


def reapers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "fumehood-reaper"]


def test_the_reaper_sweeps_at_start_and_again_and_ends(tmp_path: Path) -> None:
    dead, own = Instance(tmp_path), Instance(tmp_path)
    engine = Listing({"left over": dead.labels(60)})
    die(dead)
    own.labels(60)
    with Reaper(engine, tmp_path, own, every=0.05):  # type: ignore[arg-type]
        wait_until(lambda: not engine.containers)
        engine.containers["later"] = {"app.deadline": "1"}
        wait_until(lambda: not engine.containers)
        assert len(reapers()) == 1
    assert reapers() == []
    assert files(tmp_path) == files_of(own)
    own.close()


def test_an_engine_that_is_away_is_asked_again_later(tmp_path: Path) -> None:
    own = Instance(tmp_path)
    engine = Listing({"left over": {"app.deadline": "1"}})
    engine.trouble["*"] = make_error("engine-unreachable", "gone")
    with Reaper(engine, tmp_path, own, every=0.05):  # type: ignore[arg-type]
        assert engine.listed.wait(30)
        engine.trouble["*"] = RuntimeError("what nobody thought of")
        engine.listed.clear()
        assert engine.listed.wait(30)
        engine.trouble.clear()
        wait_until(lambda: not engine.containers)


def test_the_first_sweep_is_done_before_a_short_run_ends(tmp_path: Path) -> None:
    own = Instance(tmp_path)
    engine = Listing({f"c{n}": {"app.deadline": "1"} for n in range(50)})
    with Reaper(engine, tmp_path, own):  # type: ignore[arg-type]
        pass
    assert engine.containers == {}


def test_a_reaper_ends_with_its_owner(tmp_path: Path) -> None:
    own = Instance(tmp_path)
    engine = Listing()
    Reaper(engine, tmp_path, own, every=600).start()  # type: ignore[arg-type]
    assert engine.listed.wait(30)
    assert len(reapers()) == 1
    time.sleep(0.05)  # it has let go of the instance, and waits
    del own
    gc.collect()
    wait_until(lambda: not reapers())
