"""One story of the document (body, header, note, comment): its blocks in reading order.

A story keeps what runs on from paragraph to paragraph: open fields and links, comment ranges, the list a deleted
paragraph mark joins. Text boxes become blocks of their own after their host and are numbered where they stand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from fumehood_sandbox.contract import Block, Part
from fumehood_sandbox.extractors.docx.content_controls import shows_prompt
from fumehood_sandbox.extractors.docx.counts import tally
from fumehood_sandbox.extractors.docx.inline import Inline
from fumehood_sandbox.extractors.docx.kinds import settle
from fumehood_sandbox.extractors.docx.objects import box_fill
from fumehood_sandbox.extractors.docx.paragraphs import CONTAINERS, Properties, last_block, read_properties
from fumehood_sandbox.extractors.docx.revisions import ALL, RUN_TYPES, UNREVISED, Revised
from fumehood_sandbox.extractors.docx.tables import TableReader
from fumehood_sandbox.extractors.docx.tracking import Tracking
from fumehood_sandbox.extractors.ooxml.names import (
    ALTERNATE,
    CHOICE,
    OMATH,
    OMATH_PARA,
    PPR,
    RELATION_ID,
    SDT,
    TBL,
    A,
    P,
    V,
    W,
    choice,
)
from fumehood_sandbox.extractors.ooxml.tree import Parents

if TYPE_CHECKING:
    from collections import Counter

    from fumehood_sandbox.extractors.docx.reader import Reader


class Story(Tracking):
    """Reads one part, or one note or comment of a part, into blocks.

    *name* is the package part whose relationships hold here; *indexed* stories (the body) number their paragraphs. *tags* is the
    tally of *root*, *parents* those of the whole part, where they are at hand.
    """

    def __init__(
        self,
        reader: Reader,
        part: Part,
        name: str,
        root: Any,
        *,
        note_id: str | None = None,
        comment_id: str | None = None,
        indexed: bool = False,
        tags: Counter[str] | None = None,
        parents: Parents | None = None,
    ) -> None:
        tags = tally(root) if tags is None else tags
        super().__init__(reader, part, name, root, tags)
        self.parents = Parents(root) if parents is None else parents
        self.container = root
        """The innermost element around, in which paragraphs can be joined."""
        self.note_id = note_id
        self.comment_id = comment_id
        self.indexed = indexed
        self.tracked = not ALL.isdisjoint(tags)
        self._last: dict[Any, Any] = {}
        self.lines: list[str] = []
        """The text of every paragraph of the container at hand: a cell's, a note's."""
        self._heard: list[str] | None = None
        self.table: tuple[str, int, int] | None = None
        self.nested: str | None = None
        self.fill: str | None = None
        self.joined = [False, False]
        self.unseen: str | None = None
        """Why nobody who looks at the document sees anything of this story."""

    # --- blocks -----------------------------------------------------------------------------------------------------

    def blocks(self, container: Any, revised: Revised = UNREVISED) -> None:
        """Read every block in *container*."""
        outer = self.container
        if container.tag in CONTAINERS:
            self.container = container
        known = _BLOCKS
        for child in container:
            handler = known.get(child.tag, Story.blocks)
            if handler is not None:
                handler(self, child, revised)
        self.container = outer

    def block(self, element: Any, revised: Revised = UNREVISED) -> None:
        """Read one block, or what *element* holds of them."""
        handler = _BLOCKS.get(element.tag, Story.blocks)
        if handler is not None:
            handler(self, element, revised)

    def contained(self, container: Any, revised: Revised = UNREVISED) -> list[str]:
        """Read *container* as one with an end of its own; the text of its paragraphs."""
        outer, joined, around = self.lines, self.joined, self.container
        self.lines, self.joined, self.container = [], [False, False], container
        if container.tag == P:
            self.paragraph(container, revised)
        else:
            self.blocks(container, revised)
        lines = self.lines
        self.lines, self.joined, self.container = outer, joined, around
        return lines

    def said(self, root: Any) -> str:
        """Read *root*, a note or comment; every paragraph in it, those of tables too, as one text."""
        self._heard = []
        self.contained(root)
        return "\n".join(self._heard)

    def paragraph(self, p: Any, revised: Revised = UNREVISED) -> None:
        reader = self.reader
        index = self.para_index = reader.next_index() if self.indexed else None
        ppr = p.find(PPR)
        props = read_properties(ppr, reader.styles) if ppr is not None else reader.no_properties
        marks = self.mark_of(props) if self.tracked and ppr is not None else (True, True)
        if ppr is not None and props.section is not None:
            reader.section(props.section)
        looks = reader.looks(props.style, props.fill or self.fill)
        inline = Inline(self, looks.default, self.tracked_setting(looks.of) if self.tracked else looks.of, UNREVISED)
        inline.children(p)
        self._finish(p, inline, props, index, revised, marks)

    def _finish(
        self, p: Any, inline: Inline, props: Properties, index: int | None, revised: Revised, marks: tuple[bool, bool]
    ) -> None:
        reader, text = self.reader, inline.finish()
        if not self.balanced:
            self.drop_open_instructions()
        if not (marks[0] and marks[1]) and self._is_last(p):
            marks = (True, True)  # the last mark of a cell, a note, the body cannot go
        table_id, row, col = self.table or _NO_TABLE
        style = props.style.name or None if props.style is not None else None
        block = Block(
            reader.x.next_id("b"), "paragraph", text, self.part, para_index=index, style=style, table_id=table_id, row=row, col=col,
            note_id=self.note_id, comment_id=self.comment_id, runs=inline.runs, in_accepted=revised.accepted,
            in_original=revised.original, mark_in_accepted=marks[0], mark_in_original=marks[1],
        )  # fmt: skip
        settle(self, block, inline, props)
        if self.unseen is not None and text:
            block.hidden = self.unseen
        if inline.break_before is not None and text:
            self._page_break(inline.break_before)
        self.lines.append(text)
        if self._heard is not None:
            self._heard.append(text)
        reader.emit(block)
        if inline.break_after is not None and text:
            self._page_break(inline.break_after)
        for note_id in inline.notes:
            reader.note_blocks.setdefault(note_id, block.id)
        for anchor in self.anchors.values():
            anchor.add("\n", accepted=True)
        for element, state in inline.boxes:
            self._box(element, Revised((), revised.accepted and state.accepted, revised.original and state.original))
        for element in inline.objects:
            reader.objects.referred(self, element)

    def _is_last(self, p: Any) -> bool:
        """Whether *p* is the last block of what it stands in."""
        if self.container not in self._last:
            self._last[self.container] = last_block(self.container)
        return self._last[self.container] is p

    def _place(self, block: Block) -> None:
        block.note_id, block.comment_id = self.note_id, self.comment_id
        if self.table is not None:
            block.table_id, block.row, block.col = self.table

    def _page_break(self, revised: Revised) -> None:
        block = Block(self.reader.x.next_id("b"), "page_break", "", self.part)
        block.in_accepted, block.in_original = revised.accepted, revised.original
        self._place(block)
        self.reader.emit(block)

    def _box(self, element: Any, revised: Revised) -> None:
        """A text box, or text in a drawing, as blocks after its host."""
        outer = self.part, self.table, self.fill, self.para_index, self._fields, self.hiding, self.link, self.says
        if self.part == "body":
            self.part = "textbox"
        self.table, self._fields, self.hiding, self.link, self.says = None, [], 0, None, None
        if element.tag == A + "p":
            self.line("".join([t.text or "" for t in element.iter(A + "t")]), revised)
        elif element.tag == V + "textpath":
            self.line(element.get("string") or "", revised)
        else:
            self.fill = box_fill(element, self.parents)
            self.contained(element, revised)
        self.part, self.table, self.fill, self.para_index, self._fields, self.hiding, self.link, self.says = outer

    def line(self, text: str, revised: Revised = UNREVISED, part: Part | None = None) -> None:
        """One paragraph that is no ``w:p``: a line of a drawing, a chart, a diagram."""
        if not text.strip():
            return
        block = Block(self.reader.x.next_id("b"), "paragraph", text, part or self.part)
        block.in_accepted, block.in_original = revised.accepted, revised.original
        block.note_id, block.comment_id = self.note_id, self.comment_id
        self.reader.emit(block)

    def read_table(self, element: Any, revised: Revised = UNREVISED) -> None:
        TableReader(self, element, revised).read()

    def content_control(self, element: Any, revised: Revised) -> None:
        self.blocks(element, revised)
        if shows_prompt(element):
            self.prompted()

    def prompted(self) -> None:
        """A content control shows its prompt."""
        self.warn("content-control-empty", "a content control shows its prompt: nothing was filled in")

    def alternate(self, element: Any, revised: Revised) -> None:
        picked = choice(element)
        if picked is not None:
            self.blocks(picked, revised)
        self.skip_choices(element)

    def revised_blocks(self, element: Any, revised: Revised) -> None:
        """A revision around whole blocks: not in the schema, but written."""
        revision = self.record(element, RUN_TYPES[element.tag])
        self.blocks(element, revised.inside(revision, element.tag))

    def section(self, element: Any, _revised: Revised) -> None:
        self.reader.section(element)
        if self.tracked:
            self.changes_in(element)

    def alt_chunk(self, element: Any, revised: Revised) -> None:
        self.reader.objects.alt_chunk(self, element.get(RELATION_ID), revised)

    def sub_document(self, element: Any, _revised: Revised) -> None:
        self.outside("sub_document", element.get(RELATION_ID))

    def loose_equation(self, element: Any, revised: Revised) -> None:
        """An equation between paragraphs."""
        looks = self.reader.looks(None, None)
        inline = Inline(self, looks.default, looks.of, UNREVISED)
        (inline.equations_of if element.tag == OMATH_PARA else inline.equation)(element)
        self._finish(element, inline, Properties(), None, revised, (True, True))

    def comment_start(self, element: Any, _revised: Revised) -> None:
        """A comment range that begins between paragraphs stands at the next one."""
        if self.indexed:
            self.para_index = self.reader.upcoming
        self.open_comment(element.get(W + "id") or "")

    def comment_end(self, element: Any, _revised: Revised) -> None:
        self.close_comment(element.get(W + "id") or "")

    def skip_choices(self, alternate: Any) -> None:
        """Count the paragraphs of further choices, which are not read, so that positions stay those of the source."""
        for extra in alternate.findall(CHOICE)[1:]:
            if self.indexed:
                for _ in extra.iter(P):
                    self.reader.next_index()

    def outside(self, kind: str, relation_id: str | None) -> None:
        """List a reference to outside that this part would load."""
        self.reader.objects.outside(self.name, kind, relation_id)


_NO_TABLE: Final = (None, None, None)
Handler = Callable[[Story, Any, Revised], None]
_BLOCKS: Final[dict[Any, Handler | None]] = {
    P: Story.paragraph,
    TBL: Story.read_table,
    SDT: Story.content_control,
    W + "tcPr": None,
    W + "sdtPr": None,
    W + "sdtEndPr": None,
    W + "customXmlPr": None,
    W + "bookmarkStart": None,
    W + "bookmarkEnd": None,
    W + "proofErr": None,
    ALTERNATE: Story.alternate,
    W + "sectPr": Story.section,
    W + "altChunk": Story.alt_chunk,
    W + "subDoc": Story.sub_document,
    OMATH: Story.loose_equation,
    OMATH_PARA: Story.loose_equation,
    W + "commentRangeStart": Story.comment_start,
    W + "commentRangeEnd": Story.comment_end,
    **dict.fromkeys(RUN_TYPES, Story.revised_blocks),
}
