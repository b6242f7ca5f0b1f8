"""A Docker engine of the test's own, which may be killed: never the machine's.

Its own folders, its own network namespace, no bridge. Killed with SIGKILL it leaves what a crashed engine leaves: containers
that run on. It needs root.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import docker


class OwnEngine:
    """Started by entering it; *folder* must have a short path (a socket's name holds 107 bytes).

    *through* is a program that is run in its network and becomes the daemon.
    """

    def __init__(self, folder: Path, through: Sequence[str] = ()) -> None:
        self._folder = folder
        self._through = through
        self._process: subprocess.Popen[bytes] | None = None
        self.address = f"unix://{folder}/d.sock"

    def start(self, seconds: float = 60) -> None:
        """Start it and wait until it answers."""
        place = self._folder
        (place / "config.json").write_text("{}")
        (place / "d.pid").unlink(missing_ok=True)  # of one that was killed
        options = {
            "host": self.address,
            "data-root": place / "data",
            "exec-root": place / "run",
            "pidfile": place / "d.pid",
            "config-file": place / "config.json",
            "iptables": "false",
            "bridge": "none",
        }
        with (place / "log").open("ab") as log:
            self._process = subprocess.Popen(
                ["unshare", "--net", *self._through, "dockerd", *(f"--{name}={value}" for name, value in options.items())],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        end = time.monotonic() + seconds
        while not answers(place / "d.sock"):
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError((place / "log").read_text()[-2000:])
            time.sleep(0.2)

    @property
    def pid(self) -> int:
        """Its process, whose network namespace is the engine's."""
        assert self._process is not None
        return self._process.pid

    @contextlib.contextmanager
    def client(self) -> Any:
        api = docker.APIClient(self.address, timeout=20)
        try:
            yield api
        finally:
            api.close()

    def load(self, source: Any, image: str) -> None:
        """Take over *image* from another engine's client."""
        with self.client() as api:
            api.load_image(b"".join(source.get_image(image)))

    def kill(self) -> None:
        """SIGKILL for the daemon alone."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(30)

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True)
        try:
            self.start()
        except BaseException:
            self._clean()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._clean()

    def _clean(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(60)
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait(30)
        for process in self._left():  # shims of containers that outlived a killed daemon
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
        for mount in sorted((m for m in mounts if m.startswith(f"{self._folder}/")), reverse=True):
            subprocess.run(["umount", "--lazy", mount], check=False, capture_output=True)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _left(self) -> list[int]:
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if f"{self._folder}/".encode() in (process / "cmdline").read_bytes():
                    found.append(int(process.name))
        return found


def answers(path: Path) -> bool:
    """Asked without a client of the engine's, which leaves a socket open when it gets no answer."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asked:
        asked.settimeout(5)
        asked.connect(str(path))
        asked.sendall(b"GET /_ping HTTP/1.0\r\nHost: engine\r\n\r\n")
        return b" 200 " in asked.recv(4096)
    return False
