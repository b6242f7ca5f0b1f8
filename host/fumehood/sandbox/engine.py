"""What a container engine must be able to do, with no word of Docker in it.

One document, one container: `create` it from a `ContainerSpec`, `attach` to it, `start` it, talk over the `Connection`,
close that, then `wait`, and `remove` on every path. The Docker engine implements this today; an engine that drives an OCI
runtime directly, and one that makes a Kubernetes Pod a document, fit the same shape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from fumehood.limits import Limits

Stream = Literal["stdout", "stderr"]


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """What the engine says about itself: shown by ``doctor`` and part of the canary's cache key."""

    kind: str
    version: str
    api_version: str = ""
    id: str = ""
    os: str = ""
    kernel: str = ""
    runtimes: Mapping[str, str] = field(default_factory=dict)
    """Name of each registered runtime, and the program behind it."""
    runtime_arguments: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Options that the engine gives to that program, where there are any."""
    default_runtime: str = ""
    runtime_version: str = ""
    security_options: Sequence[str] = ()
    endpoint: str = ""
    memory_bytes: int = 0
    """Memory of the engine's machine (under Docker Desktop the virtual one's); 0 when it does not say."""


@dataclass(frozen=True, slots=True)
class ContainerSpec:
    """Everything about one container that differs from the next one; the rest is `fumehood.sandbox.policy`.

    *outer_seconds* is the deadman: the time after which the supervisor inside the container ends it, host or no host. The canary lowers *cpu_seconds* and *file_bytes* to prove those limits in little time. *gvisor*: the runtime is
    registered as gVisor (`fumehood.sandbox.runtimes`), which needs other limits.
    """

    image_id: str
    limits: Limits
    labels: Mapping[str, str]
    seccomp: str
    outer_seconds: int
    runtime: str | None = None
    gvisor: bool = False
    python: str = "/usr/bin/python3"
    module: str = "fumehood_sandbox.worker"
    cpu_seconds: int | None = None
    file_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class ExitInfo:
    """How the container ended: its exit code as the engine reports it (128 + signal), and the kernel's OOM mark."""

    code: int
    oom_killed: bool = False
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Created:
    """A container that has been created, with the runtime that the engine chose for it."""

    id: str
    runtime: str


class Connection(Protocol):
    """The container's three streams. Non-blocking; several descriptors, so that a selector can wait for all of them."""

    def readers(self) -> Sequence[int]:
        """Descriptors to watch for reading; one may carry both streams."""
        ...

    def writer(self) -> int:
        """The descriptor of the container's stdin."""
        ...

    def send(self, data: memoryview) -> int:
        """Write what fits and return how much that was; 0 when nothing fits now.

        Raises:
            BrokenPipeError: when the container has closed its stdin.
        """
        ...

    def receive(self, reader: int) -> list[tuple[Stream, bytes]] | None:
        """What *reader* has now (possibly nothing yet), or None when it has ended."""
        ...

    def close(self) -> None:
        """Close every descriptor. Idempotent; must come before `Engine.kill`."""
        ...


class Engine(Protocol):
    """A container engine. Thread-safe. Each call has a short time limit of its own.

    Every method raises `fumehood.errors.EnvironmentError_`: ``engine-unreachable`` when the engine does not answer,
    ``image-missing`` when it does not have the image, ``sandbox-too-weak`` when it did not store what was asked.
    """

    def info(self) -> EngineInfo: ...

    def create(self, spec: ContainerSpec) -> Created:
        """Create a container and compare what the engine stored with what was asked."""
        ...

    def attach(self, container: str) -> Connection:
        """Attach to a container that has not been started."""
        ...

    def start(self, container: str) -> None: ...

    def kill(self, container: str) -> None:
        """End every process of the container. A container that has ended already is no error."""
        ...

    def wait(self, container: str, timeout: float) -> ExitInfo:
        """How the container ended.

        Raises:
            TimeoutError: when it still runs after *timeout* seconds.
        """
        ...

    def inspect(self, container: str) -> dict[str, Any]:
        """The engine's own description, as the canary reads it."""
        ...

    def remove(self, container: str) -> None:
        """Remove the container in any state, with its anonymous volumes. One that is gone already is no error."""
        ...

    def list_labelled(self, labels: Mapping[str, str]) -> dict[str, dict[str, str]]:
        """Id and labels of all containers, in any state, that carry *labels*: for the sweep."""
        ...
