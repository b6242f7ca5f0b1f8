"""Images as files and through a registry, with an engine of the test's own: what no lock vouches for does not stay."""

import dataclasses
import io
import os
import shutil
import subprocess
import sys
import tarfile
import time

import pytest

import docker
from builders.own_engine import OwnEngine
from fumehood.errors import FumehoodError
from fumehood.sandbox.docker_image import ImageEngine
from fumehood.sandbox.image_build import build_image
from fumehood.sandbox.image_lock import read_lock_file, write_lock_file
from fumehood.sandbox.image_recipe import load_recipe
from fumehood.sandbox.image_transfer import load_image, lock_beside, pull_image, save_image
from fumehood.sandbox.image_trust import trusted_image

pytestmark = pytest.mark.timeout(300)


def silent(line):
    pass


def wait_for(answers, process, seconds=60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            pytest.fail(f"{process.args[0]} ended with status {process.returncode}")
        try:
            return answers()
        except (FumehoodError, docker.errors.DockerException, OSError):
            time.sleep(0.2)
    pytest.fail(f"{process.args[0]} did not answer")


def stop(process):
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The image of the usual engine, saved with its lock."""
    target = tmp_path_factory.mktemp("saved") / "core.tar"
    with ImageEngine.connect() as engine:
        build_image("core", engine=engine, say=silent)
        image, size = save_image(engine, target)
    assert target.stat().st_size == size > 50_000_000
    assert read_lock_file(lock_beside(target))["core"].layers == image.layers
    return target


# A second daemon in the machine's own network would take the first one's bridge away: `--bridge=none` deletes docker0. So it
# gets a network of its own, with nothing in it but loopback, where the registry listens too.
IN_OWN_NETWORK = """
import fcntl, os, socket, struct, sys
with socket.socket() as probe:
    name_and_flags = struct.pack("16sH14x", b"lo", 0x1 | 0x40)  # IFF_UP, IFF_RUNNING
    fcntl.ioctl(probe, 0x8914, name_and_flags)  # SIOCSIFFLAGS
os.execvp(sys.argv[1], sys.argv[1:])
"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    """A second engine beside the usual one, with loopback in its network."""
    if os.geteuid() != 0 or shutil.which("dockerd") is None or shutil.which("unshare") is None:
        pytest.skip("a second engine needs root, dockerd and unshare")
    with OwnEngine(tmp_path_factory.mktemp("d") / "e", through=[sys.executable, "-c", IN_OWN_NETWORK]) as own:
        yield own


@pytest.fixture(scope="module")
def other(daemon):
    with ImageEngine.connect(daemon.address) as engine:
        yield engine


@pytest.fixture
def empty(other, tmp_path, monkeypatch):
    """The second engine, emptied, on a machine that has no lock yet."""
    for image in other._api.images(all=True):
        other._api.remove_image(image["Id"], force=True)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return other


def images_of(engine):
    return [image["Id"] for image in engine._api.images()]


def test_an_image_is_carried_with_its_lock(empty, archive):
    with pytest.raises(FumehoodError) as caught:
        trusted_image(engine=empty)
    assert caught.value.code == "image-missing"
    loaded = load_image(empty, archive, silent, lock=lock_beside(archive))
    trusted = trusted_image(engine=empty)
    assert (trusted.id, trusted.source) == (loaded.id, "local")
    assert images_of(empty) == [loaded.id]
    assert b"3.13" in empty.run_once(trusted.id, [trusted.python, "-I", "-c", "import sys, pymupdf; print(sys.version)"])


def test_an_archive_without_a_lock_never_reaches_the_engine(empty, archive):
    with pytest.raises(FumehoodError) as caught:
        load_image(empty, archive, silent)
    assert caught.value.code == "image-mismatch"
    assert "--lock" in caught.value.hint
    assert images_of(empty) == []


def test_an_archive_of_other_layers_never_reaches_the_engine(empty, archive, tmp_path):
    locked = read_lock_file(lock_beside(archive))["core"]
    write_lock_file(tmp_path / "other.json", {"core": dataclasses.replace(locked, layers=locked.layers[::-1])})
    with pytest.raises(FumehoodError) as caught:
        load_image(empty, archive, pytest.fail, lock=tmp_path / "other.json")
    assert caught.value.code == "image-mismatch"
    assert images_of(empty) == []


def test_a_lock_of_another_version_is_said_to_be_one(empty, archive, tmp_path):
    locked = read_lock_file(lock_beside(archive))["core"]
    write_lock_file(tmp_path / "old.json", {"core": dataclasses.replace(locked, recipe="0" * 64)})
    with pytest.raises(FumehoodError, match="another version of the recipe"):
        load_image(empty, archive, silent, lock=tmp_path / "old.json")


def derived(engine, reference, lines):
    """An image FROM *reference* with more *lines*, under a name of ours."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        text = f"FROM {reference}\n{lines}\n".encode()
        member = tarfile.TarInfo("Dockerfile")
        member.size = len(text)
        tar.addfile(member, io.BytesIO(text))
    engine.build(
        packed.getvalue(), dockerfile="Dockerfile", tag="fumehood-sandbox:derived", arguments={}, labels={}, say=silent
    )
    return engine.inspect("fumehood-sandbox:derived")["Id"]


def test_the_same_layers_under_another_config_are_refused_and_removed(empty, archive, tmp_path):
    """What only the engine can tell: the archive's layers are the lock's, its user is not."""
    load_image(empty, archive, silent, lock=lock_beside(archive))
    with (tmp_path / "root.tar").open("wb") as file:
        empty.save(derived(empty, load_recipe().tag, "USER 0"), file)
    for image in images_of(empty):
        empty._api.remove_image(image, force=True)
    with pytest.raises(FumehoodError, match=r"config User: 65532:65532 expected, 0 found") as caught:
        load_image(empty, tmp_path / "root.tar", silent, lock=lock_beside(archive))
    assert caught.value.code == "image-mismatch"
    assert images_of(empty) == []


def test_an_archive_may_not_take_over_the_name_of_another_image(empty, archive, tmp_path):
    load_image(empty, archive, silent, lock=lock_beside(archive))
    empty.tag(load_recipe().tag, "python:3.13-slim")
    with (tmp_path / "named.tar").open("wb") as file:
        empty.save("python:3.13-slim", file)
    with pytest.raises(FumehoodError, match="name of another image"):
        load_image(empty, tmp_path / "named.tar", pytest.fail, lock=lock_beside(archive))


def test_a_cut_archive_is_an_error_and_leaves_nothing(empty, archive, tmp_path):
    cut = tmp_path / "cut.tar"
    with archive.open("rb") as whole:
        cut.write_bytes(whole.read(archive.stat().st_size // 2))
    with pytest.raises(FumehoodError):
        load_image(empty, cut, silent, lock=lock_beside(archive))
    assert images_of(empty) == []


def test_save_says_so_when_the_folder_cannot_be_written(archive, tmp_path):
    with ImageEngine.connect() as engine, pytest.raises(FumehoodError) as caught:
        save_image(engine, tmp_path / "none" / "core.tar")
    assert caught.value.code == "output-not-writable"


@pytest.fixture(scope="module")
def registry(daemon, other, tmp_path_factory):
    """Debian's docker-registry on the daemon's loopback; the package is unpacked, not installed, where the program is not there."""
    place = tmp_path_factory.mktemp("registry")
    program = shutil.which("docker-registry")
    if program is None and shutil.which("apt-get"):
        subprocess.run(["apt-get", "download", "docker-registry"], cwd=place, capture_output=True, text=True, check=False)
        for package in place.glob("docker-registry_*.deb"):
            subprocess.run(["dpkg", "-x", str(package), str(place / "root")], check=True)
            program = str(place / "root/usr/bin/docker-registry")
    if program is None:
        pytest.skip("Debian's docker-registry cannot be had here")
    address = "127.0.0.1:5000"
    (place / "config.yml").write_text(
        f"version: 0.1\nlog: {{level: error}}\nstorage: {{filesystem: {{rootdirectory: {place}/data}}}}\nhttp: {{addr: '{address}'}}\n"
    )
    with (place / "log").open("wb") as log:
        process = subprocess.Popen(
            ["nsenter", f"--net=/proc/{daemon.pid}/ns/net", program, "serve", str(place / "config.yml")],
            stdout=log,
            stderr=log,
        )

    def answers():
        """An answering registry says that it has no such image; one that is not up yet refuses the connection."""
        with pytest.raises(FumehoodError) as caught:
            other.pull(f"{address}/nothing:here", silent, idle_seconds=10)
        if "refused" in caught.value.message:
            raise caught.value

    try:
        wait_for(answers, process)
        yield address
    finally:
        stop(process)


def test_an_image_is_pulled_only_as_the_one_of_the_lock(empty, archive, registry):
    lock = lock_beside(archive)
    loaded = load_image(empty, archive, silent, lock=lock)
    names = {"good": loaded.id, "bad": derived(empty, load_recipe().tag, "ENV LD_PRELOAD=/tmp/x.so")}
    for tag, identity in names.items():
        empty._api.tag(identity, f"{registry}/fumehood-sandbox", tag)
        for event in empty._api.push(f"{registry}/fumehood-sandbox", tag=tag, stream=True, decode=True):
            assert "error" not in event, event
    for image in images_of(empty):
        empty._api.remove_image(image, force=True)
    assert images_of(empty) == []

    with pytest.raises(FumehoodError, match="config Env") as caught:
        pull_image(empty, f"{registry}/fumehood-sandbox:bad", silent, lock=lock)
    assert caught.value.code == "image-mismatch"
    assert images_of(empty) == []

    pulled = pull_image(empty, f"{registry}/fumehood-sandbox:good", silent, lock=lock)
    assert trusted_image(engine=empty).id == pulled.id

    with pytest.raises(FumehoodError) as caught:
        pull_image(empty, f"{registry}/fumehood-sandbox:none", silent, lock=lock)
    assert caught.value.code == "image-missing"
