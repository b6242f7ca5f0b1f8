"""The canary's own logic against an engine of this test's making, and what is remembered of its verdicts."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from builders.probe_report import INFO, SPEC, good_report, stored
from fumehood.errors import EnvironmentError_, FumehoodError, InputError, make_error
from fumehood.limits import Limits
from fumehood.sandbox import canary, policy
from fumehood.sandbox.engine import Connection, ContainerSpec, Created, EngineInfo, ExitInfo, Stream
from fumehood.sandbox.facts import FACTS, judge
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.verdicts import Verdicts
from fumehood_sandbox.frames import FrameType, ResponseEncoder, prelude

Answer = Callable[[dict[str, Any]], bytes]


def result(*payloads: bytes) -> bytes:
    """A whole response with one RESULT a payload."""
    encoder = ResponseEncoder()
    return b"".join(
        [
            encoder.start(),
            encoder.frame(FrameType.READY, b"{}"),
            *(encoder.frame(FrameType.RESULT, p) for p in payloads),
            encoder.end(),
        ]
    )


class FakeConnection:
    """A socket pair; the far end reads the request's header and answers with what the test gave."""

    def __init__(self, answer: Answer) -> None:
        self._near, self._far = socket.socketpair()
        self._near.setblocking(False)
        self._answer = answer
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self) -> None:
        with self._far:
            data, start = b"", len(prelude())
            while len(data) < start + 8 or len(data) < start + 8 + int.from_bytes(data[start + 4 : start + 8], "big"):
                piece = self._far.recv(65536)
                if not piece:
                    return
                data += piece
            data = data[start:]
            self._far.sendall(self._answer(json.loads(data[8 : 8 + int.from_bytes(data[4:8], "big")])))

    def readers(self) -> Sequence[int]:
        return (self._near.fileno(),)

    def writer(self) -> int:
        return self._near.fileno()

    def send(self, data: memoryview) -> int:
        return self._near.send(data)

    def receive(self, reader: int) -> list[tuple[Stream, bytes]] | None:
        try:
            data = self._near.recv(65536)
        except BlockingIOError:
            return []
        except ConnectionError:
            return None
        return [("stdout", data)] if data else None

    def close(self) -> None:
        if self._near.fileno() >= 0:
            self._near.close()
            self._thread.join()


class FakeEngine:
    """Containers that only exist here. *ends* tells by the deadman's seconds how one ends; *trouble* is raised on creation."""

    def __init__(
        self, probe: Answer, *, trouble: FumehoodError | None = None, start_trouble: FumehoodError | None = None
    ) -> None:
        self.probe = probe
        self.trouble = trouble
        self.start_trouble = start_trouble
        self.made: dict[str, ContainerSpec] = {}
        self.removed: list[str] = []
        self.bomb_survives = False
        self.unmarked_bombs = 0
        self.lives_on: set[str] = set()
        self.connections: list[FakeConnection] = []

    def info(self) -> EngineInfo:
        return INFO

    def create(self, spec: ContainerSpec) -> Created:
        if self.trouble is not None:
            raise self.trouble
        container = f"{len(self.made)}{os.urandom(4).hex()}"
        self.made[container] = spec
        return Created(container, "runc")

    def attach(self, container: str) -> Connection:
        def answer(header: dict[str, Any]) -> bytes:
            assert header["op"] == "probe"
            if header["options"].get("proof") == "memory":
                return result(b'{"probe": 3, "survived": 276824064}') if self.bomb_survives else b""
            return self.probe(header)

        connection = FakeConnection(answer)
        self.connections.append(connection)
        return connection

    def start(self, container: str) -> None:
        if self.start_trouble is not None:
            raise self.start_trouble

    def kill(self, container: str) -> None: ...

    def wait(self, container: str, timeout: float) -> ExitInfo:
        spec = self.made[container]
        if spec.outer_seconds == 1:
            return ExitInfo(137)
        if spec.limits.memory_bytes != SPEC.limits.memory_bytes:
            bombs = [one for one in self.made.values() if one.limits.memory_bytes == spec.limits.memory_bytes]
            return ExitInfo(0) if self.bomb_survives else ExitInfo(137, oom_killed=len(bombs) > self.unmarked_bombs)
        return ExitInfo(120)

    def inspect(self, container: str) -> dict[str, Any]:
        request = policy.create_request(self.made[container])
        host = request.pop("HostConfig") | {"Runtime": "runc"}
        return stored() | {"Config": request, "HostConfig": host}

    def remove(self, container: str) -> None:
        self.removed.append(container)

    def list_labelled(self, labels: Mapping[str, str]) -> dict[str, dict[str, str]]:
        return {}


