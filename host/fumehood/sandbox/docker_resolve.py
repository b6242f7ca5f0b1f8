"""Which container engine is meant, found as the Docker command line finds it, with a clear sentence where none answers.

In this order: the address from our own settings, ``DOCKER_HOST``, ``DOCKER_CONTEXT``, the current context. Whoever names an
engine gets that one or an error, never another. Only when nothing names one are the usual sockets tried: the system's,
rootless Docker's, Docker Desktop's, Podman's. Nothing here waits longer than a few seconds.
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import docker.errors
import requests
from docker.context import ContextAPI
from docker.context.config import get_current_context_name
from docker.utils import kwargs_from_env

import docker
from fumehood.errors import FumehoodError, make_error

PROBE_SECONDS: Final = 5.0
CALL_SECONDS: Final = 20
POOL: Final = 32

_PERMISSION_HINT: Final = (
    "Your user may not use the engine's socket: join the `docker` group (it is as good as root; log in again afterwards), "
    "or run rootless Docker, which needs no group."
)
_START_HINT: Final = (
    "Start Docker (`systemctl start docker`, Docker Desktop, or rootless Docker's `systemctl --user start docker`), or name an "
    "engine with DOCKER_HOST or `docker context use`. Then run `fumehood doctor`."
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address, and what named it: ``setting``, ``DOCKER_HOST``, ``context NAME`` or ``usual place``."""

    host: str
    source: str
    tls: Any = None


@dataclass(frozen=True, slots=True)
class Tried:
    """An endpoint that did not answer, and why in a few words."""

    endpoint: Endpoint
    why: str
    forbidden: bool = False

    def __str__(self) -> str:
        return f"{self.endpoint.host} ({self.endpoint.source}): {self.why}"


def endpoints(setting: str | None = None, environment: Mapping[str, str] | None = None) -> list[Endpoint]:
    """The endpoints to try, in order.

    Raises:
        EnvironmentError_: code ``engine-unreachable``, when a context is named that does not exist or cannot be read.
    """
    given = os.environ if environment is None else environment
    if setting:
        return [Endpoint(setting, "setting", _tls(given))]
    if host := given.get("DOCKER_HOST"):
        return [Endpoint(host, "DOCKER_HOST", _tls(given))]
    name = given.get("DOCKER_CONTEXT") or (get_current_context_name() if _has_folder(given) else None) or "default"
    if name != "default":
        return [_of_context(name, "DOCKER_CONTEXT" if given.get("DOCKER_CONTEXT") else "docker context use")]
    return [Endpoint(f"unix://{path}", "usual place") for path in _usual_places(given)]


def open_client(
    setting: str | None = None, *, environment: Mapping[str, str] | None = None
) -> tuple[docker.DockerClient, Endpoint]:
    """A client of the first endpoint that answers, and that endpoint. The caller closes the client.

    Raises:
        EnvironmentError_: code ``engine-unreachable``; the message lists what was tried, the hint says what to do.
    """
    tried: list[Tried] = []
    for endpoint in endpoints(setting, environment):
        outcome = _try(endpoint)
        if not isinstance(outcome, Tried):
            return outcome, endpoint
        tried.append(outcome)
    raise unreachable(tried)


def unreachable(tried: list[Tried]) -> FumehoodError:
    """The error for *tried*: in the words of the one that is there and refuses, if there is one."""
    forbidden = [t for t in tried if t.forbidden]
    if forbidden:
        message = f"The container engine's socket refuses this user: {'; '.join(map(str, forbidden))}"
        return make_error("engine-unreachable", message, hint=_PERMISSION_HINT)
    return make_error(
        "engine-unreachable", f"No container engine answers. Tried: {'; '.join(map(str, tried))}", hint=_START_HINT
    )


def _has_folder(environment: Mapping[str, str]) -> bool:
    """Whether the docker command line's own folder is a fixed place. Without a home it would be one of the working directory."""
    return bool(environment.get("DOCKER_CONFIG")) or os.path.isabs(os.path.expanduser("~"))  # noqa: PTH111, PTH117 - no exception


