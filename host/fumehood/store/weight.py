"""How much memory a document takes, roughly: enough to bound the store, cheap enough to ask for each result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from fumehood_sandbox.contract import STREAMED, Document

#: A slotted dataclass of a dozen fields with its small strings.
_ITEM: Final = 400
_SMALL_ITEM: Final = 250
#: The chunks that a long document keeps decoded, by its longest list.
_SPOOLED: Final = 1_000_000


def document_bytes(document: Document) -> int:
    """The approximate size of *document* in bytes; texts count four bytes a character at worst, two on average."""
    total = _ITEM
    for name in STREAMED:
        items = getattr(document, name)
        if hasattr(items, "memory"):  # a sequence that is read back from a file
            total += _SPOOLED + items.memory
            continue
        for item in items:
            total += _ITEM + _text(item) + sum(_SMALL_ITEM + _text(part) for part in _parts(item))
            nested = getattr(item, "document", None)
            if nested is not None:
                total += document_bytes(nested)
    return total


def disk_bytes(document: Document) -> int:
    """The size of the file that *document* is read back from; 0 when it is in memory."""
    return max(getattr(getattr(document, name), "disk", 0) for name in STREAMED)


def asset_bytes(assets: Mapping[str, bytes]) -> int:
    """The size of images in memory."""
    memory: int | None = getattr(assets, "memory", None)
    return sum(map(len, assets.values())) if memory is None else memory


def _parts(item: Any) -> list[Any]:
    return getattr(item, "cells", None) or getattr(item, "runs", None) or []


def _text(item: Any) -> int:
    text = getattr(item, "text", "")
    return 2 * len(text) if isinstance(text, str) else 0
