"""Processes of gVisor that belong to no container: what a start that failed leaves behind.

The engine has forgotten such a container, so no request to it ends them. They hold no document (nothing was ever sent to
them), but memory. They are only told of: on a machine with several engines they may be another one's.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Final

_ID: Final = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_PROGRAMS: Final = (b"runsc-sandbox", b"runsc-gofer")
_SHOWN: Final = 20


def strays(known: Collection[str], processes: Path = Path("/proc")) -> list[int]:
    """The ids of gVisor's processes on this machine whose container is none of *known* (ids in full)."""
    ours = {container.encode() for container in known}
    found = []
    for entry in processes.iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes()
        except OSError:
            continue  # it has ended, or may not be looked at
        if words.startswith(_PROGRAMS) and not ours & set(_ID.findall(words)):
            found.append(int(entry.name))
    return sorted(found)


def told(found: Collection[int]) -> str:
    """A sentence about *found* for a person."""
    listed = " ".join(str(process) for process in sorted(found)[:_SHOWN])
    return (
        f"{len(found)} processes of gVisor belong to no container of this engine: a start that failed leaves them. "
        f"If no other engine of this machine uses gVisor, end them: kill -9 {listed}"
    )
