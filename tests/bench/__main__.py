"""``make bench``: fumehood beside what a person uses today, as ratios. docs/performance.md says what each figure means."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path

from bench.groups import ALL, setting
from bench.measure import Group
from fumehood import FumehoodError

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--full", action="store_true", help="more rounds, every family's command, large documents (minutes)")
    parser.add_argument("--only", action="append", choices=list(ALL), help="one group; repeatable")
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write the figures to this file")
    parser.add_argument(
        "--peer", type=Path, default=ROOT / ".venv-bench/bin/python", help="Python of the environment that has markitdown"
    )
    chosen = parser.parse_args()
    groups, load = [], [os.getloadavg()[0]]
    started = time.monotonic()
    with setting(chosen.peer, full=chosen.full) as now:
        for name in chosen.only or ALL:
            groups.append(ALL[name](now))
            load.append(os.getloadavg()[0])
            _show(groups[-1])
    taken = time.monotonic() - started
    _say(f"{os.cpu_count()} processors, load {min(load):.1f} to {max(load):.1f} meanwhile, {taken:.0f} s")
    if chosen.json is not None:
        facts = {
            "mode": "full" if chosen.full else "quick",
            "processors": os.cpu_count(),
            "load": {"min": min(load), "max": max(load)},
            "python": platform.python_version(),
            "groups": [{"title": g.title, "figures": [f.as_dict() for f in g.figures]} for g in groups],
        }
        chosen.json.write_text(json.dumps(facts, indent=1) + "\n")
    return 0


def _show(group: Group) -> None:
    _say(f"{group.title}\n")
    _say(f"  {'':<52} {'min':>8} {'median':>8} {'max':>8}   bar")
    for figure in group.figures:
        bar = "" if figure.bar is None else f"{figure.bar:.2f} {'reached' if figure.reached else 'NOT reached'}"
        clock = "" if figure.clock == "wall" else " (CPU)"
        numbers = " ".join(f"{value:>8.2f}" for value in (min(figure.ratios), figure.median, max(figure.ratios)))
        _say(f"  {figure.name + clock:<52} {numbers}   {bar}".rstrip())
    _say("")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except FumehoodError as error:
        sys.stderr.write(f"bench: {error.code}: {error.message}\n  {error.hint}\n")
        sys.exit(error.exit_status)
