"""Documents as the frames that a worker would send, and as the host reads them back: held in memory, or from a file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from unittest import mock

from fumehood.documents import gather
from fumehood.documents.collect import Collector
from fumehood_sandbox import wire
from fumehood_sandbox.contract import Document
from fumehood_sandbox.frames import Frame, FrameType, ResponseDecoder


def frames(build: Callable[[wire.FrameSink], None], document: Document) -> list[Frame]:
    """What a worker sends that calls *build* with its sink and ends with *document*."""
    with tempfile.TemporaryFile() as out:
        answer = wire.Answer(out.fileno())
        answer.allow(1 << 30)
        answer.frame(FrameType.READY, b"{}")
        sink = wire.FrameSink(answer, 1)
        build(sink)
        sink.result(document)
        answer.end()
        os.lseek(out.fileno(), 0, os.SEEK_SET)
        return list(ResponseDecoder(1 << 30).feed(out.read()))


def collected(sent: list[Frame], *, in_a_file: bool) -> Document:
    with mock.patch.object(gather, "MAX_IN_MEMORY", -1 if in_a_file else 1 << 40):
        collector = Collector()
        for frame in sent:
            collector.add(frame)
    assert collector.document is not None
    return collector.document


def sent(document: Document) -> list[Frame]:
    """*document* as a worker sends it: the cells of its sheets one sheet after the other."""
    sheets = list(document.sheets)

    def build(sink: wire.FrameSink) -> None:
        for at, sheet in enumerate(sheets):
            cells, sheet.cells = sheet.cells, []
            sink.items("sheets", [sheet])
            sink.items("cells", cells, at)

    document.sheets = []
    return frames(build, document)
