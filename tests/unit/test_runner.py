"""The runner, the box and the worker with a plain process for a container: order, outcomes, who is left."""

from __future__ import annotations

import errno
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from builders.engines import process_engine as engine_fixture  # noqa: F401 - the fixture `engine`
from builders.jobs import job
from builders.process_engine import IMAGE, SANDBOX, ProcessEngine
from fumehood.errors import EnvironmentError_, make_error
from fumehood.limits import Limits
from fumehood.sandbox.box import Box
from fumehood.sandbox.cancel import CancelToken
from fumehood.sandbox.engine import Connection, ContainerSpec
from fumehood.sandbox.exchange import Bounds
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.runner import Outcome, Sandbox
from fumehood.sandbox.streams import RequestBytes
from fumehood_sandbox.contract import Progress
from fumehood_sandbox.frames import RESPONSE_MAGIC, FrameType, prelude, request_head
from fumehood_sandbox.supervise import HOST_GONE

TEXT = b"one line\n"


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    owner = Instance(tmp_path)
    yield owner
    owner.close()


@pytest.fixture
def sandbox(engine: ProcessEngine, instance: Instance) -> Sandbox:
    return Sandbox(engine, IMAGE, instance=instance, module="fumehood_sandbox.mock")


def order(sandbox: Sandbox, mock: str, *, seconds: float = 60, cancel: CancelToken | None = None, **more: Any) -> Outcome:
    return sandbox.run(job(json.dumps({"mock": mock, **more}).encode(), seconds=seconds), cancel=cancel)


def test_a_document_and_the_order_of_things(sandbox: Sandbox, engine: ProcessEngine, instance: Instance) -> None:
    outcome = sandbox.run(job(TEXT, extension=".txt"))
    assert outcome.error is None, outcome.error
    assert outcome.document is not None
    assert outcome.document.blocks[0].text == "one line"
    assert engine.calls == ["create", "attach", "start", "wait", "remove"]
    assert instance.journal_path.read_text() == "created p1\nremoved p1\n"


