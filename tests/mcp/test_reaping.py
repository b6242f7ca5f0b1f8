"""A server that is killed with documents in flight: what ends by itself, what the next one removes, and what nobody touches."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from builders.mock_command import MOCK
from fumehood.limits import Limits
from fumehood.sandbox.box import Box
from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.image_trust import trusted_image
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.runner import DEADMAN_SLACK, START_SECONDS, Sandbox

pytestmark = [pytest.mark.usefixtures("test_image"), pytest.mark.timeout(600)]
Start = Callable[..., Any]

SHORT_SECONDS = 15


@pytest.fixture
def state(home: Any) -> Path:
    """The state folder of the servers under test."""
    return Path(home.path) / "state" / "fumehood"


@pytest.fixture(name="engine")
def our_engine() -> Iterator[DockerEngine]:
    engine = DockerEngine.connect()
    yield engine
    engine.close()


def at_work(engine: DockerEngine, owner: str, processes: int = 2) -> list[str]:
    """The containers of *owner* whose worker has its document: the supervisor has a child, or there are even more *processes*."""
    found = []
    for container in engine.list_labelled({"app": "fumehood", "app.instance": owner}):
        try:
            running = engine.inspect(container)["State"]["Running"]
            if running and len(engine.api.top(container)["Processes"]) >= processes:
                found.append(container)
        except Exception:  # noqa: BLE001 - it has just ended
            continue
    return found


def serving(
    raw: Start, home: Any, documents: Path, engine: DockerEngine, wait_until: Any, paths: list[Path]
) -> tuple[Any, str]:
    """A server that has been given *paths*, and its instance, once all of them are at work."""
    before = set(home.instances())
    server = raw("--allow", str(documents), program=MOCK)
    server.handshake()
    ready = server.receive(server.call("get_supported_formats"))["result"]["structuredContent"]["sandbox"]
    assert ready["ready"] is True, ready
    for path in paths:
        server.call("extract_text", file_path=str(path))
    (owner,) = set(home.instances()) - before
    wait_until(lambda: len(at_work(engine, owner)) >= len(paths), 120)
    time.sleep(1)  # the documents have been handed over
    return server, owner


def states(engine: DockerEngine, owner: str) -> dict[str, bool]:
    """Whether each container of *owner* that there is runs."""
    return {c: engine.inspect(c)["State"]["Running"] for c in engine.list_labelled({"app": "fumehood", "app.instance": owner})}


def kill(server: Any) -> None:
    server.process.send_signal(signal.SIGKILL)
    server.process.wait(30)


def test_killed_with_four_documents_in_flight(
    raw: Start, home: Any, documents: Path, state: Path, orders: Any, engine: DockerEngine, wait_until: Any
) -> None:
    # The documents hang, and none of them is to be ended by a clock meanwhile.
    clocks = {"FUMEHOOD_LIMITS__NO_PROGRESS_SECONDS": "200", "FUMEHOOD_LIMITS__WALL_SECONDS": "200"}
    home.environment |= {"FUMEHOOD_JOBS": "4", "FUMEHOOD_POOL__SPARES": "0", **clocks}
    doomed, owner = serving(raw, home, documents, engine, wait_until, [orders(ignore_signals=True) for _ in range(4)])
    # Beside it: another server of the same user with a document in flight and spares, and a container that waits for one.
    del home.environment["FUMEHOOD_POOL__SPARES"]
    neighbour, busy = serving(raw, home, documents, engine, wait_until, [orders()])
    keeper = Instance(state)
    sandbox = Sandbox(engine, trusted_image("test", any_recipe=True), instance=keeper, module="fumehood_sandbox.mock")
    with Box(engine, sandbox.spec(Limits()), keeper) as spare:
        spare.start()
        kill(doomed)
        # They are told by the end of stdin; their deadline is a minute away.
        wait_until(lambda: not any(states(engine, owner).values()), 20)
        untouched = {**states(engine, busy), **states(engine, keeper.id)}.items()
        assert all(running for _, running in untouched)
        assert len(untouched) >= 2
        following = raw("--allow", str(documents), program=MOCK)
        following.handshake()
        assert following.receive(following.call("get_supported_formats"))["result"]["structuredContent"]["sandbox"]["ready"]
        wait_until(lambda: not states(engine, owner), 60)
        wait_until(lambda: owner not in home.instances(), 60)  # its lock file goes after them
        assert untouched <= {**states(engine, busy), **states(engine, keeper.id)}.items()
        assert {busy, keeper.id} <= set(home.instances())
    keeper.close()
    for server in (neighbour, following):
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 143
    assert states(engine, busy) == {}
    assert home.instances() == []


def test_one_that_has_taken_over_its_worker_dies_by_its_deadman(
    raw: Start, home: Any, documents: Path, orders: Any, engine: DockerEngine, wait_until: Any
) -> None:
    home.environment |= {"FUMEHOOD_LIMITS__WALL_SECONDS": str(SHORT_SECONDS), "FUMEHOOD_POOL__SPARES": "0"}
    hostile = orders(mock="outlive", hold_stdin=True)
    server = raw("--allow", str(documents), program=MOCK)
    server.handshake()
    assert server.receive(server.call("get_supported_formats"))["result"]["structuredContent"]["sandbox"]["ready"]
    (owner,) = home.instances()
    server.call("extract_text", file_path=str(hostile))
    wait_until(lambda: at_work(engine, owner, processes=4), 60)  # those that go on sending signals come last
    kill(server)
    left = states(engine, owner)
    assert list(left.values()) == [True], "the end of stdin did not end it"
    deadman = SHORT_SECONDS + START_SECONDS + DEADMAN_SLACK
    wait_until(lambda: not any(states(engine, owner).values()), deadman + 30)
    (container,) = left
    assert engine.inspect(container)["State"]["ExitCode"] == 137
    engine.remove(container)
