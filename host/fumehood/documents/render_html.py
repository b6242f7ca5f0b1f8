"""A document as one complete HTML page: valid, without scripts, loading nothing from anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from fumehood.documents.grids import column_name, sheet_facts, sheet_grid, shown_text
from fumehood.documents.html_blocks import HtmlBlocks
from fumehood.documents.nodes import AttachmentNode, CommentNode, Head, Label, Node, NoteNode, SlideNode, TableNode
from fumehood.documents.reading_order import Reading
from fumehood.documents.sanitise import Mode, cleaner
from fumehood_sandbox.contract import Block, Document, Page, Sheet, SheetCell

#: The policy stands in the page itself: should something of a document ever get past the escaping, it still loads nothing.
_CSP: Final = "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE: Final = (
    "body{font:1rem/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse}td,th{border:1px solid #999;padding:.2rem .5rem;vertical-align:top}"
    "ins{background:#dfd}del{background:#fdd}.label{color:#666;font-weight:bold}"
)


def render(document: Document, *, sanitize: Mode = "strip") -> str:
    """The whole document as an HTML page."""
    return "".join(iter_html(document, sanitize=sanitize))


def iter_html(document: Document, *, sanitize: Mode = "strip") -> Iterator[str]:
    """`render` a piece at a time."""
    page = _Html(document, sanitize)
    title = page.html.text(str(document.metadata.get("title") or document.format.name or "Document")).replace("<br>", " ")
    language = str(document.metadata.get("language") or "")
    lang = f' lang="{language}"' if re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}", language) else ""
    yield (
        f'<!doctype html>\n<html{lang}>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_CSP}">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    )
    begun = False
    for part in page.parts():
        if part:
            yield "\n" + part if begun else part
            begun = True
    yield "\n</body>\n</html>\n"


class _Html:
    def __init__(self, document: Document, mode: Mode, within: str = "") -> None:
        self.mode: Mode = mode
        self.reading = Reading(document, within=within)
        self.html = HtmlBlocks(self.reading, cleaner(mode), changes=document.view in {None, "markup"})

    def parts(self) -> Iterator[str]:
        return self._parts(self.reading.nodes())

    def _parts(self, nodes: Iterable[Node]) -> Iterator[str]:
        items: list[Block] = []
        for node in nodes:
            if isinstance(node, Block) and node.type == "list_item":
                items.append(node)
                continue
            yield self.html.list(items)
            items = []
            yield from self._node(node)
        yield self.html.list(items)

    def _node(self, node: Node) -> Iterator[str]:
        text = self.html.text
        match node:
            case Block():
                yield self.html.block(node)
            case TableNode():
                if node.table.caption:
                    yield f'<p class="caption">{text(node.table.caption)}</p>'
                yield self.html.table(node.table)
            case Label():
                yield f'<p class="label">{node.text}</p>'
            case Head():
                yield f"<h2>{node.text}</h2>"
            case AttachmentNode():
                yield f"<section>\n<h3>{text(node.attachment.name) or 'Attachment'} ({text(node.facts)})</h3>"
                if node.attachment.document is not None:
                    yield from _Html(node.attachment.document, self.mode, node.label).parts()
                yield "</section>"
            case Sheet():
                yield from self._sheet(node)
            case SlideNode():
                slide, block = node.slide, node.title
                title = self.html.inline(block) if block is not None else text(slide.title)
                hidden = " [hidden slide]" if slide.hidden else ""
                yield f"<h2>Slide {slide.index}{': ' if title else ''}{title}{hidden}</h2>"
            case Page():
                label = f" ({text(node.label)})" if node.label and node.label != str(node.index) else ""
                yield f'<hr>\n<p class="label">Page {node.index}{label}</p>'
            case NoteNode():
                inner = "\n".join(part for part in self._parts(node.nodes) if part) or f"<p>{text(node.note.text)}</p>"
                yield f'<div id="note-{node.label}"><p class="label">{node.label}</p>\n{inner}</div>'
            case CommentNode():
                comment = node.comment
                anchor = f" on “{text(comment.anchor_text[:300])}”" if comment.anchor_text.strip() else ""
                where = f" ({text(comment.where)})" if comment.where else ""
                yield f"<p><strong>{text(comment.author) or 'Unknown'}</strong>{where}{anchor}: {text(comment.text)}</p>"

    def _sheet(self, sheet: Sheet) -> Iterator[str]:
        state = f" [{sheet.state.replace('_', ' ')} sheet]" if sheet.state != "visible" else ""
        yield f"<h2>{self.html.text(sheet.name)}{state}</h2>"
        if facts := sheet_facts(sheet):
            yield f'<p class="label">{facts}</p>'
        grid = sheet_grid(sheet)
        lead, end = ("<ul>", "</ul>") if grid.sparse else ("<table>", "</table>")
        begun = False
        for row, cells in grid.rows():
            if not begun:
                yield lead
            begun = True
            if grid.sparse:
                yield from (f"<li>{column_name(cell.col)}{row}: {mark}{self._sheet_text(cell)}</li>" for cell, mark in cells)
            else:
                by_column = {cell.col: mark + self._sheet_text(cell) for cell, mark in cells}
                yield "<tr>" + "".join(f"<td>{by_column.get(col, '')}</td>" for col in grid.cols) + "</tr>"
        if begun:
            yield end
        for cell in grid.commented(self.reading.document):
            if cell.comment:
                yield f"<p>comment on {column_name(cell.col)}{cell.row}: {self.html.text(cell.comment)}</p>"

    def _sheet_text(self, cell: SheetCell) -> str:
        return self.html.linked(self.html.text(shown_text(cell)), cell.link)
