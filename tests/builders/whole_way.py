"""A document read in this process by the worker's own steps, and its frames taken by the host's own: what no reader's test sees."""

from __future__ import annotations

import os
import tempfile

from fumehood.documents.collect import Collector
from fumehood_sandbox import detect, methods, wire
from fumehood_sandbox.contract import Document, Failure, Request
from fumehood_sandbox.extraction import ExtractError
from fumehood_sandbox.frames import FrameType, ResponseDecoder


def read(data: bytes, extension: str = "") -> Collector:
    """What the host holds in the end: ``document`` or ``failure``. Raises `ProtocolError` when it would not take the answer."""
    with tempfile.TemporaryFile() as out:
        answer = wire.Answer(out.fileno())
        answer.allow(1 << 30)
        answer.frame(FrameType.READY, b"{}")
        _work(answer, data, Request(declared_extension=extension))
        answer.end()
        os.lseek(out.fileno(), 0, os.SEEK_SET)
        collector, decoder = Collector(), ResponseDecoder(1 << 30)
        for frame in decoder.feed(out.read()):
            if frame.type is not FrameType.END:
                collector.add(frame)
        decoder.close()
    return collector


def _work(answer: wire.Answer, data: bytes, request: Request) -> None:
    sinks: list[wire.FrameSink] = []

    def sink_for(attempt: int, _document: Document) -> wire.FrameSink:
        sinks.append(wire.FrameSink(answer, attempt))
        return sinks[-1]

    try:
        found = detect.identify(data, request.declared_extension)
        detect.require_readable(found)
        done = methods.run(data, request, found, sink_for)
    except ExtractError as error:
        wire.send_failure(answer, Failure(error.code, error.detail, error.kind))
    else:
        sinks[-1].result(done.document)
