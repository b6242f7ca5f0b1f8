"""``fumehood extract``: documents in, their text on stdout, everything else on stderr."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from fumehood.cli.report import report_error, report_note, report_warnings
from fumehood.cli.stdout import write_jsons, write_text, write_texts
from fumehood.errors import EXIT_NO_INPUT, FumehoodError, InputError
from fumehood.staging.names import escape_line
from fumehood.staging.staged import Source, Staged, from_stream

if TYPE_CHECKING:
    from fumehood.results import ExtractResult

Form = Literal["md", "text", "json", "html"]
View = Literal["accepted", "original", "markup"]
Sanitize = Literal["strip", "escape", "keep"]
MethodChoice = Literal["auto", "primary", "fallback"]

_MAX_PASSWORD_FILE = 4096


def extract(
    files: Annotated[tuple[str, ...], Parameter(negative=(), allow_leading_hyphen=True)] = (),
    /,
    *,
    form: Annotated[Form, Parameter(name=["--format", "-f"])] = "md",
    view: View = "accepted",
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    password_file: Annotated[Path | None, Parameter(allow_leading_hyphen=True)] = None,
    pages: str | None = None,
    method: MethodChoice = "auto",
    timeout: float | None = None,
    jobs: Annotated[int | None, Parameter(name=["--jobs", "-j"])] = None,
    sanitize: Sanitize | None = None,
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"], negative=())] = False,
    accept_weaker: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    runtime: str | None = None,
) -> int:
    """Read documents, each in a container of its own, and print what is in them.

    Args:
        files: The documents; `-` is standard input. A name that begins with a dash follows `--`.
        form: What to print. JSON is one object a line and a document, as `fumehood schema` describes it.
        view: Which reading of tracked changes: with all accepted, with all rejected, or with both sides marked.
        output: Write `output.md`, `document.json` and the images to a new folder below this one, and print that folder's path instead.
        password_file: A file whose first line is the password of encrypted documents; `-` reads it from standard input.
        pages: Only these pages or slides, like 1-3,7.
        method: The first method that can read a document, its first one or none, or one behind the first (with less detail).
        timeout: Seconds a document may take at most. Can only lower the configured deadline.
        jobs: How many documents are read at a time.
        sanitize: What happens to invisible and control characters in md, text and html.
        quiet: Print no progress.
        accept_weaker: The name of a fact of `fumehood doctor` that may be missing. Repeatable; every result then says so.
        runtime: The container runtime by the engine's name for it, such as `runsc`. Default: gVisor where it can be proved, else the engine's own.
    """
    from fumehood.api import Fumehood
    from fumehood.cli.interrupt import Interrupt
    from fumehood.cli.progress import ProgressLine, phase_of
    from fumehood.config import load_settings
    from fumehood.routing import parse_pages

    if not files:
        report_note("no document was named; see `fumehood extract --help`")
        return EXIT_NO_INPUT
    _check_names(files)
    settings = load_settings(accept_weaker=accept_weaker, runtime=runtime, jobs=jobs, sanitize=sanitize)
    printer = Printer(form, output, settings.sanitize, several=len(files) > 1, quiet=quiet)
    options: dict[str, Any] = {
        "view": view,
        "password": read_password(password_file, stdin_taken="-" in files),
        "pages": parse_pages(pages) if pages is not None else None,
        "timeout": timeout,
        "method": method,
        "assets": output is not None,
    }
    sources = [_source(name, settings.limits.input_bytes) for name in files]
    with (
        Fumehood(settings) as hood,
        Interrupt() as interrupt,
        ProgressLine(len(files), quiet=quiet, phase=phase_of(hood)) as line,
    ):
        results = hood.extract_many(sources, cancel=interrupt.token, on_progress=line.progressed, **options)
        try:
            for result in results:
                line.finished()
                with line.hidden():
                    printer.print(result)
        finally:
            # Also when nobody reads our output any more: what still runs is ended, and waited for.
            interrupt.token.cancel()
            results.close()
    return interrupt.status or printer.status


def _check_names(files: tuple[str, ...]) -> None:
    """``-`` has to be let through as a name, so a misspelt option gets this far as well.

    Raises:
        InputError: ``invalid-argument``.
    """
    if files.count("-") > 1:
        raise InputError("invalid-argument", "standard input can be read once")
    for name in files:
        if name.startswith("-") and name != "-" and not os.path.lexists(name):
            raise InputError(
                "invalid-argument", f"there is no option {name}, and no file", hint="See `fumehood extract --help`."
            )


class Printer:
    """Prints results in order and keeps the exit status."""

    def __init__(self, form: Form, output: Path | None, sanitize: Sanitize, *, several: bool, quiet: bool) -> None:
        self._form = form
        self._output = output
        self._sanitize = sanitize
        self._several = several
        self._quiet = quiet
        self.status = 0

    def print(self, result: ExtractResult) -> None:
        """Print one result; its error and its warnings go to stderr.

        Raises:
            EnvironmentError_: the output folder cannot be written.
            BrokenPipeError: nobody reads any more.
        """
        self._print(result)
        if result.document is not None and self._form != "json" and not self._quiet:
            report_warnings(result.document, result.path)
        if result.error is not None:
            report_error(result.error, result.path, result.document)
            self.status = max(self.status, result.error.exit_status)

    def _print(self, result: ExtractResult) -> None:
        if self._output is not None and result.document is not None:
            from fumehood.output import write_run

            write_text(str(write_run(result, self._output, sanitize=self._sanitize)))
        elif self._form == "json":
            from fumehood.documents.serialise import iter_json

            write_jsons(iter_json(result))
        elif result.document is not None:
            if self._several:
                write_text(f"==> {escape_line(result.path)} <==")
            write_texts(result.pieces(self._form, sanitize=self._sanitize))


def read_password(file: Path | None, *, stdin_taken: bool) -> str | None:
    """The first line of *file*, or of standard input for ``-``.

    Raises:
        InputError: it cannot be read, or standard input is the document already.
    """
    if file is None:
        return None
    if str(file) == "-" and stdin_taken:
        raise InputError("invalid-argument", "standard input cannot be both the document and the password")
    try:
        # A pipe is fine here: `--password-file <(pass show report)`.
        with open(0 if str(file) == "-" else file, "rb", closefd=str(file) != "-") as stream:
            line = stream.readline(_MAX_PASSWORD_FILE)
    except OSError as error:
        raise InputError("invalid-argument", f"the password file cannot be read: {error.strerror}") from None
    return line.rstrip(b"\r\n").decode("utf-8", "surrogateescape")


def _source(name: str, limit: int) -> str | Source:
    """Standard input is read here and now, in the main thread, where a signal ends the waiting."""
    if name != "-":
        return name
    try:
        staged = from_stream(0, "stdin", limit=limit)
    except FumehoodError as error:
        refusal = error

        def refuse(_limit: int) -> Staged:
            raise refusal

        return Source("-", refuse)
    return Source("-", lambda _limit: staged)
