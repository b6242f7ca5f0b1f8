"""The single-use worker: a hint, one request in, one answer out, then it is gone.

Nothing may reach the answer's descriptor but frames, so descriptor 1 is pointed at 2 before any parser is imported. The
password lives in the request object only, in memory that no other process can look into. The kernel's own timer ends the
process at its deadline, whatever it is doing.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NoReturn, Protocol

from fumehood_sandbox.supervise import fork_worker, oom_kills

if TYPE_CHECKING:
    from fumehood_sandbox.contract import Document, Format, Request
    from fumehood_sandbox.wire import Answer, FrameSink

_MIN_TIMER: Final = 0.05
#: Hints that stand for several families.
_FAMILIES: Final = {"ooxml": ("docx", "xlsx", "pptx"), "text": ("csv", "text")}
#: A document is a great many objects that all stay: looking for garbage among them as often as usual finds none.
_GC_THRESHOLDS: Final = (50_000, 20, 100)


class Hooks(Protocol):
    """Where the test image's mock comes in."""

    def before_body(self, request: Request, answer: Answer) -> None: ...
    def before_work(self, request: Request, body: bytes, answer: Answer) -> None: ...


def main(hooks: Hooks | None = None) -> NoReturn:
    """Run. The one argument is the number of seconds after which the container ends. *hooks* are the test image's only."""
    out = os.dup(1)
    os.dup2(2, 1)
    fork_worker(float(sys.argv[1]))

    # Imported by the worker alone: a spare container has done this before its document arrives.
    from fumehood_sandbox.native import keep_memory  # noqa: PLC0415
    from fumehood_sandbox.wire import Answer  # noqa: PLC0415

    answer = Answer(out)
    with open(0, "rb", buffering=256 * 1024, closefd=False) as stdin:
        _import_ahead(_read_prelude(stdin))
        _ready(answer)
        request = _read_header(stdin)
        if request.op == "probe":  # it tells what a reader could see, its own /proc included
            keep_memory(closed=False)
        answer.allow(request.max_output_bytes)
        if hooks is not None:
            hooks.before_body(request, answer)
        body = _read_body(stdin)
    if hooks is not None:
        hooks.before_work(request, body, answer)
    _work(request, body, answer)
    answer.end()
    sys.stderr.flush()
    os._exit(0)  # no interpreter shutdown: the process is used once


def _import_ahead(hint: str) -> None:
    """Import what every document needs and what one of the hinted family does.

    A reader that cannot be imported is no matter yet: it is a failed method for the document that needs it.

    What was imported stays for good: no collection looks at it, neither now nor in the middle of a small document.
    """
    gc.disable()
    from fumehood_sandbox import detect, methods  # noqa: F401, PLC0415

    for family in _FAMILIES.get(hint, (hint,) if hint else ()):
        methods.load(family)
    gc.freeze()
    gc.set_threshold(*_GC_THRESHOLDS)
    gc.enable()


def _ready(answer: Answer) -> None:
    from fumehood_sandbox.frames import FrameType  # noqa: PLC0415

    answer.frame(FrameType.READY, b"{}")


def _read_prelude(stdin: BinaryIO) -> str:
    """The family to prepare for. A prelude that does not add up ends the process, as a request does."""
    from fumehood_sandbox import frames  # noqa: PLC0415

    if _exactly(stdin, 4) != frames.PRELUDE_MAGIC:
        _refuse("magic of the prelude")
    hint = _exactly(stdin, _exactly(stdin, 1)[0]).decode("ascii", "replace")
    if hint not in frames.HINTS:
        _refuse("hint")
    return hint


def _read_header(stdin: BinaryIO) -> Request:
    """The request; the kernel's timer is armed with its deadline.

    A request that ends early or does not add up ends the process: nobody can be answered.
    """
    from fumehood_sandbox import frames  # noqa: PLC0415
    from fumehood_sandbox.contract import Request  # noqa: PLC0415
    from fumehood_sandbox.plainjson import decode  # noqa: PLC0415

    if _exactly(stdin, 4) != frames.REQUEST_MAGIC:
        _refuse("magic")
    length = frames.unpack_u32(_exactly(stdin, 4))
    if length > frames.MAX_HEADER:
        _refuse("header length")
    header: dict[str, Any] = decode(_exactly(stdin, length))
    request = Request(**{key: value for key, value in header.items() if key in Request.__slots__})
    signal.setitimer(signal.ITIMER_REAL, max(request.deadline_s, _MIN_TIMER))
    return request


