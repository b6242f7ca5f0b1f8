"""Engines of the tests' own: each in mount, network and process namespaces of its own, which end with it.

A room is made by one command: ``unshare`` makes the namespaces, a script in them lays out a file system, and the engine runs
below that script. Whatever the engine mounts or starts lives in these namespaces. When the command is killed the kernel ends all of
it, and the command itself is killed by the kernel when the tests' process ends, however that ends. (A second dockerd in the
machine's own network namespace would delete the first one's bridge.)

Two kinds: a root of Debian 13 with newer engines, below an overlay so that each room has it fresh, and the machine's own
programs.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import docker.errors

import docker
from builders.own_engine import answers
from fumehood.errors import FumehoodError
from fumehood.sandbox.image_base import debian_sources

HOME = Path("/var/tmp/fumehood-engines")
SUITE = "trixie"
PACKAGES = ("docker.io", "iptables", "runc", "runsc", "podman")
WAIT_SECONDS = 60

#: Lays out the room in its own namespaces; $1 is its folder, $2 the root below it ("/": the machine's own programs).
SCRIPT = """
set -eu
room=$1; root=$2; binds=$3; shift 3
if [ "$root" = / ]; then
    mount -t proc proc /proc
    mount -t tmpfs tmpfs /run
else
    mount -t overlay overlay -o "lowerdir=$root,upperdir=$room/upper,workdir=$room/work" "$room/root"
    mount -t proc proc "$room/root/proc"
    for folder in /sys /dev; do mount --rbind "$folder" "$room/root$folder"; done
    mount -t tmpfs tmpfs "$room/root/run"
    for folder in "$room/shared" "$room/data" $binds; do
        mkdir -p "$room/root$folder"; mount --bind "$folder" "$room/root$folder"
    done
    cd "$room/root"; mkdir -p .old; pivot_root . .old; umount -l /.old
fi
"$@" &
wait $!
"""


class UnavailableError(Exception):
    """The machine cannot have this engine's packages; the text says why."""


def new_root() -> Path:
    """A root with the newer engines, made once and kept."""
    if shutil.which("mmdebstrap") is None:
        raise UnavailableError("mmdebstrap is not installed")
    try:
        sources = debian_sources(SUITE)
    except FumehoodError as error:
        raise UnavailableError(error.message) from error
    name = hashlib.sha256(f"{SUITE} {PACKAGES}".encode()).hexdigest()[:12]
    root = HOME / f"root-{name}"
    if root.is_dir():
        return root
    HOME.mkdir(parents=True, exist_ok=True)
    half = HOME / f"root-{name}.new"
    shutil.rmtree(half, ignore_errors=True)
    done = subprocess.run(
        ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(PACKAGES)}", SUITE, str(half), *sources],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode != 0:
        shutil.rmtree(half, ignore_errors=True)
        raise UnavailableError(f"{SUITE}'s packages cannot be had: {' | '.join(done.stdout.strip().splitlines()[-2:])}")
    half.rename(root)
    return root


def own_programs(*programs: str) -> Path:
    """The machine's own root, with *programs* (named as their packages are), which may be installed."""
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                ["apt-get", "install", "-y", "-q", "--no-install-recommends", *missing],
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=300,
                check=False,
            )
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        raise UnavailableError(f"this release has no package {', '.join(missing)}")
    return Path("/")


