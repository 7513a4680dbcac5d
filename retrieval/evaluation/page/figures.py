"""Figures out of the benchmarks' reports, each with a stable key, so that two pages can be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from retrieval.evaluation.multihop_qa import published

Report = Mapping[str, Any]
_RETRIEVAL_SUBSET = "all"
_FAMILIES = {"entity_pair": "entity pair", "intersection": "intersection", "path": "path", "count": "CountEx"}


@dataclass(frozen=True, slots=True)
class Figure:
    """A share in [0, 1] with its interval, where it has one, and what was published in per cent, where something was.

    `n` is over how many things the interval is; a gain is a difference of two shares, told in points.
    """

    benchmark: str
    row: str  # who was measured
    metric: str
    value: float
    low: float | None = None
    high: float | None = None
    published: str = ""
    n: int | None = None
    is_gain: bool = False

    @property
    def key(self) -> str:
        """What stays the same from one page to the next."""
        return f"{self.benchmark} / {self.row} / {self.metric}"


def figures_of(name: str, report: Report) -> list[Figure]:
    """Figures of a report, by the name of its benchmark; empty for one that this page knows nothing of."""
    reader = _READERS.get(name)
    return list(reader(report)) if reader else []


def _retrieval(report: Report) -> Iterator[Figure]:
    for method in report["methods"]:
        for metric, found in method["scores"].get(_RETRIEVAL_SUBSET, {}).items():
            start = report["starting_points_per_cent"].get("dense", {}).get(metric)
            told = f"start, vectors: {start}" if start is not None else ""
            yield _with_interval("retrieval", method["method"], metric, found, told)


def _multihop(report: Report) -> Iterator[Figure]:
    best = published.MAIN["BioWeave"]
    columns = dict(zip(published.COLUMNS, best, strict=True))
    for row in report["rows"]:
        label = f"{row['method']} ({report['answering']}), {row['condition']}, {row['completeness']:.0%}"
        summary = row["summary"]
        # A mean of fewer families is another figure, neither the paper's nor that of a page with all of them.
        is_whole = len(summary["families"]) == len(_FAMILIES)
        metric = "overall" if is_whole else f"overall of {len(summary['families'])} families"
        told = f"BioWeave: {columns['overall']}" if is_whole else ""
        yield _with_interval("multihop-qa", label, metric, summary["overall"], told)
        for family, scores in summary["families"].items():
            yield _with_interval("multihop-qa", label, _FAMILIES[family], scores["average"])


def _open_qa(report: Report) -> Iterator[Figure]:
    names = {"em": "exact match", "f1": "F1", "all@5": "all@5"}
    for row in report["rows"]:
        label = f"{row['method']}, passages {row['passages']} ({report['answering']}), {report['of']}"
        for key, name in names.items():
            known = report["published_per_cent"].get("eGoT", {}).get(key)
            told = "" if known is None else f"eGoT: {known}"
            yield _with_interval("open-qa", label, name, row["scores"][key], told)


def _graph_quality(report: Report) -> Iterator[Figure]:
    for row in report["rows"]:
        anchor = report["published_per_cent"].get(row["graph"])
        told = f"{anchor}" if anchor is not None and row["retriever"] == "published" else ""
        label = f"{row['graph'].partition(' ')[0]}, {row['retriever']} retriever"
        # Another judge is another scale: its figures must not be compared with these.
        yield _with_interval(
            "graph-quality", label, f"facts found, judge: {report['judge']}", row["score"], told
        )
        if row["gain"] is not None:
            gained = report["inses_gains_points"].get(row["graph"])
            told = "" if gained is None else f"INSES: {gained:+.1f}"
            metric = f"gain over the published retriever, judge: {report['judge']}"
            yield replace(_with_interval("graph-quality", label, metric, row["gain"], told), is_gain=True)


def _boundaries(report: Report) -> Iterator[Figure]:
    names = {
        "answered": "own answered",
        "own_abstract": "from own abstract",
        "refused": "foreign refused",
        "right": "verdict right",
    }
    for row in report["rows"]:
        for key, name in names.items():
            told = f"always yes: {100 * report['yes']:.1f}" if key == "right" else ""
            yield _with_interval("boundaries", row["method"], name, row[key], told)


def _case_study(report: Report) -> Iterator[Figure]:
    for row in report["rows"]:
        label = f"{row['study']}, {row['condition']}, depth {row['depth']} ({report['answering']})"
        metric = f"answered (expected: {row['expects']})"
        yield Figure("case-study", label, metric, row["answered"], n=row["questions"])
        for name, value in row["scores"].items():
            if value is not None:
                known = report["published"].get(f"{row['study']}, {row['condition']}", {}).get(name)
                told = "" if known is None else f"{100 * known:.0f}"
                yield Figure("case-study", label, name.replace("_", " "), value, published=told)


def _entities(report: Report) -> Iterator[Figure]:
    for result in report["recognition"]:
        (all_kinds,) = (score for score in result["scores"] if score["kind"] == "micro")
        label = f"{result['corpus']}, {result['way']}"
        yield Figure(
            "entities", label, "names found, F1", all_kinds["f1"], all_kinds["low"], all_kinds["high"]
        )
    for corpus, rows in report["linking"].items():
        (all_kinds,) = (row for row in rows if row["kind"] == "all")
        metric = "concept of an annotated span right"
        yield Figure("entities", corpus, metric, all_kinds["accuracy"], all_kinds["low"], all_kinds["high"])
    for row in report["abbreviations"]:
        yield Figure("entities", row["name"], "abbreviations, F1", row["f1"])


def _relations(report: Report) -> Iterator[Figure]:
    pairs = report["biored"]["pairs"] | {"whole abstract, type counted": report["biored"]["typed"]}
    for way, score in pairs.items():
        yield _of_score(f"BioRED, entities given, {way}", score)
    yield _of_score("ChemProt, entities given", report["chemprot"]["micro"])
    told = "GPT-4, no examples: 9 to 13"
    for way, score in report["end_to_end"].items():
        yield _of_score(f"BioRED, end to end, {way}", score, told)
    for each in report["inference"]:
        label = f"inferred: {each['kind']}, {each['judged']} judged"
        yield Figure("relations", label, "precision, lower bound", each["precision"])


def _of_score(label: str, score: Mapping[str, float], told: str = "") -> Figure:
    return Figure("relations", label, "F1", score["f1"], score.get("low"), score.get("high"), told)


def _with_interval(
    benchmark: str, row: str, metric: str, found: Mapping[str, float], told: str = ""
) -> Figure:
    return Figure(benchmark, row, metric, found["mean"], found["low"], found["high"], told, int(found["n"]))


_READERS: Mapping[str, Callable[[Report], Iterator[Figure]]] = MappingProxyType(
    {
        "entities": _entities,
        "relations": _relations,
        "retrieval": _retrieval,
        "multihop-qa": _multihop,
        "open-qa": _open_qa,
        "graph-quality": _graph_quality,
        "boundaries": _boundaries,
        "case-study": _case_study,
    }
)
