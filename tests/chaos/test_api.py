"""Hundreds of documents, good and hostile, shuffled over four threads of one process.

Every good one is right, every bad one ends in its code, and nothing is left: no container, volume, descriptor, thread or
file. ``FUMEHOOD_CHAOS=full`` plays two hundred instead of forty; ``FUMEHOOD_CHAOS_SEED`` plays a certain game again.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from builders import chaos_cards, good_documents, ledger
from builders.chaos_play import WORKERS, play
from fumehood.allocator import keep_little
from fumehood.api import Fumehood
from fumehood.config import PoolSettings, Settings

pytestmark = pytest.mark.timeout(3600)


def hood(spares: int) -> Fumehood:
    return Fumehood(Settings(limits=chaos_cards.LIMITS, jobs=WORKERS, pool=PoolSettings(spares=spares)))


def read_one_of_each(reader: Fumehood, folder: Path, number: int) -> None:
    for family, make in good_documents.FAMILIES.items():
        good = make(number)
        path = folder / f"{family}-{number}{good.extension}"
        path.write_bytes(good.data)
        result = reader.extract(path)
        assert result.error is None, (family, result.error)
        assert good.wrong(result.document) is None


@pytest.mark.parametrize("spares", [WORKERS, 0], ids=["with spares", "without"])
def test_chaos(here: Any, spares: int, seed: int, requests: int, capsys: pytest.CaptureFixture[str]) -> None:
    keep_little()  # as the server does for its process
    with hood(spares) as reader:  # everything that is loaded once is loaded before the count
        read_one_of_each(reader, here.documents, 1)
    cards = chaos_cards.deal(seed, requests if spares else requests // 2, here.documents)
    before = settled()
    with hood(spares) as reader:
        played = play(reader, cards)
        read_one_of_each(reader, here.documents, 2)
        reader.close()
    after = settled()
    growth = (after.memory - before.memory) / ledger.MIB
    with capsys.disabled():
        sys.stdout.write(f"\nchaos, {spares} spares, seed {seed}: {played}; memory {growth:+.1f} MiB\n")
    wrong = [*played.wrong, *here.left(), *after.grown(before)]
    assert not wrong, f"seed {seed}\n" + "\n".join(wrong)


def settled() -> ledger.Holding:
    """What this process holds once threads that were told to end have ended."""
    end = time.monotonic() + 5
    last = ledger.holding()
    while time.monotonic() < end:
        time.sleep(0.2)
        now = ledger.holding()
        if now.threads == last.threads:
            return now
        last = now
    return last
