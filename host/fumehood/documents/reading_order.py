"""A document as a flat sequence of things to show: the order that all three renderers share.

Body, text boxes, charts and notes of slides stand where the document has them; headers, footers, foot- and endnotes and
comments follow at the end, then what is attached. Everything here comes from outside: numbers are never counted up to, only what is there is
walked, and references that lead in a circle end.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Final

from fumehood.documents.listings import listings
from fumehood.documents.lookup import by_id
from fumehood.documents.naming import image_file_names
from fumehood.documents.nodes import AttachmentNode, CommentNode, Head, Label, Node, NoteNode, SlideNode, TableNode
from fumehood_sandbox.contract import Block, Document, Image, Note, Slide, Table

#: Parts that are gathered at the end, in this order, and the labels that they stand under.
_AT_THE_END: Final = {"header": "Header", "footer": "Footer", "glossary": "Building blocks"}
_NOTE_PARTS: Final = ("footnote", "endnote", "comment")
#: Parts that stand in place, under a label.
_LABELLED: Final = {"textbox": "Text box", "chart": "Chart", "smartart": "Diagram", "notes": "Notes"}
#: The placeholder for a slide's number, which its heading says.
_SLIDE_NUMBER: Final = "sldNum"
_MAX_NESTING: Final = 16
_TABLES_HELD: Final = 2 * _MAX_NESTING

Positions = MutableSequence[int]
"""Places in ``document.blocks``: a long document's blocks are looked up again, not held."""


