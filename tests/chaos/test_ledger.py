"""The count after a chaos run sees what it is there to see: each kind of leak, made on purpose."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from builders import ledger


@contextmanager
def a_thread() -> Iterator[None]:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait, name="left-over")
    thread.start()
    yield
    stop.set()
    thread.join()


@contextmanager
def a_child() -> Iterator[None]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        yield
        child.stdin.close()


@contextmanager
def memory() -> Iterator[None]:
    held = [os.urandom(1024) * 1024 for _ in range(60)]
    yield
    held.clear()


@contextmanager
def a_file() -> Iterator[None]:
    with Path("/etc/hostname").open():
        yield


@contextmanager
def a_pipe() -> Iterator[None]:
    ends = os.pipe()
    yield
    for end in ends:
        os.close(end)


LEAKS: dict[str, Any] = {
    "descriptor: /etc/hostname (1)": a_file,
    "descriptor: pipe": a_pipe,
    "sockets: 1 more": lambda: closing(socket.socket(socket.AF_UNIX)),
    "thread: left-over (1)": a_thread,
    "child process: ": a_child,
    "memory: ": memory,
}


@pytest.mark.parametrize("finding", LEAKS)
def test_each_leak_is_seen(finding: str) -> None:
    before = ledger.holding()
    with ExitStack() as leak:
        leak.enter_context(LEAKS[finding]())
        assert any(found.startswith(finding) for found in ledger.holding().grown(before))
    assert ledger.holding().grown(before) == []


def test_another_process_is_looked_at_from_outside() -> None:
    program = (
        "import sys; print(1, flush=True); input(); f = open('/etc/hostname'); b = b'x' * 2**26; print(2, flush=True); input()"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        other.stdout.readline()
        before = ledger.holding(other.pid)
        other.stdin.write("\n")
        other.stdin.flush()
        other.stdout.readline()
        found = ledger.holding(other.pid).grown(before)
        other.stdin.close()
    assert found[0] == "descriptor: /etc/hostname (1)"
    assert found[1].startswith("memory: ")


def test_left_containers_volumes_and_files_are_seen(place: Any, proved: Path, engine: Any) -> None:
    assert place.left() == []
    image = next(image["Id"] for image in engine.api.images() if "fumehood" in str(image["RepoTags"]))
    place.note.write_text("0123\n")
    container = engine.api.create_container(image, ["true"], labels={"app.instance": "0123"})["Id"]
    volume = engine.api.create_volume()["Name"]
    try:
        for name in ("tmp/a", "cache/b/c", "state/fumehood/instances/x.lock"):
            path = place.base / name
            path.parent.mkdir(exist_ok=True)
            path.touch()
        found = place.left()
    finally:
        engine.api.remove_container(container)
        engine.api.remove_volume(volume)
    assert found == [
        f"container: {container[:12]} created",
        f"volume: {volume}",
        "temporary file: a",
        "in the cache: b/c",
        "in the state: instances/x.lock",
    ]
