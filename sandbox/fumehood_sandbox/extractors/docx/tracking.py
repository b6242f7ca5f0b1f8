"""What is revised in a story: each revision element is listed where it stands, whatever it stands in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from fumehood_sandbox.extractors.docx.revisions import CHANGES, MARK_TYPES, NUMBERING_TYPES, UNREVISED
from fumehood_sandbox.extractors.docx.running import Running
from fumehood_sandbox.extractors.ooxml.names import RPR

if TYPE_CHECKING:
    from fumehood_sandbox.contract import Revision, RevisionType
    from fumehood_sandbox.extractors.docx.look import Setting
    from fumehood_sandbox.extractors.docx.paragraphs import Properties


_NOTED: Final = CHANGES | frozenset(MARK_TYPES)


class Tracking(Running):
    """Lists revisions of the part at hand."""

    def record(self, element: Any, kind: RevisionType) -> Revision:
        """List one revision element that stands here."""
        return self.reader.revisions.add(element, kind, self.part, self.para_index)

    def changes_in(self, properties: Any) -> None:
        """List the property changes and misplaced revision elements among the children of *properties*."""
        for child in properties:
            if child.tag not in _NOTED:
                continue
            if child.tag in CHANGES:
                self.reader.revisions.change(child, properties, self.part, self.para_index)
            else:
                self.record(child, "property")

    def tracked_setting(self, of: Callable[[Any], Setting]) -> Callable[[Any], Setting]:
        def tracked(rpr: Any) -> Setting:
            self.changes_in(rpr)
            return of(rpr)

        return tracked

    def mark_of(self, props: Properties) -> tuple[bool, bool]:
        """Whether the paragraph's mark is in the accepted and the original view; lists what changed about the paragraph."""
        revised = UNREVISED
        for element in props.changed:
            for child in element:
                if child.tag in CHANGES:
                    self.reader.revisions.change(child, element, self.part, self.para_index)
                elif child.tag in MARK_TYPES:
                    if element.tag == RPR:
                        revised = revised.inside(self.record(child, MARK_TYPES[child.tag]), child.tag)
                    else:
                        self.record(child, NUMBERING_TYPES.get(child.tag, "property"))
        return revised.accepted, revised.original
