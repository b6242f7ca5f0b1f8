"""The canary's containers: each is made as every other, tries one thing, and how it ended is the answer.

Nothing is judged here (`fumehood.sandbox.facts`). None of these containers ever sees a document.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from fumehood.errors import FumehoodError, make_error
from fumehood.limits import MIB
from fumehood.sandbox import policy
from fumehood.sandbox.box import Box
from fumehood.sandbox.cancel import CancelToken
from fumehood.sandbox.docker_witness import DockerWitness
from fumehood.sandbox.engine import ContainerSpec, Engine, ExitInfo
from fumehood.sandbox.evidence import Observation, Trial, Usage, parse_forked, parse_observation, parse_survived
from fumehood.sandbox.exchange import Bounds
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.streams import RequestBytes
from fumehood_sandbox.contract import Request, Scalar
from fumehood_sandbox.frames import Frame, FrameType

#: Generous, since the machine may be busy with other things; an idle one takes a second or two, gVisor some more.
_PROBE_SECONDS: Final = 90
_ANSWER_BYTES: Final = MIB
_STDERR_BYTES: Final = 16 * 1024

#: The bomb's shares: each fits into its memory, also beside what gVisor takes for itself; both together do not.
_BOMB_MEMORY: Final = 256 * MIB
_BOMB_SCRATCH: Final = 150 * MIB
_BOMB_ALLOCATES: Final = 120 * MIB

#: Enough for every process that may be, so that it is not the memory which ends them.
_CROWD_MEMORY: Final = 2048 * MIB
_UNMARKED_AGAIN: Final = 3
_KILLED: Final = 137

_DEADMAN_SECONDS: Final = 1
_END_SECONDS: Final = 30.0
#: A proof that is cancelled is over about this much later.
_SHORT_WAIT_SECONDS: Final = 0.25
_USAGE_SECONDS: Final = 10.0

#: Errors that say something about the sandbox; any other means that there is nothing to prove (no engine, no image).
_TELLING: Final = frozenset({"sandbox-too-weak", "protocol", "internal"})


@dataclass(frozen=True, slots=True)
class Probed:
    """The probe's report, or *why* there is none; what the engine stored and counted; whether it *started* at all."""

    observed: Observation | None = None
    why: str = ""
    stored: dict[str, Any] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    started: bool = False


