"""What the canary found out about the sandbox, as every result carries it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Attestation:
    """*full*: every required fact was proved. *weakened*: those in *missing* were not, and the user accepted that by name."""

    level: Literal["full", "weakened"] = "full"
    missing: tuple[str, ...] = ()
