"""``make bench``: fumehood beside what a person uses today, as ratios. docs/performance.md says what each figure means."""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import plot, report
from bench.containers import engine_facts
from bench.groups import ALL
from bench.measure import Group
from bench.report import Measured
from bench.setting import ROOT, Setting, setting
from fumehood import FumehoodError

_PAGE = ROOT / "docs/performance.md"
_PLOT = ROOT / "docs/performance.svg"


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench.sh", description=__doc__)
    parser.add_argument("--full", action="store_true", help="more rounds, every family, large documents (about half an hour)")
    parser.add_argument("--only", action="append", choices=list(ALL), help="one group; repeatable")
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write the figures to this file")
    parser.add_argument("--write-docs", action="store_true", help="also write the tables and the plot into docs/")
    parser.add_argument(
        "--peer",
        type=Path,
        default=ROOT / ".venv-bench/bin/python",
        help="Python of the environment that has the other readers",
    )
    chosen = parser.parse_args()
    groups: list[Measured] = []
    started = time.monotonic()
    with setting(chosen.peer, full=chosen.full) as now:
        for key in chosen.only or ALL:
            groups.append(_measured(key, now))
            for line in report.text(groups[-1]):
                _say(line)
    machine = report.this_machine(engine_facts())
    _say(", ".join(machine.values()) + f"; {time.monotonic() - started:.0f} s")
    if chosen.json is not None:
        facts = {"mode": "full" if chosen.full else "quick", "machine": machine, "groups": [g.as_dict() for g in groups]}
        chosen.json.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    if chosen.write_docs:
        shown = ["scripts/bench.sh", *(["--full"] if chosen.full else []), *(f"--only {key}" for key in chosen.only or [])]
        report.write_between_marks(_PAGE, report.markdown(groups, machine, " ".join(shown)))
        _PLOT.write_text(plot.svg(groups), encoding="utf-8")
    return int(any(measured.group.failed for measured in groups))


def _measured(key: str, now: Setting) -> Measured:
    started = time.monotonic()
    with _load() as seen:
        try:
            group = ALL[key](now)
        except (FumehoodError, RuntimeError) as error:  # the other groups are worth having all the same
            group = Group(f"`{key}` failed", notes=[f"not measured: {error}"], failed=True)
    return Measured(key, group, time.monotonic() - started, (min(seen), max(seen)))


@contextmanager
def _load() -> Iterator[list[float]]:
    """The load average before, every five seconds, and after."""
    seen = [os.getloadavg()[0]]
    done = threading.Event()

    def look() -> None:
        while not done.wait(5):
            seen.append(os.getloadavg()[0])

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        done.set()
        thread.join()
        seen.append(os.getloadavg()[0])


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except FumehoodError as error:
        sys.stderr.write(f"bench: {error.code}: {error.message}\n  {error.hint}\n")
        sys.exit(error.exit_status)
