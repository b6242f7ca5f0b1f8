"""What stands inside one ``w:p``: its text as runs, each with its setting and the views it is part of.

One pass, a dictionary from tag to handler; an element that nobody knows is looked into, so that content controls, smart
tags, custom XML, direction marks and whatever comes later are read. What opens blocks of its own (text boxes) or lists
something (images, objects, charts) is handed to the story.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from fumehood_sandbox.extractors.docx import content_controls
from fumehood_sandbox.extractors.docx.characters import Characters
from fumehood_sandbox.extractors.docx.revisions import RUN_TYPES
from fumehood_sandbox.extractors.ooxml.names import (
    ALTERNATE,
    DEL,
    ID,
    INS,
    MOVE_FROM,
    MOVE_TO,
    OMATH,
    OMATH_PARA,
    PPR,
    RELATION_ID,
    RPR,
    RUN,
    SDT,
    TXBX,
    A,
    NoteKind,
    O,
    P,
    T,
    V,
    W,
    choice,
)

Handler = Callable[["Inline", Any], None]


class Inline(Characters):
    """Reads the inside of a paragraph into runs."""

    __slots__ = ()

    def children(self, element: Any) -> None:
        """Read everything in *element*."""
        known = _HANDLERS
        for child in element:
            handler = known.get(child.tag, Inline.children)
            if handler is not None:
                handler(self, child)

    def run(self, element: Any) -> None:
        outer = self.setting
        known = _HANDLERS
        for child in element:
            tag = child.tag
            if tag == T:
                text = child.text
                if text:
                    self._text(child, text)
            elif tag == RPR:
                self.setting = self.setting_of(child)
            else:
                handler = known.get(tag, Inline.children)
                if handler is not None:
                    handler(self, child)
        self.setting = outer

    # --- revisions, fields, links, comments -------------------------------------------------------------------------

    def revision(self, element: Any) -> None:
        story, outer = self.story, self.revised
        revision = story.record(element, RUN_TYPES[element.tag])
        self.revised = outer.inside(revision, element.tag)
        pieces: list[str] = []
        self.open.append(pieces)
        self.children(element)
        self.open.pop()
        revision.text = "".join(pieces)
        self.revised = outer

    def hyperlink(self, element: Any) -> None:
        story, outer = self.story, self.story.link
        target = story.link_target(element.get(RELATION_ID), element.get(W + "anchor"))
        if target is None:
            self.children(element)
            return
        story.link = target
        pieces: list[str] = []
        self.open.append(pieces)
        self.children(element)
        self.open.pop()
        story.link = outer
        story.reader.link_text(target, story.name, "".join(pieces))

    def simple_field(self, element: Any) -> None:
        depth = self.story.begin_simple_field(element.get(W + "instr") or "")
        self.children(element)
        self.story.end_simple_field(depth)

    def field_char(self, element: Any) -> None:
        story, kind = self.story, element.get(_FIELD_KIND)
        if kind == "begin":
            story.begin_field(element)
        elif kind == "separate":
            story.separate_field(self._read_so_far())
        elif kind == "end":
            self._field_without_result(story.end_field(self._read_so_far()))
        if story.tracked:
            story.changes_in(element)

    def _field_without_result(self, ended: tuple[str, str | None] | None) -> None:
        """What a field shows that stores no result; one that shows nothing is kept as its instruction."""
        shown, says = ended or ("", None)
        if not shown and not says:
            return
        story, outer = self.story, self.story.says
        story.says = says or outer
        if shown:
            self.emit(shown)
        else:
            self.special()
        story.says = outer

    def _read_so_far(self) -> tuple[int, ...]:
        return id(self), len(self.runs), len(self.buffer)

    def control(self, element: Any) -> None:
        """A content control: what it holds, or its state where it holds no text (17.5.2)."""
        before = self._read_so_far()
        self.children(element)
        if before == self._read_so_far() and (shown := content_controls.state(element)):
            self.emit(shown)
        if content_controls.shows_prompt(element):
            self.story.prompted()

    def instruction(self, element: Any) -> None:
        self.story.instruct(element.text or "")

    def comment_start(self, element: Any) -> None:
        self.story.open_comment(element.get(ID) or "")

    def comment_end(self, element: Any) -> None:
        self.story.close_comment(element.get(ID) or "")

    def comment_reference(self, element: Any) -> None:
        self.story.refer_to_comment(element.get(ID) or "")

    def note_reference(self, element: Any) -> None:
        kind: NoteKind = "footnote" if element.tag == W + "footnoteReference" else "endnote"
        note_id = self.story.reader.note_id(kind, element.get(ID) or "")
        if note_id and (run := self.special()) is not None:
            run.note_id = note_id
            self.notes.append(note_id)

    def alternate(self, element: Any) -> None:
        picked = choice(element)
        if picked is not None:
            self.children(picked)
        self.story.skip_choices(element)


_FIELD_KIND: Final = W + "fldCharType"
_CHART_REF: Final = "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"
_CHARTEX_REF: Final = "{http://schemas.microsoft.com/office/drawing/2014/chartex}chart"
_DIAGRAM_REF: Final = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"

#: Handlers of what may stand anywhere in a paragraph; None for what is never text.
_HANDLERS: Final[dict[Any, Handler | None]] = {
    RUN: Inline.run,
    PPR: None,
    RPR: None,
    W + "proofErr": None,
    W + "bookmarkStart": None,
    W + "bookmarkEnd": None,
    W + "sdtPr": None,
    W + "sdtEndPr": None,
    W + "smartTagPr": None,
    W + "customXmlPr": None,
    W + "fldData": None,
    W + "ffData": None,
    W + "lastRenderedPageBreak": None,
    W + "annotationRef": None,
    W + "rubyPr": None,
    W + "sectPr": None,
    INS: Inline.revision,
    DEL: Inline.revision,
    MOVE_FROM: Inline.revision,
    MOVE_TO: Inline.revision,
    W + "hyperlink": Inline.hyperlink,
    W + "fldSimple": Inline.simple_field,
    W + "fldChar": Inline.field_char,
    W + "instrText": Inline.instruction,
    W + "delInstrText": Inline.instruction,
    W + "commentRangeStart": Inline.comment_start,
    W + "commentRangeEnd": Inline.comment_end,
    W + "commentReference": Inline.comment_reference,
    W + "footnoteReference": Inline.note_reference,
    W + "endnoteReference": Inline.note_reference,
    T: Inline.text,
    W + "delText": Inline.deleted_text,
    W + "tab": Inline.tab,
    W + "ptab": Inline.tab,
    W + "br": Inline.line_break,
    W + "cr": Inline.line_break,
    W + "noBreakHyphen": Inline.no_break_hyphen,
    W + "softHyphen": Inline.soft_hyphen,
    W + "sym": Inline.symbol,
    W + "ruby": Inline.ruby,
    ALTERNATE: Inline.alternate,
    SDT: Inline.control,
    OMATH: Inline.equation,
    OMATH_PARA: Inline.equations_of,
    TXBX: Inline.text_box,
    P: Inline.text_box,
    A + "p": Inline.drawn_text,
    **{V + name: Inline.shape for name in ("shape", "rect", "roundrect", "oval", "line", "group", "image", "polyline")},
    V + "textpath": Inline.word_art,
    A + "blip": Inline.picture,
    V + "imagedata": Inline.picture,
    O + "OLEObject": Inline.ole,
    W + "control": Inline.activex,
    W + "subDoc": Inline.sub_document,
    _CHART_REF: Inline.referred,
    _CHARTEX_REF: Inline.referred,
    _DIAGRAM_REF: Inline.referred,
}
