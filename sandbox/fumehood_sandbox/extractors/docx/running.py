"""What runs on from paragraph to paragraph in a story: open fields, the link they give, open comment ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fumehood_sandbox.extractors.docx import fields
from fumehood_sandbox.extractors.ooxml.names import W

if TYPE_CHECKING:
    from collections import Counter

    from fumehood_sandbox.contract import Part
    from fumehood_sandbox.extractors.docx.comments import Anchor
    from fumehood_sandbox.extractors.docx.reader import Reader

_FIELD_CHAR: Final = W + "fldChar"
_FIELD_KIND: Final = W + "fldCharType"
_MOST_FIELDS: Final = 64
_MOST_RANGES: Final = 200


class Running:
    """The running state of the story *root*, in which *tags* stand, of a part called *name*."""

    def __init__(self, reader: Reader, part: Part, name: str, root: Any, tags: Counter[str]) -> None:
        self.reader = reader
        self.part: Part = part
        self.name = name
        self.para_index: int | None = None
        self.hiding = 0
        """Open fields whose instruction is being read."""
        self.link: str | None = None
        self.says: str | None = None
        """The instruction of the innermost field whose result is being read."""
        self.comment_ids: tuple[str, ...] = ()
        self.anchors: dict[str, Anchor] = {}
        self._fields: list[fields.Field] = []
        kinds = [e.get(_FIELD_KIND) for e in root.iter(_FIELD_CHAR)] if tags[_FIELD_CHAR] else []
        self.balanced = kinds.count("begin") == kinds.count("end")

    @property
    def where(self) -> str:
        """This place, for a list of what is active."""
        return f"{self.part} paragraph {self.para_index}" if self.para_index is not None else self.part

    def warn(self, code: str, message: str) -> None:
        self.reader.x.warn(code, message, where=self.part)

    # --- fields and links -------------------------------------------------------------------------------------------

    def begin_field(self, element: Any) -> None:
        if len(self._fields) < _MOST_FIELDS:
            self._fields.append(fields.Field(outer_link=self.link, shown=fields.form_field(element)))
            self.hiding += 1

    def instruct(self, text: str) -> None:
        """A piece of an instruction."""
        if self._fields and not self._fields[-1].in_result:
            self._fields[-1].instruction.append(text)

    def separate_field(self, at: tuple[int, ...]) -> None:
        """The result follows; *at* says how much has been read."""
        if self._fields and not self._fields[-1].in_result:
            self._fields[-1].in_result = True
            self._fields[-1].begun_at = at
            self.hiding -= 1
            self._result_of(self._fields[-1], "".join(self._fields[-1].instruction))

    def begin_simple_field(self, instruction: str) -> int:
        """Open a field whose result is the inside of one element; the depth to `end_simple_field` with."""
        depth = len(self._fields)
        if depth < _MOST_FIELDS and not self.hiding:
            self._fields.append(fields.Field(in_result=True, outer_link=self.link))
            self._result_of(self._fields[-1], instruction)
        return depth

    def end_simple_field(self, depth: int) -> None:
        """Close it, and what was begun in it and has no end."""
        for field in reversed(self._fields[depth:]):
            self.link = field.outer_link
            self.hiding -= not field.in_result
        del self._fields[depth:]
        self.says = self._innermost()

    def end_field(self, at: tuple[int, ...]) -> tuple[str, str | None] | None:
        """Close a field; what one without a result shows, and its instruction. *at* as for `separate_field`."""
        if not self._fields:
            return None
        field = self._fields.pop()
        self.link = field.outer_link
        self.says = self._innermost()
        if field.in_result:
            return (field.shown, field.says) if field.shown and field.begun_at == at else None
        self.hiding -= 1
        instruction = "".join(field.instruction)
        parts = fields.words(instruction)
        self._reach(parts)
        return field.shown or fields.button_text(parts) or "", fields.kept(instruction)

    def _result_of(self, field: fields.Field, instruction: str) -> None:
        """The *instruction* is whole and its result follows."""
        field.says = fields.kept(instruction)
        self.says = self._innermost()
        self.instruction(instruction)

    def _innermost(self) -> str | None:
        return next((field.says for field in reversed(self._fields) if field.says), None)

    def drop_open_instructions(self) -> None:
        """In a part whose field marks do not pair, an instruction ends with its paragraph: no text is swallowed."""
        kept = [f for f in self._fields if f.in_result]
        if len(kept) != len(self._fields):
            self.warn("field-unclosed", "a field has no end")
        self._fields, self.hiding = kept, 0
        self.says = self._innermost()

    def instruction(self, text: str) -> None:
        """A whole instruction whose result follows."""
        parts = fields.words(text)
        if parts and parts[0].upper() == "HYPERLINK":
            target = fields.hyperlink(parts)
            if target:
                self.link = target
                self.reader.linked(target, internal=target.startswith("#"), where=self.name)
            return
        self._reach(parts)

    def _reach(self, parts: list[str]) -> None:
        found = fields.reaching(parts)
        if found:
            self.reader.active(found[0], self.where, found[1])

    def link_target(self, relation_id: str | None, anchor: str | None) -> str | None:
        """What a ``w:hyperlink`` points to, listed as inert data."""
        target = ""
        if relation_id:
            relation = self.reader.package.relationships(self.name).get(relation_id)
            target = relation.target if relation is not None else ""
        target = f"{target}#{anchor}" if anchor else target
        if target:
            self.reader.linked(target, internal=target.startswith("#"), where=self.name)
        return target or None

    # --- comment ranges ----------------------------------------------------------------------------------------------

    def open_comment(self, source_id: str) -> None:
        anchor = self.reader.comments.anchor(source_id, self.para_index)
        if anchor is not None and source_id not in self.anchors and len(self.anchors) < _MOST_RANGES:
            self.anchors[source_id] = anchor
            self.comment_ids = tuple(a.comment_id for a in self.anchors.values())

    def close_comment(self, source_id: str) -> None:
        if self.anchors.pop(source_id, None) is not None:
            self.comment_ids = tuple(a.comment_id for a in self.anchors.values())

    def refer_to_comment(self, source_id: str) -> None:
        self.reader.comments.anchor(source_id, self.para_index)

    def anchored(self, text: str, accepted: bool) -> None:
        """Text inside the open comment ranges."""
        for anchor in self.anchors.values():
            anchor.add(text, accepted=accepted)
