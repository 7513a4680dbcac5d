"""Tables of questions built from a graph: accuracy, sources of answers, overlap with gold paths, verifier, ablations, cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from retrieval.evaluation.biomedhop.patterns import FAMILIES
from retrieval.evaluation.multihop_qa import published
from retrieval.evaluation.multihop_qa.summary import OVERLAP_BINS
from retrieval.evaluation.page.model import Curve, Figure, Grid, with_interval
from retrieval.evaluation.trial import weakness

Row = Mapping[str, Any]
Rows = Mapping[str, Row]  # by label
_SHORT = {"entity_pair": "pair", "intersection": "intersection", "path": "path", "count": "count"}
_PAPER = published.SETTING
_SOURCES = ("KG", "Doc", "Web", "KG-Doc", "KG-Web", "Doc-Web", "3-source", "none")
_READ = {"path_read": "gold path read", "answer_read": "answer read"}
#: What cannot be read from a table of ablations that no language model answered.
WITHOUT_MODEL = (
    "Without a language model most hard questions are refused whatever part is missing: compare what was read, and take the "
    "loss of answers from a run with a model. The navigator of INSES is then one by nearness, and thoughts are made by rules."
)
_VERIFIED = {"answer": "Ans.", "evidence": "Evid.", "reasoning": "Reason."}


def built_question_grids(name: str, report: Mapping[str, Any]) -> Iterator[Grid]:
    """Every table of a report of `kg bench multihop-qa`."""
    rows = {
        f"{row['method']} ({report['answering']}), {row['condition']}, {row['completeness']:.0%}": row
        for row in report["rows"]
    }
    yield _accuracy(name, rows, report)
    yield _ablations(name, report)
    yield _sources(name, rows)
    yield _overlap(name, rows)
    yield from _verifier(name, rows, report)
    yield _agreement(name, rows)
    yield _cost(name, rows)


def _accuracy(name: str, rows: Rows, report: Mapping[str, Any]) -> Grid:
    found: list[Figure] = []
    for label, row in rows.items():
        summary = row["summary"]
        families = summary["families"]
        # A mean of fewer families is another figure, neither the paper's nor that of a page with all of them.
        is_whole = len(families) == len(FAMILIES)
        metric = "overall" if is_whole else f"overall of {len(families)} families"
        found.append(with_interval(name, label, metric, summary["overall"]))
        for family, scores in families.items():
            if family == "count":
                found.append(with_interval(name, label, "CountEx", scores["average"]))
                continue
            for form in ("mcq", "open"):
                if scores[form] is not None:
                    column = f"{_SHORT[family]} {'MCQ' if form == 'mcq' else 'open'}"
                    found.append(with_interval(name, label, column, scores[form]))
    told, where = _published(rows)
    if habit := report.get("by_habit"):
        told = {"by habit: always the commonest letter or number": _by_habit(habit)} | told
    overall = found[0].metric
    is_swept = _varies(rows, "completeness")
    return Grid(
        f"Accuracy over {report['items']} questions by task family and format",
        tuple(found),
        told,
        f"{where} of the BioWeave paper: {_PAPER}",
        "Rows: the method, who answered, the sources that were shown, and the share of the graph's relations that was kept.",
        plotted="" if is_swept else overall,
        order=(overall, *published.COLUMNS),
        curve=_completeness(rows, overall) if is_swept else None,
    )


def _by_habit(shares: Mapping[str, float]) -> dict[str, str]:
    columns = {family: "CountEx" if family == "count" else f"{_SHORT[family]} MCQ" for family in shares}
    return {columns[family]: f"{100 * share:.1f}" for family, share in shares.items()}


def _varies(rows: Rows, what: str) -> bool:
    return len({row[what] for row in rows.values()}) > 1


def _published(rows: Rows) -> tuple[dict[str, dict[str, str]], str]:
    """What the paper reports of the same comparison, and where."""
    if _varies(rows, "completeness"):
        told = {
            f"BioWeave, {share:.0%}": {"overall": f"{overall:.1f}"}
            for share, overall in published.BY_COMPLETENESS.items()
        }
        return told, "figure 6"
    if _varies(rows, "condition"):
        return {f"BioWeave, {name}": _columns(row) for name, row in published.BY_CONDITION.items()}, "table 7"
    return {name: _columns(row) for name, row in published.MAIN.items()}, "table 4"


def _columns(figures: tuple[float, ...]) -> dict[str, str]:
    return {column: f"{value:.1f}" for column, value in zip(published.COLUMNS, figures, strict=True)}


def _completeness(rows: Rows, metric: str) -> Curve:
    """Overall average over the share of relations that is kept (figure 6)."""
    lines: dict[str, list[tuple[float, Figure]]] = {}
    for label, row in rows.items():
        figure = with_interval("", label, metric, row["summary"]["overall"])
        lines.setdefault(f"{row['method']}, {row['condition']}", []).append((row["completeness"], figure))
    return Curve(
        f"{metric} by the share of relations that is kept",
        {label: tuple(sorted(points, key=lambda point: point[0])) for label, points in lines.items()},
        {"published BioWeave": tuple((at, value / 100) for at, value in published.BY_COMPLETENESS.items())},
    )


def _ablations(name: str, report: Mapping[str, Any]) -> Grid:
    found: list[Figure] = []
    for row in report.get("ablations", ()):
        label = f"{row['method']}, {row['condition']}, {row['completeness']:.0%}"
        for key, metric in (("mcq", "MCQ"), ("open", "open"), ("count", "CountEx")):
            if row[key] is not None:
                found.append(with_interval(name, label, metric, row[key]))
        if row["method"] != row["full"]:
            found.append(with_interval(name, label, "loss", row["loss"], unit="points"))
            found.append(Figure(name, label, "same answers", row["same"]))
        for key, metric in _READ.items():
            found.append(with_interval(name, label, metric, row["read"][key]))
            if row["method"] != row["full"]:
                loss = row["read_losses"][key]
                found.append(with_interval(name, label, f"loss of {metric}", loss, unit="points"))
        found += [Figure(name, label, key, row[key], unit="number") for key in ("tokens", "calls")]
    offline = "" if report["answering"].startswith("llm:") else f" {WITHOUT_MODEL}"
    columns = ("MCQ", "open", "CountEx")
    told = {
        label: {column: f"{value:.1f}" for column, value in zip(columns, row, strict=False)}
        | {"tokens": f"{row[-2]:.0f}", "calls": f"{row[-1]:.1f}"}
        for label, row in published.BIOWEAVE_ABLATIONS.items()
    }
    for other in ("egot-no-thoughts", "inses-no-similarity"):
        told[other] = {"loss": published.ablation_note(other)}
    return Grid(
        "What a part is worth: MCQ, open and CountEx without it, and the loss of the overall average, question by question",
        tuple(found),
        told if found else {},
        f"BioWeave tables 8 and 9 ({_PAPER}), eGoT table 1, INSES section 4.6",
        "Same answers: questions that both answer in the same words with the same quotes. At 100 the part decided nothing. "
        "Gold path read and answer read: the share of the gold path, and of the right answers, among the relations and "
        "passages that an answer or a refusal was made from." + offline,
        order=(
            *(*columns, "loss"),
            *(told for metric in _READ.values() for told in (metric, f"loss of {metric}")),
            *("same answers", "tokens", "calls"),
        ),
    )


def _shares(name: str, rows: Rows, measure: str, parts: Sequence[str], column: str = "") -> list[Figure]:
    """Shares of the right answers of each family, by the parts that a report has of a measure."""
    found: list[Figure] = []
    for label, row in rows.items():
        right = _right(row)
        for family, shares in row["summary"][measure].items():
            line = f"{label}: {_SHORT[family]}"
            found += [
                Figure(name, line, f"{column}{part}", shares[part], n=right[family])
                for part in parts
                if part in shares
            ]
    return found


def _sources(name: str, rows: Rows) -> Grid:
    """Figure 5: what right answers are verified by."""
    found = _shares(name, rows, "sources", _SOURCES)
    return Grid(
        "What right answers rest on",
        tuple(found),
        {f"BioWeave: {label}": dict(row) for label, row in published.SOURCES.items()} if found else {},
        f"figure 5 of the BioWeave paper, as far as its text tells: {_PAPER}",
        "Shares of the right answers of a family: KG where only relations are cited, Doc only passages, KG-Doc both. Families "
        "without a right answer have no row.",
        order=_SOURCES,
    )


def _overlap(name: str, rows: Rows) -> Grid:
    """Figure 7: how much of the gold path is in the evidence of right answers."""
    found = _shares(name, rows, "overlap", OVERLAP_BINS, "ratio ")
    return Grid(
        "Share of the gold path in the evidence of right answers",
        tuple(found),
        {f"BioWeave: {label}": dict(row) for label, row in published.OVERLAP.items()} if found else {},
        f"figure 7 of the BioWeave paper, as far as its text tells: {_PAPER}",
        order=tuple(f"ratio {part}" for part in OVERLAP_BINS),
    )


def _right(row: Row) -> dict[str, int]:
    """How many answers of each family are right."""
    right = [outcome["family"] for outcome in row["outcomes"] if outcome["score"] == 1.0]
    return {family: right.count(family) for family in FAMILIES}


def _verifier(name: str, rows: Rows, report: Mapping[str, Any]) -> Iterator[Grid]:
    """Table 5 and figure 9, for each judge."""
    for judge in dict.fromkeys(judge for row in rows.values() for judge in row["verification"]):
        found: list[Figure] = []
        errors: list[Figure] = []
        weak = weakness(report, "verifier", judge)
        unusable = sum(row["verification"][judge]["refused"] for row in rows.values())
        for label, row in rows.items():
            table = row["verification"][judge]
            for family, means in table["families"].items():
                for key, metric in _VERIFIED.items():
                    line = f"{label}: {_SHORT[family]}, {judge}"
                    found.append(replace(with_interval(name, line, metric, means[key]), warning=weak))
            for error, share in table["errors"].items():
                errors.append(Figure(name, f"{label}, {judge}", error.replace("_", " "), share, warning=weak))
        told = {f"BioWeave: {label}": dict(row) for label, row in published.VERIFIER.items()}
        note = (
            f"Answers without a usable verdict, which count nowhere: {unusable}."
            if judge.startswith("llm:")
            else "Judged by rules, whose figures are no model's."
        )
        yield Grid(
            f"Verifier: {judge}",
            tuple(found),
            told,
            f"table 11 of the BioWeave paper, judged by GPT-4o-mini: {_PAPER}",
            note,
        )
        yield Grid(f"Errors of wrong answers: {judge}", tuple(errors), note=note)


def _agreement(name: str, rows: Rows) -> Grid:
    """Table 14: how far judges agree."""
    found = [
        Figure(name, f"{label}: {pair}", dimension.replace("_", " "), agreed["share"], n=agreed["n"])
        for label, row in rows.items()
        for pair, dimensions in row["judge_agreement"].items()
        for dimension, agreed in dimensions.items()
    ]
    columns = ("answer", "evidence", "reasoning", "error type")
    told = {
        f"GPT-4o-mini and {label}": {c: f"{v:.1f}" for c, v in zip(columns, row, strict=True)}
        for label, row in published.JUDGE_AGREEMENT.items()
    }
    return Grid("Equal verdicts of judges", tuple(found), told, "table 14 of the BioWeave paper")


def _cost(name: str, rows: Rows) -> Grid:
    """Table 15."""
    found: list[Figure] = []
    for label, row in rows.items():
        summary = row["summary"]
        found.append(Figure(name, label, "answered", summary["answered"], n=len(row["outcomes"])))
        found += [Figure(name, label, told, summary[key]) for key, told in _READ.items()]
        costs = ("passages_read", "calls", "tokens", "seconds", "failed")
        found += [Figure(name, label, key.replace("_", " "), summary[key], unit="number") for key in costs]
    told = {
        label: {"seconds": f"{seconds}", "calls": f"{calls}"}
        for label, (seconds, calls) in published.EFFICIENCY.items()
    }
    return Grid(
        "What was read, and calls, tokens and seconds a question",
        tuple(found),
        told,
        f"table 15 of the BioWeave paper: {_PAPER}",
        "Without a language model a call is a step of the rules and takes no tokens.",
    )
