"""The canary: proves the sandbox from inside before any document goes in.

Four containers are made by the very functions that make those of documents, and none of them ever sees one
(`fumehood.sandbox.trials`):

* the *probe* tries everything that is forbidden and reports (``fumehood_sandbox.probe``);
* the *bomb* runs over its memory limit and must be killed;
* the *sleeper* is left alone and must be ended by its own deadman;
* the *orphan* loses its host and must end by itself.

They run side by side and take a second or two. Under gVisor there is a fifth, the *crowd*, which makes more processes than there
may be: there that ends the whole sandbox, so the probe itself cannot try it. `attest` remembers the verdict (`fumehood.sandbox.verdicts`) until
something changes that it depends on.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from fumehood.limits import Limits
from fumehood.sandbox import facts, policy
from fumehood.sandbox.attestation import Attestation
from fumehood.sandbox.cancel import CancelToken
from fumehood.sandbox.docker_witness import witness_of
from fumehood.sandbox.engine import ContainerSpec, Engine
from fumehood.sandbox.evidence import Evidence, host_namespaces
from fumehood.sandbox.facts import Judged
from fumehood.sandbox.instance import Instance
from fumehood.sandbox.trials import Trials, check
from fumehood.sandbox.verdicts import Verdicts


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
    believe_refusal: bool = False,
    cancel: CancelToken | None = None,
) -> Attestation:
    """Whether the containers of *sandbox* hold what they must; by an earlier run's verdict where that still applies.

    A remembered verdict that would refuse is not trusted to still hold (the user may have mended the machine) unless
    *believe_refusal*, for whoever has another choice. *limits* are those of an ordinary request; *fresh* proves anew in any
    case; *cancel* ends the proof and its containers.

    Raises:
        EnvironmentError_: ``sandbox-too-weak``, naming the facts; or what the engine raises when it cannot work at all.
        SandboxError: ``cancelled``.
        InputError: ``invalid-argument`` for an unknown name in *accept_weaker*.
    """
    accepted = facts.check_names(accept_weaker)
    store = verdicts if verdicts is not None else Verdicts()
    spec = sandbox.spec(limits or Limits())
    remembered = None if fresh else store.get(store.key(sandbox.engine.info(), spec))
    if remembered is not None and (
        believe_refusal or all(fact.ok or not fact.required or fact.id in accepted for fact in remembered)
    ):
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
    trials = Trials(witness or sandbox.engine, sandbox.instance, spec, cancel)
    ends = [trials.memory, trials.deadman, trials.host_death]
    with ThreadPoolExecutor(4, thread_name_prefix="canary") as pool:
        probe = pool.submit(trials.probe)
        if spec.gvisor:
            # One first: each start of gVisor that fails leaves processes behind, which no request to the engine ends.
            ends.append(trials.processes)
            if not probe.result().started:
                ends = []
        others = [pool.submit(trial) for trial in ends]
        probed = probe.result()
        tried = {trial.__name__: other.result() for trial, other in zip(ends, others, strict=True)}
    check(cancel)
    stored = probed.stored
    return Evidence(
        spec=spec,
        info=sandbox.engine.info(),
        observed=probed.observed,
        why=probed.why,
        stored=stored,
        differences=tuple(
            policy.differences(trials.probe_spec, stored, spellings=witness.spellings if witness is not None else {})
        )
        if stored
        else (),
        warnings=tuple(dict.fromkeys(witness.warnings)) if witness is not None else (),
        usage=probed.usage,
        host_namespaces=host_namespaces(),
        **tried,
    )
