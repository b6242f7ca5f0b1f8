"""One container's life around its one document, as it is seen from outside."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from fumehood.errors import FumehoodError, InputError, make_error
from fumehood.limits import Limits
from fumehood.sandbox.box import Box
from fumehood.sandbox.cancel import CancelToken
from fumehood.sandbox.exchange import Bounds, Ending
from fumehood.sandbox.exits import End, OurKill, classify
from fumehood.sandbox.streams import BodyChangedError, RequestBytes
from fumehood_sandbox.contract import Request
from fumehood_sandbox.frames import Frame


@dataclass(frozen=True, slots=True)
class Job:
    """One document to read: the request, its bytes (*body* is called once) and their number, and the limits in force.

    *hint* is the family it seems to be of (`frames.HINTS`). *until* is when it must be over (`time.monotonic`). *settle*: the caller wants to know how the container ended, and
    waits for that; else the answer is there at its END, and the container is ended behind it.
    """

    request: Request
    body: Callable[[], Iterator[bytes]]
    size: int
    limits: Limits
    hint: str = ""
    until: float = math.inf
    settle: bool = True


@dataclass(frozen=True, slots=True)
class Life:
    """What became of a container. *stderr* may quote the document: it belongs in no result or log.

    *end* is None when the answer was taken before it.
    """

    ending: Ending
    end: End | None
    runtime: str
    sha256: str | None
    stderr: bytes
    inspected: dict[str, Any] | None

    @property
    def error(self) -> FumehoodError | None:
        """Why the answer cannot be used, or None when it is complete and the container, as far as is known, ended well."""
        error = classify(self.end) if self.end is not None else None
        if error is None and not self.ending.complete:
            return make_error("protocol", f"The container's answer broke the protocol: {self.ending.detail}.")
        if error is not None and error.code == "protocol" and self.ending.detail:
            return make_error("protocol", f"The container's answer broke the protocol: {self.ending.detail}.")
        return error


def live(
    box: Box,
    job: Job,
    on_frame: Callable[[Frame], None],
    *,
    cancel: CancelToken | None = None,
    inspect: bool = False,
    hand_over: Callable[[Box], bool] = lambda _box: False,
) -> Life:
    """From a container, started or not, to its removal. What *on_frame* and the body raise is passed on after that.

    *hand_over* takes a container whose complete answer is here, to end it, or says no.
    """
    with contextlib.ExitStack() as last:
        last.enter_context(box)
        if cancel is not None and cancel.cancelled:
            raise make_error("cancelled", "The call was cancelled.")
        if not box.started:
            box.start()
        request = _request_bytes(job)
        bounds = Bounds(job.limits.wall_seconds, job.limits.no_progress_seconds, until=job.until)
        try:
            ending = box.assign(request, bounds, on_frame, cancel=cancel)
        except BodyChangedError:
            raise make_error("changed", "The file changed while it was read.") from None
        if ending.complete and not job.settle and hand_over(box):
            last.pop_all()
            return Life(ending, None, box.runtime or "", request.sha256, b"", None)
        ending, end = finish(box, ending)
        inspected = box.inspect() if inspect else None
        return Life(ending, end, box.runtime or "", request.sha256, box.stderr, inspected)


def finish(box: Box, ending: Ending) -> tuple[Ending, End]:
    """Wait for a container that has answered, end any other; how it ended in the end."""
    if ending.complete:
        ending = box.settle()
    lived = box.lived_seconds
    exit_info, killed = box.finish(kill=ending.reason != "closed")
    return ending, End(exit_info, _our_kill(ending, killed=killed), lived, box.spec.outer_seconds, box.spec.gvisor)


def _our_kill(ending: Ending, *, killed: bool) -> OurKill | None:
    match ending.reason:
        case "closed" | "answered":
            return "timeout" if killed else None  # it closed its streams and lived on
        case reason:
            return reason


def _request_bytes(job: Job) -> RequestBytes:
    request = replace(job.request, deadline_s=job.limits.wall_seconds, max_output_bytes=job.limits.output_bytes)
    header = json.dumps(asdict(request), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    try:
        return RequestBytes(header, job.body(), job.size)
    except ValueError as error:
        raise InputError("invalid-argument", "The request's options are too long.") from error
