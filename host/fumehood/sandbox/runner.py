"""The sandbox as the rest of the host sees it: a job goes in, an outcome comes out, and no container is left.

`Sandbox.run` reads a document; `Sandbox.probe` runs the canary's probe through the very same steps. Both are safe to call
from any number of threads.
"""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

from fumehood.documents.collect import Collector
from fumehood.errors import FumehoodError, as_value, make_error
from fumehood.limits import Limits
from fumehood.sandbox.attestation import Attestation
from fumehood.sandbox.box import Box
from fumehood.sandbox.cancel import CancelToken
from fumehood.sandbox.engine import ContainerSpec, Engine
from fumehood.sandbox.exchange import START_SECONDS
from fumehood.sandbox.image_recipe import recipe_root
from fumehood.sandbox.image_trust import TrustedImage
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.janitor import Janitor
from fumehood.sandbox.life import Job, Life, live
from fumehood.sandbox.partial import salvage
from fumehood.sandbox.pool import Pool
from fumehood.sandbox.provenance import Provenance
from fumehood.sandbox.runtimes import is_gvisor
from fumehood_sandbox.contract import Document, Progress, Request
from fumehood_sandbox.frames import Frame, FrameType, ProtocolError

#: The deadman ends a container this long after the wall deadline, when nobody else has.
DEADMAN_SLACK: Final = 10

#: What the first spare is prepared for, before anything has been asked.
FIRST_HINT: Final = "ooxml"


@dataclass(slots=True)
class Outcome:
    """What became of a job: a document, or an error; both when the document is partial."""

    document: Document | None = None
    error: FumehoodError | None = None
    assets: Mapping[str, bytes] = field(default_factory=dict)
    provenance: Provenance = field(default_factory=Provenance)


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
        module: str = "fumehood_sandbox.worker",
    ) -> None:
        self.engine = engine
        self.image = image
        self.instance = instance
        self.runtime = runtime
        self.attestation = attestation
        self._module = module
        self.pool: Pool | None = None
        self._spare_limits: Limits | None = None
        self._spare_idle = 0.0
        self._janitor = Janitor()

    def keep_spares(self, limits: Limits, *, most: int, idle_seconds: float, room: Callable[[int], bool]) -> None:
        """Have a pool (`Pool.want` starts it) for documents under *limits*, those of the configuration.

        *room* says whether so many bytes of spares fit beside what runs.
        """
        self._spare_limits = limits.for_size(limits.warm_input_bytes)
        self._spare_idle = idle_seconds
        self.pool = Pool(
            self._start_spare,
            most=most,
            idle_seconds=idle_seconds,
            room=lambda spares: room(spares * limits.memory_bytes),
            first_hint=FIRST_HINT,
        )

    def close(self) -> None:
        """Remove the spares, and wait until containers whose answers were taken are gone."""
        if self.pool is not None:
            self.pool.close()
        self._janitor.close()

    def spec(self, limits: Limits, *, idle_seconds: float = 0) -> ContainerSpec:
        """The container for a job under *limits*, which comes within *idle_seconds*: also what the canary's is made from."""
        outer = math.ceil(idle_seconds + START_SECONDS + limits.wall_seconds) + DEADMAN_SLACK
        return ContainerSpec(
            image_id=self.image.id,
            limits=limits,
            labels=self.instance.labels(outer),
            seccomp=seccomp_profile(),
            outer_seconds=outer,
            runtime=self.runtime,
            gvisor=is_gvisor(self.runtime, self.engine.info()),
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
            spare = self._take_spare(job, cancel)
            if spare is not None:
                life = live(spare, job, collector.add, cancel=cancel, hand_over=self._janitor.take)
            else:
                life = self.live(job, self.spec(job.limits), collector.add, cancel=cancel)
            error = life.error or _failure(collector)
        except FumehoodError as raised:
            error = as_value(raised)
        document = collector.document if error is None else salvage(collector, error)
        if error is None and document is None:
            error = make_error("protocol", "The container's answer broke the protocol: no result.")
        images = {image.id for image in document.images} if document is not None and collector.assets else set()
        return Outcome(
            document=document,
            error=error,
            assets=collector.assets.of(images),
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
        box = Box(self.engine, spec, self.instance, preload=job.hint)
        return live(box, job, on_frame, cancel=cancel, inspect=inspect, hand_over=self._janitor.take)

    def _take_spare(self, job: Job, cancel: CancelToken | None) -> Box | None:
        """A spare that is just what a new container for *job* would be; its two clocks are the exchange's."""
        made_for = self._spare_limits
        if self.pool is None or made_for is None or job.limits.wall_seconds > made_for.wall_seconds:
            return None
        clocks = made_for.wall_seconds, made_for.no_progress_seconds
        if replace(job.limits, wall_seconds=clocks[0], no_progress_seconds=clocks[1]) != made_for:
            return None
        return self.pool.take(job.hint, cancel)

    def _start_spare(self, hint: str, cancel: CancelToken) -> Box:
        assert self._spare_limits is not None
        spec = self.spec(self._spare_limits, idle_seconds=self._spare_idle)
        with contextlib.ExitStack() as unless_ready:
            box = unless_ready.enter_context(Box(self.engine, spec, self.instance, preload=hint))
            box.start()
            if not box.wait_ready(START_SECONDS, cancel):
                raise make_error("busy", "a spare container was not ready in time")
            unless_ready.pop_all()
        return box

    def _provenance(self, job: Job, life: Life | None, collector: Collector, started: float) -> Provenance:
        attested = self.attestation
        exit_info = life.end.exit if life is not None and life.end is not None else None
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


def _failure(collector: Collector) -> FumehoodError | None:
    failed = collector.failure
    if failed is None:
        return None
    message = failed.detail or "The document could not be read."
    hint = None
    if failed.code == "encrypted" and failed.format is not None and failed.format.family != "pdf":
        hint = "Save a copy without a password in its application, and read that."  # only PDFs can be opened so far
    return make_error(failed.code, message, hint=hint, tried=failed.tried, kind=failed.kind)
