"""A chart's text and data as blocks and a table of part ``chart`` (ECMA-376 part 1, 21.2; the extended charts by their text)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Final

from fumehood_sandbox.contract import Block, Cell, Table
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.numfmt import number_format
from fumehood_sandbox.extractors.ooxml.bounds import cut
from fumehood_sandbox.extractors.ooxml.drawing import paragraphs, walk
from fumehood_sandbox.extractors.ooxml.tree import among

C: Final = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"

_MAX_POINTS: Final = 20_000
_MAX_SERIES: Final = 512
_ACROSS: Final = 24
_LABELS: Final = ("cat", "xVal")
_VALUES: Final = ("val", "yVal")
_NUMBERS: Final = frozenset({C + "numCache", C + "numLit"})


@dataclass(slots=True)
class _Series:
    name: str = ""
    labels: dict[int, str] = field(default_factory=dict)
    values: dict[int, str] = field(default_factory=dict)
    sizes: dict[int, str] = field(default_factory=dict)


def read_chart(x: Extraction, root: Any, slide: int | None = None) -> list[str]:
    """Send the chart under *root*; the ids of its blocks."""
    ids: list[str] = []
    series = [_series(e) for e in list(root.iter(C + "ser"))[:_MAX_SERIES]]
    ids += [_block(x, paragraph.text, slide) for paragraph in paragraphs(root) if paragraph.text.strip()]
    if any(s.values or s.labels for s in series):
        ids.append(_table(x, series, slide))
    elif root.find(C + "chart") is None:  # another dialect (chartex): its literal values
        values = (e.text for e in walk(root) if e.tag.rpartition("}")[2] in {"v", "pt"})
        ids += [_block(x, value, slide) for value in values if value and value.strip()]
    return ids


def _block(x: Extraction, text: str, slide: int | None) -> str:
    return x.block(Block(x.next_id("b"), text=text, part="chart", slide=slide)).id


def _series(element: Any) -> _Series:
    found = _Series()
    text = element.find(C + "tx")
    if text is not None:
        found.name = " ".join(v.text for v in text.iter(C + "v") if v.text)
    for target, names in ((found.labels, _LABELS), (found.values, _VALUES), (found.sizes, ("bubbleSize",))):
        for name in names:
            child = element.find(C + name)
            if child is not None:
                _points(child, target)
    return found


def _points(element: Any, target: dict[int, str]) -> None:
    """The cached points; where a label has several levels, they are joined, the outer one first."""
    numbers = next(among(element, _NUMBERS), None)
    code = None if numbers is None else numbers.findtext(C + "formatCode") or "General"
    for count, point in enumerate(element.iter(C + "pt")):
        if count >= _MAX_POINTS:
            return
        index = point.get("idx") or ""
        value = point.findtext(C + "v")
        if value is not None and code is not None:
            value = _shown(value, code)
        if value is not None and index.isdecimal() and len(index) < 8:
            at = int(index)
            target[at] = f"{value} {target[at]}" if at in target else value


def _shown(number: str, code: str) -> str:
    """A cached number as a person would write it: a date by its format, else the fifteen digits that a double can hold."""
    try:
        value = float(number)
    except ValueError:
        return number
    if not math.isfinite(value):
        return number
    known = number_format(code)
    return known.show(value) if known.kind in {"date", "time"} else f"{value:.15g}"


def _table(x: Extraction, series: list[_Series], slide: int | None) -> str:
    columns: list[tuple[str, dict[int, str]]] = []
    labels = next((s.labels for s in series if s.labels), {})
    for one in series:
        if one.labels and one.labels != labels:
            columns.append((f"{one.name} X".strip(), one.labels))
        columns.append((one.name, one.values))
        if one.sizes:
            columns.append((f"{one.name} size".strip(), one.sizes))
    rows = sorted({*labels, *(i for _, values in columns for i in values)})[:_MAX_POINTS]
    grid = [["", *(name for name, _ in columns)]]
    grid += [[labels.get(i, ""), *(values.get(i, "") for _, values in columns)] for i in rows]
    if len(rows) <= _ACROSS and len(columns) <= _ACROSS:  # as a chart's own data table: the labels across
        grid = [list(row) for row in zip(*grid, strict=True)]
    table = Table(x.next_id("t"), len(grid), len(grid[0]), header_rows=1, part="chart", slide=slide)
    cells = [Cell(r, c, text=cut(x, text)) for r, row in enumerate(grid, 1) for c, text in enumerate(row, 1) if text]
    block = Block(x.next_id("b"), "table", part="chart", table_id=table.id, slide=slide)
    x.block(block)
    x.table(table)
    x.add("table_cells", *cells, owner=table.id)
    return block.id
