"""Pictures of a graph version for people who look at runs: one PNG with small plots."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kg_pipeline.graph import layout
from kg_pipeline.graph.reader import Manifest
from kg_pipeline.graph.snapshot.adjacency import Adjacency

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHOWN_CATEGORIES = 10
_SHOWN_VERSIONS = 20
_FEW_VERSIONS = 5  # narrower bars than the plot is wide where there are fewer
_KIND_COLOURS = {"asserted": "#1b6ca8", "transitive": "#e08e0b", "lexical": "#7a9e3b", "community": "#a05195"}
_BAR = "#1b6ca8"


def plot_version(
    folder: Path, history: Sequence[Manifest], seconds: Mapping[str, float] | None = None
) -> bytes:
    """PNG of a version's degrees, entity categories and relation kinds, and of the relations of its `history`.

    The history is the versions in the order they were made, this one last. Where `seconds` are given, the time that
    each stage took is drawn too, in their order.

    Raises
    ------
    CorruptGraphError
        If the files of the version cannot be read.

    """
    # Not through pyplot, whose state is one for all threads of a run.
    from matplotlib.figure import Figure

    # Two columns, which Dagster's dialogue has room for; it cuts what is wider.
    n_rows = 3 if seconds else 2
    figure = Figure(figsize=(13, 3.2 * n_rows), layout="constrained", dpi=80)
    plots = figure.subplots(n_rows, 2)
    degrees, categories, kinds, growth = plots[:2].flat
    _degrees(degrees, Adjacency.open(folder).degrees())
    _categories(categories, layout.open_frame(folder, "entities")["category"].value_counts().rows())
    _kinds(kinds, history[-1].relations_by_kind)
    _growth(growth, history[-_SHOWN_VERSIONS:])
    if seconds:
        _times(plots[2, 0], seconds)
        plots[2, 1].axis("off")
    out = io.BytesIO()
    figure.savefig(out, format="png", metadata={"Software": None})
    return out.getvalue()


def _degrees(axes: Axes, degrees: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
    values, counts = np.unique(degrees[degrees > 0], return_counts=True)
    axes.loglog(values, counts, "o", markersize=3, color=_BAR)
    axes.set(title="Relations of an entity", xlabel="relations", ylabel="entities")


def _categories(axes: Axes, rows: Sequence[tuple[str, int]]) -> None:
    ranked = sorted(rows, key=lambda row: (-row[1], row[0]))[:_SHOWN_CATEGORIES]
    axes.barh([name.removeprefix("biolink:") for name, _ in ranked], [n for _, n in ranked], color=_BAR)
    axes.invert_yaxis()
    axes.set(title="Entities by category", xlabel="entities")


def _times(axes: Axes, seconds: Mapping[str, float]) -> None:
    bars = axes.barh(list(seconds), list(seconds.values()), color=_BAR)
    axes.bar_label(bars, fmt="%.1f", padding=2)
    axes.margins(x=0.15)  # room for the labels
    axes.invert_yaxis()
    axes.set(title="Time a stage took when it last ran", xlabel="seconds")


def _kinds(axes: Axes, by_kind: dict[str, int]) -> None:
    bars = axes.bar(
        list(by_kind), list(by_kind.values()), color=[_KIND_COLOURS.get(kind, _BAR) for kind in by_kind]
    )
    axes.bar_label(bars)
    axes.margins(y=0.12)  # room for the labels
    axes.set(title="Relations by kind", ylabel="relations")


def _growth(axes: Axes, history: Sequence[Manifest]) -> None:
    names = [manifest.version[:7] for manifest in history]
    bottom = np.zeros(len(history))
    for kind, colour in _KIND_COLOURS.items():
        counts = np.array([manifest.relations_by_kind.get(kind, 0) for manifest in history])
        axes.bar(names, counts, bottom=bottom, color=colour, label=kind)
        bottom += counts
    axes.set_xlim(-0.6, max(len(history), _FEW_VERSIONS) - 0.4)
    axes.tick_params(axis="x", rotation=45)
    axes.set(title="Relations by version", ylabel="relations")
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
