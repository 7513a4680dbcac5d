"""The page as HTML: one file, no script, nothing loaded from anywhere."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from html import escape
from typing import Any

from retrieval.evaluation.page.figures import grids_of
from retrieval.evaluation.page.last import Last
from retrieval.evaluation.page.model import LEAST_BOOTSTRAPPED, Figure, Grid
from retrieval.evaluation.page.plots import bars, lines
from retrieval.evaluation.page.style import STYLE
from retrieval.evaluation.trial import cautions

Report = Mapping[str, Any]
_TITLES = {
    "multihop-qa": ("Questions built from the graph", "kg bench multihop-qa"),
    "sources": ("The same questions by what is shown: relations, passages, both", "--conditions"),
    "completeness": ("The same questions over an incomplete graph", "--completeness"),
    "ablations": ("Systems without a part of theirs, on the same questions", "--methods ablations"),
    "case-study": ("Case studies", "kg bench case-study"),
    "boundaries": ("Own and foreign questions", "kg bench boundaries"),
    "graph-quality": ("Facts found again in graphs", "kg bench graph-quality"),
    "retrieval": ("Passage retrieval on multi-hop questions", "kg bench retrieval"),
    "open-qa": ("Answers to public multi-hop questions", "kg bench open-qa"),
    "open-qa-ablations": ("Systems without a part of theirs, on public questions", "--methods ablations"),
    "relations": ("Relations in annotated articles", "kg bench relations"),
    "entities": ("Names, concepts and abbreviations in annotated articles", "kg bench entities"),
}
_LEAST_CHANGE = {"share": 0.0005, "points": 0.0005, "number": 0.05}
_SHOWN = (
    *("settings", "context", "answering", "shortening", "judge", "llm", "embedding", "graph", "bootstrap"),
    *("versions", "hardware"),
)


def render_page(
    reports: Mapping[str, Report],
    skipped: Mapping[str, str],
    last: Last,
    datasheet: str = "",
    earlier: Collection[str] = (),
) -> str:
    """The page of some reports by benchmark, compared with the page before.

    Parameters
    ----------
    reports
        What benchmarks wrote, by their names.
    skipped
        Benchmarks that did not run, with the reason.
    last
        The page before; empty where there was none.
    datasheet
        Link to the datasheet of the questions that were built; empty where none were.
    earlier
        Benchmarks whose reports are of an earlier run, so that nothing of them can have changed.

    """
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Benchmarks</title><style>{STYLE}</style></head><body><h1>Benchmarks</h1>",
        "<p>Shares are in per cent with 95 % bootstrap intervals in brackets; <i>n</i> is over how many questions, essays or "
        f"articles, and under {LEAST_BOOTSTRAPPED} no interval is shown. One without width means only that all of the few "
        "were right, or wrong. Rows in grey are published figures, with their setting under the table. ",
        "Coloured figures are the change against the page before, in points. "
        if last.figures
        else "There is no page before this one to compare with. ",
        "</p>",
        _overview(reports),
        _not_measured(reports, skipped),
    ]
    for name, report in reports.items():
        parts.append(_section(name, report, None if name in earlier else last, datasheet))
    return "".join([*parts, "</body></html>\n"])


def _overview(reports: Mapping[str, Report]) -> str:
    """What was run with what, as a table that leads to the sections."""
    heads = ("benchmark", "graph", "answered by", "judged by", "model's calls", "tokens", "cost")
    parts = ['<div class="wide"><table><tr>', *(f"<th>{head}</th>" for head in heads), "</tr>"]
    for name, report in reports.items():
        graph, used = report.get("graph", {}), report.get("llm", {})
        told = " ".join(str(graph[key]) for key in ("corpus", "version") if key in graph)
        tokens = used.get("prompt_tokens", 0) + used.get("completion_tokens", 0)
        cells = (
            *(told, str(report.get("answering", "")), _judges(report)),
            *(str(used.get("calls", 0)), str(tokens), f"{used.get('cost', 0):.2f}"),
        )
        link = f'<td><a href="#{escape(name)}">{escape(_title(name))}</a></td>'
        parts += ["<tr>", link, *(f"<td>{escape(cell)}</td>" for cell in cells), "</tr>"]
    return "".join([*parts, "</table></div>"])


def _not_measured(reports: Mapping[str, Report], skipped: Mapping[str, str]) -> str:
    """What is not on the page, and why: benchmarks that did not run, and what needs a model."""
    why = {_title(name): reason for name, reason in skipped.items()}
    answering = [str(report["answering"]) for report in reports.values() if report.get("answering")]
    if answering and not any(name.startswith("llm:") for name in answering):
        why["Answers of a language model, exp-0 of the case studies"] = (
            "none is set (KG_LLM_BASE_URL, KG_LLM_MODEL)"
        )
    if answering and all(_judges(report) in ("", "rules", "words") for report in reports.values()):
        judged = "Verdicts of a model: verifier, faithfulness, precision, relevance, win rates, facts, right answers"
        why[judged] = "no judge is named (--judge); rules stand in where the table says so"
    if not why:
        return ""
    rows = (
        f'<tr><td>{escape(name)}</td><td class="why">{escape(reason)}</td></tr>'
        for name, reason in why.items()
    )
    return (
        '<h2 id="not-run">Not run</h2><div class="wide"><table><tr><th>what</th><th>why</th></tr>'
        f"{''.join(rows)}</table></div>"
    )


def _judges(report: Report) -> str:
    return str(report.get("judge") or ", ".join(report.get("settings", {}).get("judges", ())))


def _title(name: str) -> str:
    return _TITLES.get(name, (name, ""))[0]


def _section(name: str, report: Report, last: Last | None, datasheet: str) -> str:
    title, command = _TITLES.get(name, (name, ""))
    told = f" <small><code>{escape(command)}</code></small>" if command else ""
    parts = [f'<h2 id="{escape(name)}">{escape(title)}{told}</h2>']
    if last is None:
        parts.append('<p class="note">Measured by an earlier run, and not again.</p>')
        last = Last()
    if differs := last.differs(name, report):
        parts.append(f'<p class="note">Not the same as on the page before: {escape(", ".join(differs))}.</p>')
    parts += [_grid(grid, last) for grid in grids_of(name, report)]
    parts += [f'<p class="warning">{escape(sentence)}</p>' for sentence in cautions(report)]
    if left_out := report.get("skipped"):
        parts += ['<p class="note">Left out:</p><ul class="note">']
        parts += [*(f"<li>{escape(why)}</li>" for why in left_out), "</ul>"]
    parts.append(_settings(report))
    if name in _TITLES:
        more = (
            f', <a href="{escape(datasheet)}">about the questions</a>' if _is_built(report, datasheet) else ""
        )
        parts.append(
            f'<p class="note">Everything that was measured: <a href="{name}.json">{name}.json</a>{more}</p>'
        )
    return "".join(parts)


def _is_built(report: Report, datasheet: str) -> bool:
    return bool(datasheet) and report.get("benchmark") == "multihop-qa"


def _grid(grid: Grid, last: Last) -> str:
    parts = [f"<h3>{escape(grid.title)}</h3>"]
    if grid.curve is not None:
        parts.append(
            f"<figure><figcaption>{escape(grid.curve.title)}</figcaption>{lines(grid.curve)}</figure>"
        )
    elif grid.plotted:
        drawn = bars(grid.of_metric(grid.plotted), grid.plotted, _numbers(grid))
        parts.append(f"<figure><figcaption>{escape(grid.plotted)}</figcaption>{drawn}</figure>")
    parts.append(_table(grid, last))
    if grid.setting:
        parts.append(f'<p class="note">Published: {escape(grid.setting)}.</p>')
    if grid.note:
        parts.append(f'<p class="note">{escape(grid.note)}</p>')
    return "".join(parts)


def _numbers(grid: Grid) -> dict[str, float]:
    """Published shares of the plotted metric."""
    found = {}
    for label, cells in grid.published.items():
        text = cells.get(grid.plotted, "")
        if text.replace(".", "", 1).isdigit():
            found[label] = float(text) / 100
    return found


def _table(grid: Grid, last: Last) -> str:
    columns = grid.columns
    by_place = {(figure.row, figure.metric): figure for figure in grid.figures}
    parts = ['<div class="wide"><table><tr><th></th>', *(f"<th>{escape(column)}</th>" for column in columns)]
    parts.append("</tr>")
    for row in grid.rows:
        cells = [_cell(by_place.get((row, column)), last) for column in columns]
        parts += [f"<tr><td>{escape(row)}</td>", *cells, "</tr>"]
    for label, told in grid.published.items():
        texts = [escape(told.get(column, "")) for column in columns]
        named = label if label.startswith(("published", "start", "by habit")) else f"published: {label}"
        parts += [
            f'<tr class="told"><td>{escape(named)}</td>',
            *(f"<td>{text}</td>" for text in texts),
            "</tr>",
        ]
    return "".join([*parts, "</table></div>"])


def _cell(figure: Figure | None, last: Last) -> str:
    if figure is None:
        return "<td></td>"
    parts = [f"<b>{_shown(figure.value, figure)}</b>"]
    about = []
    if figure.low is not None and figure.high is not None:
        about.append(f"[{_bound(figure.low, figure)}, {_bound(figure.high, figure)}]")
    if figure.n is not None:
        about.append(f"n {figure.n}")
    if about:
        parts.append(f"<small>{' '.join(about)}</small>")
    if figure.warning:
        parts.append(f'<small class="warning">{escape(figure.warning)}</small>')
    parts.append(_change(figure, last))
    if figure.published:
        parts.append(f'<small class="told">published {escape(figure.published)}</small>')
    return f"<td>{' '.join(part for part in parts if part)}</td>"


def _shown(value: float, figure: Figure) -> str:
    if figure.unit == "number":
        return f"{value:.2f}".rstrip("0").rstrip(".") if abs(value) < 10 else f"{value:.0f}"
    return f"{100 * value:+.1f}" if figure.unit == "points" else f"{100 * value:.1f}"


def _bound(value: float, figure: Figure) -> str:
    return f"{100 * value:+.0f}" if figure.unit == "points" else f"{100 * value:.0f}"


def _change(figure: Figure, last: Last) -> str:
    if figure.key not in last.figures:
        return '<span class="note">new</span>' if last.figures else ""
    change = figure.value - last.figures[figure.key]
    if abs(change) < _LEAST_CHANGE[figure.unit]:
        return '<span class="note">same</span>'
    if figure.unit == "number":
        return f'<span class="note">{change:+.2f}</span>'
    return f'<span class="{"up" if change > 0 else "down"}">{100 * change:+.1f}</span>'


def _settings(report: Report) -> str:
    kept = {key: report[key] for key in _SHOWN if report.get(key)}
    text = escape(json.dumps(kept, indent=1, ensure_ascii=False))
    return f"<details><summary>Settings, versions, hardware, tokens</summary><pre>{text}</pre></details>"
