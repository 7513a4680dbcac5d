"""Everything that `kg bench entities` measures, as plain data: recognition, linking, both at once, abbreviations, speed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kg_pipeline.evaluation.abbreviation_pairs import PairScores, measure_abbreviations
from kg_pipeline.evaluation.annotated import (
    CELL_LINE,
    CHEMICAL,
    DISEASE,
    GENE,
    TAXON,
    VARIANT,
    AnnotatedArticle,
    AnnotatedCorpus,
    count_tokens,
    find_corpora,
)
from kg_pipeline.evaluation.entity_end_to_end import score_end_to_end
from kg_pipeline.evaluation.entity_linking import Accuracy, References, measure
from kg_pipeline.evaluation.entity_recognition import Span, SpanScores, score_spans
from kg_pipeline.extraction.mentions.ner.choice import chosen_recogniser, recogniser_digest
from kg_pipeline.extraction.mentions.ner.recogniser import RecognisedName
from kg_pipeline.extraction.mentions.reading import Mention, find_mentions
from kg_pipeline.settings import Settings
from kg_pipeline.text.abbreviations import find_definitions
from kg_pipeline.text.sentences import load_splitter
from kg_pipeline.vocabulary.categories import group_of
from kg_pipeline.vocabulary.index.build import build_vocabulary
from kg_pipeline.vocabulary.index.lookup import Vocabulary, open_vocabulary
from retrieval.evaluation.report import environment

#: What the corpora call the groups of our categories.
_CATEGORY_OF_GROUP = {
    "chemical": CHEMICAL,
    "disorder": DISEASE,
    "gene": GENE,
    "variant": VARIANT,
    "organism": TAXON,
    "cell line": CELL_LINE,
}
#: Words of a full-text article, so that a speed can be given in articles.
WORDS_PER_ARTICLE = 5_000
#: End to end, what others report on a corpus that they were not trained on (Sänger et al., 2024), and that is not read here.
MEDMENTIONS = (
    "Not measured: MedMentions, whose files are not among these corpora. There HunFlair2 reports a joint F1 of 51 for "
    "chemicals and 57 for diseases, scispaCy 35 and 41. The recogniser here was trained on other articles of the corpora "
    "above, but for CRAFT."
)
WHOLE_STAGE, RECOGNISER, VOCABULARY_ONLY = "mentions stage", "recogniser alone", "vocabulary alone"

Find = Callable[[AnnotatedArticle], Sequence[Mention] | Sequence[RecognisedName]]


@dataclass(frozen=True, slots=True)
class CorpusResult:
    """Scores of one way to find names on one corpus, and the processor seconds it took."""

    corpus: str
    way: str
    scores: list[SpanScores]
    words: int
    seconds: float


@dataclass(frozen=True, slots=True)
class EntityBench:
    """What was measured, what was not there, and what it was measured with."""

    recognition: list[CorpusResult]
    linking: dict[str, list[Accuracy]]
    end_to_end: dict[str, list[SpanScores]]
    abbreviations: list[PairScores]
    absent: list[str]
    context: dict[str, Any]

    def report(self) -> dict[str, Any]:
        """The same as JSON-like data."""
        return asdict(self)

    def articles_per_second(self) -> float | None:
        """Full-text articles that the mentions stage reads in a second on one core, over all corpora."""
        whole = [result for result in self.recognition if result.way == WHOLE_STAGE]
        seconds = sum(result.seconds for result in whole)
        return sum(result.words for result in whole) / WORDS_PER_ARTICLE / seconds if seconds else None


def run_entity_bench(gold: Path, split: str, settings: Settings) -> EntityBench:
    """Measure on the corpora that are in `gold`.

    Raises
    ------
    BenchmarkFileError
        If a corpus is there and cannot be read.
    ModelError
        If the recogniser of the settings cannot be loaded.

    """
    vocabulary = open_vocabulary(build_vocabulary(settings))
    corpora, absent = find_corpora(gold, split, load_splitter(settings.sentence_model))
    references = References() if any(corpus.gold for corpus in corpora) else None
    recognition: list[CorpusResult] = []
    end_to_end: dict[str, list[SpanScores]] = {}
    for corpus in corpora:
        for way, find in _ways(settings, vocabulary).items():
            result, found = _run(corpus, way, find)
            recognition.append(result)
            if way == WHOLE_STAGE and corpus.gold and references is not None:
                mentions = [[one for one in names if isinstance(one, Mention)] for names in found]
                end_to_end[corpus.name] = score_end_to_end(corpus.gold, mentions, vocabulary, references)
    linking = {corpus.name: measure(corpus.gold, vocabulary, references) for corpus in corpora if corpus.gold}
    abbreviations = measure_abbreviations(gold / "ab3p_med1250", split)
    if not abbreviations:
        absent.append(f"Abbreviations were skipped: there is no {gold / 'ab3p_med1250' / split}*.txt.")
    absent.append(MEDMENTIONS)
    context = _context(gold, split, settings, vocabulary)
    return EntityBench(recognition, linking, end_to_end, abbreviations, absent, context)


def _ways(settings: Settings, vocabulary: Vocabulary) -> dict[str, Find]:
    recogniser = chosen_recogniser(settings.entity_model)

    def stage(article: AnnotatedArticle) -> Sequence[Mention]:
        definitions = find_definitions(article.text, shortest=1)
        return find_mentions(article.text, article.sentences, definitions, {}, vocabulary, recogniser)

    def look_up(article: AnnotatedArticle) -> Sequence[Mention]:
        definitions = find_definitions(article.text, shortest=1)
        return find_mentions(article.text, article.sentences, definitions, {}, vocabulary)

    if recogniser is None:
        return {WHOLE_STAGE: look_up}

    def alone(article: AnnotatedArticle) -> Sequence[RecognisedName]:
        definitions = find_definitions(article.text, shortest=1)
        return recogniser.recognise(article.text, article.sentences, definitions, {})

    return {WHOLE_STAGE: stage, RECOGNISER: alone, VOCABULARY_ONLY: look_up}


def _spans(found: Sequence[Mention] | Sequence[RecognisedName]) -> list[Span]:
    """Spans of mentions or of recognised names, with the category that the corpora use."""
    return [
        (one.start, one.end, _CATEGORY_OF_GROUP.get(group_of(one.category), one.category)) for one in found
    ]


def _run(
    corpus: AnnotatedCorpus, way: str, find: Find
) -> tuple[CorpusResult, list[Sequence[Mention] | Sequence[RecognisedName]]]:
    """Scores of one way on a corpus, and what it found in each article."""
    began = time.process_time()
    found = [find(article) for article in corpus.articles]
    seconds = time.process_time() - began
    scores = score_spans(
        [article.spans for article in corpus.articles], [_spans(names) for names in found], corpus.categories
    )
    words = count_tokens(corpus.articles)
    return CorpusResult(corpus.name, way, scores, words, round(seconds, 2)), found


def _context(gold: Path, split: str, settings: Settings, vocabulary: Vocabulary) -> dict[str, Any]:
    return {
        "gold": str(gold),
        "split": split,
        "entity_model": settings.entity_model,
        "entity_model_digest": recogniser_digest(settings.entity_model),
        "vocabulary": vocabulary.digest,
        "concepts": len(vocabulary),
        **environment(),
    }
