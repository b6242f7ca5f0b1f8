"""The two readers without any sandbox: our extraction in this process, markitdown's library in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from bench.measure import Cost, call
from fumehood_sandbox import detect, methods
from fumehood_sandbox.contract import Document, Request
from fumehood_sandbox.extraction import Sink
from fumehood_sandbox.wire import Answer, FrameSink


def extraction(data: bytes, extension: str) -> Callable[[], Cost]:
    """What the worker does with a document between its last byte and its last frame; the frames go to the null device."""

    def work() -> None:
        null = os.open(os.devnull, os.O_WRONLY)
        try:
            answer = Answer(null)
            answer.allow(512 * 1024 * 1024)
            sinks: list[FrameSink] = []

            def sink_for(attempt: int, _document: Document) -> Sink:
                sinks.append(FrameSink(answer, attempt))
                return sinks[-1]

            request = Request(declared_extension=extension)
            done = methods.run(data, request, detect.detect(data, extension), sink_for)
            sinks[-1].result(done.document)
            answer.end()
        finally:
            os.close(null)
        if [method.name for method in done.document.methods if method.ok] != [
            methods.CHAINS[done.document.format.family][0].name
        ]:
            raise RuntimeError(f"{extension}: not read by its first method: {done.document.methods}")

    return lambda: call(work)


class Peer:
    """markitdown's library, warm, as a context manager; `convert` is the cost of one file."""

    def __init__(self, python: Path) -> None:
        self._process = subprocess.Popen(
            [str(python), str(Path(__file__).with_name("peer.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def convert(self, path: Path) -> Cost:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline() or "{}")
        if not answer.get("characters"):
            raise RuntimeError(f"markitdown gave nothing for {path.name}")
        return Cost(answer["wall"], answer["cpu"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.communicate()
