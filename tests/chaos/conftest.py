"""A place of its own for each run: documents, state, cache, temporary files; and what must be left of all that."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from builders import ledger, mock_product
from builders.engines import real_engine  # noqa: F401 - a fixture
from builders.left_over import remove_containers
from fumehood.api import Fumehood
from fumehood.config import Settings
from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.image_build import build_image

_ASKED = os.environ.get("FUMEHOOD_CHAOS", "")
#: Requests of a run: ``FUMEHOOD_CHAOS=full``, or a number.
REQUESTS = 200 if _ASKED == "full" else int(_ASKED or 40)
_KEPT = ("image-lock.json", "canary.json")


@dataclass
class Place:
    """Folders of one run, and the instances that it has had."""

    base: Path
    api: Any

    def __post_init__(self) -> None:
        for name in ("documents", "state/fumehood", "cache", "tmp", "home"):
            (self.base / name).mkdir(parents=True, mode=0o700)
        self._volumes = ledger.volumes(self.api)

    @property
    def documents(self) -> Path:
        return self.base / "documents"

    @property
    def state(self) -> Path:
        return self.base / "state" / "fumehood"

    @property
    def note(self) -> Path:
        return self.base / "instances"

    @property
    def environment(self) -> dict[str, str]:
        """What is set for a process of this place."""
        return {
            "HOME": str(self.base / "home"),
            "XDG_STATE_HOME": str(self.base / "state"),
            "XDG_CACHE_HOME": str(self.base / "cache"),
            "XDG_CONFIG_HOME": str(self.base / "home"),
            "TMPDIR": str(self.base / "tmp"),
            mock_product.NOTE: str(self.note),
        }

    def instances(self) -> list[str]:
        return self.note.read_text().split() if self.note.exists() else []

    def containers(self) -> list[str]:
        return ledger.containers(self.api, self.instances())

    def left(self) -> list[str]:
        """Everything that a run should have taken away again; empty when it has."""
        found = [f"container: {container}" for container in self.containers()]
        found += [f"volume: {name}" for name in sorted(ledger.volumes(self.api) - self._volumes)]
        found += [f"temporary file: {name}" for name in ledger.files(self.base / "tmp")]
        found += [f"in the cache: {name}" for name in ledger.files(self.base / "cache")]
        found += [f"in the home: {name}" for name in ledger.files(self.base / "home")]
        found += [f"in the state: {name}" for name in ledger.files(self.state, but=_KEPT)]
        return found


@pytest.fixture(scope="session")
def proved(engine: DockerEngine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder in which the test image is trusted and the sandbox proved: what takes seconds is done once."""
    build_image("core", say=lambda _line: None)
    build_image("test", say=lambda _line: None)
    place = Place(tmp_path_factory.mktemp("proved") / "p", engine.api)
    mine = Path(os.environ.get("XDG_STATE_HOME", Path.home() / ".local" / "state")) / "fumehood"
    shutil.copy2(mine / "image-lock.json", place.state)
    with pytest.MonkeyPatch.context() as patch, enter(place, patch), Fumehood(Settings()) as hood:
        hood.machine.ready()
    return place.state


@pytest.fixture
def place(engine: DockerEngine, proved: Path, tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path / "place", engine.api)
    for name in _KEPT:
        shutil.copy2(proved / name, place.state)
    yield place
    remove_containers(engine, place.instances())


@pytest.fixture
def here(place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """This very process lives in *place*, with the test image."""
    with enter(place, monkeypatch):
        yield place


class enter:  # noqa: N801 - a context manager
    """Make this process one of *place*."""

    def __init__(self, place: Place, patch: pytest.MonkeyPatch) -> None:
        for name in [name for name in os.environ if name.startswith("FUMEHOOD_")]:
            patch.delenv(name)
        for name, value in place.environment.items():
            patch.setenv(name, value)
        patch.setattr(tempfile, "tempdir", None)
        for where, name, by in mock_product.replacements():
            patch.setattr(where, name, by)

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


@pytest.fixture(scope="session")
def seed() -> int:
    """The shuffle's: given, or drawn and printed."""
    given = os.environ.get("FUMEHOOD_CHAOS_SEED")
    return int(given) if given else int(time.time()) % 1_000_000


@pytest.fixture(scope="session")
def requests() -> int:
    return REQUESTS
