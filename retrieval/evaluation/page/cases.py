"""Tables of case studies on the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from retrieval.evaluation.cases.definitions import published
from retrieval.evaluation.multihop_qa.published import EGOT_WINS
from retrieval.evaluation.page.model import Figure, Grid, with_interval
from retrieval.evaluation.quality.pairwise import CRITERIA

_NAMES = {
    "faithfulness": "faithfulness",
    "context_precision": "context precision",
    "context_relevance": "context relevance",
    "attribution": "attribution",
}


def case_grids(name: str, report: Mapping[str, Any]) -> Iterator[Grid]:
    """A table for each study, and one of win rates where a judge compared two methods."""
    rows = report["rows"]
    for study in dict.fromkeys(row["study"] for row in rows):
        found: list[Figure] = []
        told: dict[str, dict[str, str]] = {}
        for row in (row for row in rows if row["study"] == study):
            label = _label(row, report)
            found.append(with_interval(name, label, f"answered ({row['expects']} expected)", row["answered"]))
            for key, metric in _NAMES.items():
                if row["scores"][key] is not None:
                    found.append(with_interval(name, label, metric, row["scores"][key]))
            found.append(Figure(name, label, "articles cited", row["articles"], unit="number"))
            found += [
                Figure(name, label, key, row[key], unit="number") for key in ("calls", "tokens", "seconds")
            ]
            if known := published(study, row["condition"], row["depth"]):
                cells = {_NAMES[key]: f"{100 * value:.0f}" for key, value in known.items()}
                told[f"{study}, {row['condition']}, depth {row['depth']}"] = cells
        yield Grid(
            f"{study}: conditions and depths",
            tuple(found),
            told,
            "eGoT's tables 4 and 5: LLaMA-4 Scout over 1,046 articles on small cell lung cancer and 120 on lupus and UV",
            "exp-0: a language model alone; exp-1: articles on the subject; exp-2: of neighbouring fields; exp-3: unrelated "
            "ones, where refusing is right. Faithfulness, precision and relevance need a judge (--judge), and are blank too "
            f"where it gave no usable verdict{_unusable(study, rows)}.{_stand_ins(report)}",
            plotted=found[0].metric,
            order=(found[0].metric, *_NAMES.values()),
        )
    wins = [
        with_interval(name, f"{_label(row, report)}, over {report['against']}", criterion, share)
        for row in rows
        for criterion, share in row["wins"].items()
    ]
    yield Grid(
        "Win rates by the judge, each pair in both orders",
        tuple(wins),
        {
            f"eGoT over No-GoT, {domain}": dict(zip(CRITERIA, (f"{rate:.1f}" for rate in rates), strict=True))
            for domain, rates in EGOT_WINS.items()
        }
        if wins
        else {},
        "eGoT's table 1: 100 questions on law, 100 on agriculture, 10 mixed, of UltraDomain",
    )


def _unusable(study: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """How many verdicts of a judge on a study were none, by metric."""
    counts: Counter[str] = Counter()
    for row in rows:
        if row["study"] == study:
            counts.update(row.get("unusable", {}))
    told = ", ".join(f"{_NAMES[name]} {count}" for name, count in sorted(counts.items()))
    return f" ({told})" if told else ""


def _stand_ins(report: Mapping[str, Any]) -> str:
    """That a condition is answered from other articles than the study's."""
    named = report["settings"]["corpora"]
    told = ", ".join(f"{condition} from {corpus}" for condition, corpus in sorted(named.items()))
    return f" Answered by name: {told}. What its articles do not tell of is rightly refused." if told else ""


def _label(row: Mapping[str, Any], report: Mapping[str, Any]) -> str:
    corpus = f", {row['corpus']}" if row["corpus"] else ""
    return f"{row['study']}, {row['condition']}, depth {row['depth']}{corpus} ({report['answering']})"
