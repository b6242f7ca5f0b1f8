"""The list. Each check takes a `Subject`, uses nothing but the `Engine` protocol and `Sandbox`, and leaves nothing behind."""

from __future__ import annotations

import hashlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from builders.jobs import job
from conformance.subject import Subject, check
from fumehood.errors import EnvironmentError_
from fumehood.limits import MIB
from fumehood.sandbox import canary, facts
from fumehood.sandbox.box import Box
from fumehood.sandbox.cancel import CancelToken
from fumehood.sandbox.engine import ExitInfo
from fumehood.sandbox.policy import differences
from fumehood_sandbox import mock_outlive
from fumehood_sandbox.contract import Request
from fumehood_sandbox.frames import prelude, request_head
from fumehood_sandbox.supervise import HOST_GONE

ROOT = Path(__file__).resolve().parents[3]
#: Far beyond what anything here takes, and far below the minutes of a call that hangs.
PATIENCE = 60.0


# -- a document there and back ----------------------------------------------------------------------------------------


@check
def a_document_goes_in_and_comes_out(subject: Subject) -> None:
    text = "Grüße aus dem Kasten.\n\nSecond paragraph.\n".encode()
    outcome = subject.sandbox.run(job(text, extension=".txt", seconds=60))
    assert outcome.error is None, outcome.error
    assert outcome.document is not None
    assert outcome.document.blocks[0].text == "Grüße aus dem Kasten."
    assert outcome.provenance.sha256 == hashlib.sha256(text).hexdigest()
    assert outcome.provenance.exit_code == 0
    assert outcome.provenance.runtime == (subject.runtime or subject.engine.info().default_runtime)


@check
def much_goes_both_ways_at_once(subject: Subject) -> None:
    lines = [f"{n} {'x' * 200}" for n in range(20_000)]
    outcome = subject.sandbox.run(job("\n\n".join(lines).encode(), extension=".txt", seconds=100))
    assert outcome.error is None, outcome.error
    assert outcome.document is not None
    assert [block.text for block in outcome.document.blocks] == lines


@check
def an_answer_comes_before_the_document_was_read(subject: Subject) -> None:
    outcome = subject.mock.run(job(b"x" * (32 * MIB), seconds=60, options={"mock": "answer-early"}))
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.message) == ("unsupported", "answered before the document was read")


@check
def a_reader_closes_its_stdin(subject: Subject) -> None:
    outcome = subject.mock.run(job(b"x" * (16 * MIB), seconds=3, options={"mock": "close-stdin"}))
    assert outcome.error is not None
    assert outcome.error.code in {"timeout", "crashed"}


@check
def a_name_of_other_alphabets_crosses_in_the_header(subject: Subject) -> None:
    password = "pässwörd 日本語 \N{GRINNING FACE} " + "ﷺ" * 20
    outcome = subject.sandbox.run(job(b"plain\n", extension=".txt", seconds=60, password=password))
    assert outcome.error is None, outcome.error


@check
def two_at_once_do_not_mix(subject: Subject) -> None:
    def one(number: int) -> str:
        outcome = subject.sandbox.run(job(b"document %d\n" % number, extension=".txt", seconds=100))
        assert outcome.error is None, outcome.error
        assert outcome.document is not None
        return outcome.document.blocks[0].text

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(one, range(4))) == [f"document {n}" for n in range(4)]


@check
def stderr_beyond_every_buffer_is_drained(subject: Subject) -> None:
    asked = job(json.dumps({"mock": "flood-stderr", "seconds": 0.5}).encode(), seconds=60)
    life = subject.mock.live(asked, subject.mock.spec(asked.limits), lambda _frame: None)
    assert life.error is None, life.error
    assert 1000 < len(life.stderr) <= 64 * 1024


# -- streams ----------------------------------------------------------------------------------------------------------