class FakeSandbox:
    def __init__(self, engine: FakeEngine, state: Path) -> None:
        self.engine = engine
        self.instance = Instance(state)
        self.gvisor = False

    def spec(self, limits: Limits) -> ContainerSpec:
        return replace(SPEC, limits=limits, gvisor=self.gvisor)


def good(_header: dict[str, Any]) -> bytes:
    return result(json.dumps(good_report()).encode())


@pytest.fixture
def sandbox(tmp_path: Path) -> FakeSandbox:
    return FakeSandbox(FakeEngine(good), tmp_path / "state")


def test_good_containers_prove_everything(sandbox: FakeSandbox) -> None:
    judged = judge(canary.prove(sandbox))
    assert {f.id: f.found for f in judged if not f.ok} == {}
    assert len(sandbox.engine.made) == 4
    assert sorted(sandbox.engine.removed) == sorted(sandbox.engine.made)


def test_only_the_deadman_and_the_bomb_differ_from_a_request(sandbox: FakeSandbox) -> None:
    canary.prove(sandbox)
    asked = [policy.create_request(spec) for spec in sandbox.engine.made.values()]
    ordinary = policy.create_request(SPEC)
    for request in asked:
        different = {name for name, value in request["HostConfig"].items() if value != ordinary["HostConfig"][name]}
        assert different <= {"Memory", "MemorySwap", "Tmpfs", "Ulimits"}  # the bomb's scratch folder, and its longest file
        assert {name for name, value in request.items() if value != ordinary[name]} <= {"HostConfig", "Entrypoint"}
        assert ("Tmpfs" in different) == ("Memory" in different)


def test_a_bomb_that_lives(sandbox: FakeSandbox) -> None:
    sandbox.engine.bomb_survives = True
    failing = {f.id: f.found for f in judge(canary.prove(sandbox)) if not f.ok}
    assert failing == {"memory-enforced": "held 264 MiB and lived"}


@pytest.mark.parametrize(("gvisor", "bombs", "proved"), [(True, 2, True), (True, 9, False), (False, 1, False)])
def test_a_bomb_whose_end_the_engine_did_not_mark(sandbox: FakeSandbox, gvisor: bool, bombs: int, proved: bool) -> None:
    sandbox.gvisor = gvisor
    sandbox.engine.unmarked_bombs = bombs
    memory = canary.prove(sandbox).memory
    assert memory.exit is not None
    assert memory.exit.oom_killed == proved


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"", "the probe gave no report"),
        (b"junk that is no frame", "wrong magic"),
        (result(), "no report"),
        (result(b"{}", b"{}"), "no report"),
        (result(b"{}"), "has not the agreed shape"),
        (result(b"[" * 5000), "has not the agreed shape"),
        (result(b"{}")[:-1], "no report"),
    ],
)
def test_an_answer_that_is_none_proves_nothing(tmp_path: Path, answer: bytes, words: str) -> None:
    sandbox = FakeSandbox(FakeEngine(lambda _header: answer), tmp_path)
    evidence = canary.prove(sandbox)
    assert evidence.observed is None
    assert words in evidence.why
    failing = {f.id for f in judge(evidence) if not f.ok}
    assert {"network-none", "seccomp", "user", "memory-limit"} <= failing
    assert sorted(sandbox.engine.removed) == sorted(sandbox.engine.made)


