"""Normalisation of gold spans: given the span, its type and the article, which concept does it stand for.

Compared by cross-references with the identifiers of the corpus (MeSH, OMIM, NCBI Gene, NCBI Taxonomy, Cellosaurus,
dbSNP). Mentions without an identifier are left out. A mention with several identifiers counts as right where the
first link is any of them, as in the evaluations of BELB (Garda et al., 2023) and HunFlair2 (Sänger et al., 2024).
Intervals are percentiles of a bootstrap over articles, because mentions of one article are not independent.

Two figures are given. `accuracy` asks for a cross-reference of the concept itself. Ours are finer than MeSH here and there
(glomerulosclerosis has no heading of its own), and annotators who had MeSH only took the nearest heading above; so
`with_ancestors` also counts a concept that has no reference to the corpus' authority, where its nearest ancestor with
one is the gold one. A concept that has a reference of its own is never excused so.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from kg_pipeline.evaluation.gold import GoldArticle, GoldMention
from kg_pipeline.text.abbreviations import find_definitions
from kg_pipeline.vocabulary.index.build import OPEN_VOCABULARY
from kg_pipeline.vocabulary.index.lookup import Vocabulary
from kg_pipeline.vocabulary.linking.article_context import article_context, named_in_full
from kg_pipeline.vocabulary.linking.links import Link, link

ALL_KINDS = "all"
MAX_ANCESTORS = 4
OPEN_REFERENCES = OPEN_VOCABULARY.with_name("open_xrefs.parquet")
_PREFIXES = {"GeneOrGeneProduct": "NCBIGene", "OrganismTaxon": "NCBITaxon"}


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Share of mentions whose first link is right, in [0, 1], with a 95 % interval, and how many were counted.

    `with_ancestors` is the share where a concept without a reference may stand for its nearest ancestor.
    """

    kind: str
    mentions: int
    right: int
    accuracy: float
    low: float
    high: float
    with_ancestors: float


@dataclass(frozen=True, slots=True)
class Judged:
    """A gold mention, what it was linked to first, and whether that is right."""

    pmid: str
    mention: GoldMention
    link: Link | None
    is_right: bool
    is_right_above: bool


class References:
    """Which identifiers of other authorities a concept answers to."""

    def __init__(self, path: Path = OPEN_REFERENCES) -> None:
        self._of: dict[str, set[str]] = defaultdict(set)
        table = pq.read_table(path)
        for identifier, concept_id in zip(
            table["identifier"].to_pylist(), table["concept_id"].to_pylist(), strict=True
        ):
            self._of[concept_id].add(identifier)

    def of(self, concept_id: str) -> set[str]:
        """Identifiers of a concept, its own one included."""
        own = re.sub(r"^HGVS:[gmn]\.", "HGVS:c.", concept_id)
        return {own, *self._of.get(concept_id, ())}

    def above(self, concept_id: str, authorities: set[str], vocabulary: Vocabulary) -> set[str]:
        """Identifiers of the nearest ancestors that one of the authorities knows; none for a concept that it knows itself."""
        level = {concept_id}
        for _ in range(MAX_ANCESTORS):
            found = set().union(*(self.of(one) for one in level))
            known = {one for one in found if one.partition(":")[0] in authorities}
            if known:
                return set() if level == {concept_id} else known
            concepts = [vocabulary.concept(one) for one in sorted(level)]
            level = {parent for concept in concepts if concept is not None for parent in concept.parents}
            if not level:
                break
        return set()


_MUTATION = re.compile(r"(?P<level>[cgmnp])\|(?P<kind>SUB|FS|DEL|INS|DUP)\|(?P<rest>.*)")


