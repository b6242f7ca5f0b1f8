"""What a chaos run is dealt: good documents, hostile ones, and orders for the mock reader, each with what must come of it.

The whole deck follows from its seed. Every card is a document of its own: none is answered from the store of another.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pymupdf

from builders import good_documents, hostile_files
from builders.hostile_files import OK, Wanted
from fumehood.limits import MIB, Limits
from fumehood_sandbox.contract import Document

#: Little memory for what eats it, little output for what floods; time enough for a good document on a machine that is busy.
LIMITS: Final = Limits(
    memory_bytes=192 * MIB, output_bytes=8 * MIB, tmpfs_bytes=48 * MIB, wall_seconds=60, no_progress_seconds=60
)
#: The same with room for a long answer.
LIMITS_FOR_LONG: Final = replace(LIMITS, output_bytes=64 * MIB)
#: What waits for the deadline is given this much of it.
SHORT: Final = 3.0


@dataclass(frozen=True, slots=True)
class Card:
    """One request. *wrong* looks at a document that was read; *said* stands in its text; *never* does not."""

    name: str
    path: Path
    wanted: frozenset[Wanted]
    wrong: Callable[[Document], str | None] = lambda _document: None
    said: tuple[str, ...] = ()
    never: str = "\0"
    partial: bool | None = False
    """Whether the error comes with what was read until then; None where that is a matter of luck."""
    timeout: float | None = None
    cancel_after: float | None = None
    password: str | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """What the mock reader is told, and what must come of it."""

    name: str
    fields: dict[str, Any]
    wanted: tuple[Wanted, ...]
    timeout: float | None = None
    said: str = ""
    partial: bool = False
    extension: str = ".txt"


def _bad(name: str, code: str, kind: str | None = None, /, *, timeout: float | None = None, **fields: Any) -> Order:
    return Order(name, fields, ((code, kind),), timeout)


def _good(name: str, said: str, /, **fields: Any) -> Order:
    return Order(name, fields, (OK,), said=said)


def _part(name: str, code: str, kind: str | None = None, /, *, timeout: float | None = None, **fields: Any) -> Order:
    """Three paragraphs, and then the end: they come with the error."""
    return Order(name, {"parts": 3, "progress": True, **fields}, ((code, kind),), timeout, "paragraph 3", partial=True)


_JSON: Final = ("deep", "nan", "infinite", "huge", "over-2-53", "surrogate", "not-utf-8", "wrong-type", "many-keys", "twice")

ORDERS: Final[tuple[Order, ...]] = (
    # time
    _bad("hang", "timeout", timeout=SHORT),
    _bad("hang", "timeout", timeout=SHORT, ignore_signals=True),
    _bad("spin", "timeout", timeout=SHORT),
    _bad("hold-lock", "timeout", timeout=SHORT),
    _bad("drip", "timeout", timeout=SHORT),
    _bad("cpu-limit", "limit", "cpu"),
    # ends
    _bad("overflow", "crashed"),
    _bad("segv", "crashed"),
    _bad("abort", "crashed"),
    _bad("exit", "protocol", code=0),
    _bad("exit", "crashed", code=7),
    _bad("kill-self", "crashed", signal=9),
    _bad("kill-self", "crashed", signal=15),
    _bad("foreign-call", "blocked-syscall"),
    _bad("big-file", "limit", "file-size"),
    # output
    _bad("flood-stdout", "protocol"),
    _bad("flood-stdout", "protocol", frames=True),
    _bad("flood-parts", "limit", "output"),
    _good("flood-stderr", "", seconds=0.3),
    _good("prints", ""),
    # frames
    _bad("half-frame", "protocol"),
    _bad("giant-frame", "protocol"),
    _bad("wrong-hash", "protocol"),
    _bad("no-end", "protocol"),
    _bad("after-end", "protocol"),
    _bad("two-results", "protocol"),
    _bad("raw", "protocol", hex="00ff" * 50),
    # JSON
    *(_bad("result-json", "protocol", kind=kind) for kind in _JSON),
    _bad("result-json", "protocol", kind="many-keys", count=1_000_000),
    _bad("part-json", "protocol", part={"attempt": 1, "kind": "cells", "owner": 3, "items": []}),
    # resources
    _bad("memory-bomb", "out-of-memory"),
    Order("child-memory-bomb", {}, (("out-of-memory", None),), said="child-memory-bomb", partial=True),
    Order("fork-bomb", {}, (("timeout", None), ("crashed", None)), SHORT),
    _good("fill-tmp", "48 MiB then No space left on device"),
    _good("fill-inodes", "4095 files then No space left on device"),
    _good("fill-descriptors", "descriptors then Too many open files"),
    _good("immune-child", "immune-child"),
    _good("zombies", "zombies"),
    # half-way
    _part("hang", "timeout", timeout=SHORT),
    _part("hold-lock", "timeout", timeout=SHORT),
    _part("cpu-limit", "limit", "cpu"),
    _part("segv", "crashed"),
    _part("kill-self", "crashed", signal=9),
    _part("memory-bomb", "out-of-memory"),
    _part("foreign-call", "blocked-syscall"),
    _part("fail", "corrupt", code="corrupt"),
    _bad("half-frame", "protocol", parts=3),
    _bad("wrong-hash", "protocol", parts=3),
    # stdin
    Order("never-read", {}, (("timeout", None),), SHORT, extension=".neverread"),
    Order("close-stdin", {}, (("timeout", None), ("crashed", None)), SHORT, extension=".closestdin"),
    Order("answer-early", {}, (("unsupported", None),), extension=".early"),
)

_RIGHT: Final = "open sesame"
_PASSWORDS: Final[tuple[tuple[str | None, Wanted], ...]] = (
    (_RIGHT, OK),
    ("open barley", ("wrong-password", None)),
    (None, ("encrypted", None)),
)


def deal(seed: int, count: int, folder: Path) -> list[Card]:
    """*count* cards written into *folder*, shuffled: of every group its share, of every kind one before any has two."""
    dice = random.Random(seed)
    made: list[Card] = []
    groups: list[tuple[float, list[Callable[[int], Card]]]] = [
        (0.33, [lambda n, f=family: good_card(n, f, folder) for family in good_documents.FAMILIES]),
        (0.40, [lambda n, o=order: order_card(n, o, folder) for order in ORDERS]),
        (0.17, [lambda n, k=kind: _hostile_card(n, k, folder) for kind in hostile_files.KINDS]),
        (0.04, [lambda n, g=given: _locked_card(n, g, folder) for given in _PASSWORDS]),
        (0.06, [lambda n: _cancelled_card(n, dice, folder)]),
    ]
    for share, makers in groups:
        for at in range(max(1, round(share * count))):
            if at % len(makers) == 0:
                dice.shuffle(makers)
            made.append(makers[at % len(makers)](seed % 10_000 * 1000 + len(made)))
    dice.shuffle(made)
    return made


def _write(folder: Path, name: str, number: int, extension: str, data: bytes) -> Path:
    path = folder / f"{name}-{number}{extension}"
    path.write_bytes(data)
    return path


def good_card(number: int, family: str, folder: Path) -> Card:
    good = good_documents.FAMILIES[family](number)
    said = (*good.texts, *(text for _, text in good.cells))
    return Card(f"good {family}", _write(folder, "good", number, good.extension, good.data), frozenset({OK}), good.wrong, said)


def _hostile_card(number: int, kind: str, folder: Path) -> Card:
    hostile = hostile_files.KINDS[kind](number)
    path = _write(folder, kind, number, hostile.extension, hostile.data)
    said = (hostile.text,) if hostile.text else ()
    return Card(f"file {kind}", path, hostile.wanted, said=said, never=hostile.never, partial=None)


def _locked_card(number: int, given: tuple[str | None, Wanted], folder: Path) -> Card:
    """A PDF that only its password opens, with that one, another one, or none."""
    password, wanted = given
    good = good_documents.portable(number)
    with pymupdf.open(stream=good.data, filetype="pdf") as document:
        data = document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=_RIGHT, owner_pw="owner")
    path = _write(folder, "locked", number, ".pdf", data)
    said = good.texts if wanted == OK else ()
    return Card(f"locked {wanted[0]}", path, frozenset({wanted}), said=said, password=password)


def order_card(number: int, order: Order, folder: Path) -> Card:
    more = " ".join(f"{key}={str(value)[:12]}" for key, value in order.fields.items())
    data = json.dumps({"mock": order.name, **order.fields, "n": number}).encode()
    path = _write(folder, order.name, number, order.extension, data + b" " * (2 * MIB if order.extension != ".txt" else 0))
    said = (order.said,) if order.said else ()
    name = f"order {order.name} {more}".strip()
    return Card(name, path, frozenset(order.wanted), said=said, partial=order.partial, timeout=order.timeout)


def _cancelled_card(number: int, dice: random.Random, folder: Path) -> Card:
    """A caller who loses patience at a random moment: before, while or after there is a container."""
    order = dice.choice(["hang", "flood-parts", "spin"])
    data = json.dumps({"mock": order, "ignore_signals": True, "n": number}).encode()
    path = _write(folder, "cancelled", number, ".txt", data)
    wanted = {("cancelled", None)} | ({("limit", "output")} if order == "flood-parts" else set())
    return Card(f"cancelled {order}", path, frozenset(wanted), timeout=30, cancel_after=dice.uniform(0, 2))
