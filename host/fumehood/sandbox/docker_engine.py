"""The Docker engine (and whatever speaks its API: Docker Desktop in WSL, rootless Docker, Podman's socket).

Low-level calls only, each with a time limit. What the engine stored is compared with what was asked before anything runs:
an engine that warns, or that silently drops a field, is refused.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

import docker.errors
import requests

import docker
from fumehood.errors import FumehoodError, make_error
from fumehood.sandbox import podman, policy
from fumehood.sandbox.docker_resolve import open_client
from fumehood.sandbox.docker_reuse import reuse_connections
from fumehood.sandbox.docker_socket import attach
from fumehood.sandbox.engine import Connection, ContainerSpec, Created, EngineInfo, ExitInfo
from fumehood.sandbox.image_lock import state_folder

_CALL_SECONDS: Final = 20  # the client itself has the same limit for every other call
_REASON_CHARS: Final = 300
_NO_ENGINE: Final = "Something answers where the container engine should be, but not as an engine."
_LOG_HINT: Final = "The engine's own log says more (`journalctl -u docker`); `fumehood doctor` looks at the engine."

#: The name under which a user may accept an engine that answers a create request with warnings.
WARNINGS_FACT: Final = "engine-warnings"


class DockerEngine:
    """`fumehood.sandbox.engine.Engine` over a Docker API client. One object serves any number of threads.

    *accepted* are facts that the user accepted to be weaker, by name: fields that only they prove may differ.
    """

    def __init__(self, api: docker.APIClient, *, accepted: Collection[str] = ()) -> None:
        self.api = api
        reuse_connections(api)
        self._accepted = frozenset(accepted)
        self._info: EngineInfo | None = None

    @classmethod
    def connect(cls, host: str | None = None, *, accepted: Collection[str] = ()) -> DockerEngine:
        """Find the engine as the Docker command line does: *host*, DOCKER_HOST, the current context, the default socket.

        Raises:
            EnvironmentError_: ``engine-unreachable``, with the one thing to do about it.
        """
        client, _endpoint = open_client(host)
        return cls(client.api, accepted=accepted)

    def close(self) -> None:
        self.api.close()

    def info(self) -> EngineInfo:
        if self._info is None:
            with _calls("describe itself"):
                said, version = self.api.info(), self.api.version()
                with _answers():
                    self._info = _engine_info(said, version, self.api.base_url)
        return self._info

    def create(self, spec: ContainerSpec) -> Created:
        with _calls("create a container"):
            answer = self.api.create_container_from_config(self._request(spec))
            with _answers():
                container, warnings = str(answer["Id"]), list(answer.get("Warnings") or [])
        try:
            stored = self.inspect(container)
            with _answers():
                self._compare(spec, stored, warnings)
        except BaseException:
            self.remove(container)
            raise
        return Created(container, self._runtime(spec, stored))

    @property
    def spellings(self) -> Mapping[str, policy.Spelling]:
        """How this engine spells what it stored, where that is not Docker's way."""
        return podman.SPELLINGS if self.info().kind == podman.KIND else {}

    def _request(self, spec: ContainerSpec) -> dict[str, Any]:
        request = policy.create_request(spec)
        return podman.adapted(request, state_folder()) if self.info().kind == podman.KIND else request

    def _compare(self, spec: ContainerSpec, stored: Mapping[str, Any], warnings: list[str]) -> None:
        if warnings and WARNINGS_FACT not in self._accepted:
            said = "; ".join(str(w) for w in warnings)[:_REASON_CHARS]
            raise make_error("sandbox-too-weak", f"The engine warned: {said} (fact {WARNINGS_FACT}).")
        wrong = policy.differences(spec, stored, accepted=self._accepted, spellings=self.spellings)
        if wrong:
            raise make_error("sandbox-too-weak", f"The engine did not keep what was asked: {', '.join(wrong)}.")

    def _runtime(self, spec: ContainerSpec, stored: Mapping[str, Any]) -> str:
        """The runtime by its name; Podman tells only that it is one."""
        told = str(stored["HostConfig"].get("Runtime") or "")
        return self.info().default_runtime if told == podman.ANY_RUNTIME and not spec.runtime else told

    def attach(self, container: str) -> Connection:
        with _calls("attach to a container"):
            return attach(self.api, container, _CALL_SECONDS)

    def start(self, container: str) -> None:
        with _calls("start a container"):
            self.api.start(container)

    def kill(self, container: str) -> None:
        with _calls("kill a container"), contextlib.suppress(docker.errors.NotFound):
            try:
                self.api.kill(container)
            except docker.errors.APIError:
                # What ends by itself meanwhile cannot be killed: Docker says 409 then, Podman what it comes upon.
                with _answers():
                    is_running = self.api.inspect_container(container)["State"]["Running"]
                if is_running:
                    raise

    def wait(self, container: str, timeout: float) -> ExitInfo:
        state = self._state(container)
        if state.get("Running"):
            try:
                with _calls("wait for a container"):
                    self.api.wait(container, timeout=timeout)
            except FumehoodError as error:  # docker-py has no error of its own for its own timeout
                raise TimeoutError from error
            state = self._state(container)
        with _answers():
            return ExitInfo(int(state.get("ExitCode", -1)), bool(state.get("OOMKilled")), str(state.get("Error") or ""))

    def _state(self, container: str) -> dict[str, Any]:
        with _answers():
            return dict(self.inspect(container)["State"])

    def inspect(self, container: str) -> dict[str, Any]:
        with _calls("describe a container"):
            said = self.api.inspect_container(container)
        with _answers():
            return dict(said)

    def remove(self, container: str) -> None:
        with _calls("remove a container"):
            try:
                self.api.remove_container(container, force=True, v=True)
            except docker.errors.NotFound:
                pass
            except docker.errors.APIError as error:
                if error.status_code != 409:  # its removal is under way already
                    raise

    def list_labelled(self, labels: Mapping[str, str]) -> dict[str, dict[str, str]]:
        wanted = {"label": [f"{name}={value}" for name, value in labels.items()]}
        with _calls("list containers"):
            found = self.api.containers(all=True, filters=wanted)
        with _answers():
            return {str(c["Id"]): dict(c.get("Labels") or {}) for c in found}