def variant_identifier(identifier: str) -> str:
    """Identifier of a variant in the spelling of HGVS: tmVar's `p|SUB|V|600|E` is HGVS:p.V600E.

    The level of nucleotide changes (coding, genomic, mitochondrial) is left out: texts rarely tell it.
    """
    if identifier.startswith("rs"):
        return f"DBSNP:{identifier}"
    found = _MUTATION.fullmatch(identifier)
    parts = found["rest"].split("|") if found else []
    if found is None or len(parts) < 2:
        return identifier
    level = "p" if found["level"] == "p" else "c"
    if found["kind"] == "SUB" and len(parts) > 2:
        before, place, after = parts[0], parts[1], parts[2].replace("X", "*")
        return f"HGVS:p.{before}{place}{after}" if level == "p" else f"HGVS:c.{place}{before}>{after}"
    if found["kind"] == "FS":
        return f"HGVS:{level}.{parts[0]}{parts[1]}fs"
    return f"HGVS:{level}.{parts[0]}{found['kind'].lower()}{parts[1]}"


def gold_identifiers(mention: GoldMention) -> set[str]:
    """Identifiers of a mention with their prefixes: `D003920` is MESH:D003920, and a gene's number NCBIGene:3630."""
    found = set()
    for identifier in mention.identifiers:
        prefix = _PREFIXES.get(mention.kind)
        if mention.kind == "SequenceVariant":
            found.add(variant_identifier(identifier))
        elif prefix:
            found.add(f"{prefix}:{identifier}")
        elif identifier[:1] in "DC" and identifier[1:].isdigit():
            found.add(f"MESH:{identifier}")
        else:
            found.add(identifier)
    return found


def judge(articles: Iterable[GoldArticle], vocabulary: Vocabulary, references: References) -> list[Judged]:
    """Every gold mention that has an identifier, linked and compared."""
    judged = []
    for article in articles:
        named = named_in_full(article.text, vocabulary.match(article.text))
        definitions = find_definitions(article.text, shortest=1)
        context = article_context(article.text, definitions, {}, vocabulary, named)
        for mention in article.mentions:
            gold = gold_identifiers(mention)
            if not gold:
                continue
            links = link(mention.text, mention.category, vocabulary, context, mention.start)
            first = links[0] if links else None
            is_right = is_above = False
            if first is not None:
                concept_id = first.candidate.concept_id
                is_right = not gold.isdisjoint(references.of(concept_id))
                authorities = {one.partition(":")[0] for one in gold}
                is_above = not gold.isdisjoint(references.above(concept_id, authorities, vocabulary))
            judged.append(Judged(article.pmid, mention, first, is_right, is_right or is_above))
    return judged


def measure(
    articles: Iterable[GoldArticle],
    vocabulary: Vocabulary,
    references: References | None = None,
    *,
    rounds: int = 1000,
    seed: int = 13,
) -> list[Accuracy]:
    """Accuracy by type of entity and over all of them (`all`, last)."""
    judged = judge(articles, vocabulary, references or References())
    kinds = sorted({one.mention.kind for one in judged})
    return [
        *(
            _accuracy(kind, [one for one in judged if one.mention.kind == kind], rounds, seed)
            for kind in kinds
        ),
        _accuracy(ALL_KINDS, judged, rounds, seed),
    ]


def _accuracy(kind: str, judged: list[Judged], rounds: int, seed: int) -> Accuracy:
    by_article: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for one in judged:
        by_article[one.pmid][0] += one.is_right
        by_article[one.pmid][1] += 1
    counts = np.array([by_article[pmid] for pmid in sorted(by_article)], dtype=np.int64).reshape(-1, 2)
    right, total = (int(value) for value in counts.sum(axis=0))
    if not total:
        return Accuracy(kind, 0, 0, 0.0, 0.0, 0.0, 0.0)
    chosen = np.random.default_rng(seed).integers(0, len(counts), size=(rounds, len(counts)))
    sums = counts[chosen].sum(axis=1)
    shares = sums[:, 0] / np.maximum(sums[:, 1], 1)
    low, high = (float(value) for value in np.percentile(shares, [2.5, 97.5]))
    above = sum(one.is_right_above for one in judged)
    return Accuracy(kind, total, right, right / total, low, high, above / total)
