"""Presentations through python-pptx: the second method of the family pptx.

Slides, titles, text, tables and notes; no pictures, charts or comments.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, Final

from fumehood_sandbox.contract import Block, Cell, OutlineItem, Slide, Table
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.ooxml.embedded import attach_parts, embedded_parts
from fumehood_sandbox.extractors.ooxml.vet import vet

_MAX_DEPTH: Final = 100


def extract(x: Extraction) -> None:
    """Read the presentation in ``x.data``. Whatever the library raises is the chain's to name."""
    package = vet(x)
    import pptx  # noqa: PLC0415 - only the second method pays for it

    slides = pptx.Presentation(io.BytesIO(x.data)).slides
    tables = 0
    for index, slide in enumerate(slides, 1):
        tables += _slide(x, slide, index)
        x.progress(index, len(slides), "slide")
    x.document.counts.update(slides=len(slides), tables=tables)
    attach_parts(x, package, embedded_parts(package))


def _slide(x: Extraction, slide: Any, index: int) -> int:
    """Send one slide; how many tables it holds."""
    title_shape = slide.shapes.title
    title = " ".join(title_shape.text_frame.text.split()) if title_shape is not None else ""
    ids: list[str] = []
    tables = 0
    if title:
        block = x.block(Block(x.next_id("b"), "heading", title, level=2, slide=index))
        ids.append(block.id)
        x.add("outline", OutlineItem(title[:1024], 1, block.id, index))
    for shape in _shapes(slide.shapes, 0):
        if title_shape is not None and shape.element is title_shape.element:
            continue
        if getattr(shape, "has_table", False):
            tables += 1
            ids.append(_table(x, shape.table, index))
        elif shape.has_text_frame:
            for paragraph in shape.text_frame.paragraphs:
                text = "".join(run.text for run in paragraph.runs) or paragraph.text
                if text.strip():
                    ids.append(x.block(Block(x.next_id("b"), text=text.replace("\v", "\n"), slide=index)).id)
    notes = slide.notes_slide.notes_text_frame.text if slide.has_notes_slide and slide.notes_slide.notes_text_frame else ""
    if notes.strip():
        ids.append(x.block(Block(x.next_id("b"), text=notes, part="notes", slide=index)).id)
    x.add("slides", Slide(index, title, slide.element.get("show") in {"0", "false"}, ids, notes))
    return tables


def _shapes(shapes: Any, depth: int) -> Iterator[Any]:
    if depth > _MAX_DEPTH:
        raise ExtractError("limit", "groups nest too deeply", kind="depth")
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes, depth + 1)
        else:
            yield shape


def _table(x: Extraction, source: Any, index: int) -> str:
    block = Block(x.next_id("b"), "table", slide=index)
    table = Table(x.next_id("t"), len(source.rows), len(source.columns), slide=index)
    block.table_id = table.id
    for r in range(1, table.n_rows + 1):
        for c in range(1, table.n_cols + 1):
            cell = source.cell(r - 1, c - 1)
            if not cell.is_spanned:
                height, width = (cell.span_height, cell.span_width) if cell.is_merge_origin else (1, 1)
                table.cells.append(Cell(r, c, height, width, cell.text_frame.text))
    x.block(block)
    x.table(table)
    return block.id
