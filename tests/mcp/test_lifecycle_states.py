"""How the server ends in every state that it can be in: no container, no lock file, and the exit status of the field."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders.mock_command import MOCK
from fumehood.server.run import GRACE_SECONDS

pytestmark = [pytest.mark.usefixtures("test_image"), pytest.mark.timeout(600)]
Start = Callable[..., Any]

ENDS: dict[str, int] = {"SIGTERM": 143, "SIGINT": 130, "SIGHUP": 129, "stdin closed": 0, "client gone": 0}


def end(server: Any, how: str) -> None:
    """End *server* as a client or an operator does, and see that it does so well within the patience of clients."""
    if how.startswith("SIG"):
        server.process.send_signal(signal.Signals[how])
    else:
        if how == "client gone":
            server.process.stdout.close()
        server.process.stdin.close()
    assert server.process.wait(GRACE_SECONDS + 30) == ENDS[how]


def nothing_left(home: Any, engine: Any) -> None:
    assert home.containers(engine) == []
    assert home.instances() == []


@pytest.mark.parametrize("how", ENDS)
def test_while_the_sandbox_is_proved(how: str, raw: Start, home: Any, engine: Any, wait_until: Any) -> None:
    (home.path / "state" / "fumehood" / "canary.json").unlink(missing_ok=True)
    server = raw(program=MOCK)
    server.handshake()
    server.call("get_supported_formats")  # it waits for the proof
    wait_until(lambda: home.containers(engine))
    end(server, how)
    nothing_left(home, engine)
    assert not (home.path / "state" / "fumehood" / "canary.json").exists(), "the proof was waited for"


@pytest.mark.parametrize("how", ENDS)
def test_while_one_document_is_read_and_others_wait(
    how: str, raw: Start, home: Any, engine: Any, documents: Path, orders: Any, wait_until: Any
) -> None:
    home.environment["FUMEHOOD_JOBS"] = "1"
    server = raw("--allow", str(documents), program=MOCK)
    server.handshake()
    ready = server.receive(server.call("get_supported_formats"))["result"]["structuredContent"]["sandbox"]
    assert ready["ready"] is True, ready
    for _ in range(4):
        server.call("extract_text", file_path=str(orders(ignore_signals=True)))
    wait_until(lambda: any(c["State"] == "running" for c in home.containers(engine)))
    end(server, how)
    nothing_left(home, engine)


@pytest.mark.parametrize("how", ENDS)
def test_while_spare_containers_are_started(
    how: str, raw: Start, home: Any, engine: Any, documents: Path, orders: Any, wait_until: Any
) -> None:
    server = raw("--allow", str(documents), program=MOCK)
    server.handshake()
    assert "result" in server.receive(server.call("extract_text", file_path=str(orders(mock="exit", code=0, answer=True))))
    wait_until(lambda: home.containers(engine))
    end(server, how)
    nothing_left(home, engine)


def test_a_full_queue_is_busy_with_the_time_to_come_again(
    raw: Start, home: Any, engine: Any, documents: Path, orders: Any, wait_until: Any
) -> None:
    home.environment |= {"FUMEHOOD_JOBS": "1", "FUMEHOOD_QUEUE": "1"}
    server = raw("--allow", str(documents), program=MOCK)
    server.handshake()
    assert server.receive(server.call("get_supported_formats"))["result"]["structuredContent"]["sandbox"]["ready"]
    calls = {server.call("extract_text", file_path=str(orders())) for _ in range(4)}
    refused = []
    for _ in range(2):
        answer = server.receive_any(calls)
        assert answer["result"]["isError"] is True
        refused.append(answer["result"]["structuredContent"]["error"])
    assert [(error["code"], error["kind"]) for error in refused] == [("busy", "queue")] * 2
    assert all(error["hint"].startswith("Try again in about ") for error in refused)
    end(server, "SIGTERM")
    nothing_left(home, engine)
