"""The limits of one request: defaults, how they grow with the document, and that a request only lowers them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Final

MIB: Final = 1024 * 1024

#: The largest page of the machines that engines run on.
_PAGE: Final = 64 * 1024
_PAGED: Final = ("memory_bytes", "memory_cap_bytes", "tmpfs_bytes")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds in force for one document. Sizes in bytes, times in seconds."""

    input_bytes: int = 256 * MIB
    memory_bytes: int = 512 * MIB
    memory_cap_bytes: int = 2048 * MIB
    warm_input_bytes: int = 32 * MIB
    wall_seconds: float = 30.0
    wall_seconds_per_mib: float = 1.0
    wall_cap_seconds: float = 300.0
    no_progress_seconds: float = 20.0
    tmpfs_bytes: int = 64 * MIB
    tmpfs_inodes: int = 4096
    pids: int = 64
    output_bytes: int = 512 * MIB
    stderr_bytes: int = 64 * 1024

    def for_size(
        self, size: int, *, requested_seconds: float | None = None, requested_no_progress: float | None = None
    ) -> Limits:
        """The limits for a document of *size* bytes.

        The wall deadline is base + per MiB, capped; *requested_seconds* may lower it, never raise it, and
        *requested_no_progress* the second clock. Over `warm_input_bytes` the container gets its memory plus twice the size, capped.
        """
        wall = min(self.wall_seconds + self.wall_seconds_per_mib * (size / MIB), self.wall_cap_seconds)
        if requested_seconds is not None:
            wall = min(wall, requested_seconds)
        stall = self.no_progress_seconds
        if requested_no_progress is not None:
            stall = min(stall, requested_no_progress)
        memory = self.memory_bytes
        if size > self.warm_input_bytes:
            memory = max(memory, min(memory + 2 * size, self.memory_cap_bytes))
        return replace(self, wall_seconds=round(wall, 3), no_progress_seconds=round(stall, 3), memory_bytes=memory)

    def in_pages(self) -> Limits:
        """These limits with sizes that any kernel keeps as they are.

        It counts in pages, and rounds memory down and a tmpfs up: ``600 MB`` would be another limit than the one that was
        asked for, and no proof of it would hold. What is smaller than a page stays, and is refused as too small.
        """
        whole = {name: size - size % _PAGE or size for name in _PAGED if (size := getattr(self, name)) > 0}
        return replace(self, **whole)

    def as_dict(self) -> dict[str, int | float]:
        """What a result's provenance says about its limits: those that are in force."""
        return asdict(self)
