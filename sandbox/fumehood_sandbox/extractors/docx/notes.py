"""Footnotes and endnotes: each one's text as blocks of its own and in the list of notes, with the block that refers to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fumehood_sandbox.contract import Note
from fumehood_sandbox.extractors.docx.story import Story
from fumehood_sandbox.extractors.ooxml.names import ID, TYPE, NoteKind, T, W
from fumehood_sandbox.extractors.ooxml.tree import Parents

if TYPE_CHECKING:
    from fumehood_sandbox.extractors.docx.reader import Reader

_RELATION: Final = {"footnote": "footnotes", "endnote": "endnotes"}


class Notes:
    """The notes of one kind."""

    def __init__(self, reader: Reader, kind: NoteKind) -> None:
        self._reader = reader
        self._kind: NoteKind = kind
        self._name = reader.package.related(reader.main, _RELATION[kind])
        root = reader.package.optional_xml(self._name)
        found = [] if root is None else root.findall(W + kind)
        self._parents = Parents(root)
        self._elements = [e for e in found if (e.get(TYPE) or "normal") == "normal"]
        self._between = [e for e in found if (e.get(TYPE) or "normal") != "normal"]
        """Separators and notices (17.11.23): no notes, but an author may have written in them."""
        self.count = len(self._elements)
        self._ids: dict[str, str] = {}
        self._known = {e.get(ID) or "" for e in self._elements}

    def note_id(self, source_id: str) -> str | None:
        """Our id of the note that the text refers to as *source_id*, numbered in the order of reference."""
        if source_id not in self._known:
            return None
        if source_id not in self._ids:
            self._ids[source_id] = self._reader.x.next_id("n")
        return self._ids[source_id]

    def read(self) -> None:
        """Emit the notes: those referred to in their order, then the rest."""
        reader = self._reader
        order = {source: at for at, source in enumerate(self._ids)}
        elements = sorted(self._elements, key=lambda e: order.get(e.get(ID) or "", len(order)))
        for element in elements:
            note_id = self.note_id(element.get(ID) or "") or ""
            story = Story(reader, self._kind, self._name or "", element, note_id=note_id, parents=self._parents)
            text = story.said(element).strip()
            reader.x.add("notes", Note(note_id, self._kind, text, reader.note_blocks.get(note_id)))
            reader.flush()
        for element in self._between:
            if any(t.text for t in element.iter(T)):
                Story(reader, self._kind, self._name or "", element, parents=self._parents).contained(element)
                reader.flush()
