"""The container engine is killed in the middle of the game and comes back: on an engine of the test's own."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from builders import chaos_cards, good_documents
from builders.chaos_cards import Card
from builders.chaos_play import WORKERS, ask, judge
from builders.own_engine import OwnEngine
from fumehood.api import Fumehood
from fumehood.config import Settings
from fumehood.results import ExtractResult
from fumehood.sandbox import reaper
from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.image_trust import trusted_image

pytestmark = [
    pytest.mark.timeout(1800),
    pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("dockerd"), reason="an engine of one's own takes root"),
]

#: What a request may end in that an engine's death reached.
GONE = ("engine-unreachable", None)


@pytest.fixture
def own(here: Any, engine: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[OwnEngine]:
    folder = Path(tempfile.mkdtemp(dir="/var/tmp"))
    with OwnEngine(folder / "e") as own:
        own.load(engine.api, trusted_image().id)
        monkeypatch.setenv("DOCKER_HOST", own.address)
        yield own
    folder.rmdir()


@dataclass(frozen=True)
class Asked:
    card: Card
    result: ExtractResult
    began: float
    ended: float


def test_the_engine_is_killed_and_comes_back(
    own: OwnEngine, here: Any, seed: int, requests: int, capsys: pytest.CaptureFixture[str]
) -> None:
    cards = chaos_cards.deal(seed, max(24, requests // 4), here.documents)
    with Fumehood(Settings(limits=chaos_cards.LIMITS, jobs=WORKERS)) as reader:
        assert reader.extract(good(here.documents, 1)).ok
        asked, killed, back = play(reader, cards, own)
        assert reader.extract(good(here.documents, 2)).ok
    during = [a for a in asked if a.ended > killed and a.began < back]
    wrong = [f"{a.card.name}: {what}" for a in asked if a not in during for what in judge(a.card, a.result)]
    wrong += [f"{a.card.name}, while the engine was away: {what}" for a in during for what in judge_away(a)]
    gone = sum(outcome(a.result) == GONE for a in during)
    with capsys.disabled():
        sys.stdout.write(
            f"\nengine, seed {seed}: {len(asked)} requests, {len(during)} while it was away, {gone} of them told so\n"
        )
    assert gone, "nobody noticed"
    with own.client() as api:
        here.api = api
        # What was to be removed while nobody was there to do it has ended, and is the next sweep's, whoever makes it.
        wrong += [f"container: {container}" for container in here.containers() if "running" in container]
        assert reaper.sweep(DockerEngine(api), here.state).error is None
        wrong += here.left()
    assert not wrong, f"seed {seed}\n" + "\n".join(wrong)


def good(folder: Path, number: int) -> Path:
    made = good_documents.word(number)
    path = folder / f"good-{number}{made.extension}"
    path.write_bytes(made.data)
    return path


def play(reader: Fumehood, cards: Sequence[Card], own: OwnEngine) -> tuple[list[Asked], float, float]:
    """All requests, with the engine's death after a third of them; when it died and when it was back."""
    enough = threading.Semaphore(0)

    def one(card: Card) -> Asked:
        began = time.monotonic()
        result = ask(reader.extract, card)
        enough.release()
        return Asked(card, result, began, time.monotonic())

    with ThreadPoolExecutor(WORKERS) as workers:
        futures = [workers.submit(one, card) for card in cards[: len(cards) * 2 // 3]]
        for _ in range(len(cards) // 3):
            enough.acquire()
        killed = time.monotonic()
        own.kill()
        time.sleep(3)
        own.start()
        back = time.monotonic()
        futures += [workers.submit(one, card) for card in cards[len(cards) * 2 // 3 :]]
        return [future.result() for future in futures], killed, back


def outcome(result: ExtractResult) -> tuple[str, str | None]:
    return (result.error.code, result.error.kind) if result.error else ("ok", None)


def judge_away(asked: Asked) -> list[str]:
    if outcome(asked.result) != GONE:
        return judge(asked.card, asked.result)
    return [] if asked.result.document is None else ["a document from an engine that is gone"]
