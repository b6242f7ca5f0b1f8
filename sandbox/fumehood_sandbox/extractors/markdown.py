"""Markdown files, at a simple level: headings, lists, quotes, fences, pipe tables, rules; emphasis, code and links in a line.

A line at a time, with patterns that never look back: linear whatever the file holds. HTML stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from fumehood_sandbox.contract import Block, Cell, Link, ListInfo, Run, Table
from fumehood_sandbox.extraction import Extraction

_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)")
_FENCE: Final = re.compile(r"( {0,3})(`{3,}|~{3,})([^`]*)$")
_ITEM: Final = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_RULE: Final = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_QUOTE: Final = re.compile(r" {0,3}> ?")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_DELIMITER_ROW: Final = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
# Each alternative stops at the next mark of its own kind, so that a line of marks costs no more than any other.
_INLINE: Final = re.compile(
    r"\\([!-/:-@\[-`{-~])"
    r"|`([^`]+)`"
    r"|\*\*([^*]+)\*\*|__([^_]+)__"
    r"|\*([^*\s][^*]*)\*|(?<![^\W_])_([^_\s][^_]*)_(?![^\W_])"
    r"|~~([^~]+)~~"
    r"|(!?)\[([^\[\]]*)\]\(<?([^()\s<>]*)>?(?:\s[^()]*)?\)"
)
_MARK: Final = re.compile(r"[\\`*_~!\[]")
_MAX_LINE: Final = 32 * 1024


def read_markdown(x: Extraction, text: str) -> None:
    """Add the blocks of *text* (with plain newlines) to the document."""
    _Reader(x).read(text)


def _lines(text: str) -> Iterator[str]:
    """Lines without their ends; one that no block could hold comes in pieces."""
    for line in text.split("\n"):
        for start in range(0, max(1, len(line)), _MAX_LINE):
            yield line[start : start + _MAX_LINE]


class _Reader:
    def __init__(self, x: Extraction) -> None:
        self.x = x
        self.paragraph: list[str] = []
        self.item: ListInfo | None = None
        self.indents: list[int] = []
        self.quote = False
        self.length = 0
        self.rows: list[list[str]] = []
        self.fence: str | None = None
        self.code: list[str] = []
        self.tables = 0

    def read(self, text: str) -> None:
        for line in _lines(text):
            self._line(line)
        if self.fence is not None:
            self._end_code()
        self._end()

    def _line(self, line: str) -> None:
        if self.fence is not None:
            stripped = line.strip()
            if stripped.startswith(self.fence) and not stripped.strip(self.fence[0]):
                self._end_code()
            else:
                self.code.append(line)
                self.length += len(line)
                if self.length > _MAX_LINE:
                    self._flush_code()
            return
        if self.rows:
            if "|" in line:
                self.rows.append(_cells(line))
                return
            self._end_table()
        if not line.strip():
            self._end()
            return
        if self._special(line):
            return
        if self.length > _MAX_LINE:
            self._end()
        self.paragraph.append(line.strip() if self.paragraph or self.item else line.strip(" \t"))
        self.length += len(line)

    def _special(self, line: str) -> bool:
        """Whether *line* begins something else than a paragraph; if so it is dealt with."""
        if self.paragraph and _UNDERLINE.match(line) and self.item is None and not self.quote:
            self._heading(1 if "=" in line else 2, " ".join(self.paragraph))
            self.paragraph.clear()
            return True
        if len(self.paragraph) == 1 and "|" in line and "|" in self.paragraph[0] and _DELIMITER_ROW.match(line):
            self.rows = [_cells(self.paragraph.pop())]
            self.length = 0
            return True
        if _RULE.match(line):
            self._end()
            self.x.block(Block(self.x.next_id("b"), "thematic_break"))
            return True
        fence = _FENCE.match(line)
        if fence:
            self._end()
            self.fence = fence.group(2)
            return True
        heading = _HEADING.match(line)
        if heading:
            self._end()
            title = line[heading.end() :].strip()
            closing = title.rstrip("#")
            self._heading(len(heading.group(1)), closing.rstrip() if closing[-1:] in {"", " ", "\t"} else title)
            return True
        item = _ITEM.match(line)
        if item:
            self._start_item(item.group(1), item.group(2))
            self.paragraph.append(line[item.end() :].strip())
            self.length = len(line)
            return True
        quote = _QUOTE.match(line)
        if quote:
            if not self.quote:
                self._end()
                self.quote = True
            rest = line[quote.end() :].strip()
            if rest:
                self.paragraph.append(rest)
                self.length += len(rest)
            return True
        return False

    def _start_item(self, indent: str, marker: str) -> None:
        indents = self.indents if self.item is not None or self.indents else []
        self._end(keep_list=True)
        width = len(indent.replace("\t", "    "))
        while indents and indents[-1] > width:
            indents.pop()
        if not indents or indents[-1] < width:
            indents.append(width)
        self.indents = indents
        ordered = marker[0].isdigit()
        self.item = ListInfo(len(indents), ordered, marker if ordered else "•")

    def _heading(self, level: int, text: str) -> None:
        plain, runs = self._inline(text)
        self.x.block(Block(self.x.next_id("b"), "heading", plain, level=level, runs=runs))

    def _end(self, *, keep_list: bool = False) -> None:
        """Finish the paragraph, item or quote under construction."""
        if self.rows:
            self._end_table()
        if self.paragraph:
            plain, runs = self._inline(" ".join(self.paragraph))
            block = Block(self.x.next_id("b"), "quote" if self.quote else "paragraph", plain, runs=runs)
            if self.item is not None:
                block.type, block.list = "list_item", self.item
            self.x.block(block)
            if self.item is None and not keep_list:
                self.indents = []
        self.paragraph, self.item, self.quote, self.length = [], None, False, 0

    def _flush_code(self) -> None:
        if self.code:
            self.x.block(Block(self.x.next_id("b"), "code", "\n".join(self.code)))
        self.code, self.length = [], 0

    def _end_code(self) -> None:
        self._flush_code()
        self.fence = None

    def _end_table(self) -> None:
        identifier = self.x.next_id("t")
        width = len(self.rows[0])
        table = Table(identifier, len(self.rows), width, header_rows=1)
        for row, cells in enumerate(self.rows, 1):
            table.cells.extend(Cell(row, col, text=self._inline(cell)[0]) for col, cell in enumerate(cells[:width], 1))
        self.x.block(Block(self.x.next_id("b"), "table", table_id=identifier))
        self.x.table(table)
        self.rows = []
        self.tables += 1
        self.x.document.counts["tables"] = self.tables

    def _inline(self, text: str) -> tuple[str, list[Run]]:
        """The text that a reader would see, and its runs where anything is formatted."""
        runs: list[Run] = []
        at = 0
        for mark in _MARK.finditer(text):
            if mark.start() < at or (match := _INLINE.match(text, mark.start())) is None:
                continue
            if match.start() > at:
                runs.append(Run(text[at : match.start()]))
            runs.append(self._run(match))
            at = match.end()
        if at < len(text):
            runs.append(Run(text[at:]))
        plain = "".join(run.text for run in runs)
        return plain, runs if any(run != Run(run.text) for run in runs) else []

    def _run(self, match: re.Match[str]) -> Run:
        escaped, code, strong1, strong2, em1, em2, struck, image, label, target = match.groups()
        if label is not None:
            if image:
                self.x.add("links", Link(target, label, where="image"))
                return Run(f"[image: {label}]" if label else "[image]")
            self.x.add("links", Link(target, label, kind="internal" if target.startswith("#") else "external"))
            return Run(label, link=target or None)
        if code is not None:
            return Run(code, code=True)
        if strong1 or strong2:
            return Run(strong1 or strong2, bold=True)
        if em1 or em2:
            return Run(em1 or em2, italic=True)
        return Run(struck, strike=True) if struck else Run(escaped or "")


def _cells(line: str) -> list[str]:
    r"""The cells of a pipe row; ``\|`` is a pipe inside one."""
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.replace("\x00", "|").strip() for cell in inner.replace("\\|", "\x00").split("|")]
