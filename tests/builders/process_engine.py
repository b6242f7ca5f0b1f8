"""An engine without containers: the worker as a plain local process. For tests of everything around a container."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fumehood.sandbox.engine import Connection, ContainerSpec, Created, EngineInfo, ExitInfo, Stream
from fumehood.sandbox.image_trust import TrustedImage

SANDBOX = Path(__file__).resolve().parents[2] / "sandbox"
IMAGE = TrustedImage(id="sha256:" + "0" * 64, lock_id="test", source="local")


class PipeConnection:
    """Three pipes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._files = [process.stdin, process.stdout, process.stderr]
        self._streams: dict[int, Stream] = {process.stdout.fileno(): "stdout", process.stderr.fileno(): "stderr"}
        self._stdin = process.stdin.fileno()
        for descriptor in (self._stdin, *self._streams):
            os.set_blocking(descriptor, False)

    def readers(self) -> Sequence[int]:
        return tuple(self._streams)

    def writer(self) -> int:
        return self._stdin

    def send(self, data: memoryview) -> int:
        try:
            return os.write(self._stdin, data)
        except BlockingIOError:
            return 0

    def receive(self, reader: int) -> list[tuple[Stream, bytes]] | None:
        try:
            data = os.read(reader, 65536)
        except BlockingIOError:
            return []
        return [(self._streams[reader], data)] if data else None

    def close(self) -> None:
        for file in self._files:
            with contextlib.suppress(BrokenPipeError):
                file.close()


class ProcessEngine:
    """Remembers what was done, in order, in *calls*: a test can see that a container was removed, and when."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.specs: dict[str, ContainerSpec] = {}
        self.present: set[str] = set()

    def info(self) -> EngineInfo:
        return EngineInfo(kind="process", version="0")

    def create(self, spec: ContainerSpec) -> Created:
        self.calls.append("create")
        name = f"p{len(self.specs) + 1}"
        self.specs[name] = spec
        self.present.add(name)
        return Created(name, spec.runtime or "process")

    def attach(self, container: str) -> Connection:
        self.calls.append("attach")
        spec = self.specs[container]
        self.processes[container] = subprocess.Popen(
            [sys.executable, "-B", "-c", f"from {spec.module} import main; main()", str(spec.outer_seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"PYTHONPATH": str(SANDBOX), "PATH": os.environ["PATH"]},
            start_new_session=True,
        )
        return PipeConnection(self.processes[container])

    def start(self, container: str) -> None:
        self.calls.append("start")

    def kill(self, container: str) -> None:
        self.calls.append("kill")
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.processes[container].pid, 9)

    def wait(self, container: str, timeout: float) -> ExitInfo:
        self.calls.append("wait")
        try:
            code = self.processes[container].wait(timeout)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        return ExitInfo(code if code >= 0 else 128 - code)

    def inspect(self, container: str) -> dict[str, Any]:
        return {"Id": container}

    def remove(self, container: str) -> None:
        self.calls.append("remove")
        process = self.processes.get(container)
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, 9)
            deadline = time.monotonic() + 5
            while process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.01)
        self.present.discard(container)

    def list_labelled(self, labels: Mapping[str, str]) -> dict[str, dict[str, str]]:
        found = {name: dict(self.specs[name].labels) for name in self.present}
        return {name: has for name, has in found.items() if labels.items() <= has.items()}