def _engine_info(said: Mapping[str, Any], version: Mapping[str, Any], endpoint: str) -> EngineInfo:
    runtimes = said.get("Runtimes") or {}
    parts = {c.get("Name"): c.get("Version", "") for c in version.get("Components") or []}
    return EngineInfo(
        kind="podman" if "Podman Engine" in parts else "docker",
        version=str(said.get("ServerVersion", "")),
        api_version=str(version.get("ApiVersion", "")),
        id=str(said.get("ID", "")),
        os=str(said.get("OperatingSystem", "")),
        kernel=str(said.get("KernelVersion", "")),
        runtimes={name: str(r.get("path") or r.get("runtimeType") or "") for name, r in runtimes.items()},
        runtime_arguments={name: [str(a) for a in r["runtimeArgs"]] for name, r in runtimes.items() if r.get("runtimeArgs")},
        default_runtime=str(said.get("DefaultRuntime", "")),
        runtime_version=str(parts.get("runc", "")),
        security_options=tuple(str(o) for o in said.get("SecurityOptions") or ()),
        endpoint=endpoint,
        memory_bytes=int(said.get("MemTotal") or 0),
    )


@contextlib.contextmanager
def _answers() -> Iterator[None]:
    """An answer that is JSON and not what an engine says: something else listens there, or stands in between."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise make_error("engine-unreachable", _NO_ENGINE) from error


@contextlib.contextmanager
def _calls(what: str) -> Iterator[None]:
    """Every failure of an API call as an error of ours."""
    try:
        yield
    except docker.errors.ImageNotFound as error:
        raise make_error("image-missing", "The engine does not have the sandbox image.") from error
    except docker.errors.NotFound as error:
        if "image" in str(error.explanation).lower():
            raise make_error("image-missing", "The engine does not have the sandbox image.") from error
        raise make_error("internal", f"The engine could not {what}: it is gone.", hint=_LOG_HINT) from error
    except docker.errors.APIError as error:
        reason = str(error.explanation or error)[:_REASON_CHARS]
        raise make_error("internal", f"The engine refused to {what}: {reason}", hint=_LOG_HINT) from error
    except (docker.errors.DockerException, requests.RequestException, OSError, TypeError) as error:
        raise _unreachable(what, error) from error


def _unreachable(what: str, error: BaseException) -> FumehoodError:
    if isinstance(error, requests.JSONDecodeError):
        return make_error("engine-unreachable", _NO_ENGINE)
    if isinstance(error, requests.ReadTimeout) or "timed out" in str(error):
        return make_error("engine-unreachable", f"The container engine took too long to {what}.")
    return make_error("engine-unreachable", f"Could not {what}: no engine answers.")