@check
def attached_before_the_start_no_byte_is_lost(subject: Subject) -> None:
    """The worker's first bytes are there, and they are the first."""
    for _ in range(3):
        with Box(subject.engine, subject.spec(), subject.instance) as box:
            box.start()
            assert box.wait_ready(PATIENCE)


@check
def the_end_of_stdin_reaches_the_worker(subject: Subject) -> None:
    """Half-closed: the streams stay, and the container ends by itself and is heard to."""
    with subject.container() as container:
        connection = subject.engine.attach(container)
        try:
            subject.engine.start(container)
            sent = memoryview(prelude())
            assert connection.send(sent) == len(sent)
            with socket.socket(fileno=os.dup(connection.writer())) as half:
                half.shutdown(socket.SHUT_WR)
            assert subject.engine.wait(container, PATIENCE).code == HOST_GONE
        finally:
            connection.close()


@check
def a_host_that_goes_away_ends_the_worker(subject: Subject) -> None:
    with subject.container() as container:
        connection = subject.engine.attach(container)
        subject.engine.start(container)
        connection.close()
        assert subject.engine.wait(container, PATIENCE).code == HOST_GONE


HOST = """
import json, sys
from pathlib import Path
from builders.jobs import job
from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.image_trust import TrustedImage
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.runner import Sandbox
address, runtime, accepted, state, image = sys.argv[1:]
instance = Instance(Path(state))
engine = DockerEngine.connect(address or None, accepted=accepted.split(","))
sandbox = Sandbox(engine, TrustedImage(image, "", "local"), instance=instance, runtime=runtime or None, module="fumehood_sandbox.mock")
print(instance.id, flush=True)
sandbox.run(job(json.dumps({"mock": "hold-lock"}).encode(), seconds=200))
"""


@check
def a_host_that_is_killed_leaves_no_reader(subject: Subject) -> None:
    path = os.pathsep.join(str(ROOT / part) for part in ("host", "sandbox", "tests"))
    state = subject.instance.lock_path.parent.parent / f"killed-host-{subject.name}"
    arguments = [subject.address or "", subject.runtime or "", ",".join(subject.lacks), str(state), subject.test.id]
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, *arguments], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path}, text=True
    )
    with host:
        assert host.stdout is not None
        owner = host.stdout.readline().strip()
        until = time.monotonic() + PATIENCE
        running: list[str] = []
        while not running and time.monotonic() < until:
            time.sleep(0.2)
            found = subject.engine.list_labelled({"app": "fumehood", "app.instance": owner})
            running = [name for name in found if subject.engine.inspect(name)["State"]["Running"]]
        assert running, "no container came up"
        try:
            time.sleep(2.0)  # the order is on its way, or being obeyed
            host.send_signal(signal.SIGKILL)
            host.wait(10)
            assert subject.engine.wait(running[0], PATIENCE).code == HOST_GONE
        finally:
            subject.engine.remove(running[0])


@check
def a_kill_after_the_close_does_not_hang(subject: Subject) -> None:
    """A container that floods an attached client who does not read: first the socket, then the kill."""
    spec = subject.mock.spec(job(b"").limits)
    body = json.dumps({"mock": "flood-stdout"}).encode()
    header = json.dumps(asdict(Request(deadline_s=100))).encode()
    with subject.container(spec) as container:
        connection = subject.engine.attach(container)
        subject.engine.start(container)
        sent = prelude() + request_head(header, len(body)) + body + hashlib.sha256(body).digest()
        assert connection.send(memoryview(sent)) == len(sent)
        time.sleep(3.0)
        connection.close()
        started = time.monotonic()
        subject.engine.kill(container)
        assert subject.engine.wait(container, PATIENCE).code in {137, HOST_GONE}  # it sees the end of stdin, too
        subject.engine.remove(container)
        assert time.monotonic() - started < 15


# -- ends -------------------------------------------------------------------------------------------------------------

