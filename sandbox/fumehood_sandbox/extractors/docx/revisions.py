"""Tracked changes: what each revision element is called, and in which view what it holds is read.

ECMA-376 17.13.5. Accepting keeps ``w:ins`` and ``w:moveTo`` and drops ``w:del`` and ``w:moveFrom``; rejecting does the
opposite; nested, a text is in a view only when every element around it is. One `Revision` stands for one element.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from fumehood_sandbox.contract import Part, Revision, RevisionType
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.ooxml.names import AUTHOR, DATE, DEL, INS, MOVE_FROM, MOVE_TO, VAL, W, local
from fumehood_sandbox.extractors.ooxml.tree import with_parents

KEPT: Final = frozenset({INS, MOVE_TO})
DROPPED: Final = frozenset({DEL, MOVE_FROM})
TRACKED: Final = KEPT | DROPPED

RUN_TYPES: Final[dict[str, RevisionType]] = {INS: "insert", DEL: "delete", MOVE_FROM: "move_from", MOVE_TO: "move_to"}
MARK_TYPES: Final[dict[str, RevisionType]] = {
    INS: "paragraph_mark_insert",
    DEL: "paragraph_mark_delete",
    MOVE_FROM: "paragraph_mark_move_from",
    MOVE_TO: "paragraph_mark_move_to",
}
ROW_TYPES: Final[dict[str, RevisionType]] = {
    INS: "row_insert", DEL: "row_delete", MOVE_TO: "row_insert", MOVE_FROM: "row_delete",
}  # fmt: skip
CELL_TYPES: Final[dict[str, RevisionType]] = {
    W + "cellIns": "cell_insert",
    W + "cellDel": "cell_delete",
    W + "cellMerge": "cell_merge",
}
NUMBERING_TYPES: Final[dict[str, RevisionType]] = {INS: "numbering_insert", DEL: "numbering_delete"}

#: Property changes: the element, which holds the properties as they were before.
CHANGES: Final = frozenset(
    W + name + "Change" for name in ("rPr", "pPr", "sectPr", "tblPr", "tblPrEx", "tblGrid", "trPr", "tcPr", "numbering")
)
ALL: Final = frozenset({*TRACKED, *CELL_TYPES, *CHANGES})
_RESTATED: Final = frozenset({*TRACKED, *CELL_TYPES})


class Revised(NamedTuple):
    """The revisions that a place stands in, and whether accepting / rejecting them keeps it."""

    ids: tuple[str, ...] = ()
    accepted: bool = True
    original: bool = True

    def inside(self, revision: Revision, tag: str) -> Revised:
        """The state of what stands inside the element *tag* of *revision*."""
        return Revised((*self.ids, revision.id), self.accepted and tag not in DROPPED, self.original and tag not in KEPT)


UNREVISED: Final = Revised()


class Recorder:
    """Lists revisions in document order, and counts them by element to compare with the source."""

    def __init__(self, x: Extraction) -> None:
        self._x = x
        self.items: list[Revision] = []
        self.recorded = 0
        """Elements of `TRACKED` in the main part so far."""

    def add(self, element: Any, kind: RevisionType, part: Part, para_index: int | None, text: str = "") -> Revision:
        """List *element*; its text may be filled in later."""
        revision = Revision(self._x.next_id("r"), kind, element.get(AUTHOR) or "", element.get(DATE), text, part, para_index)
        self.items.append(revision)
        if element.tag in TRACKED:
            self.recorded += 1
        return revision

    def change(self, element: Any, now: Any, part: Part, para_index: int | None) -> None:
        """List a property change, which stands among the properties *now*, with what they were before and are after it."""
        revision = self.add(element, "format", part, para_index)
        old = element[0] if len(element) else None
        revision.before = properties(old)
        revision.after = properties(now, leave_out=element)
        for inner, parent in with_parents(element):
            if inner.tag in _RESTATED:  # the old properties restate revisions of their own
                self.add(inner, CELL_TYPES.get(inner.tag) or _misplaced(inner, parent), part, para_index)

    def flush(self) -> None:
        if self.items:
            self._x.add("revisions", *self.items)
            self.items = []


def _misplaced(element: Any, parent: Any) -> RevisionType:
    """The kind of a revision element among properties."""
    return NUMBERING_TYPES.get(element.tag, "property") if local(parent) == "numPr" else "property"


def properties(element: Any | None, leave_out: Any = None) -> str:
    """A property element in short: ``b i sz=24``."""
    words = []
    for child in () if element is None else element:
        name = local(child)
        if child is leave_out or not name or name.endswith("Change") or child.tag in TRACKED:
            continue
        value = child.get(VAL)
        words.append(name if value is None else f"{name}={value}")
        if len(words) == 40:
            break
    return " ".join(words)[:400]
