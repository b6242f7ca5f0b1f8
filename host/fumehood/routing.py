"""From a staged document to what will run: which image, under which limits, with which request.

The container decides what the document is; this looks at the first bytes only and never refuses what might be readable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, get_args

from fumehood.errors import DocumentError, InputError
from fumehood.limits import Limits
from fumehood.staging.sniff import Sniffed, sniff
from fumehood.staging.staged import Staged
from fumehood_sandbox.contract import MethodChoice, Request

#: A password travels in the request's header, which holds 4 KiB.
MAX_PASSWORD: Final = 1024
MAX_RANGES: Final = 100
LAST_PAGE: Final = 1_000_000

#: By how the extension begins: .docx, .docm, .dotx and so on.
_OF_A_PACKAGE: Final = {
    ".doc": "docx", ".dot": "docx", ".xls": "xlsx", ".xlt": "xlsx", ".ppt": "pptx", ".pps": "pptx", ".pot": "pptx",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Route:
    """Where a document goes. *hint*: the family whose reader is worth preparing (`frames.HINTS`)."""

    image: str
    limits: Limits
    request: Request
    sniffed: Sniffed
    hint: str = ""


def route(
    staged: Staged,
    limits: Limits,
    *,
    password: str | None = None,
    pages: Sequence[tuple[int, int]] | None = None,
    timeout: float | None = None,
    no_progress: float | None = None,
    assets: bool = False,
    method: MethodChoice = "auto",
) -> Route:
    """Decide how *staged* is read. *timeout* and *no_progress* (seconds) may lower the two clocks, never raise them.

    Raises:
        DocumentError: ``empty``.
        InputError: ``invalid-argument``.
    """
    sniffed = sniff(staged.head)
    if staged.size == 0:
        raise DocumentError("empty", "the file is empty")
    if any(clock is not None and not 0 < clock < float("inf") for clock in (timeout, no_progress)):
        raise InputError("invalid-argument", "a timeout is a positive number of seconds")
    if password is not None and len(password.encode("utf-8", "surrogatepass")) > MAX_PASSWORD:
        raise InputError("invalid-argument", f"a password has at most {MAX_PASSWORD} bytes")
    if method not in get_args(MethodChoice):
        raise InputError("invalid-argument", f"method is one of {', '.join(get_args(MethodChoice))}")
    granted = limits.for_size(staged.size, requested_seconds=timeout, requested_no_progress=no_progress)
    request = Request(
        declared_extension=staged.declared_extension,
        password=password,
        pages=_checked(pages),
        assets=assets,
        method=method,
        deadline_s=granted.wall_seconds,
        max_output_bytes=granted.output_bytes,
    )
    return Route("core", granted, request, sniffed, _hint(sniffed, staged.declared_extension))


def _hint(sniffed: Sniffed, extension: str) -> str:
    """A guess, which costs time where it is wrong and nothing else."""
    if sniffed == "zip":
        return _OF_A_PACKAGE.get(extension[:4], "ooxml")
    if sniffed in {"text", "html", "xml"}:
        return "text"
    return "pdf" if sniffed == "pdf" else ""


def parse_pages(text: str) -> list[tuple[int, int]]:
    """``1-3,7,9-`` as inclusive 1-based ranges.

    >>> parse_pages("1-3, 7")
    [(1, 3), (7, 7)]

    Raises:
        InputError: ``invalid-argument``.
    """
    ranges: list[tuple[int, int]] = []
    for part in text.split(","):
        first, dash, last = (piece.strip() for piece in part.partition("-"))
        if not _is_number(first) or (last and not _is_number(last)):
            raise _bad_pages()
        ranges.append((int(first), int(last) if last else LAST_PAGE if dash else int(first)))
    _checked(ranges)
    return ranges


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 7


def _checked(pages: Sequence[tuple[int, int]] | None) -> list[list[int]] | None:
    if pages is None:
        return None
    if not 0 < len(pages) <= MAX_RANGES or any(not 1 <= first <= last <= LAST_PAGE for first, last in pages):
        raise _bad_pages()
    return [[first, last] for first, last in pages]


def _bad_pages() -> InputError:
    return InputError(
        "invalid-argument", "this is no list of pages", hint="Give them like 1-3,7 or 5-: from 1, each range rising."
    )
