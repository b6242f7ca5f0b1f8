"""What a workbook's sheets are to the flow that reads them all (`book`), whichever way their parts are written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from fumehood_sandbox.contract import SheetCell
from fumehood_sandbox.extractors.xlsx.facts import SheetFacts
from fumehood_sandbox.opc import Relationship

SheetKind = Literal["worksheet", "chartsheet", "dialogsheet", "macrosheet"]
SheetState = Literal["visible", "hidden", "very_hidden"]
_KINDS: Final[dict[str, SheetKind]] = {
    "worksheet": "worksheet",
    "chartsheet": "chartsheet",
    "dialogsheet": "dialogsheet",
    "xlMacrosheet": "macrosheet",
    "xlIntlMacrosheet": "macrosheet",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A sheet as the workbook part lists it."""

    name: str
    part: str | None
    kind: SheetKind
    state: SheetState


def entry(name: str, relation: Relationship | None, state: SheetState) -> Entry:
    """The sheet called *name* in the part that *relation* leads to."""
    if relation is None or relation.external:
        return Entry(name[:255], None, "worksheet", state)
    return Entry(name[:255], relation.target, _KINDS.get(relation.kind, "worksheet"), state)


class CellReader(Protocol):
    """Reads one sheet's part."""

    facts: SheetFacts
    """What was met on the way."""
    filled: int
    """Cells with a formula, an inline string or a value: what ``counts`` counts."""
    formulas: int
    uncalculated: int
    """Formulas without a stored value."""
    dde: list[tuple[str, str]]

    def cells(self) -> Iterator[list[SheetCell]]:
        """The cells that hold something, in file order, some at a time.

        Raises:
            ExtractError: what stood before the damage was given.
        """

    def all_facts(self) -> SheetFacts:
        """What the whole part says about the sheet, its cells passed over, as far as it can be read."""
