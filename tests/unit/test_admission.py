"""Places for documents: bounded by number and by memory, first come first served, and nobody waits for ever."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from builders.hoods import FakeSandbox, hood_with
from fumehood.errors import DocumentError, EnvironmentError_, SandboxError
from fumehood.limits import MIB
from fumehood.sandbox.admission import Admission
from fumehood.sandbox.cancel import CancelToken


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.005)


@dataclass
class Documents:
    """Documents of threads of their own: each holds its place until the test says."""

    admission: Admission
    order: list[str] = field(default_factory=list)
    errors: dict[str, Exception] = field(default_factory=dict)
    _ends: dict[str, threading.Event] = field(default_factory=dict)
    _threads: dict[str, threading.Thread] = field(default_factory=dict)

    def come(self, name: str, mib: int = 100, *, cancel: CancelToken | None = None, patient: bool = False) -> None:
        """Ask for a place, and return when it is decided, or when the document waits."""
        before = self.admission.waiting
        self._ends[name] = threading.Event()

        def document() -> None:
            try:
                with self.admission.admit(mib * MIB, cancel, patient=patient):
                    self.order.append(name)
                    assert self._ends[name].wait(60)
            except Exception as error:  # noqa: BLE001 - for the test to look at
                self.errors[name] = error

        self._threads[name] = threading.Thread(target=document)
        self._threads[name].start()
        wait_until(lambda: name in self.order or name in self.errors or self.admission.waiting > before)

    def end(self, name: str) -> None:
        self._ends[name].set()
        self._threads[name].join(60)

    def end_all(self) -> None:
        for end in self._ends.values():
            end.set()
        for thread in self._threads.values():
            thread.join(60)
            assert not thread.is_alive()


@contextlib.contextmanager
def documents(admission: Admission) -> Iterator[Documents]:
    coming = Documents(admission)
    try:
        yield coming
    finally:
        coming.end_all()
    assert admission.waiting == 0
    assert admission.room(0)


def test_no_more_run_than_there_are_jobs_and_they_come_in_order() -> None:
    with documents(Admission(2)) as coming:
        for name in "abcd":
            coming.come(name)
        assert coming.order == ["a", "b"]
        coming.end("b")
        wait_until(lambda: coming.order == ["a", "b", "c"])
        coming.end("a")
        wait_until(lambda: coming.order == ["a", "b", "c", "d"])


def test_the_memory_of_all_is_at_most_half_of_the_engines() -> None:
    admission = Admission(8)
    admission.engine_has(1000 * MIB)
    with documents(admission) as coming:
        for name, mib in (("a", 200), ("b", 200), ("c", 200)):
            coming.come(name, mib)
        assert coming.order == ["a", "b"]
        coming.end("a")
        wait_until(lambda: "c" in coming.order)


def test_an_engine_that_does_not_say_its_memory_bounds_by_number_only() -> None:
    admission = Admission(2)
    admission.engine_has(0)
    with documents(admission) as coming:
        coming.come("a", 10**6)
        coming.come("b", 10**6)
        assert coming.order == ["a", "b"]


def test_one_document_may_take_more_than_half_when_it_is_alone() -> None:
    admission = Admission(8)
    admission.engine_has(1000 * MIB)
    with documents(admission) as coming:
        coming.come("big", 900)
        coming.come("small", 10)
        assert coming.order == ["big"]
        coming.end("big")
        wait_until(lambda: "small" in coming.order)


def test_one_that_will_never_fit_is_told_so() -> None:
    admission = Admission(8)
    admission.engine_has(1000 * MIB)
    with pytest.raises(DocumentError, match="needs 1001 MiB; the engine has 1000 MiB") as raised, admission.admit(1001 * MIB):
        pass
    assert (raised.value.code, raised.value.kind) == ("limit", "memory")
    assert "limits.memory_bytes" in raised.value.hint
    assert admission.waiting == 0


def test_small_documents_do_not_overtake_a_large_one_that_waits() -> None:
    admission = Admission(8)
    admission.engine_has(1000 * MIB)
    with documents(admission) as coming:
        coming.come("first", 300)
        coming.come("large", 400)
        for number in range(5):
            coming.come(f"small{number}", 50)
        assert coming.order == ["first"], "50 MiB would fit, and would keep the large one waiting for ever"
        coming.end("first")
        wait_until(lambda: len(coming.order) == 4)
        assert sorted(coming.order[1:]) == ["large", "small0", "small1"], "beside it, 100 MiB are left"


def test_a_full_queue_is_busy_and_says_when_to_come_again() -> None:
    admission = Admission(1, queue=2)
    with documents(admission) as coming:
        for name in "abcd":
            coming.come(name)
        error = coming.errors["d"]
        assert isinstance(error, EnvironmentError_)
        assert (error.code, error.kind) == ("busy", "queue")
        assert error.message == "1 document is being read and 2 wait."
        assert error.hint == f"Try again in about {admission.retry_seconds()} seconds."
        assert coming.order == ["a"]
        assert admission.waiting == 2


def test_without_a_queue_whoever_finds_no_place_is_refused() -> None:
    with documents(Admission(1, queue=0)) as coming:
        coming.come("a")
        coming.come("b")
        assert coming.order == ["a"]
        assert getattr(coming.errors["b"], "code", None) == "busy"
        coming.end("a")
        coming.come("c")
        assert coming.order == ["a", "c"]


def test_a_patient_caller_is_never_refused_and_takes_nobodys_place_in_the_queue() -> None:
    admission = Admission(1, queue=1, wait_seconds=0.2)
    with documents(admission) as coming:
        coming.come("a")
        for name in ("p1", "p2", "p3"):
            coming.come(name, patient=True)
        coming.come("b")
        wait_until(lambda: "b" in coming.errors)
        assert getattr(coming.errors["b"], "kind", None) == "jobs", "it waited, and was not refused at once"
        assert not {"p1", "p2", "p3"} & set(coming.errors)
        for name in ("a", "p1", "p2"):
            coming.end(name)
        wait_until(lambda: coming.order == ["a", "p1", "p2", "p3"])


@pytest.mark.parametrize(("jobs", "kind"), [(1, "jobs"), (4, "memory")])
def test_waiting_has_an_end_that_names_what_was_missing(jobs: int, kind: str) -> None:
    admission = Admission(jobs, wait_seconds=0.1)
    admission.engine_has(1000 * MIB)
    with documents(admission) as coming:
        coming.come("a", 400)
        coming.come("b", 400)
        wait_until(lambda: "b" in coming.errors)
        error = coming.errors["b"]
        assert isinstance(error, EnvironmentError_)
        assert (error.code, error.kind) == ("busy", kind)
        assert "Try again in about" in error.hint


def test_waiting_can_be_cancelled_and_lets_the_next_one_through() -> None:
    admission = Admission(8)
    admission.engine_has(1000 * MIB)
    with documents(admission) as coming, CancelToken() as token:
        coming.come("a", 300)
        coming.come("large", 400, cancel=token)
        coming.come("small", 100)
        assert admission.ahead(token) == 0
        assert coming.order == ["a"]
        token.cancel()
        wait_until(lambda: "large" in coming.errors)
        assert isinstance(coming.errors["large"], SandboxError)
        assert getattr(coming.errors["large"], "code", None) == "cancelled"
        wait_until(lambda: coming.order == ["a", "small"])
        assert admission.ahead(token) is None


def test_the_place_in_the_queue_is_known() -> None:
    admission = Admission(1)
    with documents(admission) as coming, CancelToken() as first, CancelToken() as second:
        coming.come("a")
        coming.come("b", cancel=first)
        coming.come("c", cancel=second)
        assert (admission.ahead(first), admission.ahead(second)) == (0, 1)


def test_a_failing_document_gives_its_place_back() -> None:
    admission = Admission(1)
    with pytest.raises(RuntimeError), admission.admit(MIB):
        raise RuntimeError
    with documents(admission) as coming:
        coming.come("a")
        assert coming.order == ["a"]


def test_spares_fit_beside_what_runs_and_give_way() -> None:
    admission = Admission(4)
    assert admission.room(10**12), "nothing is known of the engine yet"
    admission.engine_has(1000 * MIB)
    assert admission.room(500 * MIB)
    assert not admission.room(501 * MIB)
    with admission.admit(200 * MIB):
        assert admission.room(300 * MIB)
        assert not admission.room(301 * MIB)
        with admission.admit(300 * MIB):  # no spare keeps a document from its place
            assert not admission.room(1)
    assert admission.room(500 * MIB)


def test_the_time_to_come_again_grows_with_the_queue() -> None:
    admission = Admission(1)
    before = admission.retry_seconds()
    with documents(admission) as coming:
        for name in "abcdef":
            coming.come(name)
        assert admission.retry_seconds() > before
    assert 1 <= admission.retry_seconds() <= before, "the last documents were quick"


def test_a_storm_of_threads_never_goes_over_the_bounds() -> None:
    admission = Admission(3)
    admission.engine_has(1000 * MIB)
    lock, running, most, most_bytes, done = threading.Lock(), 0, 0, 0, 0
    used = 0

    def document(number: int) -> None:
        nonlocal running, most, most_bytes, used, done
        memory = (100 + 100 * (number % 4)) * MIB
        with admission.admit(memory, patient=True):
            with lock:
                running, used = running + 1, used + memory
                most, most_bytes = max(most, running), max(most_bytes, used)
            time.sleep(0.001)
            with lock:
                running, used, done = running - 1, used - memory, done + 1

    threads = [threading.Thread(target=document, args=(number,)) for number in range(120)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert done == 120
    assert 1 < most <= 3
    assert most_bytes <= 500 * MIB


# -- through the Python API -------------------------------------------------------------------------------------------


def files(folder: Path, count: int) -> list[Path]:
    """*count* documents that differ."""
    paths = [folder / f"{number}.docx" for number in range(count)]
    for number, path in enumerate(paths):
        path.write_text(f"document {number}")
    return paths


def test_the_api_says_busy_to_single_documents_and_never_to_a_batch(tmp_path: Path) -> None:
    sandbox = FakeSandbox()
    paths = files(tmp_path, 12)
    with hood_with(sandbox, jobs=1, queue=0) as hood:
        sandbox.go.clear()
        first = threading.Thread(target=hood.extract, args=(paths[0],))
        first.start()
        assert sandbox.started.wait(30)
        refused = hood.extract(paths[1])
        assert refused.error is not None
        assert (refused.error.code, refused.error.kind) == ("busy", "queue")
        assert "Try again in about" in refused.error.hint
        batch = hood.extract_many(paths[2:])
        results: list[bool] = []
        reading = threading.Thread(target=lambda: results.extend(result.ok for result in batch))
        reading.start()
        wait_until(lambda: hood.admission.waiting == 1)
        sandbox.go.set()
        reading.join(60)
        first.join(60)
        assert results == [True] * 10
        assert hood.extract(paths[1]).ok, "being refused is not remembered"


def test_the_engines_memory_bounds_how_many_run(tmp_path: Path) -> None:
    sandbox = FakeSandbox()
    ready = sandbox.ready
    sandbox.ready = lambda: replace(ready(), memory_bytes=2048 * MIB)  # type: ignore[method-assign]
    with hood_with(sandbox, jobs=8) as hood:
        assert all(result.ok for result in hood.extract_many(files(tmp_path, 24)))
    assert sandbox.most_at_once <= 2, "each may use 512 MiB"


def test_what_waiting_took_is_not_there_for_reading(tmp_path: Path) -> None:
    sandbox = FakeSandbox()
    (path,) = files(tmp_path, 1)
    with hood_with(sandbox) as hood, hood._staged(path) as staged:
        hood.document(staged, until=time.monotonic() + 5)
        hood.document(staged, until=time.monotonic() - 60, pages=[(1, 1)])
    assert 4 < sandbox.jobs[0].limits.wall_seconds <= 5
    assert sandbox.jobs[1].limits.wall_seconds == 1, "it ends soon, with what was read by then"
