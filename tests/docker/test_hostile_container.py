"""A reader that does everything it can against its host: each attack ends with the right code and leaves nothing.

`conftest.nothing_is_left` looks after every test that no container, volume or descriptor stays; `test_the_next_request` at
the end of the table that the sandbox still works.
"""

from __future__ import annotations

import json
import resource
import threading
import time
from typing import Any

import pytest

from builders.jobs import Order, job, lowered
from fumehood.documents.collect import Collector
from fumehood.limits import MIB
from fumehood.sandbox.cancel import CancelToken
from fumehood.sandbox.runner import Sandbox

#: order, its options, the seconds it may take, error code, kind
ATTACKS: list[tuple[str, dict[str, Any], float, str, str | None]] = [
    # time
    ("hang", {}, 1.5, "timeout", None),
    ("hang", {"ignore_signals": True}, 1.5, "timeout", None),
    ("spin", {}, 1.5, "timeout", None),
    ("hold-lock", {}, 1.5, "timeout", None),
    ("linger", {}, 20, "protocol", None),
    # ends
    ("abort", {}, 20, "crashed", None),
    ("segv", {}, 20, "crashed", None),
    ("exit", {"code": 0}, 20, "protocol", None),
    ("exit", {"code": 7}, 20, "crashed", None),
    ("exit", {"code": 7, "answer": True}, 20, "crashed", None),
    ("exit", {"code": 125}, 20, "internal", None),
    ("kill-self", {"signal": 9}, 20, "crashed", None),
    ("kill-self", {"signal": 15}, 20, "crashed", None),
    ("kill-self", {"signal": 14}, 20, "timeout", None),
    ("kill-self", {"signal": 24}, 20, "limit", "cpu"),
    ("foreign-call", {}, 20, "blocked-syscall", None),
    ("big-file", {}, 20, "limit", "file-size"),
    # output
    ("flood-stdout", {}, 20, "protocol", None),
    ("flood-stdout", {"frames": True}, 20, "protocol", None),
    ("flood-parts", {}, 20, "limit", "output"),
    # frames
    ("half-frame", {}, 20, "protocol", None),
    ("giant-frame", {}, 20, "protocol", None),
    ("wrong-hash", {}, 20, "protocol", None),
    ("no-end", {}, 20, "protocol", None),
    ("after-end", {}, 20, "protocol", None),
    ("after-end", {"wait": 0.3}, 20, "protocol", None),
    ("two-results", {}, 20, "protocol", None),
    ("raw", {"hex": "00ff" * 50}, 20, "protocol", None),
    ("raw", {"hex": ""}, 20, "protocol", None),
    # JSON
    *[
        ("result-json", {"kind": kind}, 20.0, "protocol", None)
        for kind in (
            "deep", "nan", "infinite", "huge", "over-2-53", "surrogate", "not-utf-8", "wrong-type", "many-keys", "twice",
        )
    ],
    ("result-json", {"kind": "many-keys", "count": 1_000_000}, 20, "protocol", None),
    ("part-json", {"part": {"attempt": 1, "kind": "cells", "owner": 3, "items": []}}, 20, "protocol", None),
    ("part-json", {"part": {"attempt": 1, "kind": "tables", "items": [{"id": "t", "n_rows": 2**50}]}}, 20, "protocol", None),
    # memory
    ("memory-bomb", {}, 20, "out-of-memory", None),
    ("child-memory-bomb", {}, 20, "out-of-memory", None),
]  # fmt: skip


def _id(attack: Any) -> str:
    name, options, *_ = attack
    return "-".join([name, *(f"{v}"[:20] for v in options.values())])


@pytest.mark.parametrize("attack", ATTACKS, ids=_id)
def test_attack(order: Order, attack: tuple[str, dict[str, Any], float, str, str | None]) -> None:
    name, options, seconds, code, kind = attack
    limits = lowered(wall_seconds=seconds, output_bytes=16 * MIB)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome = order(name, limits=limits, **options)
    assert outcome.error is not None, outcome.document
    assert (outcome.error.code, outcome.error.kind) == (code, kind), outcome.error.message
    assert outcome.document is None
    assert outcome.assets == {}
    assert outcome.error.message.isprintable()
    assert len(outcome.error.message) < 300
    # Most of it is spent by containers that start while this machine does other work: the deadline and ten seconds.
    assert (outcome.provenance.wall_ms or 0) < (seconds + 10) * 1000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 160 * 1024


def test_the_worker_itself_says_that_a_process_of_it_was_killed_for_memory(mock_sandbox: Sandbox) -> None:
    """Its answer is taken at its end, before the engine has told how the container ended."""
    asked = job(b'{"mock": "child-memory-bomb"}', limits=lowered(memory_bytes=256 * MIB))
    collector = Collector()
    life = mock_sandbox.live(asked, mock_sandbox.spec(asked.limits), collector.add)
    assert life.ending.complete
    assert collector.failure is not None
    assert collector.failure.code == "out-of-memory"


#: order, its options, the seconds it may take, error code, kind
HALF_WAY: list[tuple[str, dict[str, Any], float, str, str | None]] = [
    ("hang", {}, 1.5, "timeout", None),
    ("hang", {"ignore_signals": True}, 1.5, "timeout", None),
    ("hold-lock", {}, 1.5, "timeout", None),
    ("segv", {}, 20, "crashed", None),
    ("exit", {"code": 7}, 20, "crashed", None),
    ("kill-self", {"signal": 9}, 20, "crashed", None),
    ("kill-self", {"signal": 24}, 20, "limit", "cpu"),
    ("foreign-call", {}, 20, "blocked-syscall", None),
    ("memory-bomb", {}, 20, "out-of-memory", None),
    ("fail", {"code": "limit"}, 20, "limit", None),
    ("fail", {"code": "corrupt"}, 20, "corrupt", None),
]


