"""Blocks and tables as HTML: used by the HTML renderer, and by the Markdown one for tables that pipes cannot hold.

Everything of the document is escaped; nothing loads, links lead to http, https and mailto only, and the result holds no blank line
(which would end an HTML block in Markdown).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from html import escape as _escape
from typing import Final

from fumehood.documents.list_items import BOXES, goes_on
from fumehood.documents.naming import link_url
from fumehood.documents.reading_order import Reading
from fumehood.documents.stretches import Stretch, block_hidden, stretches
from fumehood_sandbox.contract import Block, Cell, Table

_NUMBER: Final = re.compile(r"(\d{1,9})[.)]?")
_MAX_SPAN: Final = 1000  # what browsers honour


class HtmlBlocks:
    """Renders single blocks, runs of list items and tables of *reading*."""

    def __init__(
        self,
        reading: Reading,
        clean: Callable[[str], str],
        *,
        changes: bool,
        note_mark: Callable[[str], str] | None = None,
        math: Callable[[str], str] | None = None,
    ) -> None:
        """*note_mark* and *math* write a reference to a note and an equation in other ways than HTML's own."""
        self.reading = reading
        self.clean = clean
        self.changes = changes
        self._note_mark = note_mark or self._note_link
        self._written_math = math

    def _note_link(self, note_id: str) -> str:
        label = self.reading.note_labels.get(note_id)
        return f'<sup><a href="#note-{label}">{label}</a></sup>' if label else ""

    def _math(self, latex: str) -> str:
        if self._written_math is not None:
            return self.text(self._written_math(self.clean(latex)))
        return f'<code class="math">{self.text(latex)}</code>'

    def text(self, untrusted: str) -> str:
        """Literal text; line breaks become ``<br>``."""
        text = _escape(self.clean(untrusted).replace("\r\n", "\n").replace("\r", "\n").strip("\n"), quote=True)
        return text.replace("\n", "<br>")

    def inline(self, block: Block) -> str:
        whole = block_hidden(block)
        out = [f"[hidden: {whole}] "] if whole else []
        out.extend(self._stretch(part, whole) for part in stretches(block, changes=self.changes))
        return "".join(out)

    def _stretch(self, part: Stretch, whole: str | None) -> str:
        style = part.style
        if part.latex is not None:
            out = self._math(part.latex)
        elif part.image_id is not None:
            out = self.image(part.image_id)
        else:
            out = self._note_mark(part.note_id) if part.note_id else ""
            out += self.text(part.text) if part.text.strip("\r\n") else "<br>" if part.text else ""
        if style.code:
            out = f"<code>{out}</code>"
        if style.vertical:
            out = f"<sub>{out}</sub>" if style.vertical == "sub" else f"<sup>{out}</sup>"
        if style.strike:
            out = f"<s>{out}</s>"
        if style.italic:
            out = f"<em>{out}</em>"
        if style.bold:
            out = f"<strong>{out}</strong>"
        out = self.linked(out, style.link)
        if style.hidden and style.hidden != whole:
            out = f'<span class="hidden">[hidden: {style.hidden}] {out} [/hidden]</span>'
        if style.change:
            out = f"<ins>{out}</ins>" if style.change == "inserted" else f"<del>{out}</del>"
        return out

    def linked(self, html: str, link: str | None) -> str:
        """*html* as a link; a target that is no URL stands behind it, one inside the document (``#…``) is left out."""
        if not link or link.startswith("#"):
            return html
        url = link_url(link)
        if url is None:
            return f"{html} (<code>{self.text(link[:2000])}</code>)"
        return f'<a href="{_escape(url)}" rel="noopener noreferrer nofollow">{html}</a>'

    def image(self, image_id: str) -> str:
        image = self.reading.images.get(image_id)
        if image is None:
            return "[image]"
        alt = self.text((image.alt or "")[:1000]).replace("<br>", " ")
        if image.external is not None:
            return f"[image: {alt} not loaded from <code>{self.text(image.external[:2000])}</code>]"
        name = self.reading.image_names.get(image_id)
        return f"[image{': ' if alt else ''}{alt}]" if name is None else f'<img src="{name}" alt="{alt}">'

    def _shown(self, block: Block) -> str:
        """An image; a shape that is no picture by what stands in for it."""
        if block.image_id is not None:
            return self.image(block.image_id)
        return f"[image: {self.text(block.text[:1000])}]" if block.text else ""

    def block(self, block: Block) -> str:
        """One block that is neither table nor list item."""
        inner = self.inline(block)
        match block.type:
            case "heading":
                level = max(1, min(block.level or 1, 6))
                label = block.list.label.strip()[:40] if block.list is not None and block.list.ordered else ""
                number = f"{self.text(label)} " if label else ""
                return f"<h{level}>{number}{inner}</h{level}>" if inner else ""
            case "code":
                lines = _escape(self.clean(block.text)).split("\n")
                return f"<pre><code>{'&#10;'.join(lines)}</code></pre>"
            case "quote":
                return f"<blockquote><p>{inner}</p></blockquote>"
            case "equation":
                return f"<p>{self._math(block.latex) if block.latex else inner}</p>"
            case "page_break" | "thematic_break" | "slide_break" | "sheet_break":
                return "<hr>"
            case "image":
                hidden = block_hidden(block)
                shown = self._shown(block)
                return f"<p>{f'[hidden: {hidden}] ' if hidden else ''}{shown}</p>" if shown else ""
            case "caption":
                return f'<p class="caption">{inner}</p>' if inner else ""
            case _:
                if not inner and block.image_id is not None:
                    inner = self.image(block.image_id)
                return f"<p>{inner}</p>" if inner else ""

    def blocks(self, blocks: Iterable[Block], depth: int = 0) -> str:
        """Blocks in a row, list items gathered into nested lists and nested tables drawn (down to a fixed depth)."""
        out: list[str] = []
        items: list[Block] = []
        for block in blocks:
            if block.type == "list_item":
                items.append(block)
                continue
            out.append(self.list(items))
            items = []
            if block.type == "table" and block.table_id in self.reading.tables:
                out.append(self.table(self.reading.tables[block.table_id or ""], depth + 1))
            else:
                out.append(self.block(block))
        out.append(self.list(items))
        return "\n".join(part for part in out if part)

    def list(self, items: Iterable[Block]) -> str:
        """List items as nested ``ul`` and ``ol``; a label that is no plain number is text of its item."""
        out: list[str] = []
        open_lists: list[tuple[int, str]] = []
        for block in items:
            facts = block.list
            depth = max(1, min(facts.depth, 12)) if facts else 1
            label = facts.label.strip() if facts else ""
            if goes_on(block):
                while open_lists and open_lists[-1][0] > depth:
                    out[-1] += f"</li></{open_lists.pop()[1]}>"
                out.append(f"<p>{self.inline(block)}</p>")
                continue
            number = _NUMBER.fullmatch(label)
            tag = "ol" if facts and facts.ordered and (number or not label) else "ul"
            while open_lists and open_lists[-1][0] > depth:
                out[-1] += f"</li></{open_lists.pop()[1]}>"
            if open_lists and open_lists[-1] == (depth, tag):
                out[-1] += "</li>"
            else:
                if open_lists and open_lists[-1][0] == depth:
                    out[-1] += f"</li></{open_lists.pop()[1]}>"
                open_lists.append((depth, tag))
                out.append(f"<{tag}>")
            value = f' value="{int(number[1])}"' if tag == "ol" and number else ""
            says = tag == "ul" and facts is not None and (facts.ordered or label in BOXES)
            lead = f"{self.text(label[:40])} " if says else ""
            out.append(f"<li{value}>{lead}{self.inline(block)}")
        return "\n".join(out) + "".join(f"</li></{tag}>" for _, tag in reversed(open_lists))

    def table(self, table: Table, depth: int = 0) -> str:
        """A table with its spans; nested ones inside their cells."""
        nested = self.reading.nested_tables(table, depth)
        by_row: dict[int, list[Cell]] = {}
        for cell in table.cells:
            by_row.setdefault(cell.row, []).append(cell)
        out = ["<table>"]
        above: dict[int, Cell] = {}
        for i, row in enumerate(sorted(by_row)):
            tag = "th" if i < table.header_rows else "td"
            above = {col: cell for col, cell in above.items() if cell.row + cell.row_span > row}
            out.append("<tr>")
            for missing, cell in _with_gaps(sorted(by_row[row], key=lambda c: c.col), above.values()):
                if missing:
                    span = f' colspan="{min(missing, _MAX_SPAN)}"' if missing > 1 else ""
                    out.append(f"<{tag}{span}></{tag}>")
                out.append(self._cell(table, cell, tag, nested, depth))
            out.append("</tr>")
            above.update((cell.col, cell) for cell in by_row[row] if cell.row_span > 1)
        out.append("</table>")
        return "\n".join(out)

    def _cell(self, table: Table, cell: Cell, tag: str, nested: dict[str, Table], depth: int) -> str:
        spans = "".join(
            f' {name}="{min(span, _MAX_SPAN)}"'
            for name, span in (("colspan", cell.col_span), ("rowspan", cell.row_span))
            if span > 1
        )
        blocks = self.reading.blocks_in(table, cell.row, cell.col)
        blocks = [b for b in blocks if b.type != "table" or b.table_id in nested]
        telling = [b for b in blocks if b.type != "paragraph" or self.block(b)]
        if len(telling) == 1 and telling[0].type == "paragraph":
            inner = self.inline(telling[0])
        elif blocks:
            inner = self.blocks(blocks, depth)
        else:
            inner = self.text(cell.text)
        return f"<{tag}{spans}>{inner}</{tag}>"


def _with_gaps(cells: Iterable[Cell], above: Iterable[Cell]) -> Iterator[tuple[int, Cell]]:
    """Each of the *cells* of a row with the number of columns left out before it: those that no cell from *above* reaches into."""
    reaching = sorted(above, key=lambda cell: cell.col)
    at, looked_at = 1, 0
    for cell in cells:
        missing = cell.col - at
        while missing > 0 and looked_at < len(reaching) and reaching[looked_at].col < cell.col:
            other = reaching[looked_at]
            missing -= max(0, min(cell.col, other.col + other.col_span) - max(at, other.col))
            looked_at += 1
        yield max(0, missing), cell
        at = max(at, cell.col + cell.col_span)
