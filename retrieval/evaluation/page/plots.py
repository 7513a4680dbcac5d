"""Bars with intervals as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from retrieval.evaluation.page.figures import Figure

_LABEL = 290  # pixels for labels
_WIDTH = 420  # for the bars
_HEIGHT = 22  # of a row
_MARGIN = 8
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def bars(figures: Sequence[Figure], title: str) -> str:
    """A horizontal bar for each figure, from 0 to 100 per cent; a line shows the interval."""
    height = len(figures) * _HEIGHT + 2 * _MARGIN + 16
    parts = [
        f'<svg role="img" aria-label="{escape(title)}" width="{_LABEL + _WIDTH + 60}" height="{height}" '
        f'viewBox="0 0 {_LABEL + _WIDTH + 60} {height}">'
    ]
    bottom = height - 16
    for tick in _TICKS:
        x = _x(tick)
        parts.append(f'<line class="grid" x1="{x}" y1="{_MARGIN}" x2="{x}" y2="{bottom}"/>')
        parts.append(f'<text class="tick" x="{x}" y="{height - 3}">{tick:.0%}</text>')
    for number, figure in enumerate(figures):
        parts += _bar(figure, _MARGIN + number * _HEIGHT)
    return "".join([*parts, "</svg>"])


def _bar(figure: Figure, top: int) -> list[str]:
    middle = top + _HEIGHT // 2
    parts = [
        f'<text class="label" x="{_LABEL - 8}" y="{middle + 4}">{escape(figure.row)}</text>',
        f'<rect class="bar" x="{_LABEL}" y="{top + 4}" width="{round(figure.value * _WIDTH, 1)}" height="{_HEIGHT - 8}"/>',
    ]
    if figure.low is not None and figure.high is not None:
        low, high = _x(figure.low), _x(figure.high)
        parts.append(f'<line class="interval" x1="{low}" y1="{middle}" x2="{high}" y2="{middle}"/>')
    return parts


def _x(share: float) -> float:
    return round(_LABEL + share * _WIDTH, 1)
