"""Fixtures that several folders of tests take: the machine's engine, and one that has none. Import them in a ``conftest.py``."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from builders.process_engine import ProcessEngine
from fumehood.sandbox.docker_engine import DockerEngine


@pytest.fixture(scope="session", name="engine")
def real_engine() -> Iterator[DockerEngine]:
    connected = DockerEngine.connect()
    yield connected
    connected.close()


@pytest.fixture(name="engine")
def process_engine() -> Iterator[ProcessEngine]:
    made = ProcessEngine()
    yield made
    assert made.present == set(), "a container was left behind"
