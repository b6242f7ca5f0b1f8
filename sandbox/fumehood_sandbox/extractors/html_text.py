"""HTML as blocks, lists and tables: for the pieces of it that other formats carry (``w:altChunk``, web archives).

Nothing is fetched: links, and pictures that the page does not carry with it, are listed with their targets. Styles are not
looked at.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final

from fumehood_sandbox.contract import ActiveContent, Block, Cell, Image, Link, ListInfo, Table
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.html_pictures import StoredPictures, leads_outside
from fumehood_sandbox.extractors.ooxml.bounds import cut
from fumehood_sandbox.extractors.textcoding import decode
from fumehood_sandbox.pictures import describe

_SKIPPED: Final = frozenset({"script", "style", "template", "title"})
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_BREAKING: Final = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "header", "hr", "html", "legend", "main", "nav", "p", "section", "summary", *_HEADINGS,
})  # fmt: skip
"""Elements that text before and after them is not in one paragraph with."""
_LISTS: Final = frozenset({"ul", "ol", "menu", "dir"})
_CHARSET: Final = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)
_SPACES: Final = re.compile(r"[ \t\r\n\f]+")
_PIECE: Final = 64 * 1024
_MAX_DEPTH: Final = 32
_MAX_SPAN: Final = 1000
_MAX_TARGET: Final = 4096


def extract(x: Extraction) -> None:
    """Read the HTML page in ``x.data``."""
    read_html(x, decoded(x.data))


def decoded(data: bytes, charset: str | None = None) -> str:
    """The text of *data*: by its byte-order mark, then by what was said, then by what the page says, else as any text."""
    if charset is None and (said := _CHARSET.search(data, 0, 4096)) is not None:
        charset = said[1].decode("ascii")
    if charset is not None and not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        try:
            # What calls itself Latin-1 or ASCII on the web is Windows-1252 (WHATWG Encoding, 4.2).
            known = "cp1252" if charset.lower() in {"iso-8859-1", "us-ascii", "ascii", "latin1"} else charset
            return data.decode(known, "replace")
        except LookupError:
            pass
    return decode(data).text


def read_html(x: Extraction, text: str, pictures: StoredPictures | None = None) -> None:
    """Send what the page *text* shows; *pictures* came with it."""
    page = _Page(x, pictures or StoredPictures())
    for start in range(0, len(text), _PIECE):
        page.feed(text[start : start + _PIECE])
        x.progress(start, None, "block")
    page.close()
    page.finish()


@dataclass(slots=True)
class _Open:
    """A table that is being read."""

    table: Table
    row: int = 0
    col: int = 1
    """The first column that no cell of the row has taken."""
    cell: Cell | None = None
    taken: dict[int, int] = field(default_factory=dict)
    """By column, the last row that a cell from above reaches down to."""
    texts: list[str] = field(default_factory=list)


class _Page(HTMLParser):
    def __init__(self, x: Extraction, pictures: StoredPictures) -> None:
        super().__init__(convert_charrefs=True)
        self._x = x
        self._pictures = pictures
        self._text: list[str] = []
        self._skipped = self._preformatted = self._quotes = 0
        self._heading: int | None = None
        self._lists: list[tuple[bool, int]] = []
        """Of each list around: whether it is numbered, and the number of its last item."""
        self._item: ListInfo | None = None
        self._tables: list[_Open] = []
        self._links: list[tuple[str, list[str]]] = []

    # --- what the parser calls --------------------------------------------------------------------------------------

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        if tag == "body":
            self._skipped = 0
        if tag in _SKIPPED:
            self._skipped += 1
        elif tag == "br":
            self._text.append("\n")
        elif tag == "img":
            self._image(said)
        elif tag == "a" and said.get("href"):
            self._links.append((said["href"][:_MAX_TARGET], []))
        elif tag == "li":
            self._begin_item()
        elif tag in _LISTS:
            self._flush()
            start = said.get("start", "")
            self._lists.append((tag == "ol", int(start) - 1 if start.isdecimal() and len(start) < 9 else 0))
        elif tag == "table":
            self._begin_table()
        elif tag == "tr":
            self._begin_row()
        elif tag in {"td", "th"}:
            self._begin_cell(said, is_header=tag == "th")
        elif tag in _BREAKING or tag == "pre":
            self._flush()
            self._heading = _HEADINGS.get(tag)
            self._preformatted += tag == "pre"
            self._quotes += tag == "blockquote"

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIPPED:
            self._skipped = max(0, self._skipped - 1)
        elif tag == "a" and self._links:
            target, texts = self._links.pop()
            text = _SPACES.sub(" ", "".join(texts)).strip()
            self._x.add("links", Link(target, text[:400], "internal" if target.startswith("#") else "external"))
        elif tag == "li":
            self._flush()
            self._item = None
        elif tag in _LISTS:
            self._flush()
            self._item = None
            del self._lists[-1:]
        elif tag == "table":
            self._end_table()
        elif tag in {"td", "th", "tr"}:
            self._end_cell()
        elif tag in _BREAKING or tag == "pre":
            self._flush()
            self._heading = None
            self._preformatted = max(0, self._preformatted - (tag == "pre"))
            self._quotes = max(0, self._quotes - (tag == "blockquote"))

    def handle_data(self, data: str) -> None:
        if self._skipped:
            return
        self._text.append(data if self._preformatted else _SPACES.sub(" ", data))
        if self._links:
            self._links[-1][1].append(data)

    def finish(self) -> None:
        """Send what is still open."""
        self._flush()
        while self._tables:
            self._end_table()

    # --- blocks -----------------------------------------------------------------------------------------------------

    def _flush(self) -> None:
        """Send the text so far as a block."""
        text = "".join(self._text)
        self._text = []
        if not self._preformatted:
            text = "\n".join(line.strip() for line in re.sub(" +", " ", text).split("\n")).strip()
        if not text.strip():
            return
        block = Block(self._x.next_id("b"), text=cut(self._x, text.strip("\n")))
        if self._heading is not None:
            block.type, block.level = "heading", self._heading
        elif self._item is not None:
            block.type, block.list, self._item = "list_item", self._item, None
        elif self._preformatted:
            block.type = "code"
        elif self._quotes:
            block.type = "quote"
        self._send(block)

    def _send(self, block: Block) -> None:
        around = self._tables[-1] if self._tables else None
        if around is not None and around.cell is not None:
            block.table_id, block.row, block.col = around.table.id, around.cell.row, around.cell.col
            around.texts.append(block.text)
        self._x.block(block)

    def _image(self, said: dict[str, str]) -> None:
        source = said.get("src", "")
        data = self._pictures.find(source)
        image = Image(self._x.next_id("i"), alt=said.get("alt") or None)
        if data is not None:
            known = describe(data)
            image.mime, image.width, image.height = known.mime, known.width, known.height
            image.name = (
                posixpath.basename(source)[:255] if not source.startswith("data:") else f"image.{known.mime.partition('/')[2]}"
            )
        else:
            source = source[:_MAX_TARGET]
            image.name, image.external = posixpath.basename(source)[:255], source
            if leads_outside(source):
                self._x.add("active_content", ActiveContent("external_image", "html", source[:400]))
        self._x.image(image, data)
        if not "".join(self._text).strip():
            self._flush()
            self._send(Block(self._x.next_id("b"), "image", image_id=image.id))

    def _begin_item(self) -> None:
        self._flush()
        depth = min(max(len(self._lists), 1), _MAX_DEPTH)
        ordered, number = self._lists[-1] if self._lists else (False, 0)
        if self._lists:
            self._lists[-1] = ordered, number + 1
        self._item = ListInfo(depth, ordered, f"{number + 1}." if ordered else "•")

    # --- tables -----------------------------------------------------------------------------------------------------

    def _begin_table(self) -> None:
        self._flush()
        if len(self._tables) >= _MAX_DEPTH:
            raise ExtractError("limit", "tables nested too deeply", kind="depth")
        table = Table(self._x.next_id("t"))
        outer = self._tables[-1] if self._tables else None
        if outer is not None:
            if outer.cell is None:  # a table between rows: its text must stand somewhere
                self._begin_cell({}, is_header=False)
            if outer.cell is not None and outer.cell.table_id is None:
                outer.cell.table_id = table.id
        self._tables.append(_Open(table))
        self._x.block(Block(self._x.next_id("b"), "table", table_id=table.id))

    def _begin_row(self) -> None:
        self._end_cell()
        if self._tables:
            self._tables[-1].row += 1
            self._tables[-1].col = 1

    def _begin_cell(self, said: dict[str, str], *, is_header: bool) -> None:
        self._end_cell()
        if not self._tables:
            return
        at = self._tables[-1]
        at.row = max(at.row, 1)
        col = at.col
        while at.taken.get(col, 0) >= at.row:
            col += 1
        cell = at.cell = Cell(at.row, col, _span(said, "rowspan"), _span(said, "colspan"))
        for taken in range(col, col + cell.col_span):
            at.taken[taken] = at.row + cell.row_span - 1
        at.col = col + cell.col_span
        at.table.cells.append(cell)
        if is_header and at.row == 1:
            at.table.header_rows = 1

    def _end_cell(self) -> None:
        self._flush()
        if self._tables and (cell := self._tables[-1].cell) is not None:
            cell.text = cut(self._x, "\n".join(self._tables[-1].texts))
            self._tables[-1].cell, self._tables[-1].texts = None, []

    def _end_table(self) -> None:
        self._end_cell()
        if not self._tables:
            return
        table = self._tables.pop().table
        table.n_rows = max((cell.row for cell in table.cells), default=0)
        table.n_cols = max((cell.col + cell.col_span - 1 for cell in table.cells), default=0)
        self._x.table(table)


def _span(said: dict[str, str], name: str) -> int:
    value = said.get(name, "").strip()
    return min(max(int(value), 1), _MAX_SPAN) if value.isdecimal() and len(value) < 9 else 1
