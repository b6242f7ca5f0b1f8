"""A document of fixed pages, sent page by page: what each page holds becomes blocks, and at the end what all of them mean is said.

Pages are held back a little: the size of ordinary text is taken from the first ones, and running heads from those nearby.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from fumehood_sandbox.contract import Block, Cell, ListInfo, Page, Table
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.pages.model import Group, Paragraph
from fumehood_sandbox.extractors.pages.running import RunningHeads
from fumehood_sandbox.extractors.pages.tables import FoundTable

MAX_PAGES: Final = 20_000
#: A page tree may promise any number of pages; after this many in a row that are not there it is not believed.
_MAX_MISSING: Final = 100
#: The size of ordinary text is taken from the first pages; they are held back until it is known.
_SAMPLE: Final = 8
#: So many pages ahead are looked at for the words of running heads.
_AHEAD: Final = 2
#: Characters that say nothing: no glyph's name was known, or the font's own numbers were taken for characters.
BAD: Final = re.compile("[\ufffd\ue000-\uf8ff\x00-\x08\x0e-\x1f]")

Kind = Literal["text", "scan", "mixed", "garbled", "blank"]


@dataclass(slots=True)
class PageText:
    """What the content of a page shows. *image_cover* is the share of the page that its images cover, 0 to 1."""

    groups: list[Group]
    chars: int
    bad_chars: int
    width: float | None
    height: float | None
    image_cover: float = 0.0
    drawings: int = 0
    truncated: bool = False

    @property
    def kind(self) -> Kind:
        """text, scan, mixed, garbled or blank.

        A page that is mostly one image is a scan when it has no text and mixed when it has some; paths alone count as a
        scan where there are enough of them to be outlined letters.
        """
        if self.chars == 0:
            return "scan" if self.image_cover >= 0.2 or self.drawings >= 50 else "blank"
        if self.bad_chars * 3 > self.chars and self.chars > 20:
            return "garbled"
        return "mixed" if self.image_cover >= 0.5 else "text"


@dataclass(slots=True)
class ReadPage:
    """A page that was read and not sent yet."""

    page: Page
    paragraphs: list[Paragraph]
    fields: list[Block] = field(default_factory=list)
    image_ids: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Pages:
    """The pages of a document on their way to *x*."""

    x: Extraction
    total: int
    _held: list[ReadPage] = field(default_factory=list)
    _body_size: float = 0.0
    _kinds: dict[str, int] = field(default_factory=dict)
    _missing: int = 0
    _tables: int = 0
    _words: bool = False
    _running: RunningHeads = field(default_factory=RunningHeads)

    def wanted(self) -> Iterator[int]:
        """The positions (from 0) to read, each once, in order, with progress after each.

        Raises:
            ExtractError: ``limit`` (kind pages).
        """
        for done, position in enumerate(self._positions(), 1):
            if done > MAX_PAGES:
                raise ExtractError("limit", f"more than {MAX_PAGES} pages", kind="pages")
            yield position
            self.x.progress(position + 1, self.total, "page")
            if self._missing >= _MAX_MISSING:
                self.x.warn("pages-missing", "the page tree promises pages that are not there")
                return

    def _positions(self) -> Iterator[int]:
        if self.x.request.pages is None:
            yield from range(self.total)
            return
        at = 0
        for first, last in sorted((span[0], span[-1]) for span in self.x.request.pages):
            for position in range(max(first - 1, at, 0), min(last, self.total)):
                at = position + 1
                yield position

    def unreadable(self, number: int, why: str) -> None:
        """Say that page *number* could not be read."""
        self._missing += 1
        self.x.warn("page-unreadable", why, where=f"page {number}" if self._missing <= 20 else None)

    def add(self, read: ReadPage, text: PageText) -> None:
        """The next page, and what its text was made from."""
        if text.truncated:
            self.x.warn("page-cut", "a page holds more text than is read of one page", where=f"page {read.page.index}")
        if read.page.kind is not None:
            self._kinds[read.page.kind] = self._kinds.get(read.page.kind, 0) + 1
        self._held.append(read)
        if len(self._held) > (_AHEAD if self._body_size else _SAMPLE):
            self._send(keep=_AHEAD)

    def found(self) -> None:
        """A page was there and could be read."""
        self._missing = 0

    def finish(self) -> None:
        """Send what is held, and say what the pages are.

        Raises:
            ExtractError: ``corrupt``, none of them can be read; ``needs-ocr``, none of them has text and at least one is a scan
                or garbled.
        """
        self._send()
        counts, kinds = self.x.document.counts, self._kinds
        counts["pages"] = self.total
        counts["tables"] = self._tables
        if not kinds:
            if self.x.request.pages is not None:
                self.x.warn("pages-out-of-range", f"none of the pages asked for is there; the document has {self.total}")
                return
            raise ExtractError("corrupt", "none of its pages can be read")
        scanned, garbled = kinds.get("scan", 0), kinds.get("garbled", 0)
        if garbled:
            self.x.warn("garbled-text", "pages whose text layer has no readable characters", count=garbled)
        unread = scanned + garbled
        if unread and not self._words:
            raise ExtractError("needs-ocr", f"{unread} of its pages are images or have unreadable characters, none has text")
        if scanned:
            self.x.warn("scanned-pages", "pages that are images without text; they need character recognition", count=scanned)
        if not self._words:
            self.x.warn("no-text", "no page has any text")

    def _send(self, *, keep: int = 0) -> None:
        """Send the pages that are held but for the last ones to *keep*."""
        x, held = self.x, self._held
        going = held[: len(held) - keep]
        at_hand = [(read.page.index, read.page.height, read.paragraphs) for read in held]
        for read in going:
            self._running.mark(at_hand, read.page.index)
        if not self._body_size:
            self._body_size = _ordinary_size(held)
        for read in going:
            number = read.page.index
            x.add("pages", read.page)
            for paragraph in read.paragraphs:
                if paragraph.table is not None:
                    self._words = True
                    self._table(paragraph.table, number)
                    continue
                self._words = self._words or any(map(str.isalnum, paragraph.text))
                x.block(self._block(paragraph, number))
            for block in read.fields:
                self._words = True
                x.block(block)
            for identifier in read.image_ids:
                x.block(Block(x.next_id("b"), "image", page=number, image_id=identifier))
        del held[: len(going)]

    def _table(self, found: FoundTable, number: int) -> None:
        """A table: its block, a block for the text of each cell, and the table itself."""
        x = self.x
        table = Table(x.next_id("t"), found.n_rows, found.n_cols, found.header_rows, page=number)
        x.block(Block(x.next_id("b"), "table", page=number, bbox=_rounded(found.box), table_id=table.id))
        for cell in found.cells:
            table.cells.append(Cell(cell.row, cell.col, cell.row_span, cell.col_span, cell.text))
            if cell.text:
                x.block(Block(x.next_id("b"), text=cell.text, page=number, table_id=table.id, row=cell.row, col=cell.col))
        x.table(table)
        self._tables += 1

    def _block(self, paragraph: Paragraph, number: int) -> Block:
        block = Block(
            self.x.next_id("b"),
            text=paragraph.text.strip(),
            page=number,
            bbox=_rounded(paragraph.box),
            hidden=paragraph.hidden,
        )
        if paragraph.edge is not None:
            block.part = paragraph.edge
            block.text = f"{paragraph.bullet or ''} {block.text}".strip()
            return block
        level = _heading_level(paragraph, self._body_size)
        if paragraph.bullet is not None:
            block.type = "list_item"
            block.list = ListInfo(1, ordered=False, label=paragraph.bullet)
        elif level is not None:
            block.type, block.level = "heading", level
        return block


def _rounded(box: Sequence[float]) -> list[Any]:
    return [round(v, 1) for v in box]


def _ordinary_size(held: Sequence[ReadPage]) -> float:
    """The size in points that most of the text has, running heads left out of account; 0 where there is no other text."""
    sizes: dict[float, int] = {}  # no Counter: its module is a long import
    for read in held:
        for paragraph in read.paragraphs:
            if paragraph.edge is not None:
                continue
            size = round(paragraph.size * 2) / 2
            sizes[size] = sizes.get(size, 0) + len(paragraph.text)
    return max(sizes, key=sizes.__getitem__) if sizes else 0.0


def _heading_level(paragraph: Paragraph, body_size: float) -> int | None:
    """1 to 3 for a short paragraph in type that is plainly larger than the document's ordinary text."""
    if not body_size or paragraph.n_lines > 3 or len(paragraph.text) > 200 or paragraph.hidden:
        return None
    if not any(c.isalpha() for c in paragraph.text) or len(paragraph.text.strip()) < 2:
        return None
    ratio = paragraph.size / body_size
    return 1 if ratio >= 1.7 else 2 if ratio >= 1.35 else 3 if ratio >= 1.15 else None
