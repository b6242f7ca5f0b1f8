"""A document's way through a real container, and what happens when someone on the way goes away."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from builders import pdf
from builders.jobs import job
from fumehood.documents.collect import Collector
from fumehood.errors import EnvironmentError_
from fumehood.limits import MIB
from fumehood.sandbox.attestation import Attestation
from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.image_trust import TrustedImage
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.runner import Sandbox
from fumehood_sandbox.supervise import HOST_GONE

ROOT = Path(__file__).resolve().parents[2]
TEXT = "Grüße aus dem Kasten.\n\nSecond paragraph.\n".encode()


def test_a_document_goes_in_and_comes_out(sandbox: Sandbox) -> None:
    outcome = sandbox.run(job(TEXT, extension=".txt"))
    assert outcome.error is None, outcome.error
    assert outcome.document is not None
    assert outcome.document.format.family == "text"
    assert outcome.document.blocks[0].text == "Grüße aus dem Kasten."
    assert [m.ok for m in outcome.document.methods] == [True]


def test_provenance_says_where_it_came_from(sandbox: Sandbox) -> None:
    attested = Sandbox(
        sandbox.engine, sandbox.image, instance=sandbox.instance, attestation=Attestation("weakened", ("no-queues",))
    )
    said = attested.run(job(TEXT, extension=".txt")).provenance.as_dict()
    assert said["sha256"] == hashlib.sha256(TEXT).hexdigest()
    assert said["bytes"] == len(TEXT)
    assert said["image"] == sandbox.image.id
    assert said["image_lock"] == sandbox.image.lock_id
    assert said["runtime"] == "runc"
    assert (said["attested"], said["missing"]) == ("weakened", ["no-queues"])
    assert (said["exit_code"], said["cached"], said["container"]) == (0, False, "used once")
    assert said["limits"]["wall_seconds"] == 20
    assert 0 < said["cpu_ms"] < 60_000
    assert 5 < said["peak_memory_mb"] < 512
    assert said["wall_ms"] > 0


def test_fifty_megabytes(sandbox: Sandbox) -> None:
    body = os.urandom(1024) * (50 * 1024)
    outcome = sandbox.run(job(body, seconds=60))
    assert outcome.error is not None
    assert outcome.error.code == "unsupported"
    assert outcome.provenance.sha256 == hashlib.sha256(body).hexdigest()


def test_many_at_once(sandbox: Sandbox) -> None:
    def one(number: int) -> str:
        outcome = sandbox.run(job(b"document %d\n" % number, extension=".txt", seconds=100))
        assert outcome.error is None, outcome.error
        assert outcome.document is not None
        return outcome.document.blocks[0].text

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(16))) == [f"document {n}" for n in range(16)]


@pytest.mark.parametrize("pieces", [[b"abc"], [b"abcdef", b"g"]], ids=["shrank", "grew"])
def test_a_file_that_changes_while_it_is_read(sandbox: Sandbox, pieces: list[bytes]) -> None:
    changing = replace(job(b"abcdef"), body=lambda: iter(pieces))
    outcome = sandbox.run(changing)
    assert outcome.error is not None
    assert outcome.error.code == "changed"


def test_an_interrupt_is_passed_on_and_leaves_nothing(sandbox: Sandbox) -> None:
    def interrupted() -> Iterator[bytes]:
        yield b"abc"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sandbox.run(replace(job(b"abcdef"), body=interrupted))


def test_options_that_do_not_fit(sandbox: Sandbox) -> None:
    outcome = sandbox.run(job(b"x", pages=[[1, 1]] * 2000))
    assert outcome.error is not None
    assert outcome.error.code == "invalid-argument"


# -- someone goes away ------------------------------------------------------------------------------------------------

HOST = """
import json, sys
from pathlib import Path
from builders import pdf
from builders.jobs import job
from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.image_trust import TrustedImage
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.runner import Sandbox
state, image, order = sys.argv[1:]
instance = Instance(Path(state))
sandbox = Sandbox(DockerEngine.connect(), TrustedImage(image, "", "local"), instance=instance, module="fumehood_sandbox.mock")
print(instance.id, flush=True)
sandbox.run(job(order.encode(), seconds=200, password="THE-PASSWORD"))
"""


def _wait_for(what: Callable[[], Any], seconds: float = 40) -> Any:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := what():
            return found
        time.sleep(0.1)
    return None


@pytest.mark.parametrize("order", [{"mock": "hang", "ignore_signals": True}, {"mock": "hold-lock"}, {"mock": "spin"}], ids=str)
def test_the_container_ends_when_its_host_dies(
    engine: DockerEngine, test_image: TrustedImage, tmp_path: Path, order: dict[str, Any]
) -> None:
    """SIGKILL for the host, in the middle of a document whose deadline is minutes away."""
    path = os.pathsep.join(str(ROOT / part) for part in ("host", "sandbox", "tests"))
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, str(tmp_path), test_image.id, json.dumps(order)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
        text=True,
    )
    with host:
        assert host.stdout is not None
        owner = host.stdout.readline().strip()

        def busy() -> str | None:
            for name in engine.list_labelled({"app": "fumehood", "app.instance": owner}):
                if engine.inspect(name)["State"]["Running"] and len(engine.api.top(name)["Processes"]) >= 2:
                    return name
            return None

        container = _wait_for(busy)
        assert container is not None, "the worker did not start"
        try:
            time.sleep(1.0)  # the document has been handed over
            described = json.dumps(engine.inspect(container))
            assert "THE-PASSWORD" not in described
            assert str(tmp_path) not in described
            journal = (tmp_path / "instances" / f"{owner}.journal").read_text()
            assert journal == f"created {container}\n"
            host.send_signal(signal.SIGKILL)
            host.wait(10)
            ended = _wait_for(lambda: not engine.inspect(container)["State"]["Running"], 20)
            assert ended, "it outlived its host"
            assert engine.inspect(container)["State"]["ExitCode"] == HOST_GONE
        finally:
            engine.remove(container)


def test_the_labels_of_a_container(engine: DockerEngine, sandbox: Sandbox, instance: Instance) -> None:
    spec = sandbox.spec(job(b"").limits)
    created = engine.create(spec)
    try:
        labels = {k: v for k, v in engine.inspect(created.id)["Config"]["Labels"].items() if k.split(".")[0] == "app"}
    finally:
        engine.remove(created.id)
    assert set(labels) == {"app", "app.instance", "app.host", "app.boot", "app.deadline", "app.req"}
    assert labels["app"] == "fumehood"
    assert labels["app.instance"] == instance.id
    assert labels["app.host"].endswith(f":{os.getuid()}")
    assert 0 < int(labels["app.deadline"]) - time.time() <= spec.outer_seconds + 2


# -- an engine that is not there, or not to be trusted ----------------------------------------------------------------


def test_no_engine() -> None:
    with pytest.raises(EnvironmentError_) as caught:
        DockerEngine.connect("unix:///no/such/socket")
    assert caught.value.code == "engine-unreachable"


def test_no_image(engine: DockerEngine, instance: Instance) -> None:
    missing = TrustedImage("sha256:" + "0" * 64, "", "local")
    outcome = Sandbox(engine, missing, instance=instance).run(job(TEXT))
    assert outcome.error is not None
    assert outcome.error.code == "image-missing"


class _Changed:
    """The engine's API client with its create call changed."""

    def __init__(self, api: Any, change: Callable[[dict[str, Any]], None], warnings: list[str]) -> None:
        self._api, self._change, self._warnings = api, change, warnings

    def __getattr__(self, name: str) -> Any:
        return getattr(self._api, name)

    def create_container_from_config(self, request: dict[str, Any]) -> dict[str, Any]:
        self._change(request)
        return {**self._api.create_container_from_config(request), "Warnings": self._warnings}


