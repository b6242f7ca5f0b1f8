"""Looks at everything that reading a document needs, from the engine's address to the last fact, and says what to mend.

`diagnose` goes as far as it can get and reports where it stopped; it raises nothing about the machine.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fumehood.config import Settings
from fumehood.errors import FumehoodError
from fumehood.sandbox import canary, facts, reaper, runtimes, strays
from fumehood.sandbox.attestation import Attestation
from fumehood.sandbox.docker_describe import describe
from fumehood.sandbox.docker_engine import DockerEngine
from fumehood.sandbox.docker_image import ImageEngine
from fumehood.sandbox.docker_resolve import open_client
from fumehood.sandbox.engine import Engine
from fumehood.sandbox.facts import Judged
from fumehood.sandbox.image_build import build_image
from fumehood.sandbox.image_lock import state_folder
from fumehood.sandbox.image_trust import TrustedImage, trusted_image
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.runner import Sandbox


@dataclass(slots=True)
class Report:
    """What was found. *error* is what keeps documents from being read, if anything does."""

    engine: dict[str, Any] = field(default_factory=lambda: {"reachable": False})
    facts: list[Judged] = field(default_factory=list)
    attestation: Attestation | None = None
    error: FumehoodError | None = None
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return self.error is None and self.attestation is not None

    def as_dict(self) -> dict[str, Any]:
        """``{"ok", "engine", "facts"}``."""
        engine = dict(self.engine)
        if self.attestation is not None:
            engine |= {"attested": self.attestation.level, "missing": list(self.attestation.missing)}
        if self.error is not None:
            engine["error"] = {"code": self.error.code, "message": self.error.message, "hint": self.error.hint}
        return {"ok": self.ok, "engine": engine, "facts": [fact.as_dict() for fact in self.facts]}


def diagnose(settings: Settings, *, fix: bool = False, say: Callable[[str], None] = lambda _line: None) -> Report:
    """Engine, image, facts. *fix* also mends what can be mended from here, and *say* tells of it.

    Raises:
        InputError: ``invalid-argument``, for an unknown fact in ``settings.accept_weaker``.
    """
    facts.check_names(settings.accept_weaker)
    report = Report()
    started = time.monotonic()
    try:
        _look(report, settings, fix=fix, say=say)
    except FumehoodError as error:
        report.error = error
    report.seconds = time.monotonic() - started
    return report


def _look(report: Report, settings: Settings, *, fix: bool, say: Callable[[str], None]) -> None:
    client, endpoint = open_client(settings.engine)
    with ImageEngine(client) as images:
        report.engine = describe(client, endpoint)
        report.engine["runtime"] = settings.runtime
        report.engine["image"] = {"present": False}
        engine = DockerEngine(client.api, accepted=settings.accept_weaker)
        if fix:
            build_image("core", engine=images, say=say)
            _sweep(engine, say)
        report.engine["image"] = _image(image := trusted_image(engine=images))
        instance = Instance(state_folder())
        try:
            _prove(report, settings, engine, lambda runtime: Sandbox(engine, image, instance=instance, runtime=runtime))
        finally:
            instance.close()
            _look_for_strays(report, engine)


def _look_for_strays(report: Report, engine: DockerEngine) -> None:
    info = engine.info()
    if not any(runtimes.is_gvisor(name, info) for name in info.runtimes):
        return
    with contextlib.suppress(FumehoodError, OSError):
        if found := strays.strays(engine.list_labelled({})):
            report.engine["warnings"].append(strays.told(found))


def _prove(report: Report, settings: Settings, engine: DockerEngine, make: Callable[[str | None], Sandbox]) -> None:
    """The facts of the runtime that documents would be read under, proved anew; *report* has those of a refused one as well."""

    def attest(sandbox: Sandbox, _has_other: bool) -> Attestation:
        report.engine["runtime"] = sandbox.runtime or engine.info().default_runtime
        report.facts = canary.judge_now(sandbox, limits=settings.limits)
        return facts.attest(report.facts, settings.accept_weaker)

    def passed_over(runtime: str, why: FumehoodError) -> None:
        report.engine["passed_over"] = {"runtime": runtime, "message": why.message, "hint": why.hint}

    report.attestation = runtimes.settle(settings.runtime, engine.info(), make, attest, passed_over).attestation


def _image(image: TrustedImage) -> dict[str, Any]:
    return {"present": True, "verified": True, "id": image.id, "lock_id": image.lock_id, "lock": image.source}


def _sweep(engine: Engine, say: Callable[[str], None]) -> None:
    swept = reaper.sweep(engine, state_folder())
    for removed in swept.containers:
        say(f"removed the left-over container {removed.container[:12]}: {reaper.REASONS[removed.why]}")
    if swept.files:
        say(f"removed {swept.files} file{'s' if swept.files != 1 else ''} of processes that are gone")
    if swept.error is not None:
        say(f"not everything that is left over could be removed: {swept.error.message}")
