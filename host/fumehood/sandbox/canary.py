"""The canary: proves the sandbox from inside before any document goes in.

Four containers are made by the very functions that make those of documents, and none of them ever sees one:

* the *probe* tries everything that is forbidden and reports (``fumehood_sandbox.probe``);
* the *bomb* runs over its memory limit and must be killed;
* the *sleeper* is left alone and must be ended by its own deadman;
* the *orphan* loses its host and must end by itself.

They run side by side and take a second or two. `attest` remembers the verdict (`fumehood.sandbox.verdicts`) until
something changes that it depends on.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Protocol

from fumehood.errors import FumehoodError, make_error
from fumehood.limits import MIB, Limits
from fumehood.sandbox import facts, policy
from fumehood.sandbox.attestation import Attestation
from fumehood.sandbox.box import Box
from fumehood.sandbox.cancel import CancelToken
from fumehood.sandbox.docker_witness import witness_of
from fumehood.sandbox.engine import ContainerSpec, Engine, ExitInfo
from fumehood.sandbox.evidence import Evidence, Observation, Trial, host_namespaces, parse_observation, parse_survived
from fumehood.sandbox.exchange import Bounds
from fumehood.sandbox.facts import Judged
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.streams import RequestBytes
from fumehood.sandbox.verdicts import Verdicts
from fumehood_sandbox.contract import Request, Scalar
from fumehood_sandbox.frames import Frame, FrameType

#: Generous, since the machine may be busy with other things; an idle one takes a second or two.
_PROBE_SECONDS: Final = 90
_ANSWER_BYTES: Final = MIB
_STDERR_BYTES: Final = 16 * 1024

#: The bomb's shares: each fits into its memory, both together do not.
_BOMB_MEMORY: Final = 256 * MIB
_BOMB_SCRATCH: Final = 56 * MIB
_BOMB_ALLOCATES: Final = 208 * MIB

_DEADMAN_SECONDS: Final = 1
_END_SECONDS: Final = 30.0
#: A proof that is cancelled is over about this much later.
_SHORT_WAIT_SECONDS: Final = 0.25

#: Errors that say something about the sandbox; any other means that there is nothing to prove (no engine, no image).
_TELLING: Final = frozenset({"sandbox-too-weak", "protocol", "internal"})


class Maker(Protocol):
    """What makes containers for documents (`fumehood.sandbox.runner.Sandbox`)."""

    engine: Engine
    instance: Instance

    def spec(self, limits: Limits) -> ContainerSpec: ...


def attest(
    sandbox: Maker,
    *,
    limits: Limits | None = None,
    accept_weaker: Sequence[str] = (),
    verdicts: Verdicts | None = None,
    fresh: bool = False,
    cancel: CancelToken | None = None,
) -> Attestation:
    """Whether the containers of *sandbox* hold what they must; by an earlier run's verdict where that still applies.

    A remembered verdict that would refuse is not trusted to still hold: the user may have mended the machine. *limits* are
    those of an ordinary request; *fresh* proves anew in any case; *cancel* ends the proof and its containers.

    Raises:
        EnvironmentError_: ``sandbox-too-weak``, naming the facts; or what the engine raises when it cannot work at all.
        SandboxError: ``cancelled``.
        InputError: ``invalid-argument`` for an unknown name in *accept_weaker*.
    """
    accepted = facts.check_names(accept_weaker)
    store = verdicts if verdicts is not None else Verdicts()
    spec = sandbox.spec(limits or Limits())
    remembered = None if fresh else store.get(store.key(sandbox.engine.info(), spec))
    if remembered is not None and all(fact.ok or not fact.required or fact.id in accepted for fact in remembered):
        return facts.attest(remembered, accepted)
    return facts.attest(judge_now(sandbox, limits=limits, verdicts=store, cancel=cancel), accepted)


def judge_now(
    sandbox: Maker, *, limits: Limits | None = None, verdicts: Verdicts | None = None, cancel: CancelToken | None = None
) -> list[Judged]:
    """Every fact, proved now and remembered. Raises as `prove`."""
    store = verdicts if verdicts is not None else Verdicts()
    evidence = prove(sandbox, limits=limits, cancel=cancel)
    judged = facts.judge(evidence)
    store.put(store.key(evidence.info, evidence.spec), judged)
    return judged


def prove(sandbox: Maker, *, limits: Limits | None = None, cancel: CancelToken | None = None) -> Evidence:
    """Run the four containers and collect what they show. Judges nothing.

    Raises:
        EnvironmentError_: when the engine or the image is not there.
        SandboxError: ``cancelled``; the containers are gone.
    """
    spec = sandbox.spec(limits or Limits())
    witness = witness_of(sandbox.engine)
    trials = _Trials(witness or sandbox.engine, sandbox.instance, spec, cancel)
    with ThreadPoolExecutor(4, thread_name_prefix="canary") as pool:
        probe = pool.submit(trials.probe)
        others = [pool.submit(trial) for trial in (trials.memory, trials.deadman, trials.host_death)]
        observed, why, stored = probe.result()
        memory, deadman, host_death = (other.result() for other in others)
    _check(cancel)
    return Evidence(
        spec=spec,
        info=sandbox.engine.info(),
        observed=observed,
        why=why,
        stored=stored,
        differences=tuple(policy.differences(trials.probe_spec, stored)) if stored else (),
        warnings=tuple(dict.fromkeys(witness.warnings)) if witness is not None else (),
        memory=memory,
        deadman=deadman,
        host_death=host_death,
        host_namespaces=host_namespaces(),
    )


@dataclass(frozen=True, slots=True)
class _Trials:
    engine: Engine
    instance: Instance
    spec: ContainerSpec
    cancel: CancelToken | None = None

    @property
    def probe_spec(self) -> ContainerSpec:
        """An ordinary request's container in every field but how long its deadman waits."""
        return replace(self.spec, outer_seconds=_PROBE_SECONDS + 5)

    def probe(self) -> tuple[Observation | None, str, dict[str, Any]]:
        """The probe's report, or why there is none; and what the engine stored."""
        host = policy.create_request(self.spec)["HostConfig"]
        options: dict[str, Scalar] = {
            "tmpfs_bytes": self.spec.limits.tmpfs_bytes,
            "tmpfs_inodes": self.spec.limits.tmpfs_inodes,
            "pids": host.get("PidsLimit") or self.spec.limits.pids,
            "nofile": next((u["Hard"] for u in host.get("Ulimits") or () if u["Name"] == "nofile"), 256),
        }
        stored: dict[str, Any] = {}
        try:
            with self._box(self.probe_spec) as box:
                box.start()
                stored = box.inspect()
                report, why = self._ask(box, options)
                if report is None:
                    return None, f"the probe gave no report ({why}; {_end(box)})", stored
                return parse_observation(report), "", stored
        except FumehoodError as error:
            return None, _why(error), stored

    def memory(self) -> Trial:
        """Hold scratch files and memory that together are over the limit."""
        bounded = replace(self.spec.limits, memory_bytes=_BOMB_MEMORY)
        on_disk = min(_BOMB_SCRATCH, bounded.tmpfs_bytes)
        options: dict[str, Scalar] = {
            "proof": "memory",
            "scratch_bytes": on_disk,
            "allocate_bytes": _BOMB_ALLOCATES + _BOMB_SCRATCH - on_disk,
        }
        try:
            with self._box(replace(self.spec, limits=bounded, outer_seconds=_PROBE_SECONDS)) as box:
                box.start()
                report, _ = self._ask(box, options)
                end = _end(box)
                return replace(end, survived=parse_survived(report)) if report is not None else end
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
        _check(self.cancel)
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

    def _box(self, spec: ContainerSpec) -> Box:
        _check(self.cancel)
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
        _check(self.cancel)
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
                _check(self.cancel)
                if time.monotonic() > until:
                    raise


def _end(box: Box) -> Trial:
    """Disconnect, and how the container then ended by itself."""
    ended, killed = box.finish(kill=False)
    return Trial(None, "it did not end by itself") if killed else Trial(ended)


def _check(cancel: CancelToken | None) -> None:
    if cancel is not None and cancel.cancelled:
        raise make_error("cancelled", "the proof of the sandbox was cancelled")


def _why(error: FumehoodError) -> str:
    if error.code not in _TELLING:
        raise error
    return error.message