@dataclass(frozen=True, slots=True)
class Trials:
    engine: Engine
    instance: Instance
    spec: ContainerSpec
    cancel: CancelToken | None = None

    @property
    def probe_spec(self) -> ContainerSpec:
        """An ordinary request's container in every field but how long its deadman waits."""
        return replace(self.spec, outer_seconds=_PROBE_SECONDS + 5)

    def probe(self) -> Probed:
        """Try everything that is forbidden, and report."""
        host = policy.create_request(self.spec)["HostConfig"]
        options: dict[str, Scalar] = {
            "tmpfs_bytes": self.spec.limits.tmpfs_bytes,
            "tmpfs_inodes": self.spec.limits.tmpfs_inodes,
            "pids": 0 if self.spec.gvisor else self._pids(),
            "nofile": next((u["Hard"] for u in host.get("Ulimits") or () if u["Name"] == "nofile"), 256),
        }
        probed = Probed()
        try:
            with self._box(self.probe_spec) as box:
                box.start()
                probed = Probed(stored=box.inspect(), started=True)
                if self.spec.gvisor:
                    probed = replace(probed, usage=self._usage(box))
                report, why = self._ask(box, options)
                if report is None:
                    return replace(probed, why=f"the probe gave no report ({why}; {_end(box)})")
                return replace(probed, observed=parse_observation(report))
        except FumehoodError as error:
            return replace(probed, why=_why(error))

    def memory(self) -> Trial:
        """Hold scratch files and memory that together are over the limit.

        Under gVisor the engine may miss the kernel's mark (`exits.End`), so a kill without one is tried again.
        """
        trial = self._memory()
        for _ in range(_UNMARKED_AGAIN if self.spec.gvisor else 0):
            if trial.exit is None or trial.exit.code != _KILLED or trial.exit.oom_killed:
                break
            trial = self._memory()
        return trial

    def _memory(self) -> Trial:
        bounded = replace(self.spec.limits, memory_bytes=_BOMB_MEMORY, tmpfs_bytes=_BOMB_SCRATCH + MIB)
        options: dict[str, Scalar] = {
            "proof": "memory",
            "scratch_bytes": _BOMB_SCRATCH,
            "allocate_bytes": _BOMB_ALLOCATES,
        }
        try:
            with self._box(replace(self.spec, limits=bounded, outer_seconds=_PROBE_SECONDS)) as box:
                box.start()
                report, _ = self._ask(box, options)
                end = _end(box)
                return replace(end, survived=parse_survived(report)) if report is not None else end
        except FumehoodError as error:
            return Trial(None, _why(error))

    def processes(self) -> Trial:
        """Make processes until one is refused, or until the whole sandbox ends of them: gVisor's own threads count as well."""
        roomy = replace(self.spec, limits=replace(self.spec.limits, memory_bytes=_CROWD_MEMORY), outer_seconds=_PROBE_SECONDS)
        try:
            with self._box(roomy) as box:
                box.start()
                report, _ = self._ask(box, {"proof": "processes", "pids": self._pids()})
                end = _end(box)
                if report is None:
                    return end
                made = parse_forked(report)
                if made.forks_end == "EAGAIN":
                    return replace(end, why=f"refused after {made.forks}")
                return replace(end, survived=made.forks, unit="processes")
        except FumehoodError as error:
            return Trial(None, _why(error))

    def deadman(self) -> Trial:
        """Say nothing, stay connected, and wait."""
        try:
            with self._box(replace(self.spec, outer_seconds=_DEADMAN_SECONDS)) as box:
                box.start()
                assert box.id is not None
                return Trial(self._wait(box.id))
        except TimeoutError:
            return Trial(None, f"still running after {_END_SECONDS:g} s")
        except FumehoodError as error:
            return Trial(None, _why(error))

    def host_death(self) -> Trial:
        """Start it and go away, as a host that dies does: the streams close, and nobody kills anything."""
        check(self.cancel)
        try:
            container = self.engine.create(replace(self.spec, outer_seconds=_PROBE_SECONDS)).id
            try:
                self.instance.created(container)
                connection = self.engine.attach(container)
                try:
                    self.engine.start(container)
                finally:
                    connection.close()
                return Trial(self._wait(container))
            finally:
                self.engine.remove(container)
                self.instance.removed(container)
        except TimeoutError:
            return Trial(None, f"still running after {_END_SECONDS:g} s")
        except FumehoodError as error:
            return Trial(None, _why(error))

    def _pids(self) -> int:
        return int(policy.create_request(self.spec)["HostConfig"].get("PidsLimit") or self.spec.limits.pids)

    def _usage(self, box: Box) -> Usage:
        """What the engine counts for *box*, once its start has used up a period of its processor quota."""
        usage = Usage()
        until = time.monotonic() + _USAGE_SECONDS
        while isinstance(self.engine, DockerWitness) and box.id is not None and time.monotonic() < until:
            check(self.cancel)
            usage = self.engine.usage(box.id)
            if usage.cpu_periods > 0 or usage == Usage():
                break
            time.sleep(0.1)
        return usage

    def _box(self, spec: ContainerSpec) -> Box:
        check(self.cancel)
        capped = replace(spec.limits, output_bytes=_ANSWER_BYTES, stderr_bytes=_STDERR_BYTES)
        return Box(self.engine, replace(spec, limits=capped), self.instance)

    def _ask(self, box: Box, options: dict[str, Scalar]) -> tuple[bytes | None, str]:
        """The RESULT of a probe request, or None and what happened instead."""
        request = asdict(Request(op="probe", deadline_s=_PROBE_SECONDS, options=options))
        results: list[bytes] = []

        def keep(frame: Frame) -> None:
            if frame.type is FrameType.RESULT:
                results.append(frame.payload)

        bounds = Bounds(_PROBE_SECONDS)
        ending = box.assign(RequestBytes(json.dumps(request).encode(), iter(()), 0), bounds, keep, cancel=self.cancel)
        check(self.cancel)
        if ending.complete and len(results) == 1:
            return results[0], ""
        return None, ending.detail or ending.reason

    def _wait(self, container: str) -> ExitInfo:
        """How *container* ended by itself; in short waits, so that a cancelled proof does not stay for the whole of it."""
        until = time.monotonic() + _END_SECONDS
        while True:
            try:
                return self.engine.wait(container, _SHORT_WAIT_SECONDS)
            except TimeoutError:
                check(self.cancel)
                if time.monotonic() > until:
                    raise


def _end(box: Box) -> Trial:
    """Disconnect, and how the container then ended by itself."""
    ended, killed = box.finish(kill=False)
    return Trial(None, "it did not end by itself") if killed else Trial(ended)


def check(cancel: CancelToken | None) -> None:
    if cancel is not None and cancel.cancelled:
        raise make_error("cancelled", "the proof of the sandbox was cancelled")


def _why(error: FumehoodError) -> str:
    if error.code not in _TELLING:
        raise error
    return error.message