@dataclass
class Room:
    """One engine. *configuration* are files by path in the root; *binds* are folders that it sees at their own place."""

    name: str
    root: Path
    command: Sequence[str]
    configuration: dict[str, str] = field(default_factory=dict)
    binds: Sequence[Path] = ()

    @property
    def folder(self) -> Path:
        return HOME / f"room-{self.name}-{os.getpid()}"

    @property
    def address(self) -> str:
        return f"unix://{self.folder}/shared/engine.sock"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    @contextlib.contextmanager
    def open(self) -> Iterator[str]:
        """Start the engine; its address. Afterwards nothing of it runs, is mounted or lies about.

        Raises:
            RuntimeError: when it does not come up: its packages are there, so that is a fault, and no reason to skip.
        """
        self._lay_out()
        before = _groups()
        arguments = [part.replace("ROOM", str(self.folder)) for part in self.command]
        process = None
        try:
            with self.log.open("wb") as log:
                process = subprocess.Popen(
                    [
                        *("setpriv", "--pdeathsig", "KILL"),
                        *("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--propagation", "private"),
                        *("sh", "-c", SCRIPT, "room", str(self.folder), str(self.root), " ".join(map(str, self.binds))),
                        *arguments,
                    ],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    env={
                        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                        "PODMAN_IGNORE_CGROUPSV1_WARNING": "1",
                    },
                )
            self._wait(process)
            yield self.address
        finally:
            if process is not None:
                _remove_containers(self.address)
                process.kill()
                process.wait()
            _remove_folder(self.folder)
            # Podman's have no name of ours: those that were there before are somebody else's.
            now = _groups()
            _remove_groups({path for path in now if path.name.startswith("fumehood-test-")})
            _remove_groups({path for path in now - before if path.name in {"libpod_parent", "conmon"}})

    def processes(self, name: str) -> list[int]:
        """The ids of the room's own processes whose command line begins with *name*, as the machine counts them."""
        found = []
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and (entry / "cmdline").read_bytes().startswith(name.encode()):
                    shared = str(self.folder) in (entry / "mountinfo").read_text()
                    found += [int(entry.name)] if shared else []
        return found

    def _lay_out(self) -> None:
        for old in HOME.glob(f"room-{self.name}-*"):  # of a run that was killed: its engine went with it, its files did not
            if not Path(f"/proc/{old.name.rpartition('-')[2]}").exists() or old == self.folder:
                shutil.rmtree(old, ignore_errors=True)
        for part in ("shared", "data", "upper", "work", "root"):
            (self.folder / part).mkdir(parents=True)
        for path, text in self.configuration.items():
            file = self.folder / "upper" / path if self.root != Path("/") else self.folder / "shared" / Path(path).name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        until = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until and process.poll() is None:
            if answers(self.folder / "shared" / "engine.sock"):
                return
            time.sleep(0.2)
        said = " | ".join(self.log.read_text(errors="replace").strip().splitlines()[-3:])
        raise RuntimeError(f"the engine {self.name} does not come up: {said[-400:]}")


def _client(address: str) -> docker.DockerClient:
    return docker.DockerClient(base_url=address, version="auto", timeout=60)


def _remove_containers(address: str) -> None:
    with contextlib.suppress(docker.errors.DockerException, OSError), contextlib.closing(_client(address)) as client:
        for container in client.containers.list(all=True, ignore_removed=True):
            with contextlib.suppress(docker.errors.DockerException):
                container.remove(force=True, v=True)


def _remove_folder(folder: Path) -> None:
    until = time.monotonic() + 20
    while folder.exists() and time.monotonic() < until:  # the kernel takes a moment to let go of the mounts
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.1)


def _groups() -> set[Path]:
    """Control groups near the top, where the rooms' engines make theirs."""
    top = Path("/sys/fs/cgroup")
    return {path for pattern in ("*", "*/*") for path in top.glob(pattern) if path.is_dir()}


def _remove_groups(unused: set[Path]) -> None:
    """Empty ones can be removed; one with a process in it stays."""
    for path in unused:
        for folder, _, _ in os.walk(path, topdown=False):
            with contextlib.suppress(OSError):
                Path(folder).rmdir()


def dockerd(name: str, root: Path, runtimes: dict[str, Sequence[str]], program: str = "/usr/bin/runsc") -> Room:
    """A dockerd with *runtimes*: gVisor's program under each name, with these options."""
    registered: dict[str, Any] = {n: {"path": program, "runtimeArgs": list(options)} for n, options in runtimes.items()}
    settings = json.dumps({"runtimes": registered})
    file = "etc/docker/daemon.json" if root != Path("/") else "daemon.json"
    at = f"/{file}" if root != Path("/") else "ROOM/shared/daemon.json"
    command = [
        "dockerd", "--host", "unix://ROOM/shared/engine.sock", "--data-root", "ROOM/data", "--exec-root", "/run/fumehood-dx",
        "--pidfile", "/run/fumehood-d.pid", "--iptables=false", "--bridge=none", "--cgroup-parent", f"/fumehood-test-{name}", "--config-file", at,
    ]  # fmt: skip
    return Room(name, root, command, {file: settings})


def podman(name: str, root: Path, binds: Sequence[Path]) -> Room:
    """Podman's Docker-compatible socket, with what its configuration can do for us."""
    settings = '[engine]\nruntime="runc"\ncgroup_manager="cgroupfs"\n[containers]\nno_hosts=true\ncgroupns="private"\n'
    command = [
        "podman", "--root", "ROOM/data", "--runroot", "/run/fumehood-podman",
        "system", "service", "--time=0", "unix://ROOM/shared/engine.sock",
    ]  # fmt: skip
    return Room(name, root, command, {"etc/containers/containers.conf": settings}, binds)
