"""The list of facts: everything that ``fumehood doctor`` proves, in the order it shows it.

A required fact that does not hold keeps the sandbox shut, unless the user accepts it by its id; an advisory one warns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from fumehood.errors import make_error
from fumehood.sandbox import facts_engine, facts_gvisor, facts_inside, podman
from fumehood.sandbox.attestation import Attestation
from fumehood.sandbox.evidence import Evidence
from fumehood.sandbox.fact import Fact, Finding
from fumehood.sandbox.policy import POLICY
from fumehood.sandbox.runtimes import REGISTER_HINT, sounds_like_gvisor

FACTS: Final[tuple[Fact, ...]] = (facts_engine.PROBE, *facts_inside.FACTS, *facts_engine.FACTS)
BY_ID: Final = {fact.id: fact for fact in FACTS}

assert len(BY_ID) == len(FACTS)


@dataclass(frozen=True, slots=True)
class Judged:
    """A fact after the canary. *hint* says how to mend it, and is None when there is nothing to mend."""

    id: str
    name: str
    required: bool
    expected: str
    found: str
    ok: bool
    hint: str | None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def judge(evidence: Evidence) -> list[Judged]:
    """Every fact, looked at in the light of *evidence*."""
    changed = {flag.facts[0]: flag.path for flag in POLICY if flag.facts and flag.path in evidence.differences}
    judged = []
    for fact in FACTS:
        check = facts_gvisor.CHECKS.get(fact.id, fact.check) if evidence.in_gvisor else fact.check
        finding = check(evidence)
        if fact.id in changed:
            finding = Finding(finding.expected, f"{finding.found}; the engine changed {changed[fact.id]}", ok=False)
        hint = None if finding.ok else _hint(fact, evidence)
        judged.append(Judged(fact.id, fact.name, fact.required, finding.expected, finding.found, finding.ok, hint))
    return judged


def _hint(fact: Fact, evidence: Evidence) -> str:
    """How to mend *fact*: a runtime that is not registered as it must be explains much else."""
    name = evidence.spec.runtime or evidence.info.default_runtime
    if evidence.info.kind == podman.KIND and fact.id == facts_engine.PROBE.id:
        return podman.HINT
    if not evidence.spec.gvisor and not sounds_like_gvisor(name):
        return fact.hint
    if "--ignore-cgroups" in evidence.info.runtime_arguments.get(name, ()):
        return f"The runtime {name} is registered with --ignore-cgroups, which takes every limit away. {REGISTER_HINT}"
    return REGISTER_HINT if fact.id in {facts_engine.PROBE.id, "runtime"} else fact.hint


def check_names(accepted: Iterable[str]) -> frozenset[str]:
    """*accepted* as a set.

    Raises:
        InputError: code ``invalid-argument``, when one of them is no required fact; the message lists those.
    """
    names = frozenset(accepted)
    required = [fact.id for fact in FACTS if fact.required]
    unknown = sorted(names - set(required))
    if unknown:
        raise make_error(
            "invalid-argument",
            f"{', '.join(unknown)[:200]}: no fact that can be accepted. Those are: {', '.join(required)}.",
            hint="`fumehood doctor` shows which facts hold; the others only warn.",
        )
    return names


def attest(judged: Sequence[Judged], accept_weaker: Iterable[str] = ()) -> Attestation:
    """What results may say about the sandbox.

    Raises:
        EnvironmentError_: code ``sandbox-too-weak``, when a required fact does not hold and is not accepted.
        InputError: as `check_names`.
    """
    accepted = check_names(accept_weaker)
    missing = [fact for fact in judged if fact.required and not fact.ok]
    refused = [fact for fact in missing if fact.id not in accepted]
    if refused and refused[0].id == facts_engine.PROBE.id:
        message = f"The sandbox could not be proved: {refused[0].found}"
        raise make_error("sandbox-too-weak", message, hint=f"{refused[0].hint} `fumehood doctor` tries again.")
    if refused:
        names = ", ".join(fact.id for fact in refused)
        first = next((fact for fact in refused if fact.id == "runtime"), refused[0])  # another program explains the others
        raise make_error(
            "sandbox-too-weak",
            f"The sandbox does not hold what it must: {names} ({first.id}: expected {first.expected}; found {first.found}).",
            hint=f"{first.hint} `fumehood doctor` shows every proof; `--accept-weaker {first.id}` accepts this one by name.",
        )
    if missing:
        return Attestation("weakened", tuple(fact.id for fact in missing))
    return Attestation("full")
