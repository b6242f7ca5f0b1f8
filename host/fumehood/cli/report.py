"""Errors for a person: one line with code and message, then hint and what was tried, on stderr.

Every line goes through the escaper: a file name is data, and stderr may be a terminal or a log.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Final

from fumehood.errors import FumehoodError
from fumehood.staging.names import escape_line
from fumehood_sandbox.contract import Document

_MOST_WARNINGS: Final = 20


def report_error(error: FumehoodError, name: str | None = None, part: Document | None = None) -> None:
    """Print *error*, about the document *name* where it is about one; *part* is what was read of it all the same."""
    where = f"{name}: " if name is not None else ""
    kind = f" ({error.kind})" if error.kind else ""
    lines = [f"fumehood: {where}{error.code}{kind}: {error.message}", f"  hint: {error.hint}"]
    if part is not None:
        reached = ", ".join(f"{unit} {done}" for unit, done in (part.stopped_at or {}).items())
        lines.append(f"  partial: read up to {reached}" if reached else "  partial: a part of it was read")
    lines += [f"  tried: {method.name}: {method.reason or 'no reason given'}" for method in error.tried]
    print("\n".join(escape_line(line) for line in lines), file=sys.stderr, flush=True)


def report_warnings(document: Document, name: str) -> None:
    """Print what is worth knowing about *document* although it was read."""
    warnings = document.warnings
    lines = [
        f"fumehood: {name}: warning: {w.code}{f' ({w.count} times)' if w.count else ''}{': ' if w.message else ''}{w.message}"
        for w in warnings[:_MOST_WARNINGS]
    ]
    if len(warnings) > _MOST_WARNINGS:
        lines.append(f"fumehood: {name}: {len(warnings) - _MOST_WARNINGS} more warnings (`--format json` has them all)")
    if document.active_content:
        kinds = Counter(item.type for item in document.active_content).most_common(_MOST_WARNINGS)
        listed = ", ".join(kind if count == 1 else f"{kind} ({count} times)" for kind, count in kinds)
        lines.append(f"fumehood: {name}: active content: {listed} (`--format json` says where)")
    for line in lines:
        print(escape_line(line), file=sys.stderr, flush=True)


def report_note(text: str) -> None:
    """Print one line about the work itself."""
    print(f"fumehood: {escape_line(text)}", file=sys.stderr, flush=True)
