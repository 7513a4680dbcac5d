"""Names found and linked by the whole mentions stage, against annotated identifiers: what a graph gets.

A mention is right where both ends and the kind agree with an annotated one and its concept answers to any of its
identifiers, as in the mention-level figures of HunFlair2 (Sänger et al., 2024). Annotated names without an identifier
are left out on both sides, and a mention that the stage leaves open counts as not found. Genes are also counted with
orthologs taken for one, because the stage reads a gene by its name and the corpora by the species of the experiment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from kg_pipeline.evaluation.entity_linking import References, gold_identifiers
from kg_pipeline.evaluation.entity_recognition import Span, SpanScores, score_spans
from kg_pipeline.evaluation.gold import GoldArticle
from kg_pipeline.extraction.mentions.mention import Mention
from kg_pipeline.vocabulary.categories import GENE, group_of
from kg_pipeline.vocabulary.index.lookup import Vocabulary
from kg_pipeline.vocabulary.linking.taxa import MOUSE, RAT

ANY_SPECIES = "gene of any species"


def score_end_to_end(
    articles: Sequence[GoldArticle],
    found: Sequence[Iterable[Mention]],
    vocabulary: Vocabulary,
    references: References,
) -> list[SpanScores]:
    """Scores over all kinds, of each kind of the articles, and of genes with orthologs as one, in this order."""
    kinds = sorted({group_of(one.category) for article in articles for one in article.mentions})
    gold, strict, loose = [], [], []
    for article, mentions in zip(articles, found, strict=True):
        known, unknown = _annotated(article)
        mine = [one for one in mentions if one.concept_id is not None and _span(one) not in unknown]
        gold.append(list(known))
        strict.append([_judged(one, known, references.of(one.concept_id or "")) for one in mine])
        loose.append(
            [
                _judged(one, known, _of_any_species(one.concept_id or "", vocabulary, references))
                for one in mine
            ]
        )
    scores = score_spans(gold, strict, kinds)
    if GENE in kinds:
        genes = score_spans(gold, loose, [GENE])[-1]
        scores.append(replace(genes, kind=ANY_SPECIES))
    return scores


def _annotated(article: GoldArticle) -> tuple[dict[Span, set[str]], set[Span]]:
    """Identifiers of the annotated names by their spans, and the spans of those that have none."""
    known: dict[Span, set[str]] = {}
    unknown: set[Span] = set()
    for one in article.mentions:
        span = (one.start, one.end, group_of(one.category))
        identifiers = gold_identifiers(one)
        if identifiers:
            known[span] = identifiers
        else:
            unknown.add(span)
    return known, unknown - known.keys()


def _span(mention: Mention) -> Span:
    return mention.start, mention.end, group_of(mention.category)


def _judged(mention: Mention, known: dict[Span, set[str]], identifiers: set[str]) -> Span:
    """The span of a mention, at a place that is annotated nowhere if its concept is wrong: found, and not right."""
    start, end, kind = _span(mention)
    is_right = not known.get((start, end, kind), set()).isdisjoint(identifiers)
    return (start, end, kind) if is_right else (start, -end, kind)


def _of_any_species(concept_id: str, vocabulary: Vocabulary, references: References) -> set[str]:
    """Identifiers of a concept and, of a human gene, those of its orthologs."""
    orthologs = (vocabulary.ortholog(concept_id, taxon) for taxon in (MOUSE, RAT))
    return references.of(concept_id).union(*(references.of(one) for one in orthologs if one is not None))
