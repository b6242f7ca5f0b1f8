"""How much memory a document takes, roughly: enough to bound the store, cheap enough to ask for each result."""

from __future__ import annotations

from typing import Any, Final

from fumehood_sandbox.contract import STREAMED, Document

#: A slotted dataclass of a dozen fields with its small strings.
_ITEM: Final = 400
_SMALL_ITEM: Final = 250


def document_bytes(document: Document) -> int:
    """The approximate size of *document* in bytes; texts count four bytes a character at worst, two on average."""
    total = _ITEM
    for name in STREAMED:
        for item in getattr(document, name):
            total += _ITEM + _text(item) + sum(_SMALL_ITEM + _text(part) for part in _parts(item))
            nested = getattr(item, "document", None)
            if nested is not None:
                total += document_bytes(nested)
    return total


def _parts(item: Any) -> list[Any]:
    return getattr(item, "cells", None) or getattr(item, "runs", None) or []


def _text(item: Any) -> int:
    text = getattr(item, "text", "")
    return 2 * len(text) if isinstance(text, str) else 0
