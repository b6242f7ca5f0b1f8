"""What stands in a paragraph and is no text of it: equations, text boxes, pictures, shapes, embedded objects."""

from __future__ import annotations

import copy
from abc import abstractmethod
from typing import Any, Final

from fumehood_sandbox.extractors.docx.revisions import DROPPED, KEPT, RUN_TYPES, TRACKED, Revised
from fumehood_sandbox.extractors.docx.runs import RunBuilder
from fumehood_sandbox.extractors.ooxml import omml
from fumehood_sandbox.extractors.ooxml.names import OMATH, OMATH_PARA, PPR, RELATION_ID, local
from fumehood_sandbox.extractors.ooxml.tree import Parents, among, with_parents

_OMATH_PARA_PR: Final = OMATH_PARA + "Pr"


class Drawn(RunBuilder):
    """The handlers of such elements; `Inline` adds those of text."""

    __slots__ = ()

    @abstractmethod
    def children(self, element: Any) -> None:
        """Handle what stands inside *element*."""

    def equation(self, element: Any) -> None:
        if not self.story.tracked or next(among(element, TRACKED), None) is None:
            self._equation(element)
            return
        for inner, parent in with_parents(element):
            if inner.tag not in TRACKED:
                continue
            placed = local(parent) in {"rPr", "ctrlPr"}
            self.story.record(inner, "property" if placed else RUN_TYPES[inner.tag]).text = omml.plain(inner)
        outer = self.revised
        self.revised = Revised(outer.ids, outer.accepted, original=False)
        self._equation(_one_side(element, DROPPED))
        self.revised = Revised(outer.ids, accepted=False, original=outer.original)
        self._equation(_one_side(element, KEPT))
        self.revised = outer

    def _equation(self, element: Any) -> None:
        latex, text = omml.convert(element, self.story.warn)
        if not latex and not text:
            return
        run = self.special(text)
        if run is None:
            return
        run.latex = latex or None
        if latex and (run.in_accepted or not self.equations):
            self.equations.append(latex)
        for pieces in self.open:
            pieces.append(text)

    def equations_of(self, element: Any) -> None:
        for child in element:
            if child.tag == OMATH:
                self.equation(child)
            elif child.tag not in {PPR, _OMATH_PARA_PR}:
                self.children(child)

    def text_box(self, element: Any) -> None:
        self.boxes.append((element, self.revised))

    def drawn_text(self, element: Any) -> None:
        """A DrawingML text body outside a Word text box (a locked canvas, an older shape)."""
        self.boxes.append((element, self.revised))

    def word_art(self, element: Any) -> None:
        if element.get("string"):
            self.boxes.append((element, self.revised))

    def picture(self, element: Any) -> None:
        image_id = self.story.reader.objects.picture(self.story, element)
        if image_id and (run := self.special()) is not None:
            run.image_id = image_id
            self.images.append(image_id)

    def shape(self, element: Any) -> None:
        """A VML shape, which may be a link."""
        target = element.get("href")
        if target:
            self.story.reader.linked(target, internal=target.startswith("#"), where=self.story.name)
        self.children(element)

    def referred(self, element: Any) -> None:
        """A chart, a diagram."""
        self.objects.append(element)

    def ole(self, element: Any) -> None:
        self.story.reader.objects.ole(self.story, element)

    def activex(self, element: Any) -> None:
        self.story.reader.objects.control(self.story, element)

    def sub_document(self, element: Any) -> None:
        self.story.outside("sub_document", element.get(RELATION_ID))


def _one_side(element: Any, dropped: frozenset[str]) -> Any:
    """A copy of *element* without what stands in the revision elements *dropped*, and without objects left empty by that."""
    made = copy.deepcopy(element)
    made.tail = None
    parents = Parents(made)
    for revision in [inner for inner in made.iter() if inner.tag in dropped and inner is not made]:
        parent = parents.of(revision)
        if local(parent) not in {"ctrlPr", "rPr"}:
            _take_out(revision, parent)
        elif (changed := _object_of(parent, parents)) is not None and not omml.plain(changed):
            _take_out(changed, parents.of(changed))
    return made


def _take_out(element: Any, parent: Any | None) -> None:
    """Remove *element*, unless it is the whole, or gone already."""
    if parent is not None and any(child is element for child in parent):
        parent.remove(element)


def _object_of(properties: Any | None, parents: Parents) -> Any | None:
    """The object whose control character *properties* belongs to."""
    while properties is not None and local(properties).endswith("Pr"):
        properties = parents.of(properties)
    return properties
