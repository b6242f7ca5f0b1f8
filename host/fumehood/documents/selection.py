"""A part of a document as a document: some pages, or one chapter. What is attached belongs to the whole only."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from fumehood_sandbox.contract import Block, Document

#: Parts of a document that belong to no page.
_OFF_PAGE: Final = frozenset({"header", "footer", "footnote", "endnote", "comment"})
_MAX_LISTED: Final = 10_000


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it: *start* and *end* are positions in ``document.blocks``."""

    title: str
    level: int
    page: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PageMap:
    """Which page each block is on. *exact* when the format has pages; else explicit breaks are all there is to go by."""

    pages: list[int]
    last: int
    exact: bool


def page_map(document: Document) -> PageMap:
    """Pages of a PDF, slides of a presentation, sheets of a workbook; elsewhere what explicit page breaks make."""
    if document.sheets:
        return PageMap([b.sheet or 1 for b in document.blocks], len(document.sheets), exact=True)
    if any(b.page or b.slide for b in document.blocks) or document.pages or document.slides:
        pages = [b.page or b.slide or 0 for b in document.blocks]
        last = max([*pages, *(p.index for p in document.pages), *(s.index for s in document.slides), 1])
        return PageMap(pages, last, exact=True)
    page, pages = 1, []
    for block in document.blocks:
        pages.append(page)
        if block.type == "page_break":
            page += 1
    return PageMap(pages, page, exact=False)


def select_pages(document: Document, wanted: Sequence[tuple[int, int]]) -> tuple[Document, list[int]]:
    """*document* with the pages of *wanted* (inclusive, from 1) only, and which pages those were."""
    where = page_map(document)
    chosen = [n for n in range(1, min(where.last, _MAX_LISTED) + 1) if any(first <= n <= last for first, last in wanted)]
    keep = set(chosen)
    if document.sheets:
        sheets = [s for i, s in enumerate(document.sheets, 1) if i in keep]
        numbers = {old: new for new, old in enumerate(chosen, 1)}
        kept = [b for b in document.blocks if b.sheet is None or b.sheet in keep]
        blocks = [replace(b, sheet=numbers[b.sheet]) if b.sheet is not None else b for b in kept]
        tables, names = _tables_of(document, blocks), {sheet.name for sheet in sheets}
        part = replace(document, sheets=sheets, blocks=blocks, attachments=[])
        part.tables = [t for t in document.tables if t.id in tables]
        part.comments = [c for c in document.comments if c.where is None or c.where.rpartition("!")[0] in names]
        return part, chosen
    blocks = [b for b, n in zip(document.blocks, where.pages, strict=True) if n in keep and b.part not in _OFF_PAGE]
    part = _with_blocks(document, blocks)
    part.pages = [p for p in document.pages if p.index in keep]
    part.slides = [s for s in document.slides if s.index in keep]
    return part, chosen


def sections(document: Document) -> list[Section]:
    """The headings of the body in order, each with where its text ends: before the next heading of its level or above."""
    where = page_map(document)
    heads = [(i, b) for i, b in enumerate(document.blocks) if b.type == "heading" and b.part == "body" and b.text.strip()]
    found: list[Section] = []
    for n, (i, block) in enumerate(heads):
        level = block.level or 1
        end = next((j for j, later in heads[n + 1 :] if (later.level or 1) <= level), len(document.blocks))
        found.append(Section(block.text.strip(), level, where.pages[i], i, end))
    return found


def select_section(document: Document, title: str) -> Document | None:
    """The section of that *title* (case and spacing do not matter; else the first whose title contains it), or None."""
    wanted = _fold(title)
    found = sections(document)
    match = next((s for s in found if _fold(s.title) == wanted), None) or next(
        (s for s in found if wanted in _fold(s.title)), None
    )
    if match is None:
        return None
    return _with_blocks(document, [b for b in document.blocks[match.start : match.end] if b.part not in _OFF_PAGE])


def _fold(title: str) -> str:
    return " ".join(title.casefold().split())


def _with_blocks(document: Document, blocks: list[Block]) -> Document:
    """*document* with *blocks* only, the notes that they refer to, and the comments on them."""
    noted = {run.note_id for block in blocks for run in block.runs if run.note_id}
    commented = {block.para_index for block in blocks if block.para_index is not None}
    tables = _tables_of(document, blocks)
    return replace(
        document,
        blocks=blocks + [b for b in document.blocks if b.note_id in noted and b.part in _OFF_PAGE],
        tables=[t for t in document.tables if t.id in tables],
        notes=[n for n in document.notes if n.id in noted],
        comments=[c for c in document.comments if c.para_index in commented],
        sheets=[],
        pages=[],
        slides=[],
        attachments=[],
    )


def _tables_of(document: Document, blocks: Collection[Block]) -> set[str]:
    found = {b.table_id for b in blocks if b.table_id is not None}
    nested = {cell.table_id for t in document.tables if t.id in found for cell in t.cells if cell.table_id}
    return found | nested
