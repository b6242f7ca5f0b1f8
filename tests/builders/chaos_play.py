"""Plays a deck: so many at a time, each answer judged by its card."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from builders.chaos_cards import Card
from builders.hostile_files import OK
from fumehood.api import Fumehood
from fumehood.results import ExtractResult
from fumehood.sandbox.cancel import CancelToken

WORKERS = 4


@dataclass
class Played:
    """How a run went: what was wrong, one line each, and its figures."""

    wrong: list[str] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def __str__(self) -> str:
        ends = ", ".join(f"{n} {code}" for code, n in self.outcomes.most_common())
        return f"{self.outcomes.total()} requests in {self.seconds:.0f} s: {ends}"


def play(hood: Fumehood, cards: Sequence[Card], *, extract: Callable[..., ExtractResult] | None = None) -> Played:
    """Everything through the API, `WORKERS` at a time."""
    played, started = Played(), time.monotonic()
    with ThreadPoolExecutor(WORKERS) as workers:
        for card, result in zip(cards, workers.map(lambda card: ask(extract or hood.extract, card), cards), strict=True):
            played.outcomes[result.error.code if result.error else "ok"] += 1
            played.wrong += [f"{card.name} ({card.path.name}): {what}" for what in judge(card, result)]
    played.seconds = time.monotonic() - started
    return played


def ask(extract: Callable[..., ExtractResult], card: Card) -> ExtractResult:
    if card.cancel_after is None:
        return extract(card.path, timeout=card.timeout, password=card.password)
    with CancelToken() as token:
        patience = threading.Timer(card.cancel_after, token.cancel)
        patience.start()
        try:
            return extract(card.path, timeout=card.timeout, cancel=token)
        finally:
            patience.cancel()
            patience.join()


def judge(card: Card, result: ExtractResult) -> list[str]:
    """What is not as *card* wants it."""
    error, document = result.error, result.document
    got = (error.code, error.kind) if error is not None else OK
    if got not in card.wanted:
        return [f"{got}, not {sorted(card.wanted, key=str)}: {error.message if error else result.text[:80]!r}"]
    wrong = []
    if error is not None:
        if not error.message.isprintable() or len(error.message) > 300 or "Traceback" in error.message:
            wrong.append(f"its message: {error.message[:300]!r}")
        if card.partial not in {None, document is not None}:
            wrong.append("no partial document" if card.partial else "a document beside the error")
        if document is not None and not (document.partial and document.stopped_at):
            wrong.append("a part that does not say so, or not where it stopped")
    if document is not None:
        text = result.render("text", sanitize="keep")
        if error is None or card.partial:
            wrong += [f"{said!r} is missing from {text[:80]!r}" for said in card.said if said not in text][:1]
        if card.never in text:
            wrong.append(f"{card.never!r} is in it")
        if error is None and (what := card.wrong(document)):
            wrong.append(what)
    elif error is None:
        wrong.append("neither document nor error")
    return wrong
