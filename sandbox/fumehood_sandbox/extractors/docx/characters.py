"""The characters of a paragraph: text, tabs, breaks, hyphens, symbols, ruby."""

from __future__ import annotations

from typing import Any, Final

from fumehood_sandbox.extractors.docx.drawn import Drawn
from fumehood_sandbox.extractors.docx.revisions import Revised
from fumehood_sandbox.extractors.ooxml.names import SPACE, TYPE, T, W
from fumehood_sandbox.extractors.ooxml.symbol_fonts import symbol

_BLANK: Final = " \t\r\n"


class Characters(Drawn):
    """The handlers of such elements; `Inline` adds those of what stands around them."""

    __slots__ = ()

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
        if reading is not None and any(t.text for t in reading.iter(T)):
            self.emit("(")
            self.children(reading)
            self.emit(")")
