"""How the server ends: by a closed stdin, by signals, by a cancelled call, and never with a container left."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FUMEHOOD = Path(sys.executable).with_name("fumehood")
pytestmark = [pytest.mark.usefixtures("image"), pytest.mark.timeout(600)]

Start = Callable[..., Any]


def busy(raw: Start, home: Any, engine: Any, slow: Path, wait_until: Any) -> Any:
    """A server whose container is at work on *slow*. It keeps no spare, so that this is the only one."""
    home.environment["FUMEHOOD_POOL__SPARES"] = "0"
    server = raw("--allow", str(slow.parent))
    server.handshake()
    # The sandbox is proved first, in containers of its own: what is waited for below is the document's.
    ready = server.receive(server.call("get_supported_formats"))["result"]["structuredContent"]["sandbox"]
    assert ready["ready"] is True, ready
    server.number = server.call("extract_text", file_path=str(slow))
    wait_until(lambda: any(c["State"] == "running" for c in home.containers(engine)))
    return server


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)])
def test_a_signal_during_a_call_takes_the_container_away(
    number: signal.Signals, status: int, raw: Start, home: Any, engine: Any, slow: Path, wait_until: Any
) -> None:
    server = busy(raw, home, engine, slow, wait_until)
    server.process.send_signal(number)
    assert server.process.wait(60) == status
    assert home.containers(engine) == []
    assert home.instances() == [], "the lock and the journal are gone too"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_without_a_call_ends_it_while_stdin_is_open(number: signal.Signals, raw: Start, home: Any) -> None:
    server = raw()
    server.handshake()
    server.process.send_signal(number)
    assert server.process.wait(60) == 128 + number


@pytest.mark.parametrize("end", ["stdin", "signal", "kill"])
def test_a_spare_waits_after_the_handshake_and_goes_with_its_server(
    end: str, raw: Start, home: Any, engine: Any, wait_until: Any
) -> None:
    server = raw()
    server.handshake()
    wait_until(lambda: any(c["State"] == "running" for c in home.containers(engine)))
    if end == "stdin":
        server.process.stdin.close()
        assert server.process.wait(60) == 0
    else:
        server.process.send_signal(signal.SIGTERM if end == "signal" else signal.SIGKILL)
        server.process.wait(60)
    if end == "kill":
        wait_until(lambda: all(c["State"] == "exited" for c in home.containers(engine)))
        for container in home.containers(engine):
            engine.remove_container(container["Id"], force=True)
    else:
        assert home.containers(engine) == []
        assert home.instances() == []


def test_a_closed_stdin_during_a_call_is_a_clean_end(raw: Start, home: Any, engine: Any, slow: Path, wait_until: Any) -> None:
    server = busy(raw, home, engine, slow, wait_until)
    server.process.stdin.close()
    assert server.process.wait(60) == 0
    assert home.containers(engine) == []
    assert home.instances() == []


def test_a_client_that_stops_reading_ends_it_while_stdin_is_open(
    raw: Start, home: Any, engine: Any, slow: Path, wait_until: Any
) -> None:
    server = busy(raw, home, engine, slow, wait_until)
    server.process.stdout.close()
    assert server.process.wait(60) == 0
    assert home.containers(engine) == []
    assert home.instances() == []


def test_answers_that_cannot_be_written_are_one_sentence(home: Any) -> None:
    hello = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
    hello += b'"clientInfo":{"name":"test","version":"0"}}}\n'
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [FUMEHOOD, "serve"], input=hello, stdout=full, stderr=subprocess.PIPE, env=home.environment, check=False, timeout=60
        )
    assert done.returncode == 2
    assert b"output-not-writable: standard output cannot be written: no space left on device" in done.stderr
    assert b"internal" not in done.stderr


def test_a_closed_stdin_before_the_handshake_is_a_clean_end(raw: Start, home: Any) -> None:
    server = raw()
    server.process.stdin.close()
    assert server.process.wait(60) == 0


def test_a_cancelled_call_removes_its_container_and_the_server_goes_on(
    raw: Start, home: Any, engine: Any, slow: Path, review: Path, wait_until: Any
) -> None:
    server = busy(raw, home, engine, slow, wait_until)
    working = [c["Id"] for c in home.containers(engine)]
    server.send("notifications/cancelled", {"requestId": server.number, "reason": "enough"}, notify=True)
    wait_until(lambda: not {c["Id"] for c in home.containers(engine)} & set(working))
    answer = server.receive(server.call("get_docx_structure_stats", file_path=str(review)))
    # The folder of *slow* is the only one allowed here; what counts is that the server answers at all.
    assert answer["result"]["structuredContent"]["error"]["code"] == "not-allowed"
    assert server.process.poll() is None


def test_the_handshake_does_not_wait_for_an_engine_that_hangs(raw: Start, home: Any, tmp_path: Path) -> None:
    """A socket that accepts and never answers: the worst kind of engine."""
    import socket

    path = tmp_path / "silent.sock"
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(path))
        silent.listen(16)
        home.environment["DOCKER_HOST"] = f"unix://{path}"
        server = raw()
        server.handshake()
        listed = server.receive(server.send("tools/list"))
        assert len(listed["result"]["tools"]) == 14
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 143