@dataclass(slots=True)
class Reading:
    """An index over *document* and its nodes in order. *image_folder* stands before the name of each image's file.

    *within* is the label of the attachment that the document is, "" for the outermost. Images of an attachment are no files.
    """

    document: Document
    image_folder: str = ""
    within: str = ""
    tables: Mapping[str, Table] = field(init=False)
    images: Mapping[str, Image] = field(init=False)
    image_names: dict[str, str] = field(init=False)
    note_labels: dict[str, str] = field(init=False)
    _nested: dict[str, tuple[str, int, int]] = field(init=False)
    """The cell that each nested table stands in."""
    _in_tables: dict[str, Positions] = field(init=False)
    _by_cell: OrderedDict[str, dict[tuple[int, int], list[Block]]] = field(default_factory=OrderedDict, init=False)
    _gathered: dict[str, Positions] = field(init=False)

    def __post_init__(self) -> None:
        document = self.document
        self.tables = by_id(document.tables)
        self.images = by_id(document.images)
        names = {} if self.within else image_file_names(document.images)
        self.image_names = {key: self.image_folder + name for key, name in names.items()}
        self.note_labels = _note_labels(document.notes, self.within)
        self._gathered = {}
        self._place_cells()

    def _place_cells(self) -> None:
        """Find out which blocks stand in which table, nested tables among them."""
        tables = self.document.tables
        self._nested = {cell.table_id: (t.id, cell.row, cell.col) for t in tables for cell in t.cells if cell.table_id}
        self._in_tables = {}
        if not self.tables:
            return
        for position, block in enumerate(self.document.blocks):
            table_id = block.table_id
            if table_id is None or table_id not in self.tables:
                continue
            if block.type == "table":
                place = self._nested.get(table_id)
                if place is not None:
                    self._in_tables.setdefault(place[0], array("I")).append(position)
            elif block.row is not None and block.col is not None:
                self._in_tables.setdefault(table_id, array("I")).append(position)

    def blocks_in(self, table: Table, row: int, col: int) -> list[Block]:
        """The blocks that stand in that cell of *table*. Those of a few tables are held at a time."""
        of_table = self._by_cell.get(table.id)
        if of_table is None:
            of_table = self._by_cell[table.id] = {}
            for block in self._at(self._in_tables.get(table.id)):
                inner = block.type == "table"
                place = self._nested[block.table_id or ""][1:] if inner else (block.row or 0, block.col or 0)
                of_table.setdefault(place, []).append(block)
            if len(self._by_cell) > _TABLES_HELD:
                self._by_cell.popitem(last=False)
        return of_table.get((row, col), [])

    def _at(self, positions: Positions | None) -> Iterator[Block]:
        blocks = self.document.blocks
        return (blocks[position] for position in positions or ())

    def nested_tables(self, table: Table, depth: int) -> dict[str, Table]:
        """The tables that may be shown inside *table* at nesting *depth*; empty where it gets too deep."""
        if depth >= _MAX_NESTING:
            return {}
        return {t: self.tables[t] for cell in table.cells if (t := cell.table_id) in self.tables and t is not None}

    def nodes(self) -> Iterator[Node]:
        """Everything to show, in order. A table without a word or a picture in it is left out."""
        self._gathered = {}
        yield from listings(self._nodes())

    def _nodes(self) -> Iterator[Node]:
        yield from self._sheets()
        yield from self._body()
        for part in _AT_THE_END:
            yield from self._running(part)
        yield from self._notes()
        yield from self._comments()
        for number, attachment in enumerate(self.document.attachments, 1):
            if number == 1:
                yield Head("Attachments")
            yield AttachmentNode(attachment, f"{self.within}a{number}-")

    def _sheets(self) -> Iterator[Node]:
        """Each sheet, then what floats over its cells."""
        document = self.document
        floating: dict[int, Positions] = {}
        for position, block in enumerate(document.blocks if document.sheets else ()):
            if self._floats(block) and block.part not in _AT_THE_END:
                floating.setdefault(block.sheet or 0, array("I")).append(position)
        for number, sheet in enumerate(document.sheets, 1):
            yield sheet
            part = "body"
            for node in self._placed(b for b in self._at(floating.get(number)) if not self._in_table(b)):
                own = node.table.part if isinstance(node, TableNode) else node.part
                if own != part:
                    part = own
                    if part in _LABELLED:
                        yield Label(_LABELLED[part])
                yield node

    def _floats(self, block: Block) -> bool:
        """Whether *block* is shown with a sheet."""
        return block.sheet is not None and 1 <= block.sheet <= len(self.document.sheets)

    def _body(self) -> Iterator[Node]:
        document = self.document
        pages = {page.index: at for at, page in enumerate(document.pages)} if len(document.pages) > 1 else {}
        indexes = [slide.index for slide in document.slides]
        slides = sorted(range(len(indexes)), key=indexes.__getitem__)
        shown: set[str] = set()
        next_slide, page, part, slide, titled = 0, None, "body", None, True
        for position, block in enumerate(document.blocks):
            if block.type == "table":
                shown.add(block.table_id or "")
            if block.part in _AT_THE_END or block.part in _NOTE_PARTS:
                self._gathered.setdefault(block.part, array("I")).append(position)
                continue
            if self._in_table(block) or self._floats(block) or block.type in {"slide_break", "sheet_break"}:
                continue
            if block.slide is not None:
                while next_slide < len(slides) and indexes[slides[next_slide]] <= block.slide:
                    yield from _slide_notes(slide, part)
                    slide, part, titled = document.slides[slides[next_slide]], "body", False
                    next_slide += 1
                    own = slide.index == block.slide and _is_title(block, slide)
                    yield SlideNode(slide, block if own else None)
            if block.page is not None and block.page != page:
                if block.page in pages:
                    yield document.pages[pages[block.page]]
                page = block.page
            if block.part != part:
                part = block.part
                if part in _LABELLED:
                    yield Label(_LABELLED[part])
            if slide is not None and not titled and _is_title(block, slide):
                titled = True  # it is the slide's own heading already
                continue
            if block.type != "table" or block.table_id not in self.tables:
                yield block
            elif not self._is_blank(self.tables[block.table_id or ""]):
                yield TableNode(self.tables[block.table_id or ""], block.id)
        yield from _slide_notes(slide, part)
        for at in slides[next_slide:]:
            slide = document.slides[at]
            yield SlideNode(slide)
            yield from _slide_notes(slide, "body")
        for table in document.tables:
            if table.id not in shown and table.id not in self._nested and not self._is_blank(table):
                yield TableNode(table, None)

    def _in_table(self, block: Block) -> bool:
        if block.table_id is None or block.table_id not in self.tables:
            return False
        return block.table_id in self._nested if block.type == "table" else block.row is not None and block.col is not None

    def _is_blank(self, table: Table) -> bool:
        return not table.caption and not any(
            cell.text.strip()
            or cell.table_id
            or any(b.text.strip() or b.image_id or b.latex for b in self.blocks_in(table, cell.row, cell.col))
            for cell in table.cells
        )

    def _running(self, part: str) -> Iterator[Node]:
        """Headers or footers; the same line on every section or page is shown once."""
        seen: set[int] = set()
        labelled = False
        for block in self._at(self._gathered.get(part)):
            if self._in_table(block):
                continue
            if block.type == "table" and block.table_id in self.tables:
                if self._is_blank(self.tables[block.table_id or ""]):
                    continue
                node: Node = TableNode(self.tables[block.table_id or ""], block.id)
            elif not block.text.strip() or hash(block.text) in seen or block.style == _SLIDE_NUMBER:
                continue
            else:
                node = block
                seen.add(hash(block.text))
            if not labelled:
                labelled = True
                yield Label(_AT_THE_END[part])
            yield node

    def _notes(self) -> Iterator[Node]:
        blocks: dict[str, Positions] = {}
        for part in ("footnote", "endnote"):
            for position in self._gathered.get(part, ()):
                block = self.document.blocks[position]
                if not self._in_table(block):
                    blocks.setdefault(block.note_id or "", array("I")).append(position)
        referenced = (
            {run.note_id for block in self.document.blocks for run in block.runs if run.note_id} if self.note_labels else set()
        )
        for note in self.document.notes:
            own = list(listings(self._placed(self._at(blocks.pop(note.id, None)))))
            yield NoteNode(note, self.note_labels[note.id], own, note.id in referenced)
        for orphans in blocks.values():  # words between text and notes, a part without its list, a forged id
            words = [b for b in self._at(orphans) if b.type == "table" or any(map(str.isalnum, b.text))]
            if words:
                yield Label("Note")
                yield from self._placed(words)

    def _placed(self, blocks: Iterable[Block]) -> Iterator[Block | TableNode]:
        """*blocks*, with their tables in place of the blocks that stand for them; a blank table left out."""
        for block in blocks:
            if block.type != "table" or block.table_id not in self.tables:
                yield block
            elif not self._is_blank(self.tables[block.table_id or ""]):
                yield TableNode(self.tables[block.table_id or ""], block.id)

    def _comments(self) -> Iterator[Node]:
        comments = self.document.comments
        if not comments:
            orphans = [b for b in self._at(self._gathered.get("comment")) if not self._in_table(b)]
            if orphans:
                yield Label("Comments")
                yield from orphans
            return
        yield Label("Comments")
        said = [(comment.id, comment.parent_id) for comment in comments]
        known = {name for name, _ in said}
        replies: dict[str, Positions] = {}
        for at, (name, parent) in enumerate(said):
            if parent in known and parent != name:
                replies.setdefault(str(parent), array("I")).append(at)
        done: set[str] = set()
        everyone = range(len(said))
        roots = [at for at in everyone if said[at][1] not in known or said[at][1] == said[at][0]]
        stack = [(at, 1) for at in reversed([*roots, *everyone])]  # `everyone`: what a circle of replies hides
        while stack:
            at, depth = stack.pop()
            if said[at][0] in done:
                continue
            done.add(said[at][0])
            yield CommentNode(comments[at], min(depth, 3))
            stack.extend((reply, depth + 1) for reply in reversed(replies.get(said[at][0], array("I"))))


def _is_title(block: Block, slide: Slide) -> bool:
    return block.type == "heading" and block.text.split() == slide.title.split()


def _slide_notes(slide: Slide | None, part: str) -> Iterator[Node]:
    """A slide's notes where no blocks carried them."""
    if slide is not None and part != "notes" and slide.notes.strip():
        yield Label("Notes")
        yield Block("", text=slide.notes, part="notes", slide=slide.index)


def _note_labels(notes: Sequence[Note], within: str) -> dict[str, str]:
    """``1``, ``2`` … for footnotes and ``e1``, ``e2`` … for endnotes, by their order, behind *within*."""
    labels: dict[str, str] = {}
    counts = {"footnote": 0, "endnote": 0}
    for note in notes:
        counts[note.type] += 1
        labels[note.id] = f"{within}{'e' * (note.type == 'endnote')}{counts[note.type]}"
    return labels
