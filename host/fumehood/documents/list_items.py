"""What a list item's label means for its rendering."""

from __future__ import annotations

from typing import Final

from fumehood_sandbox.contract import Block

#: Ballot boxes that stand for a bullet, and whether they are ticked: the items of a task list.
BOXES: Final = {"\u2610": False, "\u25a1": False, "\u2611": True, "\u2612": True}


def goes_on(block: Block) -> bool:
    """Whether *block* is a further paragraph of the item before it: of a list, with nothing shown in front of it."""
    return block.type == "list_item" and block.list is not None and not block.list.ordered and not block.list.label.strip()
