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
#: What a progress may count, by the contract.
_UNITS: Final = frozenset({"page", "sheet", "slide", "part", "block", "row", "paragraph"})


def salvage(collector: Collector, error: FumehoodError) -> Document | None:
    """What *collector* had read when *error* ended the reading, marked as a part; None when that is nothing."""
    if error.code not in _WORTH or ((error.code, error.kind) == ("limit", "output") and collector.failure is None):
        return None  # output that the host itself had to cut is a flood: an honest reader stops before
    if collector.document is not None:
        return None  # it answered in full, and then ended in a way in which no honest reader ends
    try:
        document = collector.partial()
    except ProtocolError:
        return None
    if not any(getattr(document, name) for name in STREAMED):
        return None
    document.partial = True
    document.stopped_at = _stopped_at(collector, document)
    if not document.methods:
        document.methods = list(error.tried)
    return document


def _stopped_at(collector: Collector, document: Document) -> dict[str, int]:
    """``{unit: done}``: from the reader's own word, else from what it counted last, else the blocks that came."""
    failure, progress = collector.failure, collector.progress
    told = dict(failure.stopped_at or {}) if failure is not None else {}
    if not told and progress is not None:
        told = {progress.unit: progress.done}
    if len(told) == 1 and told.keys() <= _UNITS and min(told.values()) >= 0:
        return told
    return {"block": len(document.blocks)}
