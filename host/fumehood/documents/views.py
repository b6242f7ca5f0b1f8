"""The three readings of one extraction: accepted, original, and markup with both sides.

The sandbox emits both sides of every revision and says of each run, block, paragraph mark and cell in which view it is.
`apply_view` chooses: what is left out disappears from ``blocks`` (it stays in ``revisions``), a paragraph whose mark is
left out is joined with the next paragraph of its container, deleted rows and cells are gone and the rest is renumbered.
Word's own "Accept All" and "Reject All" are the measure (docs/decisions: where Word differs from other readers).

Pure: the stored document is not changed, and serves every view.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, MutableSequence
from dataclasses import replace
from typing import Final, TypeVar

from fumehood.documents.lazy import Lazy, Mapped, as_list
from fumehood.documents.view_tables import TableView
from fumehood_sandbox.contract import Attachment, Block, Comment, Document, ListInfo, Note, OutlineItem, Run, Table, View

#: What a paragraph mark cannot belong to: a table, and the breaks that stand between paragraphs.
_BETWEEN: Final = frozenset({"table", "slide_break", "sheet_break", "thematic_break"})

T = TypeVar("T")
Places = MutableSequence[int]
Container = tuple[str, str | None, int | None, int | None, str | None, str | None]


def apply_view(document: Document, view: View) -> Document:
    """*document* as *view* reads it, and the documents in it."""
    if view == "markup" or not _revised(document):
        return replace(document, view=view, attachments=_attachments(document, view))
    return _Choice(document, accepted=view == "accepted").result(view)


def _attachments(document: Document, view: View) -> list[Attachment]:
    """The attachments of *document*, each document in them as *view* reads it."""
    attached = document.attachments

    def viewed(number: int) -> Attachment:
        one = attached[number]
        return one if one.document is None else replace(one, document=apply_view(one.document, view))

    if isinstance(attached, Lazy):
        return as_list(Mapped(len(attached), viewed))
    return [viewed(number) for number in range(len(attached))]


def _revised(document: Document) -> bool:
    """Whether the views of *document* can differ at all."""
    told = getattr(document.blocks, "revised", None)  # of a long document it was found when its blocks came
    if told is not None:
        return bool(document.revisions) or told
    return bool(document.revisions) or any(
        not (block.in_accepted and block.in_original and block.mark_in_accepted and block.mark_in_original)
        or any(not (run.in_accepted and run.in_original) for run in block.runs)
        for block in document.blocks
    )


class _Choice:
    """One view of one document under construction.

    Two walks over the blocks find out which are left, which become one and where they stand; what comes of it are places
    in the stored blocks. A paragraph is made of them when it is asked for: of a short document at once.
    """

    def __init__(self, document: Document, *, accepted: bool) -> None:
        self._document = document
        self._accepted = accepted
        self._firsts: Places = array("I")
        """What is left, in order: the place of each paragraph's first block."""
        self._more: dict[int, list[int]] = {}
        """By their number among those, the places of further blocks that become one with them."""
        self._gone: set[int] = set()
        self._open: dict[Container, tuple[int, bool]] = {}
        """Which paragraph, in each container, stands without its mark, and whether it is empty so far."""
        self._moved: dict[str, str] = {}
        """The block that a joined one has become part of."""
        self._tables = TableView(document.tables, accepted=accepted)
        self._hosts = {c.table_id: (t.id, c.row, c.col) for t in document.tables for c in t.cells if c.table_id}
        self._numbers: Places = array("I")
        """The numbers of the paragraphs that are left when all is known."""

    def _in(self, item: Block | Run) -> bool:
        return item.in_accepted if self._accepted else item.in_original

    def result(self, view: View) -> Document:
        document = self._document
        dropped = self._dropped_notes(document.blocks)
        for place, block in enumerate(document.blocks):
            if self._in(block) and (block.note_id is None or block.note_id not in dropped):
                self._take(place, block)
        self._numbers = array("I", (n for n in range(len(self._firsts)) if n not in self._gone))
        long = isinstance(document.blocks, Lazy)
        blocks = self._sequence(len(self._numbers), self._block, long=long)
        lines: dict[str, Places] = {}
        in_tables: dict[str, Places] = {}
        headings: Places = array("I")
        for number, block in enumerate(blocks):
            owner = block.note_id or block.comment_id
            if block.type != "table":
                if owner is not None:
                    lines.setdefault(owner, array("I")).append(number)
                if block.table_id and block.row is not None and block.col is not None:
                    in_tables.setdefault(block.table_id, array("I")).append(number)
            if block.type == "heading" and block.part == "body" and block.table_id is None:
                headings.append(number)

        def at(numbers: Places | None) -> Iterator[Block]:
            return (blocks[number] for number in numbers or ())

        def table(number: int) -> Table:
            return self._tables.table(number, at(in_tables.get(self._tables.left[number])))

        kept = array("I", (n for n, note in enumerate(document.notes) if note.id not in dropped))
        notes, comments = document.notes, document.comments
        return replace(
            document,
            blocks=blocks,
            tables=self._sequence(len(self._tables.left), table, long=long),
            notes=self._sequence(len(kept), lambda n: self._note(notes[kept[n]], at(lines.get(notes[kept[n]].id))), long=long),
            comments=self._sequence(len(comments), lambda n: _comment(comments[n], at(lines.get(comments[n].id))), long=long),
            outline=self._sequence(len(headings), lambda n: _heading(blocks[headings[n]]), long=long)
            if document.format.family == "docx"
            else document.outline,
            attachments=_attachments(document, view),
            view=view,
        )

    @staticmethod
    def _sequence(length: int, make: Callable[[int], T], *, long: bool) -> list[T]:
        return as_list(Mapped(length, make)) if long else [make(number) for number in range(length)]

    # --- paragraphs -------------------------------------------------------------------------------------------------

    def _take(self, place: int, block: Block) -> None:
        container = self._container(block)
        standing = self._open.pop(container, None)
        between = block.type in _BETWEEN or (block.type == "page_break" and block.para_index is None)
        if between:
            if standing is not None and block.type == "table":
                if standing[1]:  # nothing to join it with; when it is empty it is gone
                    self._gone.add(standing[0])
            elif standing is not None:
                self._open[container] = standing
            self._begin(place, block)
            return
        if standing is not None:
            number, empty = standing
            self._more.setdefault(number, []).append(place)
            self._moved[block.id] = self._document.blocks[self._firsts[number]].id
        else:
            number, empty = self._begin(place, block), True
        if not (block.mark_in_accepted if self._accepted else block.mark_in_original):
            self._open[container] = (number, empty and _empty(self._chosen(block)))

    def _begin(self, place: int, block: Block) -> int:
        number = len(self._firsts)
        self._firsts.append(place)
        if self._tables.placed(block) is None:
            self._gone.add(number)
        return number

    def _block(self, number: int) -> Block:
        number = self._numbers[number]
        places = [self._firsts[number], *self._more.get(number, ())]
        blocks = [self._document.blocks[place] for place in places]
        joined = _joined([block if block.type in _BETWEEN else self._chosen(block) for block in blocks])
        placed = self._tables.placed(joined)
        assert placed is not None
        return placed

    def _container(self, block: Block) -> Container:
        if block.type != "table":
            return block.part, block.table_id, block.row, block.col, block.note_id, block.comment_id
        table_id, row, col = self._hosts.get(block.table_id or "", (None, None, None))
        return block.part, table_id, row, col, block.note_id, block.comment_id

    def _chosen(self, block: Block) -> Block:
        """*block* with the runs of this view."""
        label = block.list
        if label is not None and not self._accepted and label.original_label is not None:
            label = ListInfo(label.depth, label.ordered, label.original_label)
        runs = [run for run in block.runs if self._in(run)]
        if len(runs) == len(block.runs):
            return block if label is block.list else replace(block, list=label)
        return _settled(replace(block, text="".join([run.text for run in runs]), runs=runs, list=label))

    # --- what follows from the blocks -------------------------------------------------------------------------------

    def _dropped_notes(self, blocks: Iterable[Block]) -> set[str]:
        """Notes whose every reference this view leaves out: they go with it, as in Word."""
        kept: set[str] = set()
        gone: set[str] = set()
        for block in blocks:
            for run in block.runs:
                if run.note_id:
                    (kept if self._in(block) and self._in(run) else gone).add(run.note_id)
        return gone - kept

    def _note(self, note: Note, blocks: Iterator[Block]) -> Note:
        lines = [block.text for block in blocks]
        text = "\n".join(lines).strip() if lines else note.text
        ref = note.ref_block_id
        return replace(note, text=text, ref_block_id=self._moved.get(ref, ref) if ref else None)


