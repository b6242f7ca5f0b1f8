"""Bad luck around good documents: the disk is full, several want the same file, the caller goes away at any moment."""

from __future__ import annotations

import gc
import os
import random
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from builders import chaos_cards, docx, good_documents, ledger
from builders.chaos_play import WORKERS, judge, play
from builders.ledger import MIB
from fumehood.api import Fumehood
from fumehood.config import Settings
from fumehood.sandbox.cancel import CancelToken

pytestmark = pytest.mark.timeout(1800)
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk takes root")


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[None]:
    """*folder* on a disk of its own of *size* bytes, with what was in it."""
    kept = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(folder)], check=True)
    try:
        for name, data in kept.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        yield
    except BaseException:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
        raise
    else:
        gc.collect()
        subprocess.run(["umount", str(folder)], check=True)  # busy, if a file is still held


@contextmanager
def full(folder: Path) -> Iterator[None]:
    """No byte more fits into *folder*."""
    stuffing = folder / "stuffing"
    with stuffing.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass
    try:
        yield
    finally:
        stuffing.unlink()


def written(folder: Path, good: good_documents.Good, name: str) -> Path:
    path = folder / f"{name}{good.extension}"
    path.write_bytes(good.data)
    return path


def long_document(folder: Path, number: int) -> tuple[Path, str]:
    """A document whose answer is kept on the disk, and its last paragraph."""
    texts = [f"{number} {line} " + f"{line * 2654435761 % 2**32:08x} " * 40 for line in range(20_000)]
    path = folder / f"long-{number}.docx"
    path.write_bytes(docx.docx("".join(map(docx.p, texts))))
    return path, texts[-1].strip()


def hood() -> Fumehood:
    return Fumehood(Settings(limits=chaos_cards.LIMITS_FOR_LONG, jobs=WORKERS))


@needs_root
def test_the_disk_under_the_cache_is_full(here: Any) -> None:
    path, last = long_document(here.documents, 1)
    with small_disk(here.base / "cache", 8 * MIB):
        with hood() as reader:
            with full(here.base / "cache"):
                refused = reader.extract(path)
                assert refused.error is not None
                assert refused.error.code == "internal", refused.error.message
                assert "no space left on device" in refused.error.message
                assert "XDG_CACHE_HOME" in refused.error.hint
                short = good_documents.word(2)  # needs no disk
                assert reader.extract(written(here.documents, short, "short")).ok
            again = reader.extract(path)
            assert again.ok, again.error
            assert again.text.rstrip().endswith(last)
        del again  # its text is on that disk; a failure that is kept holds nothing there
    assert here.left() == []


@needs_root
def test_the_disk_under_the_state_is_full(here: Any) -> None:
    good = good_documents.word(3)
    with small_disk(here.base / "state", MIB):
        with hood() as reader:
            with full(here.base / "state"):
                refused = reader.extract(written(here.documents, good, "a"))
                assert refused.error is not None
                assert refused.error.code == "output-not-writable", refused.error
                assert str(here.base) not in refused.error.message
            read = reader.extract(written(here.documents, good, "a"))
            assert read.ok, read.error
            with full(here.base / "state"):  # it fills up while we work
                results = [reader.extract(written(here.documents, good_documents.word(n), f"b{n}")) for n in range(4, 8)]
                assert {result.error.code if result.error else "ok" for result in results} <= {"ok", "output-not-writable"}
            cards = [chaos_cards.good_card(8, family, here.documents) for family in good_documents.FAMILIES]
            assert play(reader, cards).wrong == []
        assert here.left() == []


def test_several_at_once_want_the_same_file(here: Any) -> None:
    good = good_documents.excel(9)
    path = written(here.documents, good, "same")
    with hood() as reader, ThreadPoolExecutor(8) as callers:
        results = list(callers.map(lambda _: reader.extract(path), range(16)))
    assert [good.wrong(result.document) for result in results if result.document] == [None] * 16
    assert sum(not result.provenance["cached"] for result in results) == 1, "one container for all of them"
    assert here.left() == []


def test_several_at_once_want_the_same_bad_file(here: Any) -> None:
    """The first one's crash is not everybody's answer, and nobody waits for ever."""
    card = chaos_cards.order_card(10, next(o for o in chaos_cards.ORDERS if o.name == "segv" and not o.partial), here.documents)
    with hood() as reader, ThreadPoolExecutor(8) as callers:
        results = list(callers.map(lambda _: reader.extract(card.path), range(8)))
    assert [what for result in results for what in judge(card, result)] == []
    assert here.left() == []


def test_callers_who_go_away_at_any_moment(here: Any, seed: int, requests: int) -> None:
    """Also while their container is being made, is being started, or has just answered."""
    dice = random.Random(seed)
    moments = [dice.uniform(0, 3) for _ in range(max(12, requests // 8))]

    def one(number: int) -> str:
        make = list(good_documents.FAMILIES.values())[number % len(good_documents.FAMILIES)]
        good = make(1000 + number)
        with CancelToken() as token:
            patience = threading.Timer(moments[number], token.cancel)
            patience.start()
            result = reader.extract(written(here.documents, good, f"c{number}"), cancel=token)
            patience.cancel()
            patience.join()
        if result.error is None:
            return good.wrong(result.document) or "ok"
        return result.error.code

    with hood() as reader, ThreadPoolExecutor(WORKERS) as callers:
        assert reader.extract(written(here.documents, good_documents.word(11), "first")).ok
        before = ledger.holding()
        assert set(callers.map(one, range(len(moments)))) <= {"ok", "cancelled"}
        assert reader.extract(written(here.documents, good_documents.word(12), "last")).ok
    assert here.left() == []
    assert [found for found in ledger.holding().grown(before, sockets=0) if not found.startswith("thread: fumehood")] == []
