"""What is left of a document whose reading stopped half-way: never to be taken for the whole."""

from __future__ import annotations

from typing import Final

from fumehood.documents.collect import Collector
from fumehood.errors import FumehoodError
from fumehood_sandbox.contract import STREAMED, Document
from fumehood_sandbox.frames import ProtocolError

#: Endings after which what was read before is worth having. A broken protocol is none: nothing of it can be trusted then.
_WORTH: Final = frozenset(
    {"timeout", "out-of-memory", "crashed", "blocked-syscall", "limit", "corrupt", "needs-ocr", "internal"}
)


def salvage(collector: Collector, error: FumehoodError) -> Document | None:
    """What *collector* had read when *error* ended the reading, marked as a part; None when that is nothing."""
    if error.code not in _WORTH:
        return None
    if collector.failure is None and (error.code, error.kind) == ("limit", "output"):
        return None  # the host had to cut it: a flood, since an honest reader stops before
    if collector.document is not None:
        return None  # it answered in full, and then ended as no honest reader does
    try:
        document = collector.partial()
    except ProtocolError:
        return None
    return document if any(getattr(document, name) for name in STREAMED) else None
