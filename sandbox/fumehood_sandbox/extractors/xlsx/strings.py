"""The shared strings, read as a stream (18.4)."""

from __future__ import annotations

from fumehood_sandbox.extractors.xlsx.names import S, rich_text
from fumehood_sandbox.opc import Package


def read_strings(package: Package, part: str | None) -> list[str]:
    """Every shared string by its index; none where there is no such part."""
    found: list[str] = []
    if part is None:
        return found
    for _, element in package.stream(part, ("end",), (S + "si",)):
        found.append(rich_text(element))
        element.clear()
        before = element.getprevious()
        if before is not None:
            before.getparent().remove(before)
    return found
