"""Engines of the tests' own, one at a time. What this machine cannot have is skipped, with the reason."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from conformance.subject import Subject

from engines.rooms import Room, UnavailableError, dockerd, new_root, own_programs, podman
from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.docker_image import ImageEngine
from fumehood.sandbox.docker_resolve import open_client
from fumehood.sandbox.image_build import build_image
from fumehood.sandbox.image_lock import state_folder
from fumehood.sandbox.image_trust import trusted_image
from fumehood.sandbox.instance import Instance

#: The gVisor entries that a dockerd here has. Only the first two are as they must be.
FILTERED = ("--network=none", "--oci-seccomp")
PLAIN = ("--network=none",)
LOOSE = ("--network=none", "--ignore-cgroups")
NETWORKED = ()

#: What Podman's socket cannot be asked for; the control group's namespace only where control groups are of version 1.
PODMAN_LACKS = frozenset({"tmpfs-bounds", "read-only-root", "no-mounts"})
OLD_GROUPS = frozenset({"own-namespaces", "cgroup-namespace"})


@dataclass(frozen=True)
class Kind:
    """One engine with one runtime of those that its room has."""

    name: str
    room: str
    runtime: str | None = None
    gvisor: bool = False
    lacks: frozenset[str] = frozenset()


def podman_lacks() -> frozenset[str]:
    newer = Path("/sys/fs/cgroup/cgroup.controllers").exists()
    return PODMAN_LACKS if newer else PODMAN_LACKS | OLD_GROUPS


ROOMS: dict[str, Callable[[], Room]] = {
    "docker-26": lambda: dockerd("docker26", new_root(), {"runsc": FILTERED, "runsc-loose": LOOSE, "runsc-net": NETWORKED}),
    "machine": lambda: dockerd("own", own_programs("dockerd", "runsc"), {"runsc": PLAIN, "runsc-loose": LOOSE}),
    "podman-5": lambda: podman("podman5", new_root(), [state_folder()]),
}
KINDS = [
    Kind("docker-26-runc", "docker-26", "runc"),
    Kind("docker-26-gvisor", "docker-26", "runsc", gvisor=True),
    Kind("podman-5-runc", "podman-5", lacks=podman_lacks()),
    Kind("machine-gvisor", "machine", "runsc", gvisor=True),
]


@pytest.fixture(scope="session")
def images(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Both images in one tar."""
    if os.geteuid() != 0:
        pytest.skip("engines of their own need root")
    if shutil.which("apt-get") is None or shutil.which("unshare") is None:
        pytest.skip("engines of their own come from Debian's packages, and this is no Debian")
    tar = tmp_path_factory.mktemp("images") / "images.tar"
    client, _ = open_client()
    with ImageEngine(client) as engine:
        names = []
        for image in ("core", "test"):
            build_image(image, engine=engine, say=lambda _line: None)
            names.append(client.images.get(trusted_image(image, engine=engine, any_recipe=True).id).tags[0])
    subprocess.run(["docker", "save", "--output", str(tar), *names], check=True, timeout=120)
    yield tar
    tar.unlink()


@dataclass(frozen=True)
class Opened:
    room: Room
    address: str


@pytest.fixture(scope="session")
def opened(images: Path) -> Iterator[Callable[[str], Opened]]:
    """``opened("podman-5")``: that room, with both images in its engine; it stays open for the session, or says why it is not."""
    with contextlib.ExitStack() as stack:
        known: dict[str, Opened | UnavailableError] = {}

        def enter(name: str) -> Opened:
            if name not in known:
                try:
                    room = ROOMS[name]()
                    known[name] = Opened(room, stack.enter_context(room.open()))
                    command = ["docker", "--host", f"unix://{room.folder}/shared/engine.sock", "load", "--quiet"]
                    subprocess.run([*command, "--input", str(images)], check=True, timeout=200, capture_output=True)
                except UnavailableError as error:
                    known[name] = error
            found = known[name]
            if isinstance(found, UnavailableError):
                pytest.skip(f"{name}: {found}")
            return found

        yield enter


@pytest.fixture(scope="session")
def make_subject(
    opened: Callable[[str], Opened], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[Kind], Subject]]:
    with contextlib.ExitStack() as stack:

        def make(kind: Kind) -> Subject:
            address = opened(kind.room).address
            client, _ = open_client(address)
            engine = DockerEngine(client.api, accepted=kind.lacks)
            stack.callback(engine.close)
            instance = Instance(tmp_path_factory.mktemp("state"))
            stack.callback(instance.close)
            core, test = (trusted_image(name, engine=ImageEngine(client), any_recipe=True) for name in ("core", "test"))
            return Subject(kind.name, address, engine, core, test, instance, kind.runtime, kind.gvisor, kind.lacks)

        yield make


@pytest.fixture(scope="session", params=KINDS, ids=lambda kind: kind.name)
def subject(request: pytest.FixtureRequest, make_subject: Callable[[Kind], Subject]) -> Subject:
    return make_subject(request.param)
