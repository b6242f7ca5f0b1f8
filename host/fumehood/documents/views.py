"""The three readings of one extraction: accepted, original, and markup with both sides.

The sandbox emits both sides of every revision and says of each run, block, paragraph mark and cell in which view it is.
`apply_view` chooses: what is left out disappears from ``blocks`` (it stays in ``revisions``), a paragraph whose mark is
left out is joined with the next paragraph of its container, deleted rows and cells are gone and the rest is renumbered.
Word's own "Accept All" and "Reject All" are the measure (docs/decisions: where Word differs from other readers).

Pure: the stored document is not changed, and serves every view.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from fumehood.documents.view_tables import TableView
from fumehood_sandbox.contract import Block, Document, ListInfo, Note, OutlineItem, Run, View

#: What a paragraph mark cannot belong to: a table, and the breaks that stand between paragraphs.
_BETWEEN: Final = frozenset({"table", "slide_break", "sheet_break", "thematic_break"})

Container = tuple[str, str | None, int | None, int | None, str | None, str | None]


def apply_view(document: Document, view: View) -> Document:
    """*document* as *view* reads it."""
    if view == "markup" or not _revised(document):
        return replace(document, view=view)
    return _Choice(document, accepted=view == "accepted").result(view)


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
    """One view of one document under construction."""

    def __init__(self, document: Document, *, accepted: bool) -> None:
        self._document = document
        self._accepted = accepted
        self._out: list[list[Block]] = []
        """What is left, in order; each the paragraphs that become one, joined only at the end: a thousand stay linear."""
        self._open: dict[Container, int] = {}
        """Where, in each container, the paragraph stands whose mark is left out."""
        self._moved: dict[str, str] = {}
        """The block that a joined one has become part of."""
        self._hosts = {c.table_id: (t, c) for t in document.tables for c in t.cells if c.table_id}

    def _in(self, item: Block | Run) -> bool:
        return item.in_accepted if self._accepted else item.in_original

    def result(self, view: View) -> Document:
        document = self._document
        dropped = self._dropped_notes(document.blocks)
        for block in document.blocks:
            if self._in(block) and (block.note_id is None or block.note_id not in dropped):
                self._take(block)
        tables = TableView(document.tables, accepted=self._accepted)
        joined = [_joined(parts) for parts in self._out if parts]
        blocks = [b for b in map(tables.placed, joined) if b is not None]
        lines = _lines(blocks)
        return replace(
            document,
            blocks=blocks,
            tables=tables.result(blocks),
            notes=[self._note(note, lines) for note in document.notes if note.id not in dropped],
            comments=[replace(c, text="\n".join(lines[c.id])) if c.id in lines else c for c in document.comments],
            outline=_outline(blocks) if document.format.family == "docx" else document.outline,
            view=view,
        )

    # --- paragraphs -------------------------------------------------------------------------------------------------

    def _take(self, block: Block) -> None:
        container = self._container(block)
        at = self._open.pop(container, None)
        if block.type in _BETWEEN:
            if at is not None and block.type == "table":
                self._leave_alone(at)
            elif at is not None:
                self._open[container] = at
            self._out.append([block])
            return
        if block.type == "page_break" and block.para_index is None:
            if at is not None:
                self._open[container] = at
            self._out.append([block])
            return
        if at is not None:
            self._out[at].append(self._chosen(block))
            self._moved[block.id] = self._out[at][0].id
        else:
            at = len(self._out)
            self._out.append([self._chosen(block)])
        if not (block.mark_in_accepted if self._accepted else block.mark_in_original):
            self._open[container] = at

    def _leave_alone(self, at: int) -> None:
        """A paragraph without its mark before a table: nothing to join it with; when it is empty it is gone."""
        if all(_empty(block) for block in self._out[at]):
            self._out[at] = []

    def _container(self, block: Block) -> Container:
        if block.type != "table":
            return block.part, block.table_id, block.row, block.col, block.note_id, block.comment_id
        host = self._hosts.get(block.table_id or "")
        if host is None:
            return block.part, None, None, None, block.note_id, block.comment_id
        table, cell = host
        return block.part, table.id, cell.row, cell.col, block.note_id, block.comment_id

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

    def _note(self, note: Note, lines: dict[str, list[str]]) -> Note:
        text = "\n".join(lines[note.id]).strip() if note.id in lines else note.text
        ref = note.ref_block_id
        return replace(note, text=text, ref_block_id=self._moved.get(ref, ref) if ref else None)


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


def _lines(blocks: Iterable[Block]) -> dict[str, list[str]]:
    """The lines of each note and comment."""
    found: dict[str, list[str]] = {}
    for block in blocks:
        owner = block.note_id or block.comment_id
        if owner is not None and block.type != "table":
            found.setdefault(owner, []).append(block.text)
    return found


def _outline(blocks: Iterable[Block]) -> list[OutlineItem]:
    return [
        OutlineItem(block.text.replace("\n", " ").strip(), block.level or 1, block.id)
        for block in blocks
        if block.type == "heading" and block.part == "body" and block.table_id is None
    ]
