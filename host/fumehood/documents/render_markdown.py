"""A document as GitHub-flavoured Markdown that a person could have written.

Tables that a pipe table cannot hold (spans, nesting, lists or code in a cell) come out as HTML; a spreadsheet is a section
a sheet with a pipe table of the rows and columns that are used, or a list of cells where they lie far apart; foot- and
endnotes are ``[^1]`` and ``[^e1]``; hidden text stands behind ``[hidden: reason]``. In the markup view an insertion is
``{++so++}``, a deletion ``{--so--}`` (CriticMarkup). Images are relative names, never URLs; links only http, https and mailto.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from textwrap import indent
from typing import Final

from fumehood.documents.html_blocks import HtmlBlocks
from fumehood.documents.list_items import goes_on
from fumehood.documents.markdown_inline import Inline, code_span, escape, math
from fumehood.documents.markdown_lists import MarkdownLists
from fumehood.documents.markdown_tables import MarkdownTables
from fumehood.documents.nodes import AttachmentNode, CommentNode, Head, Label, Node, NoteNode, SlideNode, TableNode
from fumehood.documents.pieces import Piece, join, texts
from fumehood.documents.reading_order import Reading
from fumehood.documents.sanitise import Mode, cleaner
from fumehood.documents.stretches import block_hidden, stretches
from fumehood_sandbox.contract import Block, Document, Page, Sheet

__all__ = ["Piece", "iter_markdown", "render", "render_pieces"]

_LABEL_CHARS: Final = 40
_ALTERNATIVE_CHARS: Final = 1000


def render(document: Document, *, sanitize: Mode = "strip", image_folder: str = "") -> str:
    """The whole document as Markdown; *sanitize* says what happens to invisible and control characters.

    *image_folder* (with its slash) is where the links to images lead, relative to the text.
    """
    return join(render_pieces(document, sanitize=sanitize, image_folder=image_folder))


def iter_markdown(document: Document, *, sanitize: Mode = "strip") -> Iterator[str]:
    """`render` a piece at a time."""
    return texts(render_pieces(document, sanitize=sanitize))


def render_pieces(document: Document, *, sanitize: Mode = "strip", image_folder: str = "") -> Iterator[Piece]:
    """The same as pieces that a page may be cut between, in order. Their `join` is exactly `render`."""
    return _Markdown(document, sanitize, image_folder).pieces()


class _Markdown:
    def __init__(self, document: Document, mode: Mode, image_folder: str, within: str = "", level: int = 0) -> None:
        self.mode: Mode = mode
        self.clean = cleaner(mode)
        self.level = level
        """How far its headings stand below those of the outermost document."""
        self.reading = Reading(document, image_folder, within)
        self.changes = document.view in {None, "markup"}
        self.inline = Inline(self.clean, self._image, self._note_mark)
        self.html = HtmlBlocks(self.reading, self.clean, changes=self.changes, note_mark=self._note_mark, math=_dollars)
        self._tables = MarkdownTables(self.reading, self.inline, self.html, self._in_cell)
        self._lists = MarkdownLists()
        self._apart = False
        """Whether the item last written begins a list of its own."""

    def pieces(self) -> Iterator[Piece]:
        return self._pieces(self.reading.nodes())

    def _pieces(self, nodes: Iterable[Node]) -> Iterator[Piece]:
        was_item = was_quote = False
        for node in nodes:
            is_item, is_quote = _is_item(node), isinstance(node, Block) and node.type == "quote"
            if not is_item and not (isinstance(node, Block) and goes_on(node)):
                self._lists.clear()
            for piece in self._node(node):
                glue = piece.glue
                if is_item and was_item and not self._apart:
                    glue = "\n"
                elif is_quote and was_quote:
                    glue = "\n>\n"
                yield Piece(piece.text, piece.block_id, glue, piece.opening)
                was_item, was_quote = is_item, is_quote

    def _node(self, node: Node) -> Iterator[Piece]:
        match node:
            case Block():
                text = self._block(node)
                if text:
                    yield Piece(text, node.id or None)
            case TableNode():
                yield from self._tables.table(node.table, node.block_id)
            case Label():
                yield Piece(f"**{node.text}:**")
            case Head():
                yield Piece(f"{self._hashes(2)} {node.text}")
            case AttachmentNode():
                yield from self._attachment(node)
            case Sheet():
                yield Piece(self._sheet(node))
                yield from self._tables.sheet(node)
            case SlideNode():
                yield self._slide(node)
            case Page():
                yield Piece(self._page(node))
            case NoteNode():
                yield Piece(self._note(node), node.block_id)
            case CommentNode():
                yield Piece(self._comment(node))

    def _slide(self, node: SlideNode) -> Piece:
        slide = node.slide
        title = self._text(node.title).replace("\\\n", " ") if node.title is not None else self.inline.line(slide.title)
        text = f"{self._hashes(2)} Slide {slide.index}{': ' if title else ''}{title}{' [hidden slide]' if slide.hidden else ''}"
        return Piece(text, node.title.id if node.title is not None else None)

    def _sheet(self, sheet: Sheet) -> str:
        state = f" [{sheet.state.replace('_', ' ')} sheet]" if sheet.state != "visible" else ""
        return f"{self._hashes(2)} {self.inline.line(sheet.name) or 'Sheet'}{state}"

    def _hashes(self, level: int) -> str:
        return "#" * max(1, min(level + self.level, 6))

    def _attachment(self, node: AttachmentNode) -> Iterator[Piece]:
        named = f"{self.inline.line(node.attachment.name) or 'Attachment'} ({self.inline.line(node.facts)})"
        inner = node.attachment.document
        if inner is None:
            yield Piece(f"- {named}")
            return
        yield Piece(f"{self._hashes(3)} {named}")
        for piece in _Markdown(inner, self.mode, "", node.label, self.level + 3).pieces():
            yield Piece(piece.text, None, piece.glue, piece.opening)

    def _text(self, block: Block, *, prefix: bool = False, in_cell: bool = False) -> str:
        parts = stretches(block, changes=self.changes)
        text = self.inline.render(parts, prefix=prefix, in_cell=in_cell, whole_hidden=block_hidden(block))
        if self.changes and text:
            if not block.mark_in_accepted and block.mark_in_original:
                text += "{--¶--}"
            elif block.mark_in_accepted and not block.mark_in_original:
                text += "{++¶++}"
        return text

    def _block(self, block: Block) -> str:
        match block.type:
            case "heading":
                text = self._text(block, prefix=True).replace("\\\n", " ")
                text = re.sub(r"(?<!\\)(#+)$", r"\\\1", text)
                return f"{self._hashes(block.level or 1)} {self._number(block)}{text}" if text else ""
            case "list_item":
                return self._item(block)
            case "code":
                return self._code(block)
            case "quote":
                text = self._text(block)
                return "> " + text.replace("\n", "\n> ") if text else ""
            case "equation":
                latex = math(self.clean(block.latex or ""))
                return f"$${latex}$$" if latex else self._text(block)
            case "image":
                if block.image_id is None:  # a shape that is no picture, by what stands in for it
                    return self._described(block)
                image = self._image(block.image_id)
                hidden = block_hidden(block)
                return f"[hidden: {hidden}] {image}" if hidden else image
            case "page_break" | "thematic_break" | "slide_break" | "sheet_break":
                return "---"
            case "paragraph" | "table" | "caption":
                text = self._text(block)
                if not text and block.image_id is not None:
                    return self._image(block.image_id)
                return text

    def _described(self, block: Block) -> str:
        text = self.inline.line(block.text[:_ALTERNATIVE_CHARS])
        hidden = block_hidden(block)
        return f"{f'[hidden: {hidden}] ' if hidden else ''}[image: {text}]" if text else ""

    def _in_cell(self, block: Block) -> str:
        if block.type == "image" and block.image_id is not None:
            return self._image(block.image_id)
        if block.type == "equation" and block.latex:
            return _dollars(self.clean(block.latex))
        return self._text(block, in_cell=True)

    def _label(self, block: Block) -> str:
        return self.clean(block.list.label).strip()[:_LABEL_CHARS] if block.list else ""

    def _number(self, block: Block) -> str:
        """The number that stands before a heading: other places refer to it."""
        label = self._label(block) if block.list and block.list.ordered else ""
        return f"{escape(label)} " if label else ""

    def _item(self, block: Block) -> str:
        text, self._apart = self._lists.item(block, self._label(block), self._text(block))
        return text

    def _code(self, block: Block) -> str:
        text = self.clean(block.text).strip("\n")
        if not text.strip():
            return ""
        hidden = block_hidden(block)
        lead = f"[hidden: {hidden}]\n\n" if hidden else ""
        longest = max((len(run) for run in re.findall("`{3,}", text)), default=2)
        fence = "`" * (longest + 1)
        return f"{lead}{fence}\n{text}\n{fence}"

    def _image(self, image_id: str) -> str:
        image = self.reading.images.get(image_id)
        if image is None:
            return "[image]"
        alt = re.sub(r"(?<!\\)\]", r"\\]", self.inline.line((image.alt or "")[:_ALTERNATIVE_CHARS])).replace("|", r"\|")
        if image.external is not None:
            return f"[image{': ' if alt else ''}{alt}, not loaded from {code_span(self.clean(image.external)[:2000], in_cell=True)}]"
        name = self.reading.image_names.get(image_id)
        return f"[image{': ' if alt else ''}{alt}]" if name is None else f"![{alt}]({name})"

    def _note_mark(self, note_id: str) -> str:
        label = self.reading.note_labels.get(note_id)
        return f"[^{label}]" if label else ""

    def _note(self, node: NoteNode) -> str:
        text = join(self._pieces(node.nodes)).rstrip("\n") or self.inline.line(node.note.text)
        kind = "Footnote" if node.note.type == "footnote" else "Endnote"
        if not node.referenced:  # a definition that nothing refers to is not shown by Markdown viewers
            return f"**{kind} {node.label}:** {text}"
        first = node.nodes[0] if node.nodes else None
        begins = isinstance(first, Block) and first.type in {"paragraph", "caption", "list_item"}
        return f"[^{node.label}]:{' ' if begins or first is None else chr(10)}" + indent(text, "    ").removeprefix(
            "    " if begins or first is None else ""
        )

    def _comment(self, node: CommentNode) -> str:
        comment = node.comment
        head = f"**{self.inline.line(comment.author) or 'Unknown'}**"
        facts = [self.inline.line(fact) for fact in (comment.where, comment.date) if fact]
        facts += ["resolved"] if comment.resolved else []
        head += f" ({', '.join(facts)})" if facts else ""
        head += f" on “{self.inline.line(comment.anchor_text[:300])}”" if comment.anchor_text.strip() else ""
        return f"{'  ' * (node.depth - 1)}- {head}: {self.inline.line(comment.text)}"

    def _page(self, page: Page) -> str:
        label = self.inline.line(page.label or "")
        name = f"Page {page.index}" + (f" ({label})" if label and label != str(page.index) else "")
        kind = {"scan": ", a scan without text", "garbled": ", text layer unreadable"}.get(page.kind, "")
        rule = "" if page.index == 1 else "---\n\n"
        return f"{rule}*{name}{kind}*"


def _dollars(latex: str) -> str:
    """An equation in a line. In HTML too: a reader of the source knows it by its dollars."""
    return f"${math(latex)}$"


def _is_item(node: Node) -> bool:
    """Whether *node* is an item of a list, as those before and after it may be."""
    match node:
        case Block():
            return node.type == "list_item" and not goes_on(node)
        case AttachmentNode():
            return node.attachment.document is None
        case _:
            return isinstance(node, CommentNode)