def test_kill_comes_after_the_connection_was_closed(
    sandbox: Sandbox, engine: ProcessEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that stays attached and does not read keeps an engine's kill from returning."""
    from builders import process_engine

    close = process_engine.PipeConnection.close

    def recorded(connection: process_engine.PipeConnection) -> None:
        engine.calls.append("close")
        close(connection)

    monkeypatch.setattr(process_engine.PipeConnection, "close", recorded)
    outcome = order(sandbox, "flood-parts", seconds=1)
    assert outcome.error is not None
    assert engine.calls[:6] == ["create", "attach", "start", "close", "kill", "wait"]
    assert engine.calls[-1] == "remove"


@pytest.mark.parametrize(
    ("mock", "more", "code"),
    [
        ("hang", {}, "timeout"),
        ("hang", {"ignore_signals": True}, "timeout"),
        ("hold-lock", {}, "timeout"),
        ("segv", {}, "crashed"),
        ("exit", {"code": 7, "answer": True}, "crashed"),
        ("half-frame", {}, "protocol"),
        ("wrong-hash", {}, "protocol"),
        ("after-end", {}, "protocol"),
        ("two-results", {}, "protocol"),
        ("result-json", {"kind": "nan"}, "protocol"),
        ("kill-self", {"signal": 14}, "timeout"),
    ],
)
def test_a_hostile_reader(sandbox: Sandbox, mock: str, more: dict[str, Any], code: str) -> None:
    outcome = order(sandbox, mock, seconds=2 if code == "timeout" else 60, **more)
    assert outcome.error is not None
    assert outcome.error.code == code, outcome.error.message
    assert outcome.document is None


@pytest.mark.parametrize(
    ("mock", "more", "code", "read"),
    [
        ("hang", {}, "timeout", True),
        ("segv", {}, "crashed", True),
        ("kill-self", {"signal": 31}, "blocked-syscall", True),
        ("fail", {"code": "limit"}, "limit", True),
        ("fail", {"code": "corrupt"}, "corrupt", True),
        ("fail", {"code": "internal"}, "internal", True),
        ("fail", {"code": "unsupported"}, "unsupported", False),
        ("half-frame", {}, "protocol", False),
        ("wrong-hash", {}, "protocol", False),
        ("exit", {"code": 7, "answer": True}, "crashed", False),
    ],
)
def test_what_was_read_before_it_went_wrong(sandbox: Sandbox, mock: str, more: dict[str, Any], code: str, read: bool) -> None:
    outcome = order(sandbox, mock, seconds=2 if code == "timeout" else 60, parts=4, progress=True, **more)
    assert outcome.error is not None
    assert outcome.error.code == code, outcome.error.message
    assert (outcome.document is not None) is read
    if outcome.document is not None:
        assert [block.text for block in outcome.document.blocks] == [f"paragraph {n}" for n in range(1, 5)]
        assert (outcome.document.partial, outcome.document.stopped_at) == (True, {"page": 4})


def test_no_progress(sandbox: Sandbox) -> None:
    body = json.dumps({"mock": "hang", "parts": 2}).encode()
    outcome = sandbox.run(job(body, limits=Limits(wall_seconds=60, no_progress_seconds=1)))
    assert outcome.error is not None
    assert "no progress" in outcome.error.message
    assert outcome.document is not None
    assert outcome.provenance.limits["no_progress_seconds"] == 1


def test_cancel(sandbox: Sandbox, engine: ProcessEngine) -> None:
    with CancelToken() as token:
        threading.Timer(0.5, token.cancel).start()
        outcome = order(sandbox, "hang", cancel=token)
    assert outcome.error is not None
    assert outcome.error.code == "cancelled"
    assert "kill" in engine.calls


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), SystemExit(143), OSError("disk")])
def test_whatever_is_raised_on_the_way_the_container_goes(
    sandbox: Sandbox, engine: ProcessEngine, raised: BaseException
) -> None:
    def body() -> Iterator[bytes]:
        yield b"x"
        raise raised

    with pytest.raises(type(raised)):
        sandbox.run(replace(job(b"xx"), body=body))
    assert engine.calls[-1] == "remove"


def test_what_a_progress_listener_raises_is_passed_on(sandbox: Sandbox) -> None:
    def broken(_progress: Progress) -> None:
        raise ZeroDivisionError

    body = json.dumps({"mock": "flood-stdout", "frames": True}).encode()
    with pytest.raises(ZeroDivisionError):
        sandbox.run(job(body), on_progress=broken)


@pytest.mark.parametrize("step", ["create", "attach", "start"])
def test_an_engine_that_fails_at_any_step(
    sandbox: Sandbox, engine: ProcessEngine, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*_: object) -> None:
        raise make_error("engine-unreachable", "gone")

    monkeypatch.setattr(engine, step, fail)
    outcome = sandbox.run(job(TEXT))
    assert outcome.error is not None
    assert outcome.error.code == "engine-unreachable"
    assert engine.calls[-1:] == ([] if step == "create" else ["remove"])


@pytest.mark.parametrize("settle", [True, False])
def test_an_answer_is_not_lost_when_its_container_cannot_be_removed(
    sandbox: Sandbox, engine: ProcessEngine, instance: Instance, monkeypatch: pytest.MonkeyPatch, settle: bool
) -> None:
    def fail(container: str) -> None:
        raise make_error("internal", "no room left on the engine's disk")

    with monkeypatch.context() as broken:
        broken.setattr(engine, "remove", fail)
        outcome = sandbox.run(job(TEXT, settle=settle))
        sandbox.close()
    assert outcome.error is None
    assert outcome.document is not None
    instance.close()
    assert instance.lock_path.exists()  # for the next sweep
    for container in list(engine.present):
        engine.remove(container)


