"""Results on stdout: UTF-8 bytes to a file or a pipe, escaped text to a terminal."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterable, Iterator

_AT_ONCE = 64 * 1024


def write_text(text: str) -> None:
    """Print *text*, ended by a line feed. A terminal gets no character that it would obey."""
    write_texts([text])


def write_texts(pieces: Iterable[str]) -> None:
    """`write_text` of all *pieces* together, each as it comes."""
    last = ""
    for text in _gathered(pieces):
        last = text
        _write_text(text)
    if last and not last.endswith("\n"):
        _write_text("\n")


def _write_text(text: str) -> None:
    if sys.stdout.isatty():
        from fumehood.documents.sanitise import escape_terminal

        text = escape_terminal(text)
    _write(text.encode("utf-8", "backslashreplace"))


def write_json(line: bytes) -> None:
    """Print *line*, JSON without a line feed. On a terminal it stays the same JSON, with more of it escaped."""
    write_jsons([line])


def write_jsons(pieces: Iterable[bytes]) -> None:
    """`write_json` of all *pieces* together, each as it comes."""
    for line in _gathered(piece.decode() for piece in itertools.chain(pieces, [b"\n"])):
        shown = line
        if sys.stdout.isatty():
            shown = "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in line)
        _write(shown.encode())


def _gathered(pieces: Iterable[str]) -> Iterator[str]:
    """*pieces* put together as far as a write is worth it."""
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size > _AT_ONCE:
            yield "".join(held)
            held, size = [], 0
    if size:
        yield "".join(held)


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
