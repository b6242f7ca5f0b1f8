"""The exit map: one row a way to end."""

from __future__ import annotations

import pytest

from fumehood.sandbox.engine import ExitInfo
from fumehood.sandbox.exits import End, classify

ROWS = [
    # exit code, OOM mark, our kill, seconds lived, code, kind
    (0, False, None, 1, None, None),
    (0, True, None, 1, "out-of-memory", None),
    (137, True, None, 1, "out-of-memory", None),
    (137, True, "timeout", 30, "timeout", None),
    (137, False, "timeout", 30, "timeout", None),
    (137, False, "stalled", 20, "timeout", None),
    (137, False, "cancelled", 1, "cancelled", None),
    (137, False, "output", 1, "limit", "output"),
    (137, False, "protocol", 1, "protocol", None),
    (137, True, "protocol", 1, "out-of-memory", None),
    (137, False, None, 40, "timeout", None),
    (137, False, None, 39.5, "timeout", None),
    (137, False, None, 2, "crashed", None),
    (142, False, None, 30, "timeout", None),
    (152, False, None, 30, "limit", "cpu"),
    (153, False, None, 1, "limit", "file-size"),
    (159, False, None, 1, "blocked-syscall", None),
    (125, False, None, 0, "internal", None),
    (126, False, None, 0, "internal", None),
    (127, False, None, 0, "internal", None),
    (134, False, None, 1, "crashed", None),
    (139, False, None, 1, "crashed", None),
    (1, False, None, 1, "crashed", None),
    (-1, False, None, 1, "crashed", None),
    (255, False, None, 1, "crashed", None),
]


@pytest.mark.parametrize(("code", "oom", "kill", "lived", "expected", "kind"), ROWS)
def test_row(code: int, oom: bool, kill: str | None, lived: float, expected: str | None, kind: str | None) -> None:
    error = classify(End(ExitInfo(code, oom), kill, lived, outer_seconds=40))  # type: ignore[arg-type]
    assert (error.code if error else None, error.kind if error else None) == (expected, kind)


def test_each_clock_names_the_setting_that_raises_it() -> None:
    hints = {}
    for kill in ("timeout", "stalled"):
        error = classify(End(ExitInfo(137), kill, 20, outer_seconds=40))  # type: ignore[arg-type]
        assert error is not None
        hints[kill] = error.hint
    assert "limits.wall_seconds" in hints["timeout"]
    assert "limits.no_progress_seconds" in hints["stalled"]
    assert "limits.wall_seconds" not in hints["stalled"]


def test_a_crash_names_its_signal() -> None:
    error = classify(End(ExitInfo(139), None, 1, 40))
    assert error is not None
    assert "SIGSEGV" in error.message


@pytest.mark.parametrize(
    ("code", "kill", "lived", "expected"),
    [(137, None, 2, "out-of-memory"), (137, None, 40, "timeout"), (137, "timeout", 30, "timeout"), (139, None, 2, "crashed")],
)
def test_a_kill_of_gvisor_without_a_mark(code: int, kill: str | None, lived: float, expected: str) -> None:
    error = classify(End(ExitInfo(code), kill, lived, outer_seconds=40, gvisor=True))  # type: ignore[arg-type]
    assert error is not None
    assert error.code == expected
