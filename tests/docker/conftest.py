"""The real engine and the real images. A machine without an engine fails these tests; it does not skip them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from builders.command import Command
from builders.engines import real_engine  # noqa: F401 - a fixture
from builders.jobs import Order, job
from builders.left_over import remove_containers
from fumehood.limits import Limits
from fumehood.sandbox.cancel import CancelToken
from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.image_build import build_image
from fumehood.sandbox.image_trust import TrustedImage, trusted_image
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.runner import Outcome, Sandbox


@pytest.fixture(scope="session")
def core_image() -> TrustedImage:
    build_image("core", say=lambda _line: None)
    return trusted_image("core", any_recipe=True)  # built a moment ago; a later edit is the next run's


@pytest.fixture(scope="session")
def test_image() -> TrustedImage:
    build_image("test", say=lambda _line: None)
    return trusted_image("test", any_recipe=True)


@pytest.fixture(scope="session")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    owner = Instance(tmp_path_factory.mktemp("state"))
    yield owner
    owner.close()


@pytest.fixture(scope="session")
def sandbox(engine: DockerEngine, core_image: TrustedImage, instance: Instance) -> Sandbox:
    """What documents are read in."""
    return Sandbox(engine, core_image, instance=instance)


@pytest.fixture
def command(tmp_path: Path, engine: DockerEngine, core_image: TrustedImage) -> Iterator[Command]:
    """The command line as a process of its own; it leaves no container."""
    command = Command(tmp_path, engine)
    yield command
    assert remove_containers(engine, command.instances) == []


@pytest.fixture(scope="session")
def mock_sandbox(engine: DockerEngine, test_image: TrustedImage, instance: Instance) -> Sandbox:
    """The same policy around a reader that obeys orders."""
    return Sandbox(engine, test_image, instance=instance, module="fumehood_sandbox.mock")


@pytest.fixture
def order(mock_sandbox: Sandbox) -> Order:
    """``order("hang", seconds=1)``: run the mock reader with that order."""

    def run(
        mock: str, *, seconds: float = 20.0, cancel: CancelToken | None = None, limits: Limits | None = None, **more: Any
    ) -> Outcome:
        body = json.dumps({"mock": mock, **more}).encode()
        return mock_sandbox.run(job(body, seconds=seconds, limits=limits), cancel=cancel)

    return run


@pytest.fixture
def containers(engine: DockerEngine, instance: Instance) -> Callable[[], list[str]]:
    """The ids of this test run's containers, in any state."""
    return lambda: list(engine.list_labelled({"app": "fumehood", "app.instance": instance.id}))


@pytest.fixture(autouse=True)
def nothing_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """After every test: no container, no volume, no descriptor more than before."""
    if "instance" not in request.fixturenames and "order" not in request.fixturenames:
        yield
        return
    engine: DockerEngine = request.getfixturevalue("engine")
    owner: Instance = request.getfixturevalue("instance")
    volumes, before = _volumes(engine), _sockets(engine)
    yield
    assert engine.list_labelled({"app.instance": owner.id}) == {}
    assert _volumes(engine) <= volumes
    assert _sockets(engine) <= before, "a request leaves descriptors behind"


def _volumes(engine: DockerEngine) -> set[str]:
    return {volume["Name"] for volume in engine.api.volumes()["Volumes"] or []}


def _sockets(engine: DockerEngine) -> int:
    """Open sockets and pipes, without those that docker-py keeps for later (a pool of them for each of the last 25 URLs)."""
    engine.api.close()
    found = 0
    for entry in Path("/proc/self/fd").iterdir():
        try:
            found += os.readlink(entry).startswith(("socket:", "pipe:"))  # noqa: PTH115
        except OSError:
            continue
    return found