def test_a_second_interrupt_during_the_removal(
    engine: ProcessEngine, instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove, interrupts = engine.remove, [KeyboardInterrupt()]

    def interrupted(container: str) -> None:
        if interrupts:
            raise interrupts.pop()
        remove(container)

    monkeypatch.setattr(engine, "remove", interrupted)
    spec = ContainerSpec(IMAGE.id, Limits(), instance.labels(10), "{}", 10, module="fumehood_sandbox.mock")
    with pytest.raises(KeyboardInterrupt), Box(engine, spec, instance) as box:
        box.start()


def test_an_interrupt_while_the_engine_creates(
    sandbox: Sandbox, engine: ProcessEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The container is there, its id never came back."""
    create = engine.create

    def interrupted(spec: ContainerSpec) -> None:
        create(spec)
        raise KeyboardInterrupt

    monkeypatch.setattr(engine, "create", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sandbox.run(job(TEXT))
    assert engine.calls == ["create", "remove"]


def test_an_engine_that_creates_and_then_fails(
    sandbox: Sandbox, engine: ProcessEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its refusal says nothing of what it has made by then."""
    create = engine.create

    def failing(spec: ContainerSpec) -> None:
        create(spec)
        raise make_error("internal", "The engine refused to create a container: context deadline exceeded")

    monkeypatch.setattr(engine, "create", failing)
    outcome = sandbox.run(job(TEXT))
    assert outcome.error is not None
    assert "deadline exceeded" in outcome.error.message
    assert engine.present == set()


def test_the_mark_of_an_oom_kill_may_come_late(
    sandbox: Sandbox, engine: ProcessEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait, marks = engine.wait, [True, False]
    monkeypatch.setattr(engine, "wait", lambda *a: replace(wait(*a), oom_killed=marks.pop()))
    outcome = order(sandbox, "kill-self", signal=9)
    assert outcome.error is not None
    assert outcome.error.code == "out-of-memory"


def test_a_box_is_used_once(engine: ProcessEngine, instance: Instance) -> None:
    spec = ContainerSpec(IMAGE.id, Limits(), instance.labels(10), "{}", 10, module="fumehood_sandbox.mock")
    with Box(engine, spec, instance) as box:
        bounds = Bounds(30)
        with pytest.raises(RuntimeError):
            box.assign(RequestBytes(b"{}", iter(()), 0), bounds, lambda _frame: None)
        box.start()
        assert box.wait_ready(30)
        assert box.waits()
        assert box.assign(RequestBytes(b"{}", iter(()), 0), bounds, lambda _frame: None).complete
        with pytest.raises(RuntimeError):
            box.assign(RequestBytes(b"{}", iter(()), 0), bounds, lambda _frame: None)
        assert box.settle().complete
        assert box.finish(kill=False)[0].code == 0


def test_the_password_stands_in_no_spec(sandbox: Sandbox, engine: ProcessEngine) -> None:
    sandbox.run(job(TEXT, password="hush-hush"))
    assert "hush-hush" not in repr(engine.specs)


def test_sandbox_errors_carry_what_was_tried(sandbox: Sandbox) -> None:
    outcome = sandbox.run(job(b"PK\x03\x04 and then nothing of a package", extension=".docx"))
    assert outcome.error is not None
    assert outcome.error.code in {"corrupt", "unsupported"}
    assert outcome.provenance.exit_code == 0


# -- the supervisor ---------------------------------------------------------------------------------------------------


def _worker(order_text: dict[str, Any]) -> subprocess.Popen[bytes]:
    body = json.dumps(order_text).encode()
    return _started(prelude() + request_head(b'{"deadline_s": 100}', len(body)) + body + sha256(body).digest())


def _started(stdin: bytes) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-B", "-m", "fumehood_sandbox.mock", "100"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"PYTHONPATH": str(SANDBOX), "PATH": os.environ["PATH"]},
        start_new_session=True,
    )
    assert process.stdin is not None
    process.stdin.write(stdin)
    process.stdin.flush()
    return process


@pytest.mark.parametrize("mock", [{"mock": "hang", "ignore_signals": True}, {"mock": "hold-lock"}, {"mock": "spin"}], ids=str)
def test_the_worker_ends_when_stdin_does(mock: dict[str, Any]) -> None:
    with _worker(mock) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert select.select([process.stdout], [], [], 30)[0], "READY"
        time.sleep(0.5)
        assert process.poll() is None
        process.stdin.close()
        try:
            assert process.wait(20) == HOST_GONE
        finally:
            _kill_group(process)


@pytest.mark.parametrize("start", [b"FHQ1", b"FHP1\x04docq", b"FHP1\x04\xff\xff\xff\xff", request_head(b"{}", 0)], ids=repr)
def test_a_worker_without_a_sound_prelude_ends_before_it_is_ready(start: bytes) -> None:
    with _started(start) as process:
        try:
            assert process.stdout is not None
            assert process.wait(30) == 3
            assert process.stdout.read() == RESPONSE_MAGIC
        finally:
            _kill_group(process)


def test_a_box_sends_its_hint_and_any_document_is_read(
    engine: ProcessEngine, instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[bytes] = []
    attach = engine.attach

    def attached(container: str) -> Connection:
        connection = attach(container)
        send = connection.send

        def slowly(data: memoryview) -> int:
            """Of the prelude one byte at a time, and now and then none."""
            if len(b"".join(sent)) == len(prelude("docx")):
                return send(data)
            sent.append(bytes(data[: len(sent) % 2]))
            return send(data[:1]) if sent[-1] else 0

        monkeypatch.setattr(connection, "send", slowly)
        return connection

    monkeypatch.setattr(engine, "attach", attached)
    spec = ContainerSpec(IMAGE.id, Limits(), instance.labels(10), "{}", 10, module="fumehood_sandbox.mock")
    with Box(engine, spec, instance, preload="docx") as box:
        box.start()
        assert b"".join(sent) == prelude("docx")
        kinds: list[FrameType] = []
        request = RequestBytes(b'{"declared_extension": ".txt"}', iter([TEXT]), len(TEXT))
        assert box.assign(request, Bounds(30), lambda f: kinds.append(f.type)).complete
        assert (kinds[0], kinds[-1]) == (FrameType.READY, FrameType.RESULT)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGXCPU, signal.SIGSYS, signal.SIGKILL])
def test_the_container_ends_as_its_worker_did(number: signal.Signals) -> None:
    with _worker({"mock": "kill-self", "signal": int(number)}) as process:
        try:
            assert process.wait(30) == 128 + number
        finally:
            _kill_group(process)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


# -- this process as an owner -----------------------------------------------------------------------------------------


def test_the_lock_says_that_its_owner_lives(tmp_path: Path) -> None:
    import fcntl

    owner = Instance(tmp_path)
    assert list(tmp_path.iterdir()) == [], "nothing is written before the first container"
    labels = owner.labels(10)
    assert set(labels) == {"app", "app.instance", "app.host", "app.boot", "app.deadline", "app.req"}
    assert owner.labels(10)["app.req"] != labels["app.req"]
    with owner.lock_path.open() as file:
        with pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert owner.lock_path.stat().st_mode & 0o777 == 0o600
        owner.close()
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert list((tmp_path / "instances").iterdir()) == []
    owner.close()


def test_a_state_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentError_) as caught:
        Instance(tmp_path / "file").labels(10)
    assert caught.value.code == "output-not-writable"


def test_the_worker_keeps_its_memory_to_itself() -> None:
    code = (
        "import ctypes; from fumehood_sandbox.native import keep_memory as f; p = ctypes.CDLL(None).prctl\n"
        "print(*(p(3, 0, 0, 0, 0) for closed in (None, True, False) if closed is None or f(closed=closed) is None))"
    )
    sandbox = Path(__file__).resolve().parents[2] / "sandbox"
    environment = {**os.environ, "PYTHONPATH": str(sandbox)}
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert answer.stdout.split() == ["1", "0", "1"]


def test_a_full_disk_under_the_journal_is_an_error_and_no_result_is_lost_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    owner = Instance(tmp_path)
    owner.labels(10)
    monkeypatch.setattr("fumehood.sandbox.instance.os.write", full)
    with pytest.raises(EnvironmentError_, match="no space left") as caught:
        owner.created("c1")
    assert caught.value.code == "output-not-writable"
    owner.removed("c1")
