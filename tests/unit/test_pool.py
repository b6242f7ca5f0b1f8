"""Spare containers, with plain processes for containers: who gets one, how many there are, and that none is left."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from builders.engines import process_engine as engine_fixture  # noqa: F401 - the fixture `engine`
from builders.jobs import job
from builders.process_engine import IMAGE, ProcessEngine
from fumehood.errors import make_error
from fumehood.limits import MIB, Limits
from fumehood.sandbox.box import Box
from fumehood.sandbox.cancel import CancelToken
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.pool import Pool
from fumehood.sandbox.runner import Sandbox

TEXT = b"one line\n"
LONG = 60.0


@pytest.fixture
def sandbox(engine: ProcessEngine, tmp_path: Path) -> Iterator[Sandbox]:
    instance = Instance(tmp_path)
    made = Sandbox(engine, IMAGE, instance=instance, module="fumehood_sandbox.mock")
    yield made
    made.close()
    instance.close()


def keep(sandbox: Sandbox, most: int = 4, *, idle: float = 900, room: Callable[[int], bool] = lambda _bytes: True) -> Pool:
    sandbox.keep_spares(Limits(), most=most, idle_seconds=idle, room=room)
    assert sandbox.pool is not None
    return sandbox.pool


def read(sandbox: Sandbox, *, settle: bool = False, hint: str = "text", body: bytes = TEXT, **options: object) -> str:
    asked = job(body, limits=Limits(), extension=".txt", settle=settle, hint=hint, **options)
    outcome = sandbox.run(asked)
    assert outcome.error is None, outcome.error
    assert outcome.document is not None
    return outcome.document.blocks[0].text


def end(engine: ProcessEngine, name: str) -> None:
    """Kill every process of the "container" *name*, and see them gone: each of them holds its streams open."""
    leader = engine.processes[name]
    os.killpg(leader.pid, signal.SIGKILL)
    leader.wait(10)
    until = time.monotonic() + 10
    with contextlib.suppress(ProcessLookupError):
        while time.monotonic() < until:
            os.killpg(leader.pid, 0)
            time.sleep(0.01)


def test_nothing_is_started_before_it_is_wanted(sandbox: Sandbox, engine: ProcessEngine) -> None:
    pool = keep(sandbox)
    assert read(sandbox) == "one line"
    assert pool.settled(0)
    assert engine.calls.count("create") == 1


def test_a_spare_reads_a_document_once_and_is_replaced(sandbox: Sandbox, engine: ProcessEngine) -> None:
    pool = keep(sandbox)
    pool.want(1)
    assert pool.settled(LONG)
    assert pool.hints() == ["ooxml"]
    first = set(engine.present)
    with pool.in_hand():
        assert read(sandbox) == "one line"
        assert engine.calls.count("create") == 1, "no container was started while a document was read"
    assert pool.settled(LONG)
    assert pool.hints() == ["text"], "the next one is prepared for what was asked"
    assert not first & engine.present
    for _ in range(3):
        assert read(sandbox) == "one line"
        assert pool.settled(LONG)
    assert engine.calls.count("create") == 5


def test_the_answer_is_there_before_the_container_has_gone(sandbox: Sandbox, engine: ProcessEngine) -> None:
    outcome = sandbox.run(job(b'{"mock": "linger"}', settle=False))
    assert outcome.error is None, outcome.error
    assert outcome.document is not None
    assert outcome.provenance.exit_code is None
    assert engine.present
    sandbox.close()
    assert not engine.present


def test_who_waits_for_the_end_is_told_it(sandbox: Sandbox) -> None:
    keep(sandbox).want(1)
    outcome = sandbox.run(job(TEXT, limits=Limits(), extension=".txt", settle=True))
    assert outcome.provenance.exit_code == 0


@pytest.mark.parametrize(
    ("order", "said"),
    [({"mock": "exit", "code": 7, "answer": True}, "crashed"), ({"mock": "after-end", "wait": 0.2}, "protocol")],
)
def test_a_late_bad_end_is_logged_and_quotes_nothing(
    sandbox: Sandbox, caplog: pytest.LogCaptureFixture, order: dict[str, object], said: str
) -> None:
    with caplog.at_level(logging.WARNING, "fumehood"):
        outcome = sandbox.run(job(json.dumps({**order, "secret": "WORDS"}).encode(), settle=False))
        sandbox.close()
    assert outcome.error is None
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert said in caplog.text
    assert "WORDS" not in caplog.text


@pytest.mark.parametrize("order", ["hang", "segv", "half-frame"])
def test_a_bad_answer_is_waited_for(sandbox: Sandbox, engine: ProcessEngine, order: str) -> None:
    """Whoever caused it: the error says how the container ended, and the container is gone by then."""
    pool = keep(sandbox, most=1)
    pool.want(1)
    assert pool.settled(LONG)
    body = json.dumps({"mock": order}).encode()
    with pool.in_hand():
        outcome = sandbox.run(job(body, limits=Limits(no_progress_seconds=2), settle=False))
        assert outcome.error is not None
        assert outcome.provenance.exit_code is not None
        assert not engine.present


def test_a_spare_of_the_same_family_is_preferred(sandbox: Sandbox) -> None:
    pool = keep(sandbox)
    pool.want(2)
    assert pool.settled(LONG)
    with pool.in_hand():
        boxes = [pool.take("pdf"), pool.take("docx")]
    assert pool.settled(LONG)
    assert sorted(pool.hints()) == ["docx", "pdf"]
    with pool.in_hand():
        boxes.append(pool.take("pdf"))
        assert pool.hints() == ["docx"]
        boxes.append(pool.take("xlsx"))
        assert pool.hints() == []
    for box in boxes:
        assert box is not None
        box.close()


def test_a_spare_that_has_ended_is_handed_to_nobody(sandbox: Sandbox, engine: ProcessEngine) -> None:
    pool = keep(sandbox, most=1)
    pool.want(1)
    assert pool.settled(LONG)
    (name,) = engine.present
    end(engine, name)
    with pool.in_hand():
        box = pool.take("text")  # none, or the one that the keeper has started instead
    if box is not None:
        with box:
            assert box.id != name
            assert box.waits()
    assert pool.settled(LONG)
    assert name not in engine.present
    assert read(sandbox) == "one line"


def test_who_comes_while_one_is_being_started_waits_for_that_one(sandbox: Sandbox, engine: ProcessEngine) -> None:
    pool = keep(sandbox, most=1)
    pool.want(1)
    deadline = time.monotonic() + LONG
    while not engine.calls and time.monotonic() < deadline:
        time.sleep(0.001)
    with pool.in_hand():
        assert read(sandbox) == "one line"
        assert engine.calls.count("create") == 1


def test_who_waits_can_be_cancelled(sandbox: Sandbox, engine: ProcessEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()
    create = engine.create
    monkeypatch.setattr(engine, "create", lambda spec: go.wait(LONG) and create(spec))
    pool = keep(sandbox, most=1)
    pool.want(1)
    with CancelToken() as token:
        threading.Timer(0.3, token.cancel).start()
        outcome = sandbox.run(job(TEXT, limits=Limits()), cancel=token)
    assert outcome.error is not None
    assert outcome.error.code == "cancelled"
    go.set()


def test_spares_grow_with_what_is_asked_and_shrink_when_nobody_asks(sandbox: Sandbox, engine: ProcessEngine) -> None:
    pool = keep(sandbox, most=2, idle=1.5)
    pool.want(1)
    assert pool.settled(LONG)
    with pool.in_hand(), pool.in_hand(), pool.in_hand():
        assert read(sandbox) == "one line"
    assert pool.settled(LONG)
    assert len(pool.hints()) == 2, "as many as were in hand, but no more than allowed"
    deadline = time.monotonic() + LONG
    while engine.present and time.monotonic() < deadline:
        time.sleep(0.05)
    assert pool.hints() == []
    made = engine.calls.count("create")
    time.sleep(0.5)
    assert engine.calls.count("create") == made, "what got too old is not replaced"
    with pool.in_hand():
        assert read(sandbox) == "one line"
    assert pool.settled(LONG)
    assert len(pool.hints()) == 1, "until somebody asks again"


def test_no_more_spares_than_fit_and_than_documents_come(sandbox: Sandbox) -> None:
    allowed = [2 * Limits().memory_bytes]
    pool = keep(sandbox, most=4, room=lambda size: size <= allowed[0])
    pool.want(4)
    deadline = time.monotonic() + LONG
    while len(pool.hints()) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    assert len(pool.hints()) == 2
    allowed[0] = 0
    with pool.in_hand():
        pass
    deadline = time.monotonic() + LONG
    while pool.hints() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert pool.hints() == [], "a large document has taken the memory"
    allowed[0] = 100 * Limits().memory_bytes
    pool.want(4, to_come=1)
    assert pool.settled(LONG)
    assert len(pool.hints()) == 1
    pool.want(0, to_come=0)
    assert pool.settled(LONG)
    assert pool.hints() == []


@pytest.mark.parametrize(
    "limits",
    [
        Limits().for_size(33 * MIB),
        Limits(memory_bytes=256 * MIB),
        Limits(output_bytes=16 * MIB),
        Limits(wall_seconds=200),
    ],
)
def test_a_document_with_other_limits_gets_a_container_of_its_own(
    sandbox: Sandbox, engine: ProcessEngine, limits: Limits
) -> None:
    pool = keep(sandbox, most=1)
    pool.want(1)
    assert pool.settled(LONG)
    assert sandbox.run(job(TEXT, limits=limits, extension=".txt")).error is None
    assert len(pool.hints()) == 1, "the spare is still there"
    assert engine.calls.count("create") == 2


def test_a_request_lowers_the_clocks_of_a_spare(sandbox: Sandbox, engine: ProcessEngine) -> None:
    pool = keep(sandbox, most=1)
    pool.want(1)
    assert pool.settled(LONG)
    with pool.in_hand():
        hang = job(b'{"mock": "hang"}', limits=Limits().for_size(16, requested_seconds=1.0))
        outcome = sandbox.run(hang)
        assert engine.calls.count("create") == 1
    assert outcome.error is not None
    assert outcome.error.code == "timeout"


def test_the_deadman_of_a_spare_leaves_time_for_its_document(sandbox: Sandbox, engine: ProcessEngine) -> None:
    pool = keep(sandbox, most=1, idle=500)
    pool.want(1)
    assert pool.settled(LONG)
    (spec,) = engine.specs.values()
    assert spec.outer_seconds >= 500 + 62
    assert 500 + 62 <= int(spec.labels["app.deadline"]) - time.time() <= spec.outer_seconds + 2


def test_an_engine_that_fails_is_left_alone_for_a_while(
    sandbox: Sandbox, engine: ProcessEngine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tried = []

    def fail(spec: object) -> None:
        tried.append(spec)
        raise make_error("engine-unreachable", "gone")

    with monkeypatch.context() as broken:
        broken.setattr(engine, "create", fail)
        pool = keep(sandbox, most=1)
        pool.want(1)
        time.sleep(0.8)
        assert len(tried) == 1
        assert "engine-unreachable: gone" in caplog.text
    assert pool.settled(LONG)
    assert len(pool.hints()) == 1


def test_a_container_that_is_never_ready_is_no_spare(
    sandbox: Sandbox, engine: ProcessEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Box, "wait_ready", lambda *_: False)
    pool = keep(sandbox, most=1)
    pool.want(1)
    assert not pool.settled(0.8)
    assert pool.take("text") is None
    assert not engine.present


def test_closing_ends_what_is_being_started(sandbox: Sandbox, engine: ProcessEngine) -> None:
    pool = keep(sandbox, most=2)
    pool.want(2)
    while "start" not in engine.calls:
        time.sleep(0.001)
    pool.close()
    assert not engine.present
    assert pool.take("text") is None
    pool.close()


def test_many_at_once(sandbox: Sandbox, engine: ProcessEngine) -> None:
    from concurrent.futures import ThreadPoolExecutor

    pool = keep(sandbox, most=3)
    pool.want(3)

    def one(number: int) -> str:
        with pool.in_hand():
            return read(sandbox, body=b"document %d\n" % number, settle=bool(number % 2))

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(one, range(16))) == [f"document {n}" for n in range(16)]
    assert pool.settled(LONG)
    assert engine.calls.count("create") - 16 <= 3
