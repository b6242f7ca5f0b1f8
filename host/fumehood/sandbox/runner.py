"""The sandbox as the rest of the host sees it: a job goes in, an outcome comes out, and no container is left.

`Sandbox.run` reads a document; `Sandbox.probe` runs the canary's probe through the very same steps. Both are safe to call
from any number of threads.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any, Final

from fumehood.documents.collect import Collector
from fumehood.errors import FumehoodError, InputError, make_error
from fumehood.limits import Limits
from fumehood.sandbox.attestation import Attestation
from fumehood.sandbox.box import Box
from fumehood.sandbox.cancel import CancelToken
from fumehood.sandbox.engine import ContainerSpec, Engine, ExitInfo
from fumehood.sandbox.exchange import START_SECONDS, Bounds, Ending
from fumehood.sandbox.exits import End, OurKill, classify
from fumehood.sandbox.image_recipe import recipe_root
from fumehood.sandbox.image_trust import TrustedImage
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.partial import salvage
from fumehood.sandbox.provenance import Provenance
from fumehood.sandbox.streams import BodyChangedError, RequestBytes
from fumehood_sandbox.contract import Document, Progress, Request
from fumehood_sandbox.frames import Frame, FrameType, ProtocolError

#: The deadman ends a container this long after the wall deadline, when nobody else has.
DEADMAN_SLACK: Final = 10


@dataclass(frozen=True, slots=True)
class Job:
    """One document to read: the request, its bytes (*body* is called once) and their number, and the limits in force."""

    request: Request
    body: Callable[[], Iterator[bytes]]
    size: int
    limits: Limits


@dataclass(slots=True)
class Outcome:
    """What became of a job: a document, or an error; both when the document is partial."""

    document: Document | None = None
    error: FumehoodError | None = None
    assets: dict[str, bytes] = field(default_factory=dict)
    provenance: Provenance = field(default_factory=Provenance)


@dataclass(frozen=True, slots=True)
class Life:
    """One container's life as it was seen from outside. *stderr* may quote the document: it belongs in no result or log."""

    ending: Ending
    end: End
    runtime: str
    sha256: str | None
    stderr: bytes
    inspected: dict[str, Any] | None

    @property
    def error(self) -> FumehoodError | None:
        """Why the answer cannot be used, or None when it is complete and the container ended well."""
        error = classify(self.end)
        if error is None and not self.ending.complete:
            return make_error("protocol", f"The container's answer broke the protocol: {self.ending.detail}.")
        if error is not None and error.code == "protocol" and self.ending.detail:
            return make_error("protocol", f"The container's answer broke the protocol: {self.ending.detail}.")
        return error


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """The probe's answer, not validated: the payload of its RESULT frame, if any, and the container as it was."""

    untrusted_payload: bytes | None
    life: Life


@cache
def seccomp_profile(image: str = "core") -> str:
    """The system call list of *image* as JSON text: that is what the engine takes."""
    path = recipe_root() / "images" / image / "seccomp.json"
    return json.dumps(json.loads(path.read_text(encoding="utf-8")), separators=(",", ":"))


