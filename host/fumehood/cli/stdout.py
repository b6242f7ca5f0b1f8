"""Results on stdout: UTF-8 bytes to a file or a pipe, escaped text to a terminal."""

from __future__ import annotations

import json
import sys


def write_text(text: str) -> None:
    """Print *text*, ended by a line feed. A terminal gets no character that it would obey."""
    if text and not text.endswith("\n"):
        text += "\n"
    if sys.stdout.isatty():
        from fumehood.documents.sanitise import escape_terminal

        text = escape_terminal(text)
    _write(text.encode("utf-8", "backslashreplace"))


def write_json(line: bytes) -> None:
    """Print *line*, JSON without a line feed. On a terminal it stays the same JSON, with more of it escaped."""
    if sys.stdout.isatty():
        text = line.decode()
        line = "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text).encode()
    _write(line + b"\n")


def _write(data: bytes) -> None:
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:  # a test's or a notebook's replacement for stdout
        sys.stdout.write(data.decode())
        sys.stdout.flush()
        return
    try:
        sys.stdout.flush()
        stream.write(data)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        from fumehood.cli.streams import drop_stdout
        from fumehood.errors import make_error

        drop_stdout()
        why = (error.strerror or "unknown reason").lower()
        raise make_error(
            "output-not-writable", f"standard output cannot be written: {why}", hint="Redirect it to where there is room."
        ) from error
