"""fumehood reads untrusted documents safely: each one in its own short-lived, network-less container.

>>> from fumehood import extract                                         # doctest: +SKIP
>>> print(extract("report.docx").markdown)                               # doctest: +SKIP

Names are loaded when they are first used, so that ``import fumehood`` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "Fumehood": "fumehood.api",
    "ExtractResult": "fumehood.results",
    "extract": "fumehood.api",
    "extract_bytes": "fumehood.api",
    "FumehoodError": "fumehood.errors",
    "InputError": "fumehood.errors",
    "DocumentError": "fumehood.errors",
    "SandboxError": "fumehood.errors",
    "EnvironmentError_": "fumehood.errors",
    "read_accepted_text": "fumehood.review",
    "find_term": "fumehood.review",
    "check_term_variants": "fumehood.review",
    "get_docx_stats": "fumehood.review",
    "scan_meta_notes": "fumehood.review",
    "list_paragraph_range": "fumehood.review",
}

__all__ = [
    "DocumentError",
    "EnvironmentError_",
    "ExtractResult",
    "Fumehood",
    "FumehoodError",
    "InputError",
    "SandboxError",
    "__version__",
    "check_term_variants",
    "extract",
    "extract_bytes",
    "find_term",
    "get_docx_stats",
    "list_paragraph_range",
    "read_accepted_text",
    "scan_meta_notes",
]

if TYPE_CHECKING:
    from fumehood.api import Fumehood, extract, extract_bytes
    from fumehood.errors import DocumentError, EnvironmentError_, FumehoodError, InputError, SandboxError
    from fumehood.results import ExtractResult
    from fumehood.review import (
        check_term_variants,
        find_term,
        get_docx_stats,
        list_paragraph_range,
        read_accepted_text,
        scan_meta_notes,
    )


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'fumehood' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *_HOME]
