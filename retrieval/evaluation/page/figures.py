"""Tables of the page out of the reports of benchmarks, by the name of the benchmark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from retrieval.evaluation.multihop_qa.published import ablation_note
from retrieval.evaluation.open_qa.ablations import LOSSES
from retrieval.evaluation.page.built_questions import WITHOUT_MODEL, built_question_grids
from retrieval.evaluation.page.cases import case_grids
from retrieval.evaluation.page.model import Figure, Grid, with_interval
from retrieval.evaluation.quality.pairwise import CRITERIA
from retrieval.evaluation.trial import LEAST_KAPPA, Task, weakness

Report = Mapping[str, Any]
Grids = Iterator[Grid]
_RETRIEVAL_SUBSET = "all"
_OPEN_QA_NAMES = {
    "em": "exact match",
    "f1": "F1",
    "judge": "right, by a judge",
    "recall@2": "recall@2",
    "recall@5": "recall@5",
    "all@5": "all@5",
    "gold_read": "gold passages read",
    "answer_read": "answer in what was read",
}


#: What each judged metric was asked of the judge as; a metric of facts found has the judge's name behind it.
_JUDGED: Mapping[str, Task] = MappingProxyType(
    {
        "faithfulness": "faithfulness",
        "context precision": "context_precision",
        "context relevance": "relevance",
        _OPEN_QA_NAMES["judge"]: "same_answer",
        **dict.fromkeys(CRITERIA, "pairwise"),
        "facts found": "entailment",
        "gain over the published retriever": "entailment",
        "this judge's": "entailment",
    }
)


def grids_of(name: str, report: Report) -> list[Grid]:
    """Tables of a report, by the name of its benchmark; empty for one that this page knows nothing of."""
    reader = _READERS.get(name)
    grids = [grid for grid in reader(name, report) if grid.figures] if reader else []
    grids = [replace(grid, figures=tuple(_cautious(one, report) for one in grid.figures)) for grid in grids]
    if trials := _trials(name, report):
        grids.append(trials)
    return grids


def _cautious(figure: Figure, report: Report) -> Figure:
    """A figure of a judge with what makes it doubtful."""
    task = _JUDGED.get(figure.metric.partition(",")[0])
    return figure if task is None else replace(figure, warning=weakness(report, task))


def _trials(name: str, report: Report) -> Grid | None:
    """How each judge did on what was labelled by hand."""
    found: list[Figure] = []
    for judge, tried in report.get("judge_trial", {}).items():
        for task, row in tried.items():
            label = f"{judge}: {task.replace('_', ' ')}"
            found.append(Figure(name, label, "agrees", row["share"], row["low"], row["high"], n=row["n"]))
            if row["kappa"] is not None:
                found.append(Figure(name, label, "kappa, labels", row["kappa"], unit="number"))
            found.append(Figure(name, label, "no usable verdict", row["unusable"], unit="number"))
    if not found:
        return None
    return Grid(
        "How far the judge agrees with a few items labelled by hand for this purpose",
        tuple(found),
        note=f"Under kappa {LEAST_KAPPA} every figure of the judge carries a warning. So few labels can show that a judge is "
        "useless, not that it is good.",
    )


def figures_of(name: str, report: Report) -> list[Figure]:
    """All figures of a report."""
    return [figure for grid in grids_of(name, report) for figure in grid.figures]


def _retrieval(name: str, report: Report) -> Grids:
    found: list[Figure] = []
    for method in report["methods"]:
        for metric, interval in method["scores"].get(_RETRIEVAL_SUBSET, {}).items():
            found.append(with_interval(name, method["method"], metric, interval))
        for part, ms in method["ms_a_question"].items():
            found.append(Figure(name, method["method"], f"ms, {part}", ms, unit="number"))
    told = {
        f"start: {label}": {metric: f"{value:.1f}" for metric, value in row.items()}
        for label, row in report["starting_points_per_cent"].items()
    }
    yield Grid(
        "Gold passages found",
        tuple(found),
        told,
        "starting points on the same 100 questions of MuSiQue, without a language model",
        plotted="recall@5",
    )
    gains = [
        with_interval(name, f"{method['method']} over vectors", metric, interval, unit="points")
        for method in report["methods"]
        for metric, interval in method["gains_over_dense"].get(_RETRIEVAL_SUBSET, {}).items()
    ]
    yield Grid("Gain over this graph's own vectors, question by question", tuple(gains))


def _open_qa(name: str, report: Report) -> Grids:
    found: list[Figure] = []
    for row in report["rows"]:
        label = f"{row['method']}, passages {row['passages']} ({report['answering']}), {report['of']}"
        shown = {key: told for key, told in _OPEN_QA_NAMES.items() if key in row["scores"]}
        found += [with_interval(name, label, told, row["scores"][key]) for key, told in shown.items()]
        if unjudged := row.get("unjudged"):
            found.append(Figure(name, label, "of these without a verdict", unjudged, unit="number"))
        found.append(Figure(name, label, "answered", row["answered"], n=report["questions"]))
        found += [
            Figure(name, label, told, row[key], unit="number")
            for key, told in (
                ("passages_read", "passages read"),
                *((c, c) for c in ("calls", "tokens", "seconds")),
            )
        ]
    told = {
        label: {_OPEN_QA_NAMES.get(key, key): f"{value:.1f}" for key, value in row.items()}
        for label, row in report["published_per_cent"].items()
    }
    yield Grid(
        f"{report['questions']} questions of {report['of']} over {report['passages']} passages",
        tuple(found),
        told,
        "eGoT's tables 2 and 3: 1,000 questions, answered by GPT-4o" if told else "",
        "Ranked: the first five passages are read for the shortest answer, and always one is given. Cited: a method "
        "answers, or refuses; recall is of what it cites, and what it had read for that stands beside it. A call of a method without a language model is a step of its rules and takes no tokens.",
        plotted=_OPEN_QA_NAMES["gold_read"],
    )
    losses: list[Figure] = []
    notes: dict[str, str] = {}
    for row in report.get("ablations", ()):
        label = f"{row['full']} less {row['method']}"
        for key, interval in row["losses"].items():
            losses.append(with_interval(name, label, _OPEN_QA_NAMES[key], interval, unit="points"))
        losses.append(Figure(name, label, "same answers", row["same"], n=report["questions"]))
        notes[label] = ablation_note(row["method"])
    offline = "" if report["answering"].startswith("llm:") else f" {WITHOUT_MODEL}"
    yield Grid(
        "What a part is worth: the full system less the one without it, question by question",
        tuple(losses),
        {f"published: {label}": {"exact match": note} for label, note in notes.items() if note},
        "INSES section 4.6, eGoT table 1, BioWeave tables 8 and 9; with large language models",
        "What was read are the passages that an answer or a refusal was made from." + offline,
        order=tuple(_OPEN_QA_NAMES[key] for key in LOSSES),
    )


def _graph_quality(name: str, report: Report) -> Grids:
    unusable = report.get("unusable_verdicts", 0)
    found: list[Figure] = []
    for row in report["rows"]:
        label = f"{row['graph'].partition(' ')[0]}, {row['retriever']} retriever"
        anchor = report["published_per_cent"].get(row["graph"])
        told = f"{anchor}" if anchor is not None and row["retriever"] == "published" else ""
        # Another judge is another scale: its figures must not be compared with these.
        metric = f"facts found, judge: {report['judge']}"
        found.append(with_interval(name, label, metric, row["score"], told))
        if row["gain"] is not None:
            gained = report["inses_gains_points"].get(row["graph"])
            told = "" if gained is None else f"INSES: {gained:+.1f}"
            metric = f"gain over the published retriever, judge: {report['judge']}"
            found.append(with_interval(name, label, metric, row["gain"], told, "points"))
        for key, told in (("triples", "triples of an essay"), ("context", "statements for a fact")):
            if key in row:
                found.append(Figure(name, label, told, row[key], unit="number"))
    yield Grid(
        "Facts of an essay found again in its graph",
        tuple(found),
        setting="KGGen, GraphRAG and OpenIE with their own retriever, and INSES' gains over it; judged by GPT-4o",
        note=f"Verdicts of the judge that were none, and count as not found: {unusable}." if unusable else "",
        plotted=found[0].metric if found else "",
    )
    verdicts: list[Figure] = []
    for system, row in report.get("published_verdicts", {}).items():
        agreed = row["agreement"]
        verdicts.append(Figure(name, f"{system}, published contexts", "GPT-4o's verdicts", row["model"]))
        verdicts.append(Figure(name, f"{system}, published contexts", "this judge's", row["judge"]))
        verdicts.append(
            Figure(name, f"{system}, published contexts", "equal verdicts", agreed["share"], n=agreed["n"])
        )
        if agreed["kappa"] is not None:
            verdicts.append(
                Figure(name, f"{system}, published contexts", "kappa", agreed["kappa"], unit="number")
            )
    yield Grid("How far the judge agrees with the published verdicts", tuple(verdicts))


def _boundaries(name: str, report: Report) -> Grids:
    names = {
        "answered": "own answered",
        "own_abstract": "from own abstract",
        "refused": "foreign refused",
        "right": "verdict right",
    }
    found: list[Figure] = []
    for row in report["rows"]:
        for key, metric in names.items():
            if row[key] is not None:
                found.append(with_interval(name, row["method"], metric, row[key]))
        if "macro_f1" in row:
            found.append(Figure(name, row["method"], "macro F1", row["macro_f1"]))
    habit = {"by habit: always yes": {names["right"]: f"{100 * report['yes']:.1f}"}}
    yield Grid("Questions of PubMedQA", tuple(found), habit, plotted="own answered")


def _entities(name: str, report: Report) -> Grids:
    found: list[Figure] = []
    for result in report["recognition"]:
        (whole,) = (score for score in result["scores"] if score["kind"] == "micro")
        label = f"{result['corpus']}, {result['way']}"
        found.append(Figure(name, label, "names found, F1", whole["f1"], whole["low"], whole["high"]))
    yield Grid("Names", tuple(found), plotted="names found, F1")
    metric = "concept of an annotated span right"
    linked = []
    for corpus, rows in report["linking"].items():
        (whole,) = (row for row in rows if row["kind"] == "all")
        linked.append(Figure(name, corpus, metric, whole["accuracy"], whole["low"], whole["high"]))
    yield Grid("Concepts", tuple(linked), plotted=metric)
    short = [Figure(name, row["name"], "abbreviations, F1", row["f1"]) for row in report["abbreviations"]]
    yield Grid("Abbreviations", tuple(short))


def _relations(name: str, report: Report) -> Grids:
    pairs = report["biored"]["pairs"] | {"whole abstract, type counted": report["biored"]["typed"]}
    scores: list[tuple[str, Mapping[str, float], str]] = [
        (f"BioRED, entities given, {way}", score, "") for way, score in pairs.items()
    ]
    scores.append(("ChemProt, entities given", report["chemprot"]["micro"], ""))
    told = "GPT-4, no examples: 9 to 13"
    scores += [(f"BioRED, end to end, {way}", score, told) for way, score in report["end_to_end"].items()]
    yield Grid("Relations", tuple(_of_scores(name, scores)), plotted="F1")
    inferred = []
    for each in report["inference"]:
        label = f"inferred: {each['kind']}, {each['judged']} judged"
        low, high = each.get("interval") or (None, None)
        inferred.append(Figure(name, label, "precision, lower bound", each["precision"], low, high))
    yield Grid(
        "Inferred relations",
        tuple(inferred),
        note="An inferred pair that the annotators did not write down may still be true, so precision is at least this.",
    )


def _of_scores(name: str, scores: Iterable[tuple[str, Mapping[str, float], str]]) -> Iterator[Figure]:
    for label, score, told in scores:
        yield Figure(name, label, "F1", score["f1"], score.get("low"), score.get("high"), told)
        for metric in ("precision", "recall"):
            if metric in score:
                yield Figure(name, label, metric, score[metric])


_READERS: Mapping[str, Callable[[str, Report], Grids]] = MappingProxyType(
    {
        "entities": _entities,
        "relations": _relations,
        "retrieval": _retrieval,
        "multihop-qa": built_question_grids,
        "sources": built_question_grids,
        "completeness": built_question_grids,
        "ablations": built_question_grids,
        "open-qa": _open_qa,
        "open-qa-ablations": _open_qa,
        "graph-quality": _graph_quality,
        "boundaries": _boundaries,
        "case-study": case_grids,
    }
)
