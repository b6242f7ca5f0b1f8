"""The engine is found as the Docker command line finds it, and its absence is told clearly and soon."""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from fumehood.errors import EnvironmentError_
from fumehood.sandbox import docker_resolve
from fumehood.sandbox.docker_describe import told
from fumehood.sandbox.docker_resolve import Endpoint, Tried, endpoints, open_client, unreachable


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in ("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / ".docker"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    return tmp_path


def make_context(home: Path, name: str, host: str, *, current: bool = False) -> None:
    folder = home / ".docker/contexts/meta" / hashlib.sha256(name.encode()).hexdigest()
    folder.mkdir(parents=True)
    endpoint = {"docker": {"Host": host, "SkipTLSVerify": False}}
    (folder / "meta.json").write_text(json.dumps({"Name": name, "Metadata": {}, "Endpoints": endpoint}))
    (home / ".docker/config.json").write_text(json.dumps({"currentContext": name} if current else {}))


def test_our_setting_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://elsewhere:2375")
    assert endpoints("unix:///mine.sock") == [Endpoint("unix:///mine.sock", "setting")]


def test_docker_host_comes_before_contexts(monkeypatch: pytest.MonkeyPatch, clean_environment: Path) -> None:
    make_context(clean_environment, "remote", "tcp://remote:2375", current=True)
    monkeypatch.setenv("DOCKER_HOST", "unix:///host.sock")
    assert endpoints() == [Endpoint("unix:///host.sock", "DOCKER_HOST")]


def test_docker_context_comes_before_the_current_one(monkeypatch: pytest.MonkeyPatch, clean_environment: Path) -> None:
    make_context(clean_environment, "other", "tcp://other:2375")
    make_context(clean_environment, "remote", "tcp://remote:2375", current=True)
    monkeypatch.setenv("DOCKER_CONTEXT", "other")
    assert [(e.host, e.source) for e in endpoints()] == [("tcp://other:2375", "context other")]


def test_the_current_context(clean_environment: Path) -> None:
    make_context(clean_environment, "rootless", "unix:///run/user/1000/docker.sock", current=True)
    assert [(e.host, e.source) for e in endpoints()] == [("unix:///run/user/1000/docker.sock", "context rootless")]


def test_without_a_home_folder_no_context_of_the_working_directory_is_used(
    monkeypatch: pytest.MonkeyPatch, clean_environment: Path
) -> None:
    make_context(clean_environment / "~", "planted", "tcp://planted:2375", current=True)
    monkeypatch.chdir(clean_environment)
    monkeypatch.delenv("DOCKER_CONFIG")
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as for a user id that has no entry
    assert {e.source for e in endpoints()} == {"usual place"}


def test_default_context_tries_the_usual_places(monkeypatch: pytest.MonkeyPatch, clean_environment: Path) -> None:
    monkeypatch.setenv("DOCKER_CONTEXT", "default")
    rootless, podman = clean_environment / "run/docker.sock", clean_environment / "run/podman/podman.sock"
    podman.parent.mkdir(parents=True)
    rootless.touch()
    podman.touch()
    hosts = [e.host for e in endpoints()]
    assert hosts[0] == "unix:///var/run/docker.sock"
    assert hosts.index(f"unix://{rootless}") < hosts.index(f"unix://{podman}")


def test_a_context_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CONTEXT", "gone")
    with pytest.raises(EnvironmentError_, match="'gone'") as caught:
        endpoints()
    assert caught.value.code == "engine-unreachable"
    assert "docker context" in caught.value.hint


def test_a_context_that_is_broken_is_an_error(monkeypatch: pytest.MonkeyPatch, clean_environment: Path) -> None:
    make_context(clean_environment, "odd", "tcp://x:1")
    next((clean_environment / ".docker/contexts/meta").glob("*/meta.json")).write_text("{")
    monkeypatch.setenv("DOCKER_CONTEXT", "odd")
    with pytest.raises(EnvironmentError_, match="cannot be read"):
        endpoints()


# -- who does not answer ----------------------------------------------------------------------------------------------


def test_a_named_engine_is_never_replaced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    with pytest.raises(EnvironmentError_) as caught:
        open_client()
    assert caught.value.code == "engine-unreachable"
    assert f"unix://{tmp_path}/none.sock (DOCKER_HOST): no such socket" in caught.value.message
    assert "var/run" not in caught.value.message
    assert caught.value.exit_status == 5


def test_a_socket_without_a_listener(tmp_path: Path) -> None:
    path = tmp_path / "dead.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    with pytest.raises(EnvironmentError_, match="nobody listens"):
        open_client(f"unix://{path}")


@pytest.fixture
def silent(tmp_path: Path) -> Iterator[Path]:
    """A socket that takes connections and never says a word."""
    path = tmp_path / "silent.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(8)
        yield path


def test_a_silent_engine_does_not_hang(silent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docker_resolve, "PROBE_SECONDS", 0.3)
    with pytest.raises(EnvironmentError_, match="no answer within"):
        open_client(f"unix://{silent}")


@pytest.fixture
def web_server() -> Iterator[int]:
    class NotFound(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, *_: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), NotFound) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def test_something_else_answers(web_server: int) -> None:
    with pytest.raises(EnvironmentError_) as caught:
        open_client(f"tcp://127.0.0.1:{web_server}")
    assert caught.value.code == "engine-unreachable"
    assert "127.0.0.1" in caught.value.message


