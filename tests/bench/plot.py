"""The figures as one picture: where each bar stands, and the rate by how many are read at a time. Plain SVG, by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from bench.measure import Figure
from bench.report import Measured

_WIDTH: Final = 860
_LEFT: Final = 380
_RIGHT: Final = 30
_ROW: Final = 20
_DECADES: Final = (0.01, 0.1, 1.0, 10.0)
#: Colours that a reader who sees no red from green can tell apart, on white and on dark grey.
_GOOD: Final = "#0072b2"
_BAD: Final = "#d55e00"
_STYLE: Final = (
    "text{font:12px sans-serif;fill:#222}.h{font-weight:bold;font-size:14px}.n{fill:#666}"
    "line{stroke:#bbb}.bar{stroke:#222;stroke-width:2}rect.paper{fill:#fff}"
)


def svg(groups: Sequence[Measured]) -> str:
    """The picture of every figure that has a bar."""
    rows = [(measured.key, figure) for measured in groups for figure in measured.group.figures if figure.bar]
    height = 90 + _ROW * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">',
        "<title>Where each bar stands</title>",
        f'<style>{_STYLE}</style><rect class="paper" width="{_WIDTH}" height="{height}"/>',
        '<text class="h" x="12" y="24">Each figure over its bar: left of the line it is reached</text>',
        '<text class="n" x="12" y="42">dot: median or percentile; thin line: smallest to largest round; logarithmic</text>',
        *_axis(height),
    ]
    for number, (key, figure) in enumerate(rows):
        parts.extend(_figure(key, figure, 74 + _ROW * number))
    return "\n".join([*parts, "</svg>"]) + "\n"


def cost(figure: Figure, value: float) -> float:
    """*value* over the bar of *figure*, turned so that less is better."""
    assert figure.bar
    over = max(value, 1e-9) / figure.bar
    return 1 / over if figure.at_least else over


def _axis(height: int) -> Iterator[str]:
    for decade in _DECADES:
        x = _x(decade)
        css = ' class="bar"' if decade == 1 else ""
        yield f'<line{css} x1="{x:.1f}" x2="{x:.1f}" y1="58" y2="{height - 24}"/>'
        label = "bar" if decade == 1 else f"{decade:g}"
        yield f'<text class="n" x="{x:.1f}" y="{height - 8}" text-anchor="middle">{label}</text>'


def _figure(key: str, figure: Figure, y: int) -> Iterator[str]:
    colour = _GOOD if figure.reached else _BAD
    ends = sorted(_x(cost(figure, value)) for value in (min(figure.values), max(figure.values)))
    x = _x(cost(figure, figure.value))
    yield f'<text x="{_LEFT - 12}" y="{y + 4}" text-anchor="end">{escape(key)}: {escape(figure.name)}</text>'
    yield f'<path d="M{ends[0]:.1f} {y}H{ends[1]:.1f}" stroke="{colour}" stroke-width="2"/>'
    if figure.reached:
        yield f'<circle cx="{x:.1f}" cy="{y}" r="5" fill="{colour}"/>'
    else:
        yield f'<path d="M{x - 5:.1f} {y - 5}l10 10m0 -10l-10 10" stroke="{colour}" stroke-width="2.5"/>'


def _x(value: float) -> float:
    """Where *value* stands, the ends of the axis at most."""
    first, last = math.log10(_DECADES[0]), math.log10(_DECADES[-1])
    at = min(max(math.log10(value), first), last)
    return _LEFT + (at - first) / (last - first) * (_WIDTH - _LEFT - _RIGHT)
