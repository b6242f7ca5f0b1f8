"""What stands inside one ``w:p``: its text as runs, each with its setting and the views it is part of.

One pass, a dictionary from tag to handler; an element that nobody knows is looked into, so that content controls, smart
tags, custom XML, direction marks and whatever comes later are read. What opens blocks of its own (text boxes) or lists
something (images, objects, charts) is handed to the story.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from fumehood_sandbox.extractors.docx.drawn import Drawn
from fumehood_sandbox.extractors.docx.revisions import RUN_TYPES, Revised
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
    SPACE,
    TXBX,
    TYPE,
    A,
    NoteKind,
    O,
    P,
    V,
    W,
    choice,
)
from fumehood_sandbox.extractors.ooxml.symbol_fonts import symbol

Handler = Callable[["Inline", Any], None]

_BLANK: Final = " \t\r\n"
_STYLE: Final = W + "rStyle"


class Inline(Drawn):
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
            if tag == _T:
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

    def text(self, element: Any) -> None:
        """A ``w:t`` outside a run."""
        if element.text:
            self._text(element, element.text)

    def _text(self, element: Any, text: str) -> None:
        if (text[0] in _BLANK or text[-1] in _BLANK) and element.get(SPACE) != "preserve" and not self._preserved(element):
            text = text.strip(_BLANK)  # as Word reads it without xml:space
        if "\n" in text or "\r" in text:
            text = text.replace("\r\n", " ").replace("\n", " ").replace("\r", " ")
        if text:
            self.emit(text)

    def _preserved(self, element: Any) -> bool:
        """Whether ``xml:space="preserve"`` holds for *element*."""
        around: Any | None = element
        while around is not None:
            value = around.get(SPACE)
            if value is not None:
                return bool(value == "preserve")
            around = self.story.parents.of(around)
        return False

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
        outer = self.story.link
        self.story.instruction(element.get(W + "instr") or "")
        self.children(element)
        self.story.link = outer

    def field_char(self, element: Any) -> None:
        story, kind = self.story, element.get(_FIELD_KIND)
        if kind == "begin":
            story.begin_field(element)
        elif kind == "separate":
            story.separate_field()
        elif kind == "end":
            shown = story.end_field()
            if shown:
                self.emit(shown)
        if story.tracked:
            story.changes_in(element)

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

    # --- characters -------------------------------------------------------------------------------------------------

    def deleted_text(self, element: Any) -> None:
        text = element.text
        if not text:
            return
        if self.revised.accepted:  # outside a deletion: Word does not show it
            outer = self.revised
            self.revised = Revised(outer.ids, accepted=False, original=outer.original)
            self._text(element, text)
            self.revised = outer
        else:
            self._text(element, text)

    def tab(self, _element: Any) -> None:
        self.emit("\t")

    def line_break(self, element: Any) -> None:
        if element.get(TYPE) != "page" or self.story.hiding:
            self.emit("\n")
        elif self.words or any(not piece.isspace() for piece in self.buffer):
            self.break_after = self.revised
        else:
            self.break_before = self.revised

    def no_break_hyphen(self, _element: Any) -> None:
        self.emit("\u2011")

    def soft_hyphen(self, _element: Any) -> None:
        self.emit("\u00ad")

    def symbol(self, element: Any) -> None:
        try:
            code = int(element.get(W + "char") or "", 16)
        except ValueError:
            return
        text = symbol(code, element.get(W + "font") or "") if 0 < code < 0x110000 else ""
        if text:
            self.emit(text)

    def ruby(self, element: Any) -> None:
        """The base text, its reading in brackets after it."""
        base, reading = element.find(W + "rubyBase"), element.find(W + "rt")
        if base is not None:
            self.children(base)
        if reading is not None and any(t.text for t in reading.iter(_T)):
            self.emit("(")
            self.children(reading)
            self.emit(")")

    def alternate(self, element: Any) -> None:
        picked = choice(element)
        if picked is not None:
            self.children(picked)
        self.story.skip_choices(element)


_T: Final = W + "t"
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
    _T: Inline.text,
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
    W + "control": Inline.control,
    W + "subDoc": Inline.sub_document,
    _CHART_REF: Inline.referred,
    _CHARTEX_REF: Inline.referred,
    _DIAGRAM_REF: Inline.referred,
}