def _tls(environment: Mapping[str, str]) -> Any:
    wanted = environment.get("DOCKER_CERT_PATH") or environment.get("DOCKER_TLS_VERIFY")
    if not wanted:
        return None
    try:
        return kwargs_from_env(dict(environment)).get("tls")
    except docker.errors.TLSParameterError as error:
        raise make_error("engine-unreachable", f"DOCKER_CERT_PATH or DOCKER_TLS_VERIFY cannot be used: {error.msg}") from error


def _of_context(name: str, source: str) -> Endpoint:
    try:
        context = ContextAPI.get_context(name)
        host = context.Host if context is not None else None
    except Exception as error:  # docker-py raises no narrower one for a broken context file
        raise make_error(
            "engine-unreachable", f"The docker context {name!r} ({source}) cannot be read: {error}"[:300]
        ) from error
    if context is None or not host:
        message = f"There is no docker context {name!r} ({source}), or it names no engine."
        raise make_error(
            "engine-unreachable", message, hint="`docker context ls` lists them; `docker context use default` goes back."
        )
    return Endpoint(str(host), f"context {name}", context.TLSConfig)


def _usual_places(environment: Mapping[str, str]) -> Iterator[Path]:
    home = Path(environment.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111 - without a home it stays "~", no exception
    runtime = Path(environment.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}")
    yield Path("/var/run/docker.sock")
    for path in (
        runtime / "docker.sock",
        home / ".docker/run/docker.sock",
        home / ".docker/desktop/docker.sock",
        runtime / "podman/podman.sock",
        Path("/run/podman/podman.sock"),
    ):
        if path.is_absolute() and os.path.lexists(path):
            yield path


def _try(endpoint: Endpoint) -> docker.DockerClient | Tried:
    if endpoint.host.startswith("unix://"):
        refused = _knock(endpoint)
        if refused is not None:
            return refused
    client = None
    try:
        client = docker.DockerClient(
            base_url=endpoint.host, tls=endpoint.tls or False, timeout=PROBE_SECONDS, max_pool_size=POOL, version="auto"
        )
        client.api.ping()
    except (docker.errors.DockerException, requests.RequestException, OSError, ValueError, TypeError) as error:
        if client is not None:
            client.close()
        return Tried(endpoint, _reason(error), forbidden="Permission denied" in str(error))
    client.api.timeout = CALL_SECONDS
    return client


def _knock(endpoint: Endpoint) -> Tried | None:
    """Connect to a socket, so that an absent or forbidden one is told in its own words."""
    path = endpoint.host.removeprefix("unix://")
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knock:
            knock.settimeout(PROBE_SECONDS)
            knock.connect(path)
    except OSError as error:
        words = {
            errno.ENOENT: "no such socket",
            errno.ECONNREFUSED: "a socket, but nobody listens",
            errno.EACCES: "permission denied",
            errno.EPERM: "permission denied",
        }
        why = (
            "no answer"
            if isinstance(error, TimeoutError)
            else words.get(error.errno or 0, error.strerror or "cannot be connected to")
        )
        return Tried(endpoint, why, forbidden=error.errno in {errno.EACCES, errno.EPERM})
    return None


def _reason(error: BaseException) -> str:
    text = str(error)
    if "timed out" in text or "Timeout" in type(error).__name__:
        return f"no answer within {PROBE_SECONDS:g} s"
    if "Connection refused" in text:
        return "connection refused"
    if isinstance(error, docker.errors.APIError):
        return f"answers, but not as an engine (HTTP {error.status_code})"
    cause = error.__cause__
    no_answer = isinstance(cause, requests.RequestException) and not isinstance(cause, requests.JSONDecodeError)
    if isinstance(cause, (KeyError, TypeError, ValueError, RecursionError)) and not no_answer:
        return "answers, but not as an engine"  # in its words, not in those of the code that stumbled over them
    for words in (
        "Name or service not known",
        "Temporary failure in name resolution",
        "No route to host",
        "certificate verify failed",
    ):
        if words in text:
            return words.lower()
    return text[:120]
