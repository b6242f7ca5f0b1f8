"""The text of DrawingML parts that documents, workbooks and presentations share: charts and SmartArt, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, Final

_A: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C: Final = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_CX: Final = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
_MC: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MOST_POINTS: Final = 20_000


def paragraph_text(paragraph: Any) -> str:
    """The text of an ``a:p``, breaks as newlines."""
    signs = {_A + "br": "\n", _A + "tab": "\t"}
    return "".join(signs.get(child.tag) or child.text or "" for child in paragraph.iter(_A + "t", *signs))


def chart_lines(root: Any) -> list[str]:
    """A chart's titles and labels, then a line for each series: its name, and its categories with their values."""
    lines = [text for p in _paragraphs(root) if (text := paragraph_text(p)).strip()]
    lines += [line for series in root.iter(_C + "ser") if (line := _series(series))]
    if root.tag.startswith(_CX):
        lines += [" ".join(p.text for p in level.iter(_CX + "pt") if p.text) for level in root.iter(_CX + "lvl")]
        lines += [v.text for v in root.iter(_CX + "v") if v.text]
    return [line for line in lines if line.strip()]


def diagram_lines(root: Any) -> list[str]:
    """The paragraphs of a diagram's data, in the order of its points."""
    return [text for p in _paragraphs(root) if (text := paragraph_text(p)).strip()]


def _paragraphs(root: Any) -> Iterator[Any]:
    for p in root.iter(_A + "p"):
        if not any(ancestor.tag == _MC + "Fallback" for ancestor in p.iterancestors(_MC + "Fallback")):
            yield p


def _values(element: Any | None) -> list[str]:
    """The cached points of a reference or literal; levels of a multi-level category joined with a slash."""
    if element is None:
        return []
    levels = list(element.iter(_C + "lvl")) or [element]
    found: dict[int, list[str]] = {}
    for level in reversed(levels):
        for at, point in enumerate(level.iter(_C + "pt")):
            value = point.find(_C + "v")
            if value is None or not value.text:
                continue
            if at >= _MOST_POINTS:
                break
            index = point.get("idx") or ""
            found.setdefault(int(index) if index.isdigit() else at, []).append(value.text)
    return [" / ".join(found[index]) for index in sorted(found)]


def _series(series: Any) -> str:
    name = " ".join(v.text for tx in series.iterchildren(_C + "tx") for v in tx.iter(_C + "v") if v.text)
    categories = _values(series.find(_C + "cat")) or _values(series.find(_C + "xVal"))
    values = _values(series.find(_C + "val")) or _values(series.find(_C + "yVal"))
    pairs = [f"{c} = {v}" if c and v else c or v for c, v in zip_longest(categories, values, fillvalue="")]
    return f"{name}: {'; '.join(pairs)}" if name and pairs else name or "; ".join(pairs)