def test_an_engine_that_changes_the_request_proves_nothing(tmp_path: Path) -> None:
    trouble = make_error("sandbox-too-weak", "The engine did not keep what was asked: HostConfig.PidsLimit.")
    sandbox = FakeSandbox(FakeEngine(good, trouble=trouble), tmp_path)
    with pytest.raises(EnvironmentError_) as caught:
        canary.attest(sandbox, verdicts=Verdicts(tmp_path))
    assert caught.value.code == "sandbox-too-weak"
    assert "HostConfig.PidsLimit" in caught.value.message


@pytest.mark.parametrize("code", ["engine-unreachable", "image-missing"])
def test_what_is_no_weakness_is_passed_on(tmp_path: Path, code: Any) -> None:
    sandbox = FakeSandbox(FakeEngine(good, trouble=make_error(code, "x")), tmp_path)
    with pytest.raises(EnvironmentError_) as caught:
        canary.attest(sandbox, verdicts=Verdicts(tmp_path))
    assert caught.value.code == code
    assert not Verdicts(tmp_path).path.exists()


def test_a_container_that_does_not_start_is_removed(tmp_path: Path) -> None:
    sandbox = FakeSandbox(FakeEngine(good, start_trouble=make_error("internal", "The runtime failed.")), tmp_path)
    evidence = canary.prove(sandbox)
    assert evidence.why == "The runtime failed."
    assert sorted(sandbox.engine.removed) == sorted(sandbox.engine.made)


# -- verdicts ---------------------------------------------------------------------------------------------------------


def test_a_verdict_is_remembered(sandbox: FakeSandbox, tmp_path: Path) -> None:
    verdicts = Verdicts(tmp_path)
    assert canary.attest(sandbox, verdicts=verdicts).level == "full"
    assert canary.attest(sandbox, verdicts=Verdicts(tmp_path)).level == "full"
    assert len(sandbox.engine.made) == 4
    assert verdicts.path.stat().st_mode & 0o777 == 0o600
    canary.attest(sandbox, verdicts=verdicts, fresh=True)
    assert len(sandbox.engine.made) == 8


def test_a_refusing_verdict_is_proved_anew(sandbox: FakeSandbox, tmp_path: Path) -> None:
    verdicts = Verdicts(tmp_path)
    sandbox.engine.probe = lambda _header: result(json.dumps({**good_report(), "shm": True}).encode())
    with pytest.raises(EnvironmentError_, match="no-shared-memory"):
        canary.attest(sandbox, verdicts=verdicts)
    attestation = canary.attest(sandbox, accept_weaker=["no-shared-memory"], verdicts=verdicts)
    assert attestation.missing == ("no-shared-memory",)
    assert len(sandbox.engine.made) == 4  # remembered: accepting it needs no new proof
    sandbox.engine.probe = good
    assert canary.attest(sandbox, verdicts=verdicts).level == "full"
    assert len(sandbox.engine.made) == 8


def test_an_unknown_fact_is_refused_before_any_container(sandbox: FakeSandbox, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="network-none"):
        canary.attest(sandbox, accept_weaker=["network"], verdicts=Verdicts(tmp_path))
    assert sandbox.engine.made == {}


@pytest.mark.parametrize(
    "change",
    [
        {"info": replace(INFO, id="OTHER")},
        {"info": replace(INFO, version="29.5.2")},
        {"info": replace(INFO, runtime_version="1.3.4")},
        {"info": replace(INFO, security_options=("name=userns",))},
        {"info": replace(INFO, runtime_arguments={"runsc": ["--network=none"]})},
        {"spec": replace(SPEC, image_id="sha256:" + "2" * 64)},
        {"spec": replace(SPEC, runtime="runsc")},
        {"spec": replace(SPEC, seccomp="{ }")},
        {"spec": replace(SPEC, limits=replace(SPEC.limits, pids=65))},
    ],
)
def test_a_verdict_holds_for_one_of_everything(tmp_path: Path, change: dict[str, Any]) -> None:
    verdicts = Verdicts(tmp_path)
    assert verdicts.key(**({"info": INFO, "spec": SPEC} | change)) != verdicts.key(INFO, SPEC)