class Sandbox:
    """Reads documents, each in a container of its own.

    *runtime* names another OCI runtime than the engine's default. *module* is what the container runs: tests name another.
    """

    def __init__(
        self,
        engine: Engine,
        image: TrustedImage,
        *,
        instance: Instance,
        runtime: str | None = None,
        attestation: Attestation | None = None,
        module: str = "fumehood_sandbox",
    ) -> None:
        self.engine = engine
        self.image = image
        self.instance = instance
        self.runtime = runtime
        self.attestation = attestation
        self._module = module

    def spec(self, limits: Limits) -> ContainerSpec:
        """The container for a job under *limits*: also what the canary's container is made from."""
        outer = math.ceil(START_SECONDS + limits.wall_seconds) + DEADMAN_SLACK
        return ContainerSpec(
            image_id=self.image.id,
            limits=limits,
            labels=self.instance.labels(outer),
            seccomp=seccomp_profile(),
            outer_seconds=outer,
            runtime=self.runtime,
            python=self.image.python,
            module=self._module,
        )

    def run(
        self, job: Job, *, cancel: CancelToken | None = None, on_progress: Callable[[Progress], None] | None = None
    ) -> Outcome:
        """Read one document. Every failure is the outcome's ``error``; only an interrupt of the caller's is raised."""
        started = time.monotonic()
        collector = Collector(want_assets=job.request.assets, on_progress=on_progress)
        life: Life | None = None
        try:
            life = self.live(job, self.spec(job.limits), collector.add, cancel=cancel)
            error = life.error or _failure(collector)
        except FumehoodError as raised:
            error = raised
        document = collector.document if error is None else salvage(collector, error)
        if error is None and document is None:
            error = make_error("protocol", "The container's answer broke the protocol: no result.")
        images = {image.id for image in document.images} if document is not None else set()
        return Outcome(
            document=document,
            error=error,
            assets={name: data for name, data in collector.assets.items() if name in images},
            provenance=self._provenance(job, life, collector, started),
        )

    def probe(self, request: Request, limits: Limits, *, spec: ContainerSpec | None = None) -> RawAnswer:
        """Run the canary's probe (``request.op``) in a container made as every other is."""
        results: list[bytes] = []

        def on_frame(frame: Frame) -> None:
            if frame.type is FrameType.RESULT:
                results.append(frame.payload)
                if len(results) > 1:
                    raise ProtocolError("two results")

        job = Job(replace(request, op="probe"), lambda: iter(()), 0, limits)
        life = self.live(job, spec or self.spec(limits), on_frame, inspect=True)
        return RawAnswer(results[0] if results and life.ending.complete else None, life)

    def live(
        self,
        job: Job,
        spec: ContainerSpec,
        on_frame: Callable[[Frame], None],
        *,
        cancel: CancelToken | None = None,
        inspect: bool = False,
    ) -> Life:
        """One container's whole life. What *on_frame* and the body raise is passed on, after the container is gone."""
        if cancel is not None and cancel.cancelled:
            raise make_error("cancelled", "The call was cancelled.")
        with Box(self.engine, spec, self.instance) as box:
            box.start()
            request = _request_bytes(job)
            try:
                ending = box.assign(request, _bounds(job.limits), on_frame, cancel=cancel)
            except BodyChangedError:
                raise make_error("changed", "The file changed while it was read.") from None
            if ending.complete:
                ending = box.settle()
            lived = box.lived_seconds
            exit_info, killed = box.finish(kill=ending.reason != "closed")
            end = End(exit_info, _our_kill(ending, killed=killed), lived, spec.outer_seconds)
            inspected = box.inspect() if inspect else None
            return Life(ending, end, box.runtime or "", request.sha256, box.stderr, inspected)

    def _provenance(self, job: Job, life: Life | None, collector: Collector, started: float) -> Provenance:
        attested = self.attestation
        exit_info: ExitInfo | None = life.end.exit if life is not None else None
        return Provenance(
            sha256=life.sha256 if life is not None else None,
            bytes=job.size,
            image=self.image.id,
            image_lock=self.image.lock_id,
            image_source=self.image.source,
            runtime=life.runtime if life is not None else self.runtime,
            attested=attested.level if attested is not None else None,
            missing=list(attested.missing) if attested is not None else [],
            limits=job.limits.as_dict(),
            wall_ms=round((time.monotonic() - started) * 1000),
            cpu_ms=collector.cpu_ms,
            peak_memory_mb=collector.peak_memory_mb,
            exit_code=exit_info.code if exit_info is not None else None,
        )


def _our_kill(ending: Ending, *, killed: bool) -> OurKill | None:
    match ending.reason:
        case "closed" | "answered":
            return "timeout" if killed else None  # it closed its streams and lived on
        case reason:
            return reason


def _bounds(limits: Limits) -> Bounds:
    return Bounds(limits.wall_seconds, limits.no_progress_seconds)


def _request_bytes(job: Job) -> RequestBytes:
    request = replace(job.request, deadline_s=job.limits.wall_seconds, max_output_bytes=job.limits.output_bytes)
    header = json.dumps(asdict(request), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    try:
        return RequestBytes(header, job.body(), job.size)
    except ValueError as error:
        raise InputError("invalid-argument", "The request's options are too long.") from error


def _failure(collector: Collector) -> FumehoodError | None:
    failed = collector.failure
    if failed is None:
        return None
    message = failed.detail or "The document could not be read."
    hint = None
    if failed.code == "encrypted" and failed.format is not None and failed.format.family != "pdf":
        hint = "Save a copy without a password in its application, and read that."  # only PDFs can be opened so far
    return make_error(failed.code, message, hint=hint, tried=failed.tried, kind=failed.kind)
