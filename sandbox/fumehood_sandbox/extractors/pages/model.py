"""What the layout of a page works on and what it comes to: lines as a parser found them, and paragraphs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from fumehood_sandbox.extractors.pages.geometry import Box, union
from fumehood_sandbox.extractors.pages.tables import FoundTable


@dataclass(slots=True)
class Line:
    """A line of text as the parser found it; *size* in points, *hidden* why it cannot be seen."""

    text: str
    box: Box
    size: float
    hidden: str | None = None
    horizontal: bool = True
    bold: bool = False


@dataclass(slots=True)
class Group:
    """Lines that the parser held together; or a table, which has none."""

    lines: list[Line]
    table: FoundTable | None = None
    box: Box = field(init=False)

    def __post_init__(self) -> None:
        self.box = self.table.box if self.table is not None else union([line.box for line in self.lines])


@dataclass(slots=True)
class Paragraph:
    text: str
    box: Box
    size: float
    hidden: str | None = None
    n_lines: int = 1
    bullet: str | None = None
    bold: bool = False
    table: FoundTable | None = None
    """Stands in the place of the text."""
    edge: Literal["header", "footer"] | None = None
    """It is a running head or foot."""