def _with_engine(
    sandbox: Sandbox, change: Callable[[dict[str, Any]], None], warnings: list[str], accepted: tuple[str, ...] = ()
) -> Any:
    engine = DockerEngine(_Changed(sandbox.engine.api, change, warnings), accepted=accepted)  # type: ignore[attr-defined, arg-type]
    return Sandbox(engine, sandbox.image, instance=sandbox.instance).run(job(TEXT, extension=".txt"))


def test_an_engine_that_warns_is_refused(sandbox: Sandbox) -> None:
    said = ["Your kernel does not support swap limit capabilities."]
    outcome = _with_engine(sandbox, lambda _request: None, said)
    assert outcome.error.code == "sandbox-too-weak"
    assert "swap limit" in outcome.error.message
    assert _with_engine(sandbox, lambda _request: None, said, accepted=("engine-warnings",)).error is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("Memory", 0),
        ("Binds", ["/:/host:ro"]),
        ("PidsLimit", None),
        ("SecurityOpt", []),
        ("CapDrop", []),
        ("ReadonlyRootfs", False),
    ],
)
def test_an_engine_that_keeps_something_else_is_refused(sandbox: Sandbox, field: str, value: Any) -> None:
    def change(request: dict[str, Any]) -> None:
        request["HostConfig"][field] = value
        if field == "Memory":
            request["HostConfig"]["MemorySwap"] = 0

    outcome = _with_engine(sandbox, change, [])
    assert outcome.error.code == "sandbox-too-weak"
    assert f"HostConfig.{field}" in outcome.error.message


