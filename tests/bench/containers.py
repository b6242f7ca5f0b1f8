"""Containers of the very policy that documents get, running something else: nothing at all, or a measurement of itself."""

from __future__ import annotations

import select
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fumehood.limits import Limits
from fumehood.sandbox import policy
from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.image_trust import trusted_image
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.runner import Sandbox

#: The lightest program in the image that does nothing and ends well; and Python doing nothing.
LIGHTEST = ("/usr/bin/timeout", "--version")
PYTHON = ("-I", "-B", "-c", "pass")

_CPU = "import resource; used = resource.getrusage(resource.RUSAGE_SELF); print(used.ru_utime + used.ru_stime)"


@dataclass(frozen=True, slots=True)
class Bench:
    """The sandbox that documents are read in, and its engine."""

    sandbox: Sandbox
    engine: DockerEngine

    def life(self, entrypoint: Sequence[str] = LIGHTEST) -> None:
        """Create, start, wait, remove: one container that runs *entrypoint* under the policy."""
        container = self._create(entrypoint)
        try:
            self.engine.api.start(container)
            code = self.engine.api.wait(container)["StatusCode"]
        finally:
            self.engine.api.remove_container(container, force=True, v=True)
        if code:
            raise RuntimeError(f"a container that does nothing ended with {code}")

    def python_life(self) -> None:
        """The same with Python doing nothing."""
        self.life(self.python(PYTHON))

    def python(self, arguments: Sequence[str]) -> list[str]:
        return ["/usr/bin/timeout", "-s", "KILL", "60", self.sandbox.image.python, *arguments]

    def cpu_of(self, code: str) -> float:
        """The CPU seconds that Python has used in a container when it has run *code*, its own start included."""
        container = self._create(self.python(("-I", "-B", "-c", f"{code}\n{_CPU}")))
        said = b""
        try:
            connection = self.engine.attach(container)
            try:
                self.engine.api.start(container)
                open_ends = set(connection.readers())
                while open_ends:
                    for reader in select.select(list(open_ends), [], [], 60)[0]:
                        pieces = connection.receive(reader)
                        if pieces is None:
                            open_ends.discard(reader)
                        said += b"".join(data for stream, data in pieces or [] if stream == "stdout")
            finally:
                connection.close()
        finally:
            self.engine.api.remove_container(container, force=True, v=True)
        return float(said)

    def _create(self, entrypoint: Sequence[str]) -> str:
        request = policy.create_request(self.sandbox.spec(Limits()))
        request["Entrypoint"] = list(entrypoint)
        return str(self.engine.api.create_container_from_config(request)["Id"])


@contextmanager
def bench(state: Path) -> Iterator[Bench]:
    """The trusted image in the engine at hand; not attested, since no document is read in these containers."""
    engine = DockerEngine.connect()
    instance = Instance(state)
    try:
        yield Bench(Sandbox(engine, trusted_image(), instance=instance), engine)
    finally:
        instance.close()
        engine.close()


def engine_facts() -> dict[str, Any]:
    """What the engine says of itself."""
    engine = DockerEngine.connect()
    try:
        return dict(engine.api.info())
    finally:
        engine.close()
