"""The same game through a real server and a real MCP client; and what happens when either of them is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from builders import chaos_cards, chaos_client, good_documents, ledger
from builders.chaos_cards import Card

pytestmark = pytest.mark.timeout(3600)

#: What a server keeps for its next call: threads of its pools, connections to the engine.
_KEPT_THREADS, _KEPT_SOCKETS = 12, 48


def good_cards(folder: Path, number: int) -> list[Card]:
    return [chaos_cards.good_card(number, family, folder) for family in good_documents.FAMILIES]


def servers(place: Any) -> list[int]:
    """The processes of the servers that live in *place*."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"builders.mock_product" in words and str(place.documents).encode() in words:
            found.append(int(process.name))
    return found


def wait_until(condition: Callable[[], Any], seconds: float = 60.0) -> Any:
    """What *condition* gives once it is true; fails the test when it never is."""
    end = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)
    return result


def test_chaos(place: Any, seed: int, requests: int, capsys: pytest.CaptureFixture[str]) -> None:
    cards = chaos_cards.deal(seed, requests, place.documents)
    before_all, after_all = good_cards(place.documents, 1), good_cards(place.documents, 2)
    wrong: list[str] = []

    async def scenario(client: Any) -> None:
        wrong.extend((await chaos_client.play(client, before_all, str(place.base))).wrong)
        (server,) = servers(place)
        await anyio.sleep(3)
        before = ledger.holding(server)
        played = await chaos_client.play(client, cards, str(place.base))
        wrong.extend(played.wrong)
        wrong.extend((await chaos_client.play(client, after_all, str(place.base))).wrong)
        await anyio.sleep(3)
        after = ledger.holding(server)
        wrong.extend(after.grown(before, sockets=_KEPT_SOCKETS, threads=_KEPT_THREADS))
        with capsys.disabled():
            growth = (after.memory - before.memory) / ledger.MIB
            sys.stdout.write(f"\nserver, seed {seed}: {played}; memory {growth:+.1f} MiB\n")

    anyio.run(chaos_client.session, place.documents, place.base, place.environment, scenario)
    wait_until(lambda: not servers(place))
    wrong += place.left()
    assert not wrong, f"seed {seed}\n" + "\n".join(wrong)


def fill(folder: Path) -> list[Path]:
    """Four documents that keep their containers busy, each in its way, and one that is good."""
    orders = [b'{"mock": "hang", "ignore_signals": true}', b'{"mock": "spin"}', b'{"mock": "hold-lock"}', b'{"mock": "drip"}']
    paths = []
    for number, order in enumerate(orders):
        paths.append(folder / f"busy-{number}.txt")
        paths[-1].write_bytes(order)
    return paths


def test_a_client_that_is_killed_takes_everything_along(place: Any) -> None:
    fill(place.documents)
    client = subprocess.Popen(
        [sys.executable, "-m", "builders.chaos_client", str(place.documents), str(place.base)],
        env=chaos_client.environment({**place.environment, "FUMEHOOD_LIMITS__NO_PROGRESS_SECONDS": "50"}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with client:
        wait_until(lambda: sum("running" in container for container in place.containers()) >= 4)
        client.send_signal(signal.SIGKILL)
    wait_until(lambda: not servers(place), 30)
    assert place.left() == []


def test_a_server_that_is_killed_leaves_what_the_next_one_removes(place: Any) -> None:
    fill(place.documents)
    told: list[str] = []

    async def doomed(client: Any) -> None:
        async with anyio.create_task_group() as group:
            for path in sorted(place.documents.iterdir()):
                group.start_soon(call, client, path)
            await anyio.to_thread.run_sync(
                wait_until, lambda: sum("running" in container for container in place.containers()) >= 4
            )
            (server,) = servers(place)
            os.kill(server, signal.SIGKILL)

    async def call(client: Any, path: Path) -> None:
        try:
            await client.call_tool("extract_text", {"file_path": str(path)}, raise_on_error=False)
        except Exception as error:  # noqa: BLE001 - the connection is gone, in the client's own words
            told.append(type(error).__name__)

    async def following(client: Any) -> None:
        played = await chaos_client.play(client, good_cards(place.documents, 3), str(place.base))
        assert played.wrong == []

    longer = {**place.environment, "FUMEHOOD_LIMITS__NO_PROGRESS_SECONDS": "50"}
    try:
        anyio.run(chaos_client.session, place.documents, place.base, longer, doomed)
    except Exception as error:  # noqa: BLE001 - leaving the client of a dead server may fail too
        told.append(type(error).__name__)
    assert told, "the client was told"
    dead = place.instances()
    wait_until(lambda: not any("running" in c for c in ledger.containers(place.api, dead)), 30)
    anyio.run(chaos_client.session, place.documents, place.base, place.environment, following)
    wait_until(lambda: not servers(place))
    assert place.left() == []
