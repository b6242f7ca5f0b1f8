"""A document as plain text: one line a paragraph, one line a cell paragraph, one line a row of a sheet.

Marks are those of the Markdown renderer where text needs any: ``[hidden: reason]``, ``{++inserted++}``, ``{--deleted--}``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from fumehood.documents.grids import column_name, sheet_facts, sheet_grid, shown_text
from fumehood.documents.nodes import AttachmentNode, CommentNode, Head, Label, Node, NoteNode, SlideNode, TableNode
from fumehood.documents.pieces import Piece, join, texts
from fumehood.documents.reading_order import Reading
from fumehood.documents.sanitise import Mode, cleaner
from fumehood.documents.stretches import Stretch, block_hidden, stretches
from fumehood_sandbox.contract import Block, Document, Page, Sheet, SheetCell, Table

__all__ = ["Piece", "iter_text", "render", "render_pieces"]


def render(document: Document, *, sanitize: Mode = "strip") -> str:
    """The whole document as text."""
    return join(render_pieces(document, sanitize=sanitize))


def iter_text(document: Document, *, sanitize: Mode = "strip") -> Iterator[str]:
    """`render` a piece at a time."""
    return texts(render_pieces(document, sanitize=sanitize))


def render_pieces(document: Document, *, sanitize: Mode = "strip") -> Iterator[Piece]:
    """A piece a line; their `join` is exactly `render`."""
    return _Text(document, sanitize).pieces()


class _Text:
    def __init__(self, document: Document, mode: Mode, within: str = "") -> None:
        self.mode: Mode = mode
        self.clean = cleaner(mode)
        self.reading = Reading(document, within=within)
        self.changes = document.view in {None, "markup"}

    def pieces(self) -> Iterator[Piece]:
        for node in self.reading.nodes():
            for block_id, text in self._node(node):
                if text.strip():
                    yield Piece(text, block_id, "\n")

    def _node(self, node: Node) -> Iterator[tuple[str | None, str]]:
        match node:
            case Block():
                yield node.id or None, self._block(node)
            case TableNode():
                yield from ((node.block_id, line) for line in self._table(node.table, 0))
            case Label() | Head():
                yield None, f"{node.text}:"
            case AttachmentNode():
                yield None, f"{self._line(node.attachment.name) or 'Attachment'} ({self._line(node.facts)})"
                if node.attachment.document is not None:
                    for piece in _Text(node.attachment.document, self.mode, node.label).pieces():
                        yield None, piece.text
            case Sheet():
                yield from ((None, line) for line in self._sheet(node))
            case SlideNode():
                slide, block = node.slide, node.title
                title = self._block(block) if block is not None else self._line(slide.title)
                head = f"Slide {slide.index}{': ' if title else ''}{title}{' [hidden slide]' * slide.hidden}"
                yield block.id if block is not None else None, head
            case Page():
                label = f" ({self._line(node.label)})" if node.label and node.label != str(node.index) else ""
                yield None, f"[page {node.index}{label}]"
            case NoteNode():
                lines = [text.strip() for inner in node.nodes for _, text in self._node(inner) if text.strip()] or [
                    self._line(node.note.text)
                ]
                for i, line in enumerate(lines):
                    yield None, f"[{node.label}] {line}" if i == 0 else line
            case CommentNode():
                comment = node.comment
                anchor = f" on “{self._line(comment.anchor_text[:300])}”" if comment.anchor_text.strip() else ""
                where = f" ({self._line(comment.where)})" if comment.where else ""
                author = self._line(comment.author) or "Unknown"
                yield None, f"{'  ' * (node.depth - 1)}{author}{where}{anchor}: {self._line(comment.text)}"

    def _line(self, text: str) -> str:
        return " ".join(part for part in self.clean(text).split("\n") if part).strip()

    def _block(self, block: Block) -> str:
        hidden = block_hidden(block)
        text = f"[hidden: {hidden}] " if hidden else ""
        if block.type == "code":
            return text + self.clean(block.text).strip("\n")
        if block.type == "image" and block.image_id is not None:
            return text + self._image(block.image_id)
        if block.type == "image":  # a shape that is no picture, by what stands in for it
            return f"{text}[image: {self._line(block.text)[:1000]}]" if block.text.strip() else ""
        if block.type == "equation" and block.latex:
            return text + self._line(block.latex)
        inner = ""
        for change, parts in groupby(stretches(block, changes=self.changes), key=lambda s: s.style.change):
            joined = "".join(self._stretch(part, hidden) for part in parts)
            inner += f"{{++{joined}++}}" if change == "inserted" else f"{{--{joined}--}}" if change == "deleted" else joined
        if self.reading.document.format.family != "text":  # there a line is the author's own
            inner = " ".join(part for part in inner.split("\n") if part)
        if not inner.strip():
            return self._image(block.image_id) if block.image_id is not None else ""
        if block.list is not None:
            text += f"{self._line(block.list.label)} " if block.list.label.strip() else ""
        return text + inner

    def _stretch(self, part: Stretch, whole: str | None) -> str:
        if part.latex is not None:
            text = self._line(part.latex)
        elif part.image_id is not None:
            text = self._image(part.image_id)
        else:
            label = self.reading.note_labels.get(part.note_id or "")
            text = (f"[{label}]" if label else "") + self.clean(part.text)
        hidden = part.style.hidden
        return f"[hidden: {hidden}] {text} [/hidden]" if hidden and hidden != whole and text.strip() else text

    def _image(self, image_id: str) -> str:
        image = self.reading.images.get(image_id)
        alt = self._line(image.alt or "")[:1000] if image else ""
        return f"[image: {alt}]" if alt else "[image]"

    def _table(self, table: Table, depth: int) -> Iterator[str]:
        """One line a cell paragraph, by rows; a nested table where it stands in its cell."""
        nested = self.reading.nested_tables(table, depth)
        for cell in sorted(table.cells, key=lambda c: (c.row, c.col)):
            blocks = self.reading.blocks_in(table, cell.row, cell.col)
            if not blocks:
                yield from self.clean(cell.text).split("\n")
            for block in blocks:
                if block.type != "table":
                    yield self._block(block)
                elif block.table_id in nested:
                    yield from self._table(nested[block.table_id], depth + 1)

    def _sheet(self, sheet: Sheet) -> Iterator[str]:
        """A line a row, cells parted by tabs; where cells lie far apart, a line a cell with its place."""
        state = f" [{sheet.state.replace('_', ' ')} sheet]" if sheet.state != "visible" else ""
        yield f"{self._line(sheet.name)}{state}"
        if facts := sheet_facts(sheet):
            yield f"[{facts}]"
        grid = sheet_grid(sheet)
        for row, cells in grid.rows():
            if grid.sparse:
                yield from (f"{column_name(cell.col)}{row}: {mark}{self._cell(cell)}" for cell, mark in cells)
            else:
                by_column = {cell.col: mark + self._cell(cell) for cell, mark in cells}
                yield "\t".join(by_column.get(col, "") for col in grid.cols).rstrip("\t")
        yield from (
            f"comment on {column_name(c.col)}{c.row}: {self._line(c.comment or '')}"
            for c in grid.commented(self.reading.document)
        )

    def _cell(self, cell: SheetCell) -> str:
        return self._line(shown_text(cell)).replace("\t", " ")