def _read_body(stdin: BinaryIO) -> bytes:
    from fumehood_sandbox import frames  # noqa: PLC0415
    from fumehood_sandbox.hashing import Sha256  # noqa: PLC0415

    body = _exactly(stdin, frames.unpack_u64(_exactly(stdin, 8)))
    if _exactly(stdin, frames.DIGEST_SIZE) != Sha256(body).digest():
        _refuse("body hash")
    return body


def _exactly(stdin: BinaryIO, size: int) -> bytes:
    data = stdin.read(size)
    if len(data) != size:
        _refuse("end of stdin")
    return data


def _refuse(what: str) -> NoReturn:
    sys.stderr.write(f"request: {what}\n")
    sys.stderr.flush()
    os._exit(3)


class _Reading:
    """One document being read: what is known of it, for the answer when it cannot be read to its end."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._sink: FrameSink | None = None
        self.format: Format | None = None

    def found(self, found: Format) -> None:
        """The content's format: the answer's first part."""
        self.format = found
        self.attempt(1).items("format", [found])
        self.flush()

    def attempt(self, number: int, _document: Document | None = None) -> FrameSink:
        """A sink for the next attempt, once everything of the one before has gone out."""
        from fumehood_sandbox.wire import FrameSink  # noqa: PLC0415

        self.flush()
        self._sink = FrameSink(self._answer, number)
        return self._sink

    def flush(self) -> None:
        if self._sink is not None:
            self._sink.flush()

    def rescue(self) -> None:
        """Send what had been read before a failure. Not at any price: the failure must still be told."""
        try:  # noqa: SIM105 - contextlib is a long import
            self.flush()
        except Exception:  # noqa: BLE001, S110 - the failure is told all the same
            pass

    def result(self, document: Document) -> None:
        assert self._sink is not None
        self._answer.hold()
        self._sink.result(document)


def _work(request: Request, body: bytes, answer: Answer) -> None:
    """Answer with a RESULT or an ERROR frame, whatever happens."""
    from fumehood_sandbox.contract import Failure  # noqa: PLC0415
    from fumehood_sandbox.extraction import ExtractError  # noqa: PLC0415
    from fumehood_sandbox.wire import OOM_KILLED, send_failure  # noqa: PLC0415

    reading = _Reading(answer)
    try:
        if request.op == "probe":
            _probe(request, answer)
        else:
            _extract(request, body, reading)
    except ExtractError as error:
        failure = Failure(error.code, error.detail, error.kind, tried=list(getattr(error, "tried", [])))
        failure.stopped_at = getattr(error, "stopped_at", None)
    except MemoryError:
        failure = Failure("out-of-memory", "the reader ran out of memory")
    except RecursionError:
        failure = Failure("limit", "the document nests too deeply", "depth")
    except Exception as error:  # noqa: BLE001 - whatever a parser throws is an answer, not a traceback
        failure = Failure("internal", f"unexpected {type(error).__name__}")
        _note(error)
    else:
        return
    # What the reader held went with its exception, so there is memory again, also after a MemoryError.
    reading.rescue()
    if oom_kills():  # of a process that should have helped: that tells more than what came of it
        failure = Failure("out-of-memory", OOM_KILLED, stopped_at=failure.stopped_at)
    failure.format = reading.format
    send_failure(answer, failure)


def _note(error: Exception) -> None:
    """Where the fault is, for the maintainer's eyes: on stderr, which is never part of an answer."""
    import traceback  # noqa: PLC0415

    traceback.print_exception(type(error), None, error.__traceback__, limit=-8)


def _extract(request: Request, body: bytes, reading: _Reading) -> None:
    from fumehood_sandbox import detect, methods  # noqa: PLC0415

    found = detect.identify(body, request.declared_extension)
    reading.found(found)
    detect.require_readable(found)
    reading.result(methods.run(body, request, found, reading.attempt).document)


def _probe(request: Request, answer: Answer) -> None:
    from fumehood_sandbox import probe  # noqa: PLC0415
    from fumehood_sandbox.frames import FrameType  # noqa: PLC0415
    from fumehood_sandbox.plainjson import encode  # noqa: PLC0415

    answer.frame(FrameType.RESULT, encode(probe.run(request)))
