"""What tests do with containers that are still there when a test is over."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def remove_containers(engine: Any, instances: Iterable[str]) -> list[str]:
    """Remove every container of *instances*; their ids. A test that failed, or killed its process, must not cost the next one its machine."""
    removed = []
    for instance in instances:
        for container in engine.list_labelled({"app.instance": instance}):
            engine.remove(container)
            removed.append(container)
    return removed
