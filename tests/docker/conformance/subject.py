"""What the checks are about: one engine with one runtime."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from builders.jobs import job
from fumehood.limits import Limits
from fumehood.sandbox.cancel import CancelToken
from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.engine import ContainerSpec
from fumehood.sandbox.image_trust import TrustedImage
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.runner import Outcome, Sandbox


@dataclass(frozen=True)
class Subject:
    """*lacks* are the required facts that this engine is known not to hold: exactly those, and accepted by name here."""

    name: str
    address: str | None
    engine: DockerEngine
    core: TrustedImage
    test: TrustedImage
    instance: Instance
    runtime: str | None = None
    gvisor: bool = False
    lacks: frozenset[str] = frozenset()

    @property
    def sandbox(self) -> Sandbox:
        """What documents are read in."""
        return Sandbox(self.engine, self.core, instance=self.instance, runtime=self.runtime)

    @property
    def mock(self) -> Sandbox:
        """The same policy around a reader that obeys orders."""
        return Sandbox(self.engine, self.test, instance=self.instance, runtime=self.runtime, module="fumehood_sandbox.mock")

    def spec(self, **limits: Any) -> ContainerSpec:
        return self.sandbox.spec(Limits(**limits))

    def order(self, mock: str, *, seconds: float = 60.0, cancel: CancelToken | None = None, **more: Any) -> Outcome:
        """Have the mock reader do *mock*."""
        return self.mock.run(job(json.dumps({"mock": mock, **more}).encode(), seconds=seconds), cancel=cancel)

    @contextmanager
    def container(self, spec: ContainerSpec | None = None) -> Iterator[str]:
        """A created container, removed in the end."""
        created = self.engine.create(spec or self.spec())
        try:
            yield created.id
        finally:
            self.engine.remove(created.id)


Check = Callable[[Subject], None]
CHECKS: list[Check] = []


def check(function: Check) -> Check:
    """Put *function* on the list."""
    CHECKS.append(function)
    return function
