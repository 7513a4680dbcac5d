"""Pairs of names with the verdict of a biologist, and what the product makes of them.

`held_out.tsv` was written before its results were seen, `worked.tsv` with them.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from kg_pipeline.normalization.standardise import Form, standardise
from kg_pipeline.vocabulary.index.lookup import Vocabulary
from kg_pipeline.vocabulary.linking.links import link, standard

FOLDER = Path(__file__).parent / "pairs"


@dataclass(frozen=True)
class Pair:
    """Two names with their categories, whether they are one thing, and the kind of trap."""

    is_same: bool
    kind: str
    first: tuple[str, str]
    second: tuple[str, str]


def read_pairs(name: str) -> list[Pair]:
    with (FOLDER / name).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Pair(
            row["verdict"] == "same",
            row["kind"],
            (row["name_a"], row["category_a"]),
            (row["name_b"], row["category_b"]),
        )
        for row in rows
    ]


def are_merged(pair: Pair, vocabulary: Vocabulary) -> bool:
    """Whether both names end in one entity, linked without an article and then standardised together."""
    forms = [form_of(name, category, vocabulary) for name, category in (pair.first, pair.second)]
    return any(len(cluster.forms) == 2 for cluster in standardise(forms).clusters)


def form_of(name: str, category: str, vocabulary: Vocabulary) -> Form:
    links = link(name, category, vocabulary)
    best = standard(links, vocabulary)
    if best is None:
        return Form(name, category, None, is_open=bool(links))
    return Form(name, best.candidate.category, best.candidate.concept_id, score=best.candidate.score)