def test_labels_do_not_matter(tmp_path: Path) -> None:
    relabelled = replace(SPEC, labels={"app": "fumehood", "app.req": "2"})
    assert Verdicts(tmp_path).key(INFO, relabelled) == Verdicts(tmp_path).key(INFO, SPEC)


def a_verdict(folder: Path) -> Verdicts:
    verdicts = Verdicts(folder)
    verdicts.put("key", judge_good())
    assert verdicts.get("key") is not None
    return verdicts


def judge_good() -> Any:
    from builders.probe_report import evidence

    return judge(evidence())


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "null",
        "[]",
        '{"format": 1}',
        '{"format": 2, "verdicts": {}}',
        '{"format": 1, "verdicts": {"key": {"at": 0, "facts": []}}}',
        "[" * 9999,
    ],
)
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, content: str) -> None:
    verdicts = a_verdict(tmp_path)
    verdicts.path.write_text(content)
    assert verdicts.get("key") is None
    verdicts.put("key", judge_good())
    assert len(verdicts.get("key") or []) == len(FACTS)


def test_a_file_that_others_may_write_is_ignored(tmp_path: Path) -> None:
    verdicts = a_verdict(tmp_path)
    verdicts.path.chmod(0o666)
    assert verdicts.get("key") is None


def test_a_link_is_ignored(tmp_path: Path) -> None:
    verdicts = a_verdict(tmp_path)
    verdicts.path.rename(tmp_path / "elsewhere")
    verdicts.path.symlink_to(tmp_path / "elsewhere")
    assert verdicts.get("key") is None


@pytest.mark.parametrize("shift", [-60, 25 * 3600])
def test_a_verdict_ages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shift: int) -> None:
    import time

    verdicts = a_verdict(tmp_path)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + shift)
    assert verdicts.get("key") is None


def test_few_verdicts_are_kept(tmp_path: Path) -> None:
    verdicts = Verdicts(tmp_path)
    for number in range(20):
        verdicts.put(f"key{number}", judge_good())
    assert verdicts.get("key0") is None
    assert verdicts.get("key19") is not None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    verdicts = Verdicts(tmp_path / "nowhere")
    verdicts.put("key", judge_good())
    assert verdicts.get("key") is None


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: path.write_bytes(b"[" * 100_000)])
def test_a_cache_that_is_none_is_proved_anew_and_nobody_waits_for_it(make: Any, tmp_path: Path) -> None:
    make(tmp_path / "canary.json")
    assert Verdicts(tmp_path).get("any") is None


# -- another runtime will do, or not ----------------------------------------------------------------------------------


def test_a_remembered_refusal_is_believed_only_where_another_will_do(sandbox: FakeSandbox, tmp_path: Path) -> None:
    sandbox.engine.bomb_survives = True
    verdicts = Verdicts(tmp_path)
    for made, believe in ((4, False), (4, True), (8, False)):
        with pytest.raises(EnvironmentError_) as caught:
            canary.attest(sandbox, verdicts=verdicts, believe_refusal=believe)
        assert caught.value.code == "sandbox-too-weak"
        assert len(sandbox.engine.made) == made


def test_gvisor_that_does_not_start_is_started_once(sandbox: FakeSandbox) -> None:
    """What a failed start of it leaves running, no request to the engine can end."""
    sandbox.gvisor = True
    sandbox.engine.start_trouble = make_error("internal", "The engine refused to start a container.")
    failing = {fact.id: fact.found for fact in judge(canary.prove(sandbox)) if not fact.ok}
    assert len(sandbox.engine.made) == 1
    assert len(sandbox.engine.removed) == 1
    assert failing["probe"].startswith("The engine refused")
    assert failing["memory-enforced"] == failing["deadman"] == failing["host-death"] == "not tried"