#: order, its options, seconds, error code, and the same under gVisor where that differs
ENDS: list[tuple[str, dict[str, object], float, str, str]] = [
    ("hang", {"ignore_signals": True}, 2, "timeout", ""),
    ("segv", {}, 60, "crashed", ""),
    ("exit", {"code": 7}, 60, "crashed", ""),
    ("exit", {"code": 125}, 60, "internal", ""),
    ("kill-self", {"signal": 9}, 60, "crashed", "out-of-memory"),  # the same to see as gVisor killed for its memory
    ("kill-self", {"signal": 24}, 60, "limit", ""),
    ("big-file", {}, 60, "limit", ""),
    ("half-frame", {}, 60, "protocol", ""),
    ("wrong-hash", {}, 60, "protocol", ""),
    ("after-end", {}, 60, "protocol", ""),
    ("flood-stdout", {}, 60, "protocol", ""),
    ("memory-bomb", {}, 60, "out-of-memory", ""),
    ("child-memory-bomb", {}, 60, "out-of-memory", ""),
    # gVisor answers the foreign entry with an error where the filter kills: the mock goes on, and its order is no document.
    ("foreign-call", {}, 60, "blocked-syscall", "unsupported"),
]


@check
def every_end_has_its_code(subject: Subject) -> None:
    def wrong(end: tuple[str, dict[str, object], float, str, str]) -> str | None:
        name, options, seconds, code, in_gvisor = end
        wanted = in_gvisor if subject.gvisor and in_gvisor else code
        outcome = subject.order(name, seconds=seconds, **options)
        found = outcome.error.code if outcome.error is not None else "no error"
        return f"{name} {options}: {found}, not {wanted}" if found != wanted else None

    with ThreadPoolExecutor(2) as pool:
        assert [found for found in pool.map(wrong, ENDS) if found] == []


@check
def a_fork_bomb_ends_with_its_container(subject: Subject) -> None:
    outcome = subject.order("fork-bomb", seconds=3)
    assert outcome.error is not None
    assert outcome.error.code in {"timeout", "crashed", "out-of-memory"}


@check
def the_deadman_needs_no_host(subject: Subject) -> None:
    asked = job(json.dumps({"mock": "hang", "ignore_signals": True}).encode(), seconds=100)
    life = subject.mock.live(asked, replace(subject.mock.spec(asked.limits), outer_seconds=4), lambda _frame: None)
    assert life.error is not None
    assert life.error.code == "timeout"


def outlived(subject: Subject, outer_seconds: int, **order: object) -> ExitInfo:
    """How a container ends whose reader has tried everything to outlive its host, once that host is gone."""
    asked = job(json.dumps({"mock": "outlive", "stop_only": subject.gvisor, **order}).encode(), seconds=200)
    body = next(asked.body())
    header = json.dumps(asdict(Request(deadline_s=200))).encode()
    with subject.container(replace(subject.mock.spec(asked.limits), outer_seconds=outer_seconds)) as container:
        connection = subject.engine.attach(container)
        try:
            subject.engine.start(container)
            sent = prelude() + request_head(header, len(body)) + body + hashlib.sha256(body).digest()
            assert connection.send(memoryview(sent)) == len(sent)
            said = b""
            until = time.monotonic() + PATIENCE
            while mock_outlive.TRIED not in said and time.monotonic() < until:
                for reader in select.select(connection.readers(), [], [], 1.0)[0]:
                    said += b"".join(data for stream, data in connection.receive(reader) or () if stream == "stderr")
            assert said == mock_outlive.TRIED
            assert subject.engine.inspect(container)["State"]["Running"]
        finally:
            connection.close()
        return subject.engine.wait(container, PATIENCE)


@check
def a_hostile_reader_does_not_outlive_its_host(subject: Subject) -> None:
    """Where the first process cannot be stopped the end of stdin is enough; gVisor lets it be stopped, but not its timer."""
    assert outlived(subject, 20 if subject.gvisor else 600).code == (137 if subject.gvisor else HOST_GONE)