@pytest.mark.parametrize("progress", [True, False])
@pytest.mark.parametrize("attack", HALF_WAY, ids=_id)
def test_what_was_read_before_it_went_wrong(
    order: Order, attack: tuple[str, dict[str, Any], float, str, str | None], progress: bool
) -> None:
    name, options, seconds, code, kind = attack
    outcome = order(name, limits=lowered(wall_seconds=seconds), parts=5, progress=progress, **options)
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.kind) == (code, kind), outcome.error.message
    assert outcome.document is not None
    assert [block.text for block in outcome.document.blocks] == [f"paragraph {n}" for n in range(1, 6)]
    assert outcome.document.partial
    assert outcome.document.stopped_at == ({"page": 5} if progress else {"block": 5})
    assert outcome.document.format.family == "text"


def test_no_progress(order: Order) -> None:
    outcome = order("hang", limits=lowered(wall_seconds=60, no_progress_seconds=1), parts=3)
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.message) == ("timeout", "The reader made no progress for too long.")
    assert outcome.document is not None
    assert len(outcome.document.blocks) == 3
    assert (outcome.provenance.wall_ms or 0) < 45_000


@pytest.mark.parametrize("name", ["flood-stdout", "flood-parts", "half-frame", "wrong-hash", "giant-frame", "after-end"])
def test_nothing_is_kept_of_an_answer_that_is_not_to_be_trusted(order: Order, name: str) -> None:
    outcome = order(name, limits=lowered(output_bytes=16 * MIB), parts=5)
    assert outcome.error is not None
    assert outcome.error.code in {"protocol", "limit"}
    assert outcome.document is None


def test_nothing_is_kept_of_a_call_that_was_cancelled(order: Order) -> None:
    with CancelToken() as token:
        threading.Timer(1.5, token.cancel).start()
        outcome = order("hang", seconds=60, cancel=token, parts=5)
    assert outcome.error is not None
    assert outcome.error.code == "cancelled"
    assert outcome.document is None


def test_fork_bomb(order: Order) -> None:
    outcome = order("fork-bomb", seconds=2)
    assert outcome.error is not None
    assert outcome.error.code in {"timeout", "crashed"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("fill-tmp", "64 MiB then No space left on device"),
        ("fill-inodes", "files then No space left on device"),
        ("fill-descriptors", "descriptors then Too many open files"),
    ],
)
def test_bounded_resources_end_in_an_error_inside(order: Order, name: str, said: str) -> None:
    outcome = order(name)
    assert outcome.error is None, outcome.error
    assert outcome.document is not None
    text = outcome.document.blocks[0].text
    assert said in text
    if name != "fill-tmp":
        assert int(text.split()[0]) < 4100


def test_what_a_library_prints_is_no_part_of_the_answer(order: Order) -> None:
    outcome = order("prints")
    assert outcome.error is None, outcome.error
    assert outcome.document is not None


def test_a_flood_on_stderr_is_drained_and_capped(mock_sandbox: Sandbox) -> None:
    body = json.dumps({"mock": "flood-stderr", "seconds": 0.5}).encode()
    asked = job(body)
    life = mock_sandbox.live(asked, mock_sandbox.spec(asked.limits), lambda _frame: None)
    assert life.error is None, life.error
    assert 1000 < len(life.stderr) <= 64 * 1024


@pytest.mark.parametrize("mock", ["never-read", "close-stdin"])
def test_a_document_that_nobody_reads(mock_sandbox: Sandbox, mock: str) -> None:
    outcome = mock_sandbox.run(job(b"x" * (16 * MIB), seconds=2, options={"mock": mock}))
    assert outcome.error is not None
    assert outcome.error.code in {"timeout", "crashed"}


def test_an_answer_before_the_document_was_read(mock_sandbox: Sandbox) -> None:
    outcome = mock_sandbox.run(job(b"x" * (32 * MIB), seconds=20, options={"mock": "answer-early"}))
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.message) == ("unsupported", "answered before the document was read")


@pytest.mark.parametrize("mock", ["hang", "flood-parts", "spin"])
def test_cancel_on_the_way(order: Order, mock: str) -> None:
    with CancelToken() as token:
        threading.Timer(1.0, token.cancel).start()
        started = time.monotonic()
        outcome = order(mock, seconds=60, cancel=token, ignore_signals=True)
        assert outcome.error is not None
        assert outcome.error.code == "cancelled"
        assert time.monotonic() - started < 30


def test_cancelled_before_it_began(order: Order) -> None:
    with CancelToken() as token:
        token.cancel()
        outcome = order("hang", cancel=token)
    assert outcome.error is not None
    assert outcome.error.code == "cancelled"
    assert outcome.provenance.exit_code is None, "no container was made"


def test_the_next_request(mock_sandbox: Sandbox) -> None:
    outcome = mock_sandbox.run(job(b"all is well\n", extension=".txt"))
    assert outcome.error is None, outcome.error
    assert outcome.document is not None
    assert outcome.document.blocks[0].text == "all is well"


def test_our_own_readers_pass_the_call_list(order: Order) -> None:
    """Every library of the image, under the list that forbids all they do not need."""
    outcome = order("workload", limits=lowered(wall_seconds=60, no_progress_seconds=60))  # it tells nothing on its way
    assert outcome.error is None, outcome.error
    assert outcome.document is not None
    assert "FAILED" not in outcome.document.blocks[0].text, outcome.document.blocks[0].text
