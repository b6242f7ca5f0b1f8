"""Every way in which a container can end, on a real engine: the exit code and the OOM mark that it reports, and our error for it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest

from builders.jobs import job, lowered
from fumehood.errors import FumehoodError
from fumehood.limits import MIB
from fumehood.sandbox.runner import Sandbox


@dataclass(frozen=True)
class Row:
    """*order* to the reader, in a container with *changes*; what the engine then says, and what it means."""

    name: str
    order: dict[str, Any]
    code: int
    error: str | None
    kind: str | None = None
    oom: bool = False
    changes: dict[str, Any] | None = None
    seconds: float = 60
    or_code: int | None = None
    """The worker's supervisor sees the end of stdin, and may be quicker than our kill."""


ROWS = [
    Row("0", {"mock": "exit", "code": 0, "answer": True}, 0, None),
    Row("0 and OOM", {"mock": "child-memory-bomb"}, 0, "out-of-memory", oom=True),
    Row("137 and OOM", {"mock": "memory-bomb"}, 137, "out-of-memory", oom=True),
    Row("137, ours", {"mock": "hang", "ignore_signals": True}, 137, "timeout", seconds=6, or_code=120),
    Row("137, the deadman's", {"mock": "hang", "ignore_signals": True}, 137, "timeout", changes={"outer_seconds": 6}),
    Row("137, another's", {"mock": "kill-self", "signal": 9}, 137, "crashed"),
    Row("142, the kernel's timer", {"mock": "kill-self", "signal": 14}, 142, "timeout"),
    Row("152, processor time", {"mock": "spin", "ignore_signals": True}, 152, "limit", "cpu", changes={"cpu_seconds": 1}),
    Row("153, file size", {"mock": "big-file"}, 153, "limit", "file-size", changes={"file_bytes": MIB}),
    Row("159, system call", {"mock": "foreign-call"}, 159, "blocked-syscall"),
    Row("125", {"mock": "exit", "code": 125}, 125, "internal"),
    Row("134, abort", {"mock": "abort"}, 134, "crashed"),
    Row("139, bad memory", {"mock": "segv"}, 139, "crashed"),
    Row("143, SIGTERM", {"mock": "kill-self", "signal": 15}, 143, "crashed"),
    Row("7, whatever else", {"mock": "exit", "code": 7}, 7, "crashed"),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_exit(mock_sandbox: Sandbox, row: Row) -> None:
    asked = job(json.dumps(row.order).encode(), limits=lowered(wall_seconds=row.seconds))
    spec = replace(mock_sandbox.spec(asked.limits), **(row.changes or {}))
    life = mock_sandbox.live(asked, spec, lambda _frame: None)
    assert life.end.exit.code in {row.code, row.or_code}
    assert life.end.exit.oom_killed == row.oom
    error = life.error
    assert (error.code if error else None, error.kind if error else None) == (row.error, row.kind)


@pytest.mark.parametrize("program", ["/etc/hostname", "/usr/bin/nothing"])
def test_a_first_process_that_cannot_be_run_is_refused_by_the_engine(mock_sandbox: Sandbox, program: str) -> None:
    asked = job(b"")
    with pytest.raises(FumehoodError, match=f"refused to start.*{program}") as caught:
        mock_sandbox.live(asked, replace(mock_sandbox.spec(asked.limits), python=program), lambda _frame: None)
    assert caught.value.code == "internal"