def _comment(comment: Comment, blocks: Iterator[Block]) -> Comment:
    lines = [block.text for block in blocks]
    return replace(comment, text="\n".join(lines)) if lines else comment


def _heading(block: Block) -> OutlineItem:
    return OutlineItem(block.text.replace("\n", " ").strip(), block.level or 1, block.id)


def _empty(block: Block) -> bool:
    return not block.text and not block.runs


def _joined(parts: list[Block]) -> Block:
    """Paragraphs as one: at the first's place, with the properties of the first that has any content."""
    first = parts[0]
    if len(parts) == 1:
        return first
    base = next((block for block in parts if not _empty(block)), parts[-1])
    runs = [run for block in parts for run in _as_runs(block)] if any(block.runs for block in parts) else []
    text = "".join([block.text for block in parts])
    return _settled(replace(base, id=first.id, para_index=first.para_index, text=text, runs=runs))


def _as_runs(block: Block) -> list[Run]:
    if block.runs or not block.text:
        return block.runs
    return [Run(block.text, hidden=block.hidden)]


def _settled(block: Block) -> Block:
    """*block* with its type and its ``hidden`` as the text that is left asks for."""
    if block.runs:
        shown = [run for run in block.runs if run.text.strip() or run.image_id]
        hidden = all(run.hidden for run in shown)
        block.hidden = shown[0].hidden if shown and hidden else None
    images = [run.image_id for run in block.runs if run.image_id]
    equations = [run.latex for run in block.runs if run.latex]
    words = any(run.text.strip() for run in block.runs if not run.latex) if block.runs else bool(block.text.strip())
    block.latex = " ".join(equations) or None
    if block.type == "heading" and not words:
        block.type, block.level = "paragraph", None
    elif block.type in {"image", "equation", "paragraph"}:
        block.type = "paragraph" if words else "equation" if equations else "image" if images else "paragraph"
        block.image_id = images[0] if block.type == "image" else None
    return block
