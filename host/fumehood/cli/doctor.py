"""``fumehood doctor``: what the sandbox keeps in, proved from inside it, as a table or as JSON. Exit status 0 or 5."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from fumehood.errors import EXIT_NO_SANDBOX, EXIT_OK
from fumehood.staging.names import escape_line

#: Columns of a table that goes to a file, and from how many on a terminal has room for the facts' names.
_PIPE_WIDTH = 200
_WIDE = 110

if TYPE_CHECKING:
    from rich.console import Console

    from fumehood.sandbox.doctor import Report
    from fumehood.sandbox.facts import Judged


def doctor(
    *,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    accept_weaker: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    fix: Annotated[bool, Parameter(negative=())] = False,
    runtime: str | None = None,
) -> int:
    """Prove what the sandbox keeps in, from inside a container made as every other, and say how to mend what does not hold.

    Args:
        as_json: Print one JSON object instead of a table.
        accept_weaker: The name of a fact that may be missing. Repeatable; every result then says so.
        fix: Build the image where it is missing, and remove what dead processes of this user left, before the proof.
        runtime: The container runtime to prove, by the engine's name for it; `auto` as documents would be read.
    """
    from fumehood.cli.report import report_note
    from fumehood.config import load_settings
    from fumehood.sandbox.doctor import diagnose

    report = diagnose(load_settings(accept_weaker=accept_weaker, runtime=runtime), fix=fix, say=report_note)
    if as_json:
        sys.stdout.write(json.dumps(report.as_dict(), indent=2) + "\n")
    else:
        show(report)
    return EXIT_OK if report.ok else EXIT_NO_SANDBOX


def show(report: Report, console: Console | None = None) -> None:
    """Print *report* for a person."""
    from rich.console import Console

    from fumehood.sandbox.evidence import NOT_TRIED

    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    out = console or Console(highlight=False, emoji=False, markup=False, width=width)
    for line in _engine_lines(report.engine):
        out.print(escape_line(line))
    tried = [fact for fact in report.facts if fact.found not in NOT_TRIED]
    if tried:
        out.print()
        out.print(_table(tried, names=out.width >= _WIDE))
    if untried := len(report.facts) - len(tried):
        out.print(f"       {untried} more facts hang on what fails here, and were not tried.")
    for line in _mending(tried):
        out.print(escape_line(line))
    out.print()
    out.print(escape_line(_verdict(report)))
    if report.error is not None:
        out.print(escape_line(f"  {report.error.hint}"))


def _engine_lines(engine: dict[str, Any]) -> list[str]:
    if not engine.get("reachable"):
        return ["engine   none answers"]
    walls = [name for name in ("rootless", "user_namespaces", "seccomp", "apparmor", "selinux") if engine.get(name)]
    components = ", ".join(
        f"{name} {version}" for name, version in engine["components"].items() if version and name != "Engine"
    )
    memory = f"{(engine['memory'] or 0) / 1e9:.1f} GB"
    reported = f"walls: {', '.join(walls) or 'none reported'}"
    image = engine["image"]
    lines = [
        f"engine   {engine['kind']} {engine['version']} (API {engine['api_version']}) at {engine['endpoint']} ({engine['source']})",
        f"         {components}",
        f"host     {engine['os']}, kernel {engine['kernel']}, {engine['architecture']}; {engine['processors']} processors, {memory}",
        f"         cgroup v{engine['cgroup_version']} ({engine['cgroup_driver']}), storage {engine['storage_driver']}, {reported}",
        f"runtime  {engine['runtime']} of {', '.join(engine['runtimes'])}",
    ]
    if image["present"]:
        lines.append(f"image    {image['id'][:19]} is the one of the {image['lock']} lock {image['lock_id']}")
    else:
        lines.append("image    not there, or not the one of the lock")
    if other := engine.get("passed_over"):
        lines += [
            f"         {other['runtime']} is registered too, and passed over: {other['message']}",
            f"         {other['hint']}",
        ]
    return lines + [f"warning  {warning}" for warning in engine["warnings"]]


def _table(judged: list[Judged], *, names: bool) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    table.add_column("", no_wrap=True)
    table.add_column("fact", no_wrap=True)
    if names:
        table.add_column("what", no_wrap=True)
    table.add_column("found", overflow="fold")
    for fact in judged:
        style = "green" if fact.ok else "red" if fact.required else "yellow"
        word = "ok" if fact.ok else "FAILS" if fact.required else "warns"
        named = [Text(fact.name)] if names else []
        table.add_row(Text(word, style), Text(fact.id), *named, Text(escape_line(fact.found)))
    return table


def _mending(judged: list[Judged]) -> list[str]:
    lines = []
    for required, title in ((True, "Does not hold, and must:"), (False, "Would be better:")):
        failing = [fact for fact in judged if fact.required is required and not fact.ok]
        if failing:
            lines += ["", title]
        for fact in failing:
            lines += [f"  {fact.id}: expected {fact.expected}; found {fact.found}", f"    {fact.hint}"]
    return lines


def _verdict(report: Report) -> str:
    held = sum(fact.ok for fact in report.facts)
    of = f"{held} of {len(report.facts)} facts hold ({report.seconds:.1f} s)"
    if report.error is not None:
        return f"No documents are read: {report.error.code}: {report.error.message}"
    if report.attestation is not None and report.attestation.missing:
        return f"Weakened, as accepted: {', '.join(report.attestation.missing)}. Every result will say so. {of}."
    return f"The sandbox holds: every required fact was proved. {of}."
