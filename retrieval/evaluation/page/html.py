"""The page as HTML: one file, no script, nothing loaded from anywhere."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from retrieval.evaluation.page.figures import Figure, figures_of
from retrieval.evaluation.page.plots import bars

_TITLES = {
    "entities": "Names, concepts and abbreviations in annotated articles (kg bench entities)",
    "relations": "Relations in annotated articles (kg bench relations)",
    "retrieval": "Passage retrieval on multi-hop questions (kg bench retrieval)",
    "open-qa": "Answers to public multi-hop questions (kg bench open-qa)",
    "multihop-qa": "Questions built from the graph (kg bench multihop-qa)",
    "graph-quality": "Facts found again in graphs (kg bench graph-quality)",
    "boundaries": "Own and foreign questions (kg bench boundaries)",
    "case-study": "Case studies (kg bench case-study)",
}
_NOTES = {
    "relations": "An inferred pair that the annotators did not write down may still be true, so precision is at least this.",
    "multihop-qa": "Published figures are of GPT-4-Turbo on BioMedHop: another graph, other questions, a large model.",
    "open-qa": "Published figures are of GPT-4o over 1,000 questions. Without a language model, answers are quoted sentences, "
    "and a question that no sentence answers by itself is refused.",
    "graph-quality": "Published figures are of GPT-4o as the judge.",
    "case-study": "Published figures are of LLaMA-4 Scout over the paper's own corpora.",
}
_LEAST_CHANGE = 0.0005
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #1c2530; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; border-top: 1px solid #d5dbe1; padding-top: 1rem; }
.wide { overflow-x: auto; } figure { margin: 1rem 0; } figcaption { font-weight: 600; margin-bottom: .25rem; }
table { border-collapse: collapse; margin: 1rem 0; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid #e6eaee; vertical-align: top; }
td.number, th.number { text-align: right; white-space: nowrap; }
.up { color: #14703a; } .down { color: #a3251b; } .note { color: #5a6673; }
svg { max-width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; fill: #1c2530; }
svg .label { text-anchor: end; } svg .tick { text-anchor: middle; fill: #5a6673; }
svg .grid { stroke: #e6eaee; } svg .bar { fill: #5b8db8; } svg .interval { stroke: #1c2530; stroke-width: 1.5; }
details { margin: .5rem 0; } pre { overflow-x: auto; background: #f5f7f9; padding: .6rem; font-size: 12px; }
"""


def render_page(
    reports: Mapping[str, Mapping[str, Any]], skipped: Mapping[str, str], last: Mapping[str, float]
) -> str:
    """The page of some reports by benchmark; `last` are the values of the page before, by key of figure.

    Parameters
    ----------
    reports
        What benchmarks wrote, by their names.
    skipped
        Benchmarks that did not run, with the reason.
    last
        Values by `Figure.key`; empty where there was no page before.

    """
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Benchmarks</title><style>{_STYLE}</style></head><body><h1>Benchmarks</h1>",
        "<p>Shares in per cent with 95 % bootstrap intervals, and of how many questions, essays or articles they are. "
        + ("Changes are in points against the page before." if last else "There is no page before this one.")
        + "</p>",
    ]
    for name, report in reports.items():
        parts.append(_section(name, report, last))
    if skipped:
        parts.append("<h2>Not run</h2><table><tr><th>benchmark</th><th>why</th></tr>")
        parts += [_row((name, False), (why, False)) for name, why in skipped.items()]
        parts.append("</table>")
    return "".join([*parts, "</body></html>\n"])


def values_of(reports: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Values by key, to be compared with by the next page."""
    found = [figure for name, report in reports.items() for figure in figures_of(name, report)]
    return {figure.key: figure.value for figure in found}


def _section(name: str, report: Mapping[str, Any], last: Mapping[str, float]) -> str:
    found = figures_of(name, report)
    by_metric: dict[str, list[Figure]] = {}
    for figure in found:
        by_metric.setdefault(figure.metric, []).append(figure)
    parts = [f"<h2>{escape(_TITLES.get(name, name))}</h2>"]
    if name in _NOTES:
        parts.append(f'<p class="note">{escape(_NOTES[name])}</p>')
    if by_metric:
        metric, first = next(iter(by_metric.items()))
        parts.append(f"<figure><figcaption>{escape(metric)}</figcaption>{bars(first, metric)}</figure>")
        parts.append(_table(found, last))
    parts.append(_settings(report))
    if name in _TITLES:
        parts.append(
            f'<p class="note">Everything that was measured: <a href="{name}.json">{name}.json</a></p>'
        )
    return "".join(parts)


def _table(found: Sequence[Figure], last: Mapping[str, float]) -> str:
    numbers = ("per cent", "interval", "of", "change")
    heads = [(text, text in numbers) for text in ("measured", "metric", *numbers, "published")]
    parts = [
        '<div class="wide"><table><tr>',
        *(_head(text, is_number=is_number) for text, is_number in heads),
        "</tr>",
    ]
    for figure in found:
        interval = ""
        if figure.low is not None and figure.high is not None:
            sign = "+" if figure.is_gain else ""
            interval = f"{100 * figure.low:{sign}.0f} to {100 * figure.high:{sign}.0f}"
        parts.append("<tr>")
        cells = (
            (figure.row, False),
            (figure.metric, False),
            (f"{100 * figure.value:+.1f} points" if figure.is_gain else f"{100 * figure.value:.1f}", True),
            (interval, True),
            ("" if figure.n is None else str(figure.n), True),
        )
        parts += [_cell(text, is_number=is_number) for text, is_number in cells]
        parts += [_change(figure, last), _cell(figure.published, is_number=False), "</tr>"]
    return "".join([*parts, "</table></div>"])


def _head(text: str, *, is_number: bool) -> str:
    return f'<th class="number">{text}</th>' if is_number else f"<th>{text}</th>"


def _change(figure: Figure, last: Mapping[str, float]) -> str:
    if figure.key not in last:
        return _cell("new" if last else "", is_number=True)
    change = figure.value - last[figure.key]
    if abs(change) < _LEAST_CHANGE:
        return _cell("same", is_number=True)
    kind = "up" if change > 0 else "down"
    return f'<td class="number {kind}">{100 * change:+.1f}</td>'


def _settings(report: Mapping[str, Any]) -> str:
    shown = (
        "settings",
        "context",
        "answering",
        "shortening",
        "judge",
        "llm",
        "embedding",
        "graph",
        "bootstrap",
        "versions",
        "hardware",
    )
    kept = {key: report[key] for key in shown if report.get(key)}
    text = escape(json.dumps(kept, indent=1, ensure_ascii=False))
    return f"<details><summary>Settings, versions, hardware</summary><pre>{text}</pre></details>"


def _row(*cells: tuple[str, bool]) -> str:
    return "<tr>" + "".join(_cell(text, is_number=is_number) for text, is_number in cells) + "</tr>"


def _cell(text: str, *, is_number: bool) -> str:
    kind = ' class="number"' if is_number else ""
    return f"<td{kind}>{escape(text)}</td>"
