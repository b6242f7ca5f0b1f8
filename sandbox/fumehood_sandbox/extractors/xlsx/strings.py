"""The shared strings, read as a stream (18.4)."""

from __future__ import annotations

from typing import Final

from fumehood_sandbox.extractors.xlsx.names import S, rich_text
from fumehood_sandbox.opc import Package

_SI: Final = S + "si"
_WHOLE: Final = frozenset({_SI})


def read_strings(package: Package, part: str | None) -> list[str]:
    """Every shared string by its index; none where there is no such part."""
    found: list[str] = []
    if part is None:
        return found
    for _, items in package.stream(part, _WHOLE):
        for item in items:
            found += [rich_text(element) for element in item.iter(_SI)]
    return found
