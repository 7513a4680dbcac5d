"""One article read without a language model: by the rules, by the model of sentences, by the model of abstracts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_pipeline.extraction.relation_model.abstract_triples import (
    NEIGHBOURS,
    Abstract,
    AbstractTriples,
    abstract_triples,
)
from kg_pipeline.extraction.relation_model.calibration import calibrated
from kg_pipeline.extraction.relation_model.sentence_triples import EXTRACTOR as MODEL
from kg_pipeline.extraction.relation_model.sentence_triples import model_triples
from kg_pipeline.extraction.rules.triples import EXTRACTOR as RULES
from kg_pipeline.extraction.rules.triples import (
    OfflineTriple,
    extract_parsed,
    is_prose,
    is_short,
    sentences_of,
    sentences_to_read,
)
from kg_pipeline.extraction.triples.rows import TABLE

if TYPE_CHECKING:
    from kg_pipeline.extraction.syntax.sentence_parser import Parse, SentenceParser
    from kg_pipeline.extraction.triples.inputs import ArticleInput

#: Kinds of sections that the model of abstracts reads together.
_ABSTRACT = frozenset({"title", "abstract"})


@dataclass(frozen=True, slots=True)
class OfflineReading:
    """Triples of an article by who read them."""

    rules: list[OfflineTriple]
    model: list[OfflineTriple]
    neighbours: list[OfflineTriple]

    def by_extractor(self) -> Mapping[str, Sequence[OfflineTriple]]:
        """The triples by the name of their reader in the table of triples."""
        return {RULES: self.rules, MODEL: self.model, NEIGHBOURS: self.neighbours}


def read_article(parser: SentenceParser, article: ArticleInput) -> OfflineReading:
    """Triples of an article; rows of tables are read by the rules alone, because the model has learnt from prose."""
    spans = [span for of_chunk in article.sentences for span in of_chunk]
    read = list(extract_parsed(parser, list(sentences_to_read(article.text, spans, article.mentions))))
    # No annotated corpus tells how often what a row of a table says is right.
    rules = [
        triple for parse, found in read for triple in (found if parse is None else calibrated("rules", found))
    ]
    tables = [(chunk.start, chunk.end) for chunk in article.chunks if chunk.section_kind == TABLE]
    prose = {
        parse.sentence.start: (parse, found)
        for parse, found in read
        if parse is not None and not any(start <= parse.sentence.start < end for start, end in tables)
    }
    model = model_triples(list(prose.values()))
    of_abstract = _read_abstract(parser, article, prose, [*rules, *model])
    return OfflineReading(
        rules,
        [*calibrated("model", model), *calibrated("abstract", of_abstract.within)],
        calibrated("neighbours", of_abstract.across),
    )


def _read_abstract(
    parser: SentenceParser,
    article: ArticleInput,
    prose: Mapping[int, tuple[Parse, list[OfflineTriple]]],
    known: Sequence[OfflineTriple],
) -> AbstractTriples:
    spans = [
        span
        for chunk, of_chunk in zip(article.chunks, article.sentences, strict=True)
        if chunk.section_kind in _ABSTRACT
        for span in of_chunk
    ]
    sentences = list(sentences_of(article.text, spans, article.mentions))
    others = [
        each
        for each in sentences
        if each.mentions and each.start not in prose and is_short(each) and is_prose(each)
    ]
    parsed: dict[int, tuple[Parse, list[OfflineTriple]]] = {
        parse.sentence.start: (parse, []) for parse in parser.parse(others)
    }
    return abstract_triples(Abstract(article.text, sentences, {**parsed, **prose}), known)
