"""A chart's text and data as blocks and a table of part ``chart`` (ECMA-376 part 1, 21.2; [MS-ODRAWXML] 2.24 for the newer kinds)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from fumehood_sandbox.contract import Block, Cell, Table
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.numfmt import number_format
from fumehood_sandbox.extractors.ooxml.bounds import cut
from fumehood_sandbox.extractors.ooxml.drawing import A, paragraphs, read_paragraph, walk
from fumehood_sandbox.extractors.ooxml.tree import among, descend
from fumehood_sandbox.opc import Package

C: Final = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
CX: Final = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"

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


def read_chart(x: Extraction, root: Any, slide: int | None = None, hidden: str | None = None) -> list[str]:
    """Send the chart under *root*; the ids of its blocks. *hidden* says why nobody sees it."""
    extended = root.tag.startswith(CX)
    found = _extended(root) if extended else [_series(e) for e in root.iter(C + "ser")]
    series = found[:_MAX_SERIES]
    ids = [_block(x, text, slide, hidden) for text in _words(root) if text.strip()]
    if any(s.values or s.labels for s in series):
        ids.append(_table(x, series, slide, hidden))
    elif series:
        where = f"slide {slide}" if slide is not None else None
        x.warn(
            "chart-without-data",
            "a chart stores none of its data; the cells that it is drawn from are not looked up",
            where=where,
        )
    return ids


def read_drawn_over(
    x: Extraction, package: Package, part: str, slide: int | None = None, hidden: str | None = None
) -> list[str]:
    """Send the words of the shapes that are drawn over the chart in *part* (21.3); the ids of their blocks."""
    root = package.optional_xml(package.related(part, "chartUserShapes"))
    if root is None:
        return []
    return [_block(x, paragraph.text, slide, hidden) for paragraph in paragraphs(root) if paragraph.text.strip()]


def _block(x: Extraction, text: str, slide: int | None, hidden: str | None) -> str:
    return x.block(Block(x.next_id("b"), text=text, part="chart", slide=slide, hidden=hidden)).id


def _words(root: Any) -> Iterator[str]:
    """Titles and labels in their order: written in the chart, or as the cell had them that they are taken from."""
    for element in walk(root):
        if element.tag == A + "p":
            yield read_paragraph(element).text
        elif element.tag == C + "title":
            cache = descend(element, C + "tx", C + "strRef", C + "strCache")
            yield " ".join(v.text for v in cache.iter(C + "v") if v.text) if cache is not None else ""
        elif element.tag == CX + "title" and next(element.iter(A + "p"), None) is None:
            yield " ".join(v.text for v in element.iter(CX + "v") if v.text)


def _extended(root: Any) -> list[_Series]:
    """The series of a chart of the newer kinds ([MS-ODRAWXML] 2.24): each names its data by number."""
    data = {e.get("id"): e for e in root.iter(CX + "data")}
    found = []
    for element in root.iter(CX + "series"):
        text, refers = element.find(CX + "tx"), element.find(CX + "dataId")
        one = _Series(" ".join(v.text for v in text.iter(CX + "v") if v.text) if text is not None else "")
        source = data.get(refers.get("val")) if refers is not None else None
        for dimension in source if source is not None else ():
            if dimension.tag == CX + "strDim":
                _extended_points(dimension, one.labels)
            elif dimension.tag == CX + "numDim" and not one.values:
                _extended_points(dimension, one.values)
        found.append(one)
    return found


def _extended_points(dimension: Any, target: dict[int, str]) -> None:
    for count, point in enumerate(dimension.iter(CX + "pt")):
        if count >= _MAX_POINTS:
            return
        at = point.get("idx") or ""
        if point.text and at.isdecimal() and len(at) < 8:
            target[int(at)] = f"{point.text} {target[int(at)]}" if int(at) in target else point.text


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


def _table(x: Extraction, series: list[_Series], slide: int | None, hidden: str | None) -> str:
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
    block = Block(x.next_id("b"), "table", part="chart", table_id=table.id, slide=slide, hidden=hidden)
    x.block(block)
    x.table(table)
    x.add("table_cells", *cells, owner=table.id)
    return block.id
