"""Tracked changes for Python users: what a Word document says once they are accepted, and what is still open in it.

The six functions answer as the MCP tools of the same purpose do, as plain dictionaries, whole and with every character.
The file is read in a sandbox and never changed. Importing this module loads neither the engine's client nor FastMCP.

>>> from fumehood import get_docx_stats                                   # doctest: +SKIP
>>> get_docx_stats("contract.docx")["has_tracked_changes"]               # doctest: +SKIP
True
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fumehood_sandbox.contract import View

if TYPE_CHECKING:
    from fumehood.api import Fumehood
    from fumehood.tools.context import Reader

__all__ = [
    "check_term_variants",
    "find_term",
    "get_docx_stats",
    "list_paragraph_range",
    "read_accepted_text",
    "scan_meta_notes",
]

StrPath = str | os.PathLike[str]


def read_accepted_text(
    path: StrPath,
    start: int = 0,
    limit: int = 100,
    view: View = "accepted",
    *,
    password: str | None = None,
    using: Fumehood | None = None,
) -> dict[str, Any]:
    """Paragraphs of the accepted text, at most *limit* from ``para_index`` *start* on.

    Args:
        path: A Word document.
        start: The ``para_index`` to begin at.
        limit: At most this many paragraphs.
        view: accepted, original or markup.
        password: Opens an encrypted document.
        using: An open `Fumehood` to read with; one of the module's own when not given.

    Returns:
        ``paragraphs`` (each ``para_index, text, style, in_table, part``), ``total_paragraphs``, ``next_start`` (None at the end).

    Raises:
        FumehoodError: the file cannot be read; a missing file is an error, never an empty answer.
    """
    return _call("read_docx_accepted_text", path, using, password, start=start, limit=limit, view=view)


def find_term(
    path: StrPath,
    pattern: str,
    ignore_case: bool = True,
    context_chars: int = 80,
    max_results: int = 50,
    *,
    password: str | None = None,
    using: Fumehood | None = None,
) -> dict[str, Any]:
    """Search the accepted text by regular expression (RE2): ``total_hits``, ``hits``, ``truncated``. Raises `FumehoodError`."""
    return _call(
        "find_docx_term",
        path,
        using,
        password,
        pattern=pattern,
        ignore_case=ignore_case,
        context_chars=context_chars,
        max_results=max_results,
    )


def check_term_variants(
    path: StrPath,
    variants: Sequence[str],
    whole_word: bool = True,
    ignore_case: bool = True,
    *,
    password: str | None = None,
    using: Fumehood | None = None,
) -> dict[str, Any]:
    """Count each spelling and say where it stands: ``counts``, ``occurrences``, ``consistent``. Raises `FumehoodError`."""
    return _call(
        "check_docx_term_variants",
        path,
        using,
        password,
        variants=list(variants),
        whole_word=whole_word,
        ignore_case=ignore_case,
    )


def get_docx_stats(path: StrPath, *, password: str | None = None, using: Fumehood | None = None) -> dict[str, Any]:
    """``comment_count, file_size_kb, has_tracked_changes, paragraph_count, tracked_change_paragraph_count,
    word_count_approx``, then what this project adds. Raises `FumehoodError`.
    """
    return _call("get_docx_structure_stats", path, using, password)


def scan_meta_notes(
    path: StrPath,
    markers: Sequence[str] | None = None,
    where: str = "anywhere",
    *,
    password: str | None = None,
    using: Fumehood | None = None,
) -> dict[str, Any]:
    """Working notes left in the text: ``notes`` (each ``para_index, marker, text``). Raises `FumehoodError`."""
    return _call("scan_docx_meta_notes", path, using, password, markers=None if markers is None else list(markers), where=where)


def list_paragraph_range(
    path: StrPath, start_index: int, end_index: int, *, password: str | None = None, using: Fumehood | None = None
) -> dict[str, Any]:
    """The paragraphs from *start_index* to *end_index*, both included. Raises `FumehoodError`."""
    return _call("list_docx_paragraph_range", path, using, password, start_index=start_index, end_index=end_index)


def _call(tool: str, path: StrPath, using: Fumehood | None, password: str | None, **arguments: Any) -> dict[str, Any]:
    from fumehood.tools.context import ToolContext  # noqa: PLC0415 - nothing of it for an import of this module
    from fumehood.tools.registry import find  # noqa: PLC0415

    reader = using if using is not None else _shared()
    context = ToolContext(
        _as_reader(reader), roots=None, input_bytes=reader.settings.limits.input_bytes, sanitize="keep", page_chars=None
    )
    return find(tool).call(context, {"file_path": os.fspath(path), "password": password, **arguments})


def _as_reader(hood: Fumehood) -> Reader:
    return hood


def _shared() -> Fumehood:
    from fumehood import api  # noqa: PLC0415

    return api._shared()  # noqa: SLF001 - the one instance behind the module-level functions
