"""What brought-in annotations add to what the stage reads itself: triples, mentions and rejects of an article.

An article's annotations are part of its input, and the code that grounds them is so only for articles that have some:
who brings nothing in reads nothing again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from kg_pipeline.extraction.annotations.anchoring import Anchoring, Choice
from kg_pipeline.extraction.annotations.grounding import AnnotatedArticle, Sentence, ground_relation
from kg_pipeline.extraction.annotations.records import ArticleReference, BroughtEntity, BroughtRelation
from kg_pipeline.extraction.annotations.references import CrossReferences, references_digest
from kg_pipeline.extraction.annotations.stage import DATASET
from kg_pipeline.extraction.grounding.triples import GroundedTriple, MentionSpan, Rejected
from kg_pipeline.extraction.triples.rows import Row, annotation_rows, brought_reject_rows, mention_rows
from kg_pipeline.fingerprint import code_digest, digest
from kg_pipeline.text.abbreviations import find_definitions

if TYPE_CHECKING:
    from kg_pipeline.corpora import CorpusSpec
    from kg_pipeline.datasets import Datasets
    from kg_pipeline.extraction.triples.inputs import ArticleInput
    from kg_pipeline.incremental import ArticleOutput

_CODE = (
    *(
        f"kg_pipeline.extraction.{part}"
        for part in (
            "annotations",
            "grounding",
            "lexicon",
            "relation_model.kinds",
            "rules.negation",
            "triples.brought_in",
            "triples.rows",
        )
    ),
    *(f"kg_pipeline.vocabulary.{module}" for module in ("predicates", "domains", "categories")),
    "kg_pipeline.text.abbreviations",
    "kg_pipeline.text.short_forms",
)


@dataclass(frozen=True, slots=True)
class BroughtIn:
    """The annotations of a shard."""

    datasets: Datasets
    corpus: str
    shard: str
    annotations: pl.DataFrame

    @classmethod
    def read(cls, datasets: Datasets, spec: CorpusSpec, shard: str) -> BroughtIn | None:
        """Those of the shard; None where there are none."""
        if not spec.annotations:
            return None
        annotations = datasets.read_or_empty(DATASET, spec.name, shard)
        return None if annotations.is_empty() else cls(datasets, spec.name, shard, annotations)

    def digests(self) -> dict[str, str]:
        """Digest of what is brought in for each article, and of what reads it."""
        reader = digest(code_digest(_CODE), references_digest())
        frame = self.annotations.group_by("article_id").agg(pl.col("annotation_id").sort())
        return {article: digest(ids, reader) for article, ids in frame.iter_rows()}

    def added_to(
        self, outputs: Iterable[ArticleOutput], articles: Mapping[str, ArticleInput]
    ) -> Iterator[ArticleOutput]:
        """The outputs, those of annotated articles with what the annotations give; a failed one stays as it is."""
        wanted = pl.col("article_id").is_in(list(articles))
        rows = self.annotations.filter(wanted).partition_by("article_id", as_dict=True)
        relations = {
            str(article): [_relation(row) for row in part.sort("annotation_id").iter_rows(named=True)]
            for (article,), part in rows.items()
        }
        references = CrossReferences(
            identifier
            for of_article in relations.values()
            for relation in of_article
            for identifier in (*relation.head.identifiers, *relation.tail.identifiers)
        )
        choices = self._choices(list(relations))
        for output in outputs:
            brought = relations.get(output.article_id)
            if not brought or output.status == "failed":
                yield output
                continue
            article = articles[output.article_id]
            annotated = _annotated(article, choices, references)
            added = _rows(article, brought, [ground_relation(each, annotated) for each in brought])
            every = {*output.rows, *added}
            merged = {name: [*output.rows.get(name, ()), *added.get(name, ())] for name in sorted(every)}
            yield replace(output, rows=merged)

    def _choices(self, articles: Sequence[str]) -> dict[str, list[Choice]]:
        """Concepts that the open mentions of these articles may be."""
        mentions = self.datasets.read("mentions", self.corpus, self.shard)
        is_open = pl.col("concept_id").is_null() & (pl.col("candidates").list.len() > 0)
        found = mentions.filter(pl.col("article_id").is_in(list(articles)) & is_open)
        return {
            mention: [Choice(each["concept_id"], each["category"]) for each in candidates]
            for mention, candidates in found.select("mention_id", "candidates").iter_rows()
        }


def _relation(row: Mapping[str, Any]) -> BroughtRelation:
    head, tail = (
        BroughtEntity(tuple(row[f"{end}_names"]), tuple(row[f"{end}_identifiers"]), row[f"{end}_category"])
        for end in ("head", "tail")
    )
    names = ("relation", "is_quoted", "negated", "speculative", "source", "score", "record")
    return BroughtRelation(
        ArticleReference(own=row["article_id"]),
        head,
        tail,
        quotes=tuple(row["quotes"]),
        **{name: row[name] for name in names},
    )


def _annotated(
    article: ArticleInput, choices: Mapping[str, Sequence[Choice]], references: CrossReferences
) -> AnnotatedArticle:
    kinds = {
        span: chunk.section_kind
        for chunk, spans in zip(reversed(article.chunks), reversed(article.sentences), strict=True)
        for span in spans
    }
    return AnnotatedArticle(
        Anchoring(
            article_id=article.article_id,
            document_text=article.text,
            mentions=tuple(sorted(article.mentions, key=lambda each: (each.start, each.end))),
            definitions=tuple(find_definitions(article.text)),
            choices=choices,
            references=references,
        ),
        tuple(Sentence(*span, kinds[span]) for span in sorted(kinds)),
    )


def _rows(
    article: ArticleInput,
    relations: Sequence[BroughtRelation],
    results: Sequence[GroundedTriple | Rejected],
) -> dict[str, list[Row]]:
    grounded = [
        (relation, result)
        for relation, result in zip(relations, results, strict=True)
        if isinstance(result, GroundedTriple)
    ]
    rejected = [
        (relation, result)
        for relation, result in zip(relations, results, strict=True)
        if isinstance(result, Rejected)
    ]
    named = _new_or_chosen(article, [triple for _, triple in grounded])
    return {
        "triples": annotation_rows(article.article_id, grounded, article.chunks),
        "triple_mentions": mention_rows(article.article_id, named, source="annotation"),
        "rejects": brought_reject_rows(article.article_id, rejected),
    }


def _new_or_chosen(article: ArticleInput, triples: Sequence[GroundedTriple]) -> list[MentionSpan]:
    """Mentions that the article did not have, and open ones whose concept the annotations agree on."""
    known = {mention.mention_id: mention for mention in article.mentions}
    found: dict[str, set[MentionSpan]] = defaultdict(set)
    for triple in triples:
        for mention in (triple.head, triple.tail):
            if known.get(mention.mention_id) != mention:
                found[mention.mention_id].add(mention)
    return [
        min(every, key=lambda mention: mention.category)
        for mention_id, every in sorted(found.items())
        if len({mention.concept_id for mention in every}) == 1 or mention_id not in known
    ]