@check
def a_hostile_reader_that_keeps_stdin_open_ends_with_its_time(subject: Subject) -> None:
    assert outlived(subject, 20, hold_stdin=True).code == 137


@check
def a_cancelled_call_is_over_soon(subject: Subject) -> None:
    with CancelToken() as token:
        threading.Timer(2.0, token.cancel).start()
        started = time.monotonic()
        outcome = subject.order("hang", seconds=200, cancel=token, ignore_signals=True)
        assert outcome.error is not None
        assert outcome.error.code == "cancelled"
        assert time.monotonic() - started < PATIENCE


@check
def a_wait_has_an_end(subject: Subject) -> None:
    with subject.container() as container:
        connection = subject.engine.attach(container)
        try:
            subject.engine.start(container)
            with pytest.raises(TimeoutError):
                subject.engine.wait(container, 1.0)
            subject.engine.kill(container)
            ended = subject.engine.wait(container, PATIENCE)
            assert (ended.code, ended.oom_killed) == (137, False)
            subject.engine.kill(container)  # it has ended already: no error
        finally:
            connection.close()


@check
def it_can_be_removed_in_every_state(subject: Subject) -> None:
    created = subject.engine.create(subject.spec()).id
    running = subject.engine.create(subject.spec()).id
    connection = subject.engine.attach(running)
    subject.engine.start(running)
    ended = subject.engine.create(subject.spec()).id
    gone = subject.engine.attach(ended)
    subject.engine.start(ended)
    gone.close()
    subject.engine.wait(ended, PATIENCE)
    connection.close()
    for container in (created, running, ended, ended):
        subject.engine.remove(container)
    assert not {created, running, ended} & set(subject.engine.list_labelled({"app.instance": subject.instance.id}))


# -- what the engine keeps and tells ----------------------------------------------------------------------------------


@check
def it_is_found_by_its_labels_in_every_state(subject: Subject) -> None:
    spec = subject.spec()
    with subject.container(spec) as container:
        by_request = {"app": "fumehood", "app.req": spec.labels["app.req"]}
        assert list(subject.engine.list_labelled(by_request)) == [container]
        assert subject.engine.list_labelled(by_request)[container]["app.instance"] == subject.instance.id
        connection = subject.engine.attach(container)
        subject.engine.start(container)
        assert list(subject.engine.list_labelled(by_request)) == [container]
        connection.close()
        subject.engine.wait(container, PATIENCE)
        assert list(subject.engine.list_labelled(by_request)) == [container]
        assert subject.engine.list_labelled({**by_request, "app.instance": "other"}) == {}


@check
def it_keeps_what_was_asked_and_warns_of_nothing(subject: Subject) -> None:
    """`DockerEngine.create` refuses both; here by hand."""
    spec = subject.spec()
    with subject.container(spec) as container:
        stored = subject.engine.inspect(container)
        assert differences(spec, stored, accepted=subject.lacks, spellings=subject.engine.spellings) == []
        assert stored["Image"] == subject.core.id
        assert stored["Mounts"] == []
        assert stored["HostConfig"]["Memory"] == spec.limits.memory_bytes
        assert stored["HostConfig"]["PidsLimit"] == (256 if subject.gvisor else spec.limits.pids)


@check
def an_image_that_is_not_there_is_not_fetched(subject: Subject) -> None:
    with pytest.raises(EnvironmentError_) as caught:
        subject.engine.create(replace(subject.spec(), image_id="sha256:" + "0" * 64))
    assert caught.value.code == "image-missing"


@check
def the_facts_hold_but_for_those_that_it_lacks(subject: Subject) -> None:
    judged = facts.judge(canary.prove(subject.sandbox))
    failing = {fact.id: fact.found for fact in judged if fact.required and not fact.ok}
    assert set(failing) == subject.lacks, failing
