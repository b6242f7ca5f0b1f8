"""A table of a slide: its grid, and the paragraphs of its cells as blocks (21.1.3)."""

from __future__ import annotations

from typing import Any, Final

from fumehood_sandbox.contract import Block, Cell, Table
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.ooxml.bounds import cut
from fumehood_sandbox.extractors.ooxml.drawing import A
from fumehood_sandbox.extractors.pptx.bullets import Labels
from fumehood_sandbox.extractors.pptx.names import integer, on
from fumehood_sandbox.extractors.pptx.text import Target, block_of, body_paragraphs

_MAX_SPAN: Final = 4096


def read_table(
    x: Extraction, element: Any, slide: int, number: int, target: Target, hidden: str | None, caption: str
) -> list[str]:
    """Send the table *element*, an ``a:tbl``; the ids of its blocks. *number* is what the slide shows as its own."""
    frame = Block(x.next_id("b"), "table", slide=slide, hidden=hidden)
    table = Table(x.next_id("t"), slide=slide, caption=cut(x, caption, f"slide {slide}") or None)
    frame.table_id = table.id
    x.block(frame)
    ids = [frame.id]
    about = element.find(A + "tblPr")
    table.header_rows = int(about is not None and on(about.get("firstRow")))
    for row_number, row in enumerate(element.findall(A + "tr"), 1):
        table.n_rows = row_number
        for col, cell in enumerate(row.findall(A + "tc"), 1):
            table.n_cols = max(table.n_cols, col)
            if on(cell.get("hMerge")) or on(cell.get("vMerge")):
                continue
            found = Cell(row_number, col, _span(cell, "rowSpan"), _span(cell, "gridSpan"))
            body = cell.find(A + "txBody")
            style = body.find(A + "lstStyle") if body is not None else None
            labels = Labels([style] if style is not None else [])
            lines = []
            for paragraph in body_paragraphs(body, number) if body is not None else ():
                block = block_of(x.next_id("b"), paragraph, "body", slide, labels, target)
                block.table_id, block.row, block.col, block.hidden = table.id, row_number, col, hidden
                ids.append(x.block(block).id)
                lines.append(paragraph.text)
            found.text = cut(x, "\n".join(lines), f"slide {slide}")
            table.cells.append(found)
    x.table(table)
    return ids


def _span(cell: Any, name: str) -> int:
    return min(max(integer(cell.get(name), 1), 1), _MAX_SPAN)
