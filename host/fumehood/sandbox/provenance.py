"""What a result says about how it came to be."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Provenance:
    """The input's hash, the image and runtime that read it, the limits in force, what was proved, and what it cost.

    ``cpu_ms`` and ``peak_memory_mb`` are the container's own account; everything else is the host's.
    """

    sha256: str | None = None
    bytes: int | None = None
    image: str | None = None
    image_lock: str | None = None
    image_source: str | None = None
    runtime: str | None = None
    attested: str | None = None
    missing: list[str] = field(default_factory=list)
    limits: dict[str, int | float] = field(default_factory=dict)
    wall_ms: int | None = None
    cpu_ms: int | None = None
    peak_memory_mb: int | None = None
    exit_code: int | None = None
    cached: bool = False
    container: str = "used once"

    def as_dict(self) -> dict[str, Any]:
        """The shape of ``provenance`` in every answer; absent facts are left out."""
        named = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in named.items() if value is not None}
