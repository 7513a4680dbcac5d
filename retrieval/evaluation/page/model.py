"""What the page shows: figures with a stable key, so that two pages can be compared, in tables beside what was published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Unit = Literal["share", "points", "number"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its interval, where it has one, and what was published for it, where something was.

    A share lies in [0, 1] and is shown in per cent, points are a difference of two shares, a number is shown as it is.
    `n` is over how many things the value is.
    """

    benchmark: str
    row: str  # who was measured
    metric: str
    value: float
    low: float | None = None
    high: float | None = None
    published: str = ""
    n: int | None = None
    unit: Unit = "share"
    warning: str = ""  # why it should not be relied on

    @property
    def key(self) -> str:
        """What stays the same from one page to the next."""
        return f"{self.benchmark} / {self.row} / {self.metric}"


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of figures: rows that were measured and columns of metrics, first those of `order`, then as they are met.

    `published` are further rows in the same columns, and `setting` says whose figures they are. The metric `plotted` is drawn
    as bars; `curve` is drawn as lines.
    """

    title: str
    figures: tuple[Figure, ...]
    published: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    setting: str = ""
    note: str = ""
    plotted: str = ""
    order: tuple[str, ...] = ()
    curve: Curve | None = None

    @property
    def rows(self) -> list[str]:
        """Rows that were measured."""
        return list(dict.fromkeys(figure.row for figure in self.figures))

    @property
    def columns(self) -> list[str]:
        """Metrics that were measured or published."""
        told = [metric for cells in self.published.values() for metric in cells]
        met = dict.fromkeys([*(figure.metric for figure in self.figures), *told])
        order = [metric for metric in dict.fromkeys(self.order) if metric in met]
        return [*order, *(metric for metric in met if metric not in order)]

    def of_metric(self, metric: str) -> list[Figure]:
        """The column of a metric."""
        return [figure for figure in self.figures if figure.metric == metric]


@dataclass(frozen=True, slots=True)
class Curve:
    """Lines over a share from 0 to 1: points of each line, and those that were published, as shares too."""

    title: str
    lines: Mapping[str, tuple[tuple[float, Figure], ...]]
    published: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)


#: Values from which a bootstrap interval is shown: of fewer it is narrower than what is known.
LEAST_BOOTSTRAPPED = 5


def with_interval(
    benchmark: str,
    row: str,
    metric: str,
    found: Mapping[str, Any],
    published: str = "",
    unit: Unit = "share",
) -> Figure:
    """A figure from an interval as reports hold it, without it where it is of very few values."""
    count = int(found["n"])
    low, high = (found["low"], found["high"]) if count >= LEAST_BOOTSTRAPPED else (None, None)
    return Figure(benchmark, row, metric, found["mean"], low, high, published, count, unit)