@pytest.mark.parametrize("body", [b"[1]", b"null", b"<html>", b"", b'{"a": 1}', b"[" * 50_000], ids=lambda body: repr(body[:8]))
def test_something_answers_nonsense(body: bytes) -> None:
    class Nonsense(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Nonsense) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        with pytest.raises(EnvironmentError_, match="answers, but not as an engine") as caught:
            open_client(f"tcp://127.0.0.1:{server.server_address[1]}")
        server.shutdown()
        thread.join()
    assert caught.value.code == "engine-unreachable"


@pytest.mark.parametrize("address", ["nonsense", "ssh://host", "npipe:////./pipe/docker_engine", "tcp://127.0.0.1:1"])
def test_addresses_that_lead_nowhere(address: str) -> None:
    with pytest.raises(EnvironmentError_) as caught:
        open_client(address)
    assert caught.value.code == "engine-unreachable"
    assert address in caught.value.message


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user, which only root can")
def test_a_forbidden_socket_names_the_group_and_rootless(tmp_path: Path) -> None:
    path = tmp_path / "closed.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(1)
        path.chmod(0o600)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.setgid(65534)
            os.setuid(65534)
            try:
                open_client(f"unix://{path}")
            except EnvironmentError_ as error:
                os.write(writer, f"{error.code}\n{error.message}\n{error.hint}".encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as said:
            code, message, hint = said.read().split("\n")
        os.waitpid(child, 0)
    assert code == "engine-unreachable"
    assert "permission denied" in message
    assert "`docker` group" in hint
    assert "rootless Docker" in hint


def test_a_forbidden_socket_is_what_is_told() -> None:
    error = unreachable(
        [
            Tried(Endpoint("unix:///a", "usual place"), "no such socket"),
            Tried(Endpoint("unix:///b", "usual place"), "permission denied", forbidden=True),
        ]
    )
    assert "unix:///b" in error.message
    assert "unix:///a" not in error.message
    assert "`docker` group" in error.hint


def test_unusable_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    monkeypatch.setenv("DOCKER_TLS_VERIFY", "1")
    monkeypatch.setenv("DOCKER_CERT_PATH", "/nonexistent")
    with pytest.raises(EnvironmentError_, match="DOCKER_CERT_PATH"):
        open_client()


# -- what it says -----------------------------------------------------------------------------------------------------


def test_description() -> None:
    info = {
        "ServerVersion": "29.5.1",
        "SecurityOptions": ["name=seccomp,profile=builtin", "name=rootless", "name=userns"],
        "Runtimes": {"runc": {}, "runsc": {}},
    }
    version = {"ApiVersion": "1.55", "Components": [{"Name": "runc", "Version": "1.3.3"}]}
    said = told(info, version, Endpoint("unix:///x", "setting"))
    assert (said["rootless"], said["user_namespaces"], said["seccomp"], said["apparmor"]) == (True, True, True, False)
    assert said["runtimes"] == ["runc", "runsc"]
    assert said["components"] == {"runc": "1.3.3"}
    assert said["kind"] == "docker"


def test_an_engine_that_says_little() -> None:
    said = told({}, {"Components": None}, Endpoint("unix:///x", "setting"))
    assert said["runtimes"] == []
    assert said["version"] is None
    assert told({}, {"Components": [{"Name": "Podman Engine"}]}, Endpoint("x", "y"))["kind"] == "podman"