def test_what_the_image_sets_is_noticed(sandbox: Sandbox) -> None:
    outcome = _with_engine(sandbox, lambda request: request["Env"].append("LD_PRELOAD=/tmp/x.so"), [])
    assert outcome.error.code == "sandbox-too-weak"
    assert "Env" in outcome.error.message


# -- bounds of the container itself, with the host's own clock out of the way -----------------------------------------


def _alone(mock_sandbox: Sandbox, mock: str, **changes: Any) -> Any:
    asked = job(json.dumps({"mock": mock, "ignore_signals": True}).encode(), seconds=100)
    spec = replace(mock_sandbox.spec(asked.limits), **changes)
    return mock_sandbox.live(asked, spec, lambda _frame: None).error


def test_the_deadman(mock_sandbox: Sandbox) -> None:
    assert _alone(mock_sandbox, "hang", outer_seconds=3).code == "timeout"


def test_the_deadman_ends_a_fork_bomb(mock_sandbox: Sandbox) -> None:
    assert _alone(mock_sandbox, "fork-bomb", outer_seconds=3).code == "timeout"


def test_the_processor_limit(mock_sandbox: Sandbox) -> None:
    error = _alone(mock_sandbox, "spin", cpu_seconds=1)
    assert (error.code, error.kind) == ("limit", "cpu")


def test_the_file_size_limit(mock_sandbox: Sandbox) -> None:
    error = _alone(mock_sandbox, "big-file", file_bytes=MIB)
    assert (error.code, error.kind) == ("limit", "file-size")


# -- a document that is not read to its end -----------------------------------------------------------------------------


def test_what_was_read_before_time_ran_out_is_kept(sandbox: Sandbox) -> None:
    content = pdf.stream(pdf.lines([f"line {number} of a full page" for number in range(60)], size=8, leading=11))
    leaf = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
    pages = range(10, 15_010)  # several times the work that there is time for, in a small file
    body = pdf.pdf({
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Kids [{' '.join(f'{n} 0 R' for n in pages)}] /Count {len(pages)} >>",
        3: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        4: content,
        **dict.fromkeys(pages, leaf),
    })  # fmt: skip
    asked = job(body, seconds=12, extension=".pdf")
    collector = Collector()
    life = sandbox.live(asked, sandbox.spec(asked.limits), collector.add)
    assert life.error is not None
    assert life.error.code == "timeout"
    assert collector.document is None
    found = collector.partial()
    assert (found.format.family, found.partial) == ("pdf", True)
    assert found.stopped_at is not None
    assert 0 < found.stopped_at["page"] < len(pages)
    assert found.blocks[0].text.startswith("line 0 of a full page")
