"""What a fact is: something the policy promises, how it is proved, and what to do when it does not hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from fumehood.sandbox.evidence import NO_REPORT, Evidence, Observation, shown

#: What a refused system call answers: the filter's error, its signal, or a kernel that does not have the call.
REFUSED: Final = frozenset({"EPERM", "SIGSYS", "ENOSYS"})


@dataclass(frozen=True, slots=True)
class Finding:
    """What was expected, what was found, and whether that will do."""

    expected: str
    found: str
    ok: bool


@dataclass(frozen=True, slots=True)
class Fact:
    """One promise.

    *required* facts fail closed; the others warn. *hint* says how to mend it. Which fields of the create request it proves
    stands beside those (`fumehood.sandbox.policy.Flag.facts`).
    """

    id: str
    name: str
    required: bool
    reason: str
    hint: str
    check: Callable[[Evidence], Finding]


def inside(check: Callable[[Observation, Evidence], Finding]) -> Callable[[Evidence], Finding]:
    """A check of the probe's report; without a report nothing is proved."""

    def checked(evidence: Evidence) -> Finding:
        if evidence.observed is None:
            return Finding("a report of the probe", NO_REPORT, ok=False)
        return check(evidence.observed, evidence)

    return checked


def equal(expected: str, found: str) -> Finding:
    """The plain comparison."""
    return Finding(expected, found, expected == found)


def either(expected: str, ok: bool, otherwise: str) -> Finding:
    """*expected* was found, or *otherwise*."""
    return Finding(expected, expected if ok else shown(otherwise or "nothing"), ok)
