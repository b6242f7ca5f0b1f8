"""What the sheets of a workbook share."""

from __future__ import annotations

from dataclasses import dataclass, field

from fumehood_sandbox.extractors.xlsx.richvalues import RichValue
from fumehood_sandbox.extractors.xlsx.styles import Styles


@dataclass(slots=True)
class Workbook:
    """What the cells of every sheet need."""

    strings: list[str]
    styles: Styles
    date1904: bool = False
    rich: dict[int, RichValue] = field(default_factory=dict)
    """What cells show in place of their value, by the number in their attribute ``vm``."""
