"""Builds the document from the frames of an answer, as they arrive and in the order the protocol allows.

READY, then any of PROGRESS, PART and ASSET, then one RESULT or one ERROR. Parts of an attempt whose method failed are
no part of the document when a later attempt succeeds. What was collected before a stream stops stays here, for partial
results: of several attempts the one with the most items.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fumehood.documents.assets import Assets
from fumehood.documents.gather import Gathered
from fumehood.documents.shapes import Failed
from fumehood.documents.validate import (
    Part,
    check_part,
    parse_asset,
    parse_failure,
    parse_progress,
    parse_result,
    part_format,
)
from fumehood_sandbox.contract import MAX_ITEMS, Document, Format, Progress
from fumehood_sandbox.frames import Frame, FrameType, ProtocolError

#: The worker sends at most ten a second.
MAX_PROGRESS: Final = 20_000


class Collector:
    """Takes frames with `add`; afterwards `document` or `failure` says what the answer was, or neither when it broke off.

    *want_assets*: an answer that sends assets nobody asked for is a broken one.
    """

    def __init__(self, *, want_assets: bool = False, on_progress: Callable[[Progress], None] | None = None) -> None:
        self.document: Document | None = None
        self.failure: Failed | None = None
        self.assets = Assets()
        self.progress: Progress | None = None
        self.cpu_ms: int | None = None
        self.peak_memory_mb: int | None = None
        self._want_assets = want_assets
        self._on_progress = on_progress
        self._ready = False
        self._attempt = 1
        self._progressed = 0
        self._format: Format | None = None
        self._now = Gathered()
        self._best = self._now

    def add(self, frame: Frame) -> None:
        """Take the next frame.

        Raises:
            ProtocolError: it is not valid, or not allowed at this place.
        """
        if self.document is not None or self.failure is not None:
            raise ProtocolError("a frame after the result")
        if self._ready == (frame.type is FrameType.READY):
            raise ProtocolError("READY once, and first")
        match frame.type:
            case FrameType.READY:
                self._ready = True
            case FrameType.PROGRESS:
                self._progressed += 1
                if self._progressed > MAX_PROGRESS:
                    raise ProtocolError("more progress than work")
                self.progress = self._now.progress = parse_progress(frame.payload)
                if self._on_progress is not None:
                    self._on_progress(self.progress)
            case FrameType.PART:
                self._part(check_part(frame.payload))
            case FrameType.ASSET:
                self._asset(frame.payload)
            case FrameType.RESULT:
                self._result(frame.payload)
            case FrameType.ERROR:
                self.failure = parse_failure(frame.payload)
                self.cpu_ms, self.peak_memory_mb = self.failure.cpu_ms, self.failure.peak_memory_mb
            case FrameType.END:
                raise ProtocolError("END is not for the collector")

    @property
    def items(self) -> int:
        """How many items a partial document would have."""
        return max(self._now.items, self._best.items)

    def partial(self) -> Document:
        """What was read before the stream stopped or the reader failed, consistent, with where it stopped.

        Raises:
            ProtocolError: what came cannot be made consistent.
        """
        kept = max(self._best, self._now, key=lambda gathered: gathered.items)
        document = kept.document(Document(format=self._format or Format("unknown")))
        document.methods = list(self.failure.tried) if self.failure is not None else []
        document.partial = True
        at = kept.progress
        unit, done = (at.unit or "done", at.done) if at is not None else ("block", len(document.blocks))
        document.stopped_at = {unit: max(done, _reached(document, unit))}
        return document

    def _start_attempt(self, attempt: int) -> None:
        if attempt < self._attempt:
            raise ProtocolError("an earlier attempt")
        self._attempt = attempt
        self._best = max(self._best, self._now, key=lambda gathered: gathered.items)
        self._now = Gathered()
        self.assets = Assets()

    def _at(self, attempt: int) -> None:
        if attempt != self._attempt:
            self._start_attempt(attempt)

    def _part(self, part: Part) -> None:
        self._at(part.attempt)
        now = self._now
        now.items += part.count
        if now.items > MAX_ITEMS:
            raise ProtocolError("more items than allowed")
        if now.items + self._best.items > MAX_ITEMS:
            self._best = now  # both of them would be more than the host may be made to keep
        if part.kind != "format":
            now.add(part)
            return
        now.items -= 1
        if self._format is not None or now.items or part.count != 1:
            raise ProtocolError("the format once, and before the parts")
        self._format = part_format(part)

    def _asset(self, payload: bytes) -> None:
        piece = parse_asset(payload)
        if not self._want_assets:
            raise ProtocolError("an asset that was not asked for")
        self._at(piece.attempt)
        self.assets.add(piece)

    def _result(self, payload: bytes) -> None:
        result = parse_result(payload)
        self._at(result.attempt)
        if self.assets.unfinished:
            raise ProtocolError("an asset without its end")
        document = self._now.document(result.document)
        if self.assets and not self.assets.keys() <= {image.id for image in document.images}:
            raise ProtocolError("an asset of no image")
        self.document = document
        self.cpu_ms, self.peak_memory_mb = result.cpu_ms, result.peak_memory_mb


def _reached(document: Document, unit: str) -> int:
    """The last page, sheet, slide or row that *document* has something of: progress is told ten times a second, parts come more often."""
    match unit:
        case "page" if document.pages:
            return document.pages[-1].index
        case "slide" if document.slides:
            return document.slides[-1].index
        case "sheet":
            return len(document.sheets)
        case "row" if document.sheets and document.sheets[-1].cells:
            return document.sheets[-1].cells[-1].row
        case _:
            return 0
