"""Spare containers of the real engine: quick, used once, and gone with whoever kept them."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from builders import docx, pdf
from builders.jobs import job
from fumehood.limits import Limits
from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.image_trust import TrustedImage
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.pool import Pool
from fumehood.sandbox.runner import Sandbox
from fumehood_sandbox.supervise import HOST_GONE

ROOT = Path(__file__).resolve().parents[2]
#: ``WARM_REQUESTS=1000`` for the full number.
REQUESTS = int(os.environ.get("WARM_REQUESTS", "20"))
LONG = 120.0
LETTER = docx.docx("".join(docx.p(f"Paragraph {number}") for number in range(20)))


@pytest.fixture
def warm(engine: DockerEngine, core_image: TrustedImage, instance: Instance) -> Iterator[Sandbox]:
    made = Sandbox(engine, core_image, instance=instance)
    made.keep_spares(Limits(), most=2, idle_seconds=600, room=lambda _bytes: True)
    yield made
    made.close()


def pool_of(sandbox: Sandbox) -> Pool:
    assert sandbox.pool is not None
    return sandbox.pool


def read(sandbox: Sandbox, body: bytes, extension: str, hint: str) -> list[str]:
    with pool_of(sandbox).in_hand():
        outcome = sandbox.run(job(body, limits=Limits(), extension=extension, hint=hint, settle=False))
    assert outcome.error is None, outcome.error
    assert outcome.document is not None
    assert outcome.provenance.exit_code is None
    assert outcome.provenance.runtime
    return [block.text for block in outcome.document.blocks]


def test_a_spare_reads_any_family(warm: Sandbox, containers: Callable[[], list[str]]) -> None:
    pool = pool_of(warm)
    pool.want(1)
    letters = pdf.document([pdf.lines(["A line of a page."])])
    for body, extension, hint in ((LETTER, ".docx", "docx"), (letters, ".pdf", "pdf"), (b"text\n", ".txt", "text")):
        assert pool.settled(LONG)
        before = set(containers())
        assert read(warm, body, extension, hint)
        assert pool.settled(LONG)
        assert not set(pool_ids(pool)) & before, "used once"
    warm.close()
    assert containers() == []


def pool_ids(pool: Pool) -> list[str]:
    return [str(spare.box.id) for spare in pool._ready]


def test_a_spare_that_the_engine_lost_is_replaced(warm: Sandbox, engine: DockerEngine) -> None:
    pool = pool_of(warm)
    pool.want(1)
    assert pool.settled(LONG)
    (spare,) = pool_ids(pool)
    engine.kill(spare)
    deadline = time.monotonic() + LONG
    while engine.inspect(spare)["State"]["Running"] and time.monotonic() < deadline:
        time.sleep(0.05)
    assert read(warm, LETTER, ".docx", "docx")[0] == "Paragraph 0"
    assert pool.settled(LONG)
    assert spare not in pool_ids(pool)


@pytest.mark.timeout(120 + REQUESTS)
def test_many_requests_leave_nothing(warm: Sandbox) -> None:
    """Descriptors, threads and memory are the same after many requests as after a few."""
    pool = pool_of(warm)
    pool.want(2)

    def state() -> tuple[int, int, int]:
        assert pool.settled(LONG)
        assert warm._janitor.settled(LONG)
        gc.collect()
        return len(os.listdir("/proc/self/fd")), threading.active_count(), _resident()  # noqa: PTH208 - the names alone

    for _ in range(8):
        read(warm, LETTER, ".docx", "docx")
    descriptors, threads, memory = state()
    for _ in range(REQUESTS):
        read(warm, LETTER, ".docx", "docx")
    after = state()
    assert after[0] <= descriptors + 2, "descriptors"
    assert after[1] <= threads + 2, "threads: those of the janitor start when they are needed"
    assert after[2] - memory < 16 * 1024, "KiB"


def _resident() -> int:
    """KiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


HOST = """
import sys, time
from pathlib import Path
from fumehood.limits import Limits
from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.image_trust import TrustedImage
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.runner import Sandbox
state, image = sys.argv[1:]
instance = Instance(Path(state))
sandbox = Sandbox(DockerEngine.connect(), TrustedImage(image, "", "local"), instance=instance)
sandbox.keep_spares(Limits(), most=2, idle_seconds=600, room=lambda size: True)
sandbox.pool.want(2)
assert sandbox.pool.settled(100)
print(instance.id, flush=True)
if sys.stdin.readline():
    sys.exit()
"""


@pytest.mark.parametrize("end", ["exits without closing", "is killed"])
def test_spares_end_with_their_host(engine: DockerEngine, core_image: TrustedImage, tmp_path: Path, end: str) -> None:
    path = os.pathsep.join(str(ROOT / part) for part in ("host", "sandbox"))
    with subprocess.Popen(
        [sys.executable, "-c", HOST, str(tmp_path), core_image.id],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
        text=True,
    ) as host:
        assert host.stdout is not None
        assert host.stdin is not None
        owner = host.stdout.readline().strip()
        spares = list(engine.list_labelled({"app": "fumehood", "app.instance": owner}))
        try:
            assert len(spares) == 2
            if end == "is killed":
                host.send_signal(signal.SIGKILL)
                host.wait(LONG)
                deadline = time.monotonic() + LONG
                while any(engine.inspect(s)["State"]["Running"] for s in spares) and time.monotonic() < deadline:
                    time.sleep(0.1)
                assert [engine.inspect(s)["State"]["ExitCode"] for s in spares] == [HOST_GONE] * 2
            else:
                host.stdin.write("\n")
                host.stdin.flush()
                assert host.wait(LONG) == 0
                assert engine.list_labelled({"app": "fumehood", "app.instance": owner}) == {}
        finally:
            for spare in spares:
                engine.remove(spare)
