"""A chart's text and data as blocks and a table of part ``chart`` (ECMA-376 part 1, 21.2; [MS-ODRAWXML] 2.24 for the newer kinds)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from fumehood_sandbox.contract import Block, Cell, Table
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.numfmt import number_format
from fumehood_sandbox.extractors.ooxml.bounds import cut
from fumehood_sandbox.extractors.ooxml.drawing import A, paragraphs, read_paragraph, walk
from fumehood_sandbox.extractors.ooxml.tree import among, descend
from fumehood_sandbox.opc import Package
from fumehood_sandbox.plain import replace

C: Final = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
CX: Final = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"

_MAX_POINTS: Final = 20_000
_MAX_SERIES: Final = 512
#: Of a chart's table, empty ones too: series may share their data, so that it grows faster than the part.
_MAX_CELLS: Final = 1_000_000
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
    whole: bool = True
    """Whether all of its points are here."""


def read_chart(x: Extraction, root: Any, slide: int | None = None, hidden: str | None = None) -> list[str]:
    """Send the chart under *root*; the ids of its blocks. *hidden* says why nobody sees it."""
    extended = root.tag.startswith(CX)
    found = _extended(root) if extended else [_series(e) for e in root.iter(C + "ser")]
    series = found[:_MAX_SERIES]
    if len(found) > len(series) or not all(s.whole for s in series):
        _cut(x, slide)
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
    read: dict[str | None, _Series] = {}
    found = []
    for element in root.iter(CX + "series"):
        text, refers = element.find(CX + "tx"), element.find(CX + "dataId")
        name = " ".join(v.text for v in text.iter(CX + "v") if v.text) if text is not None else ""
        source = refers.get("val") if refers is not None else None
        if source not in read:
            read[source] = _extended_data(data.get(source))
        found.append(replace(read[source], name=name))
    return found


def _extended_data(source: Any | None) -> _Series:
    found = _Series()
    for dimension in source if source is not None else ():
        points = ((point.get("idx"), point.text or None) for point in dimension.iter(CX + "pt"))
        if dimension.tag == CX + "strDim":
            found.whole &= _put(points, found.labels)
        elif dimension.tag == CX + "numDim" and not found.values:
            found.whole &= _put(points, found.values)
    return found


def _series(element: Any) -> _Series:
    found = _Series()
    text = element.find(C + "tx")
    if text is not None:
        found.name = " ".join(v.text for v in text.iter(C + "v") if v.text)
    for target, names in ((found.labels, _LABELS), (found.values, _VALUES), (found.sizes, ("bubbleSize",))):
        for name in names:
            child = element.find(C + name)
            if child is not None:
                found.whole &= _put(_points(child), target)
    return found


def _points(element: Any) -> Iterator[tuple[str | None, str | None]]:
    """The cached points: index and text."""
    numbers = next(among(element, _NUMBERS), None)
    code = None if numbers is None else numbers.findtext(C + "formatCode") or "General"
    for point in element.iter(C + "pt"):
        value = point.findtext(C + "v")
        if value is not None and code is not None:
            value = _shown(value, code)
        yield point.get("idx"), value


def _put(points: Iterable[tuple[str | None, str | None]], target: dict[int, str]) -> bool:
    """Put *points* (index and text) where they belong, and say whether that were all. Several texts of one index are the levels of
    a label, the outer one last; they are joined with the outer one first.
    """
    levels: dict[int, list[str]] = {}
    whole = True
    for count, (index, text) in enumerate(points):
        if count >= _MAX_POINTS:
            whole = False
            break
        if text is not None and index is not None and index.isdecimal() and len(index) < 8:
            levels.setdefault(int(index), []).append(text)
    for at, texts in levels.items():
        target[at] = " ".join([*reversed(texts), *([target[at]] if at in target else ())])
    return whole


def _cut(x: Extraction, slide: int | None) -> None:
    where = f"slide {slide}" if slide is not None else None
    x.warn("chart-cut", "a chart has more series or points than are shown", where=where)


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
    indexes = sorted({*labels, *(i for _, values in columns for i in values)})
    rows = indexes[: min(_MAX_POINTS, _MAX_CELLS // (len(columns) + 1))]
    if len(rows) < len(indexes):
        _cut(x, slide)
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
