"""Abbreviations that texts define, against the pairs annotated in MEDLINE records for Ab3P (Sohn et al., 2008).

A pair of short and long form counts once a record. The corpus annotates one-letter forms, which mean what they are
defined as at their definition only, so both ways are measured. The pairs that the Ab3P tool itself found in the same
records are measured beside ours.
"""

from __future__ import annotations

import lzma
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kg_pipeline.evaluation.gold import GoldAbbreviations, parse_abbreviations, read_abbreviations
from kg_pipeline.text.abbreviations import find_definitions

Pairs = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class PairScores:
    """Precision, recall and F1 in [0, 1] of what `name` found."""

    name: str
    precision: float
    recall: float
    f1: float
    right: int
    found: int
    annotated: int


def measure_abbreviations(folder: Path, split: str) -> list[PairScores]:
    """Our definitions and, where its output is there, those of the Ab3P tool; empty if the split is not there."""
    files = sorted(folder.glob(f"{split}*.txt"))
    if not files:
        return []
    records = list(read_abbreviations(files[0]))
    scores = [
        score_pairs(name, records, [_pairs(record.text, shortest) for record in records])
        for name, shortest in (("as the mentions stage uses them", 1), ("without one-letter forms", 2))
    ]
    tool = folder / "ab3p_tool_output.txt.xz"
    if tool.is_file():
        with lzma.open(tool, "rt", encoding="utf-8") as stream:
            theirs = _by_number(parse_abbreviations(stream.read()))
        matched = [theirs[key].pairs if key in theirs else frozenset() for key in _by_number(records)]
        scores.append(score_pairs("Ab3P", records, matched))
    return scores


def score_pairs(name: str, records: Sequence[GoldAbbreviations], found: Sequence[Pairs]) -> PairScores:
    """Pairs of all records together; `found` has those of each record, in the same order."""
    right = sum(len(record.pairs & pairs) for record, pairs in zip(records, found, strict=True))
    ours = sum(map(len, found))
    gold = sum(len(record.pairs) for record in records)
    return PairScores(
        name, right / max(ours, 1), right / max(gold, 1), 2 * right / max(ours + gold, 1), right, ours, gold
    )


def _pairs(text: str, shortest: int) -> Pairs:
    return frozenset((one.short, one.long) for one in find_definitions(text, shortest=shortest))


def _by_number(records: Iterable[GoldAbbreviations]) -> dict[tuple[str, int], GoldAbbreviations]:
    """Records by PMID and how many of that PMID came before: some are there twice."""
    seen: Counter[str] = Counter()
    numbered = {}
    for record in records:
        numbered[record.pmid, seen[record.pmid]] = record
        seen[record.pmid] += 1
    return numbered
