"""The Docker engine as the canary wants it: lets a container run although its request was changed, and remembers that.

For the canary alone. Only what happens inside shows what a changed field or a warning means, and only then can the user be
told which facts are lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import docker.errors
import requests

from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.engine import ContainerSpec, Engine
from fumehood.sandbox.evidence import Usage


class DockerWitness(DockerEngine):
    """A `DockerEngine` that refuses nothing. *warnings* is what the engine said to the create requests."""

    def __init__(self, engine: DockerEngine) -> None:
        super().__init__(engine.api)
        self.warnings: list[str] = []

    def usage(self, container: str) -> Usage:
        """What the engine counts for a running *container*; nothing is known where it does not say."""
        try:
            said = self.api.stats(container, stream=False, one_shot=True)
        except (docker.errors.DockerException, requests.RequestException, OSError, ValueError):
            return Usage()
        throttled = (said.get("cpu_stats") or {}).get("throttling_data") or {}
        return Usage(
            _number((said.get("memory_stats") or {}).get("limit")),
            _number((said.get("pids_stats") or {}).get("limit")),
            _number(throttled.get("periods")),
        )

    def _compare(self, spec: ContainerSpec, stored: Mapping[str, Any], warnings: list[str]) -> None:
        del spec, stored
        self.warnings.extend(str(warning)[:300] for warning in warnings)


def _number(value: object) -> int:
    return value if isinstance(value, int) else -1


def witness_of(engine: Engine) -> DockerWitness | None:
    """*engine* as a witness, where it is one of Docker's."""
    return DockerWitness(engine) if isinstance(engine, DockerEngine) else None
