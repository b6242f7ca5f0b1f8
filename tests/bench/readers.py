"""Readers without any sandbox: our extraction, in this process or in one of its own, and the others in theirs."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from bench.measure import Cost, call
from fumehood_sandbox import detect, methods
from fumehood_sandbox.contract import Document, Request
from fumehood_sandbox.extraction import Sink
from fumehood_sandbox.wire import Answer, FrameSink

_READ_SECONDS: Final = 600.0
_TESTS: Final = Path(__file__).resolve().parents[1]


class UnreadableError(RuntimeError):
    """The reader could not read this file, or not in its time."""


class NoSuchReaderError(RuntimeError):
    """The reader is not installed."""


def read_all(data: bytes, extension: str) -> list[str]:
    """What the worker does with a document between its last byte and its last frame; the frames go to the null device.

    Returns the names of the methods that read it. Raises what the worker makes an ERROR frame of.
    """
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
    return [method.name for method in done.document.methods if method.ok]


def extraction(data: bytes, extension: str) -> Callable[[], Cost]:
    """`read_all` in this process, of a document that the first method of its family reads."""
    family = detect.detect(data, extension).family
    first = methods.CHAINS[family][0].name

    def work() -> None:
        by = read_all(data, extension)
        if by != [first]:
            raise RuntimeError(f"{extension}: not read by its first method: {by}")

    return lambda: call(work)


class Peer:
    """A reader in a process of its own, warm after its first document; a context manager. *reader*: as `bench.peer` has it; *seconds*: for one file.

    Raises:
        NoSuchReaderError: when it is entered.
    """

    def __init__(self, reader: str, python: Path, *, seconds: float = _READ_SECONDS) -> None:
        self._seconds = seconds
        self._reader = reader
        self._python = python
        self._process: subprocess.Popen[str] | None = None

    def convert(self, path: Path) -> Cost:
        """The cost of one file.

        Raises:
            UnreadableError: it cannot be read.
        """
        if self._process is None:
            self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        answer = self._answer()
        if "wall" not in answer:
            raise UnreadableError(f"{self._reader}: {path.name}: {answer.get('failed', 'it took too long or died')}")
        return Cost(answer["wall"], answer["cpu"])

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop()

    def _start(self) -> None:
        ours = {"PYTHONPATH": str(_TESTS)} if self._reader == "ours" else {}
        without = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self._process = subprocess.Popen(
            [str(self._python), str(Path(__file__).with_name("peer.py")), self._reader],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**without, **ours},
        )
        said = self._answer()
        if "missing" in said or self._process is None:
            self._stop()
            raise NoSuchReaderError(f"{self._reader}: {said.get('missing', 'it does not start')}")

    def _answer(self) -> dict[str, Any]:
        """One line of it; empty when it took too long or died, and then the process is gone: the next file has a new one."""
        assert self._process is not None
        assert self._process.stdout is not None
        if select.select([self._process.stdout], [], [], self._seconds)[0]:
            line = self._process.stdout.readline()
            if line:
                answer: dict[str, Any] = json.loads(line)
                return answer
        self._stop()
        return {}

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def in_its_own_process(*, seconds: float = _READ_SECONDS) -> Peer:
    """Our extraction beside the others: each in a process of its own."""
    return Peer("ours", Path(sys.executable), seconds=seconds)


def first_time(path: Path) -> Callable[[], Cost]:
    """The extraction in a process that has loaded the reader but read nothing yet: what any process pays once."""

    def one() -> Cost:
        with in_its_own_process() as peer:
            return peer.convert(path)

    return one
