"""The adapter of the Docker engine against a server whose answers are those of no engine."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

import docker
from builders.probe_report import SPEC
from fumehood.errors import FumehoodError
from fumehood.sandbox.docker_engine import DockerEngine

CALLS: dict[str, Callable[[DockerEngine], Any]] = {
    "info": lambda engine: engine.info(),
    "create": lambda engine: engine.create(SPEC),
    "inspect": lambda engine: engine.inspect("c"),
    "wait": lambda engine: engine.wait("c", 1),
    "list": lambda engine: engine.list_labelled({"app": "fumehood"}),
}


@contextmanager
def answering(body: bytes, status: int = 200) -> Iterator[DockerEngine]:
    """An engine that gives every request the same answer."""

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_DELETE = do_GET  # noqa: N815 - the names that the base looks for

        def log_message(self, *_: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        engine = DockerEngine(docker.APIClient(f"http://127.0.0.1:{server.server_address[1]}", version="1.41"))
        try:
            yield engine
        finally:
            engine.close()
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("body", [b"null", b"5", b'"an engine"', b"[7]", b"\xff{", b'{"Id": ', b""], ids=repr)
def test_an_answer_that_no_engine_gives(call: str, body: bytes) -> None:
    """It is told as what it is, whatever was asked: the fault is not ours, and not the document's."""
    with answering(body) as engine, pytest.raises(FumehoodError) as caught:
        CALLS[call](engine)
    assert caught.value.code == "engine-unreachable"
    assert "not as an engine" in caught.value.message


@pytest.mark.parametrize("call", ["create", "wait"])
def test_an_answer_without_what_was_asked_for(call: str) -> None:
    with answering(b"{}") as engine, pytest.raises(FumehoodError) as caught:
        CALLS[call](engine)
    assert caught.value.code == "engine-unreachable"
    assert "not as an engine" in caught.value.message


def test_an_answer_whose_parts_are_of_other_types() -> None:
    with answering(b'{"Runtimes": [1], "Components": ["x"], "MemTotal": []}') as engine, pytest.raises(FumehoodError) as caught:
        engine.info()
    assert caught.value.code == "engine-unreachable"


@pytest.mark.parametrize("status", [404, 409, 500])
def test_a_refusal_points_at_the_engine_and_not_at_us(status: int) -> None:
    with answering(b'{"message": "no space left on device"}', status) as engine, pytest.raises(FumehoodError) as caught:
        engine.create(SPEC)
    assert caught.value.code == "internal"
    assert "journalctl -u docker" in (caught.value.hint or "")


@pytest.mark.parametrize("status", [409, 500])
@pytest.mark.parametrize("is_running", [False, True])
def test_what_ended_meanwhile_is_killed(status: int, is_running: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def kill(_container: str) -> None:
        raise docker.errors.APIError(
            "container state improper", response=SimpleNamespace(status_code=status, url="", reason="")
        )

    with answering(b"{}") as engine:
        monkeypatch.setattr(engine.api, "kill", kill)
        monkeypatch.setattr(engine.api, "inspect_container", lambda _: {"State": {"Running": is_running}})
        if not is_running:
            engine.kill("c")
            return
        with pytest.raises(FumehoodError) as caught:
            engine.kill("c")
        assert caught.value.code == "internal"
