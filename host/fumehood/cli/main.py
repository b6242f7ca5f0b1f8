"""The command ``fumehood``: mounts its subcommands and turns what they raise into an exit status.

Each subcommand is imported when it is called, so that ``fumehood --version`` or a wrong file name never pays for the
engine's client or for a model library. Exit statuses: 0 done, 1 findings, 2 usage, 3 no input, 4 a document could not
be read, 5 no sandbox; 130 and 143 after SIGINT and SIGTERM.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from fumehood import __version__
from fumehood.cli.streams import drop_stdout, settle, stdout_trouble

if TYPE_CHECKING:
    from cyclopts import App


class _Command(NamedTuple):
    name: str
    target: str
    help: str


COMMANDS: Final = (
    _Command("extract", "fumehood.cli.extract:extract", "Read documents and print Markdown, text, HTML or JSON."),
    _Command("tool", "fumehood.cli.tool:tool", "Call one MCP tool and print its structured result."),
    _Command("image", "fumehood.cli.image:app", "Build, verify, list, save, load or pull the sandbox image."),
    _Command("doctor", "fumehood.cli.doctor:doctor", "Prove what the sandbox keeps in, from inside it."),
    _Command("schema", "fumehood.cli.schema:schema", "Print the JSON Schema of what `extract --format json` prints."),
    _Command("config", "fumehood.cli.config_cmd:app", "Show the configuration and where each value comes from."),
    _Command("serve", "fumehood.cli.serve:serve", "Serve the tools to an MCP client (stdio)."),
)

_EPILOGUE: Final = (
    "`--config FILE` before or after a command reads one more configuration file, over the system's and the user's."
)


def build_app() -> App:
    """The command line, with nothing but the command's names loaded."""
    from cyclopts import App, Parameter

    app = App(
        name="fumehood",
        help="Reads untrusted documents safely: each one in its own short-lived, network-less container.",
        help_epilogue=_EPILOGUE,
        version=__version__,
        help_format="plaintext",
        result_action="return_value",
        # "[default: False]" and "[default: ()]" say nothing.
        default_parameter=Parameter(show_default=lambda value: value if value not in (False, ()) else None),
    )
    for command in COMMANDS:
        app.command(command.target, name=command.name, help=command.help)
    return app


def take_config_option(arguments: Sequence[str]) -> tuple[list[str], str | None]:
    """*arguments* without ``--config FILE`` (or ``--config=FILE``), and the file. What follows ``--`` is left alone.

    Raises:
        ValueError: ``--config`` stands last, without a file.
    """
    rest: list[str] = []
    chosen: str | None = None
    pending = iter(arguments)
    for argument in pending:
        if argument == "--":
            return [*rest, "--", *pending], chosen
        if argument == "--config":
            chosen = next(pending, None)
            if chosen is None:
                raise ValueError("--config needs a file")
        elif argument.startswith("--config="):
            chosen = argument.removeprefix("--config=")
        else:
            rest.append(argument)
    return rest, chosen


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line on *arguments* (the process's own by default) and return the exit status."""
    # Start-up makes some hundred thousand objects that all stay: looking for garbage among them took a third of its time.
    gc.set_threshold(200_000, 20, 100)
    settle()
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    try:
        tokens, config_file = take_config_option(tokens)
    except ValueError as error:
        _say(f"invalid-argument: {error}")
        return 2
    if config_file is not None:
        # The environment is how every part that loads settings, child processes included, learns of it.
        os.environ["FUMEHOOD_CONFIG"] = os.path.abspath(config_file)  # noqa: PTH100 - invalid UTF-8 must survive
    try:
        if tokens == ["--version"]:
            print(__version__, flush=True)
            return 0
        return _run(tokens)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        drop_stdout()
        return 0
    except OSError as fault:
        return _fault(fault)


def _run(tokens: list[str]) -> int:
    from cyclopts import CycloptsError

    from fumehood.errors import FumehoodError

    try:
        status = build_app()(tokens, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        _say(f"invalid-argument: {error}")
        command = f" {tokens[0]}" if tokens[:1] and tokens[0] in {known.name for known in COMMANDS} else ""
        _say(f"see `fumehood{command} --help`")
        return 2
    except FumehoodError as error:
        from fumehood.cli.report import report_error

        report_error(error)
        return error.exit_status
    except BrokenPipeError:
        raise
    except Exception as fault:  # noqa: BLE001 - whatever it is, nobody gets a traceback to read
        return _fault(fault)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    sys.stdout.flush()
    return status if isinstance(status, int) and not isinstance(status, bool) else 0


def _fault(fault: Exception) -> int:
    """Say what went wrong where nobody expected it: the class and the place only, since a message may quote a document."""
    trouble = stdout_trouble() if isinstance(fault, OSError) else None
    if trouble is not None:
        drop_stdout()
        _say(f"output-not-writable: standard output cannot be written: {trouble}")
        return 2
    _say(f"internal: {type(fault).__name__} at {_place(fault)}; this is a fault of fumehood, please report it")
    return 4


def _place(fault: BaseException) -> str:
    """Where *fault* was raised, in our own code if it came through there."""
    place = "?"
    step = fault.__traceback__
    while step is not None:
        module = str(step.tb_frame.f_globals.get("__name__", "?"))
        if module.startswith("fumehood") or step.tb_next is None:
            place = f"{module}:{step.tb_lineno}"
        step = step.tb_next
    return place


def _say(line: str) -> None:
    from fumehood.staging.names import escape_line

    print(f"fumehood: {escape_line(line)}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
