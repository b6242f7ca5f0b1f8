"""``fumehood tool NAME FILE``: any MCP tool from a shell, with the same checks and the same structured result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

if TYPE_CHECKING:
    from fumehood.cli.progress import ProgressLine
    from fumehood.tools.registry import ToolSpec


def tool(
    name: str | None = None,
    file: str | None = None,
    /,
    *,
    list_tools: Annotated[bool, Parameter(name="--list", negative=())] = False,
    show_schema: Annotated[bool, Parameter(name="--schema", negative=())] = False,
    password_file: Annotated[Path | None, Parameter(allow_leading_hyphen=True)] = None,
    timeout: float | None = None,
    sanitize: Literal["strip", "escape", "keep"] | None = None,
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"], negative=())] = False,
    accept_weaker: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    **parameters: Annotated[list[str], Parameter(negative=())],
) -> int:
    """Call one tool as an MCP client would and print its structured result as JSON.

    Args:
        name: The tool. Without one, all are listed.
        file: The document, for tools that take one.
        list_tools: List the tools and stop.
        show_schema: Print the tool's description, input schema and output schema, and stop.
        password_file: A file whose first line is the password of an encrypted document; `-` reads it from standard input.
        timeout: Seconds a document may take at most. Can only lower the configured deadline.
        sanitize: What happens to invisible and control characters.
        quiet: Print no progress.
        accept_weaker: The name of a fact of `fumehood doctor` that may be missing. Repeatable.
        parameters: The tool's own parameters, as `--param value` (a switch as `--ignore-case false`); repeat one for a list.
    """
    from fumehood.cli.stdout import write_json, write_text
    from fumehood.documents.serialise import dump
    from fumehood.errors import InputError
    from fumehood.tools.registry import TOOLS, find

    if name is None or list_tools:
        width = max(len(spec.name) for spec in TOOLS)
        write_text("\n".join(f"{spec.name:<{width}}  {spec.description.partition(chr(10))[0]}" for spec in TOOLS))
        return 0
    spec = find(name)
    if show_schema:
        shape = {"name": spec.name, "description": spec.description, "input": spec.input_schema, "output": spec.output_schema}
        write_json(dump(shape, indent=2))
        return 0
    arguments: dict[str, str | list[str]] = {}
    for key, values in parameters.items():
        arguments[key.replace("-", "_")] = values if len(values) > 1 else values[0]
    if file is not None:
        if not spec.takes_file:
            raise InputError("invalid-argument", f"{spec.name} takes no file")
        arguments["file_path"] = file
    if password_file is not None:
        from fumehood.cli.extract import read_password

        arguments["password"] = read_password(password_file, stdin_taken=False) or ""
    return _call(spec, arguments, timeout=timeout, sanitize=sanitize, accept_weaker=accept_weaker, quiet=quiet)


def _call(
    spec: ToolSpec,
    arguments: dict[str, str | list[str]],
    *,
    timeout: float | None,
    sanitize: Literal["strip", "escape", "keep"] | None,
    accept_weaker: tuple[str, ...],
    quiet: bool,
) -> int:
    from fumehood.api import Fumehood
    from fumehood.cli.interrupt import Interrupt
    from fumehood.cli.progress import ProgressLine, phase_of
    from fumehood.cli.report import report_error
    from fumehood.cli.stdout import write_json
    from fumehood.config import load_settings
    from fumehood.documents.serialise import dump
    from fumehood.errors import FumehoodError
    from fumehood.tools.context import ToolContext

    settings = load_settings(accept_weaker=accept_weaker, sanitize=sanitize)
    status = 0
    shape: dict[str, Any] = {}
    with Fumehood(settings) as hood, Interrupt() as interrupt, ProgressLine(1, quiet=quiet, phase=phase_of(hood)) as line:
        context = ToolContext(
            hood,
            roots=None,
            input_bytes=settings.limits.input_bytes,
            timeout=timeout,
            cancel=interrupt.token,
            on_progress=line.progressed,
            sanitize=settings.sanitize,
        )
        try:
            shape = interrupt.run(lambda: spec.call_with_strings(context, arguments))
        except FumehoodError as error:
            shape = {"error": error.as_dict()}
            with line.hidden():
                report_error(error, _named(arguments))
            status = error.exit_status
        else:
            status = _report_part(shape, _named(arguments), line)
        line.finished()
        with line.hidden():
            write_json(dump(shape, indent=2))
    return interrupt.status or status


def _report_part(shape: dict[str, Any], name: str | None, line: ProgressLine) -> int:
    """The exit status of an answer: that of the error beside it, when the document was read only in part."""
    from fumehood.cli.report import report_error
    from fumehood.errors import make_error

    why = shape.get("error")
    if why is None:
        return 0
    error = make_error(why["code"], why["message"], hint=why["hint"], kind=why.get("kind"))
    with line.hidden():
        report_error(error, name)
    return error.exit_status


def _named(arguments: dict[str, str | list[str]]) -> str | None:
    path = arguments.get("file_path")
    return path if isinstance(path, str) else None
