"""Bars with intervals, and lines, as inline SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from retrieval.evaluation.page.model import Curve, Figure

_LETTER = 6.3  # pixels, at 12 px
_LONGEST = 64  # letters of a label
_WIDTH = 420  # of the bars
_HEIGHT = 22  # of a row
_MARGIN = 8
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_LINES_WIDTH, _LINES_HEIGHT, _LINES_LEFT = 460, 220, 48
_COLOURS = ("#2f6f9f", "#b4531f", "#3d7f3d", "#7a4d9c", "#a33a5e", "#6b6b1f")


def bars(figures: Sequence[Figure], title: str, published: Mapping[str, float] | None = None) -> str:
    """A horizontal bar for each figure, from 0 to 100 per cent; a line shows the interval, paler bars what was published."""
    told = published or {}
    rows = [(figure.row, figure.value, figure) for figure in figures]
    shown = [*rows, *((f"published: {label}", value, None) for label, value in told.items())]
    left = round(min(max((len(label) for label, _, _ in shown), default=0), _LONGEST) * _LETTER) + 16
    height = len(shown) * _HEIGHT + 2 * _MARGIN + 16
    width = left + _WIDTH + 60
    parts = [_start(title, width, height)]
    bottom = height - 16
    for tick in _TICKS:
        x = _x(tick, left)
        parts.append(f'<line class="grid" x1="{x}" y1="{_MARGIN}" x2="{x}" y2="{bottom}"/>')
        parts.append(f'<text class="tick" x="{x}" y="{height - 3}">{tick:.0%}</text>')
    for number, (label, value, figure) in enumerate(shown):
        parts += _bar(label, value, figure, left, _MARGIN + number * _HEIGHT)
    return "".join([*parts, "</svg>"])


def _start(title: str, width: int, height: int) -> str:
    return (
        f'<svg role="img" aria-label="{escape(title)}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">'
    )


def _bar(label: str, value: float, figure: Figure | None, left: int, top: int) -> list[str]:
    middle = top + _HEIGHT // 2
    short = label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"
    kind = "bar" if figure is not None else "bar told"
    size = f'width="{round(value * _WIDTH, 1)}" height="{_HEIGHT - 8}"'
    parts = [
        f'<text class="label" x="{left - 8}" y="{middle + 4}">{escape(short)}<title>{escape(label)}</title></text>',
        f'<rect class="{kind}" x="{left}" y="{top + 4}" {size}/>',
    ]
    end = value
    if figure is not None and figure.low is not None and figure.high is not None:
        low, high = _x(figure.low, left), _x(figure.high, left)
        parts.append(f'<line class="interval" x1="{low}" y1="{middle}" x2="{high}" y2="{middle}"/>')
        end = figure.high
    parts.append(f'<text class="value" x="{_x(end, left) + 6}" y="{middle + 4}">{100 * value:.1f}</text>')
    return parts


def _x(share: float, left: int) -> float:
    return round(left + share * _WIDTH, 1)


def lines(curve: Curve) -> str:
    """A line for each series over shares from 0 to 100 per cent, with intervals; what was published is dashed."""
    told = list(curve.published)
    legend = [*curve.lines, *told]
    width = _LINES_LEFT + _LINES_WIDTH + round(max(map(len, legend), default=0) * _LETTER) + 60
    height = _LINES_HEIGHT + 46
    parts = [_start(curve.title, width, height)]
    for tick in _TICKS:
        x, y = _point(tick, tick)
        right = _LINES_LEFT + _LINES_WIDTH
        parts.append(f'<line class="grid" x1="{_LINES_LEFT}" y1="{y}" x2="{right}" y2="{y}"/>')
        parts.append(f'<text class="label" x="{_LINES_LEFT - 6}" y="{y + 4}">{tick:.0%}</text>')
        parts.append(f'<text class="tick" x="{x}" y="{_LINES_HEIGHT + 26}">{tick:.0%}</text>')
    middle = _LINES_LEFT + _LINES_WIDTH // 2
    parts.append(f'<text class="tick" x="{middle}" y="{height - 3}">relations kept</text>')
    series = [tuple((at, figure.value) for at, figure in points) for points in curve.lines.values()]
    series += [curve.published[label] for label in told]
    for number, (label, points) in enumerate(zip(legend, series, strict=True)):
        colour = _COLOURS[number % len(_COLOURS)] if label in curve.lines else "#8a8f96"
        dashed = "" if label in curve.lines else ' stroke-dasharray="5 4"'
        path = " ".join(f"{x},{y}" for x, y in (_point(at, value) for at, value in points))
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2"{dashed} points="{path}"/>')
        parts += [_dot(at, value, colour) for at, value in points]
        y = 20 + 18 * number
        x = _LINES_LEFT + _LINES_WIDTH + 16
        parts.append(
            f'<line x1="{x}" y1="{y}" x2="{x + 20}" y2="{y}" stroke="{colour}" stroke-width="2"{dashed}/>'
        )
        parts.append(f'<text x="{x + 26}" y="{y + 4}">{escape(label)}</text>')
    for measured in curve.lines.values():
        parts += [_whisker(at, figure) for at, figure in measured]
    return "".join([*parts, "</svg>"])


def _point(at: float, value: float) -> tuple[float, float]:
    return round(_LINES_LEFT + at * _LINES_WIDTH, 1), round(10 + (1 - value) * _LINES_HEIGHT, 1)


def _dot(at: float, value: float, colour: str) -> str:
    x, y = _point(at, value)
    return f'<circle cx="{x}" cy="{y}" r="3.5" fill="{colour}"><title>{100 * value:.1f}</title></circle>'


def _whisker(at: float, figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return ""
    x, low = _point(at, figure.low)
    _, high = _point(at, figure.high)
    return f'<line class="interval thin" x1="{x}" y1="{low}" x2="{x}" y2="{high}"/>'
