"""`make demo`: one document through the sandbox, in three readings, with where and how it was read.

Without a file it shows a sample made by scripts/sample_docx.py; FILE (or the first argument) names your own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Literal

from sample_docx import write_sample

from fumehood import ExtractResult, Fumehood

VIEWS: tuple[tuple[Literal["accepted", "original", "markup"], str], ...] = (
    ("accepted", "as it reads with every tracked change accepted"),
    ("original", "as it read before"),
    ("markup", "both, marked"),
)
SHOWN_LINES = 60


def main() -> int:
    named = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("FILE")
    with tempfile.TemporaryDirectory(prefix="fumehood-demo-") as folder, Fumehood() as hood:
        path = Path(named) if named else Path(folder) / "agreement.docx"
        if not named:
            write_sample(path)
            print("A contract with tracked changes, a sentence that only a machine would read, a table, a comment:")
        for view, meaning in VIEWS:
            result = hood.extract(path, view=view)
            if not result.ok and result.document is None:
                return failed(result)
            title(f"{view}: {meaning}")
            show(result.markdown, whole=not named)
            if result.document is not None and not result.document.revisions:
                print("\n(nothing is tracked in it, so the other two readings are the same)")
                break
        first = hood.extract(path)
        title("where it was read")
        print(provenance(first, facts_proved()))
    return 0 if first.ok else failed(first)


def title(text: str) -> None:
    print(f"\n\033[1m== {text} ==\033[0m\n" if sys.stdout.isatty() else f"\n== {text} ==\n")


def show(text: str, *, whole: bool) -> None:
    lines = text.rstrip().splitlines()
    print("\n".join(lines if whole else lines[:SHOWN_LINES]))
    if not whole and len(lines) > SHOWN_LINES:
        print(f"… and {len(lines) - SHOWN_LINES} more lines (`.venv/bin/fumehood extract FILE` prints all)")


def facts_proved() -> str:
    """How many of the sandbox's promises its canary proved here, by asking `fumehood doctor`."""
    command = [sys.executable, "-m", "fumehood.cli.main", "doctor", "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        facts = json.loads(answer.stdout)["facts"]
    except (ValueError, KeyError):
        return "facts unknown (run `.venv/bin/fumehood doctor`)"
    proved = sum(fact["ok"] for fact in facts)
    required = [fact["id"] for fact in facts if fact["required"] and not fact["ok"]]
    advisory = len(facts) - proved - len(required)
    return (
        f"{proved} facts proved"
        + (f", {advisory} advisory ones are not" if advisory else "")
        + "".join(f", {fact} FAILED" for fact in required)
    )


def provenance(result: ExtractResult, facts: str) -> str:
    p = result.provenance
    return (
        f"image {str(p.get('image', '?'))[:19]} (lock {p.get('image_lock', '?')}), runtime {p.get('runtime', '?')}, "
        f"{p.get('attested', 'not')} attested: {facts}, {p.get('wall_ms', '?')} ms in a container {p.get('container', 'used once')}"
    )


def failed(result: ExtractResult) -> int:
    error = result.error
    assert error is not None
    print(f"\n{error.code}: {error.message}\n{error.hint}", file=sys.stderr)
    return error.exit_status


if __name__ == "__main__":
    sys.exit(main())
