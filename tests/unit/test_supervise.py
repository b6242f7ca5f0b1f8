"""The container's first process as a plain one: the ends that it waits for. That nothing inside reaches it needs a container."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from fumehood_sandbox import probe_first
from fumehood_sandbox.probe_child import ending
from fumehood_sandbox.supervise import HOST_GONE, TIME_OVER

SANDBOX = Path(__file__).resolve().parents[2] / "sandbox"
PATIENCE = 60.0
LONG = 600.0

#: What a worker does that holds nothing back: the end of stdin, which it shares, is for its parent.
WAIT = "while True: signal.pause()"


@contextmanager
def supervised(worker: str, seconds: float = LONG) -> Iterator[subprocess.Popen[bytes]]:
    """A supervisor over the code *worker*; all of it is killed in the end."""
    code = (
        f"import os, signal\nfrom fumehood_sandbox.supervise import fork_worker\nfork_worker({seconds})\n{worker}\nos._exit(0)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SANDBOX)},
        start_new_session=True,
    )
    with process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("worker", "status"),
    [
        ("pass", 0),
        ("os._exit(7)", 7),
        ("os.kill(os.getpid(), signal.SIGKILL)", 137),
        ("signal.raise_signal(signal.SIGSEGV)", 139),
        ("os.closerange(3, 256)\nos._exit(8)", 8),  # the pipe that tells of its end
        ("if os.fork() == 0:\n    while True: signal.pause()\nos._exit(9)", 9),  # a child has that pipe as well
        ("if os.fork() == 0: os._exit(1)\nif os.fork() == 0:\n    if os.fork() == 0: os._exit(2)\n    os._exit(3)", 0),
    ],
)
def test_it_ends_as_its_worker_does(worker: str, status: int) -> None:
    with supervised(worker) as process:
        assert process.wait(PATIENCE) == status


def test_it_ends_with_the_end_of_stdin_though_its_worker_stays() -> None:
    with supervised(f"os.write(1, b'x')\n{WAIT}") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.read(1) == b"x"
        process.stdin.close()
        assert process.wait(PATIENCE) == HOST_GONE
        assert process.stdout.read() == b"", "the worker has gone, too"


def test_it_ends_when_its_time_is_over() -> None:
    with supervised(WAIT, 0.3) as process:
        # By the clock or by the kernel's timer, which comes at the same time.
        assert process.wait(PATIENCE) in {TIME_OVER, -signal.SIGKILL}


def test_stopped_it_ends_all_the_same() -> None:
    with supervised(f"os.kill(os.getppid(), signal.SIGSTOP)\n{WAIT}", 1.0) as process:
        assert process.wait(PATIENCE) == -signal.SIGKILL


def test_its_memory_is_closed_before_there_is_a_worker() -> None:
    """Seen from the worker, which begins as its parent was at the fork."""
    with supervised("import ctypes\nos.write(1, b'%d' % ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))") as process:
        assert process.stdout is not None
        assert process.stdout.read() == b"0"


def test_the_probe_sees_what_can_be_stopped_and_what_can_be_opened() -> None:
    child = os.fork()
    if child == 0:
        while True:
            signal.pause()
    try:
        assert probe_first.stopped(child) == "yes"
        assert probe_first.memory(child) == "ok"
    finally:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert ending(status) == "SIGKILL"
    assert probe_first.stopped(child) == "ESRCH"
    assert probe_first.memory(child) == "ENOENT"
