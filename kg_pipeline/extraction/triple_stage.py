"""The stage `triples`: documents, chunks and mentions of a shard to triples with the sentence that states each.

Who reads is decided by the corpus (`extraction = "auto" | "offline" | "llm"`); `auto` asks a language model where
one is set and reads offline otherwise.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from kg_pipeline.errors import SettingsError
from kg_pipeline.extraction.grounding import MentionSpan
from kg_pipeline.extraction.llm_reading import read_passages, unanswered
from kg_pipeline.extraction.llm_triples import ChunkExtraction, Passage, prompt_digest
from kg_pipeline.extraction.offline_triples import EXTRACTOR, extract, sentences_to_read
from kg_pipeline.extraction.sentence_parser import PINNED_WEIGHTS, load_parser
from kg_pipeline.extraction.triple_rows import (
    ChunkSpan,
    llm_rows,
    mention_rows,
    new_mention_rows,
    offline_rows,
    reject_rows,
)
from kg_pipeline.fingerprint import code_digest, digest
from kg_pipeline.incremental import ArticleOutput, StageReport, input_digests, one_by_one, run_shard
from kg_pipeline.llm.chat import open_chat
from kg_pipeline.text.abbreviations import find_definitions

if TYPE_CHECKING:
    from kg_pipeline.corpora import CorpusSpec
    from kg_pipeline.datasets import Datasets
    from kg_pipeline.llm.chat import ChatModel
    from kg_pipeline.settings import LlmSettings, Settings

STAGE = "triples"
OUTPUTS = ("triples", "rejects", "triple_mentions")
_INPUTS = ("documents", "chunks", "mentions")

_PACKAGE = "kg_pipeline.extraction"
_ROWS = (f"{_PACKAGE}.triple_stage", f"{_PACKAGE}.triple_rows")
_OFFLINE = tuple(
    f"{_PACKAGE}.{module}"
    for module in (
        "arguments",
        "dependency",
        "inflection",
        "negation",
        "noun_patterns",
        "offline_triples",
        "parse_repairs",
        "phrases",
        "predicate_lexicon",
        "sentence_parser",
        "statements",
        "table_patterns",
        "verb_patterns",
        "word_list",
    )
)
_LLM = tuple(
    f"{_PACKAGE}.{module}"
    for module in (
        "anchors",
        "denial",
        "grounding",
        "inflection",
        "llm_reading",
        "llm_triples",
        "predicate_lexicon",
        "predicate_words",
        "quotes",
        "triple_answer",
    )
)
_VOCABULARY = tuple(f"kg_pipeline.vocabulary.{module}" for module in ("predicates", "domains", "categories"))


@dataclass(frozen=True, slots=True)
class _Article:
    article_id: str
    title: str
    text: str
    chunks: tuple[ChunkSpan, ...]
    sentences: tuple[tuple[tuple[int, int], ...], ...]  # of each chunk
    mentions: tuple[MentionSpan, ...]


def build_triples(
    datasets: Datasets, spec: CorpusSpec, shard: str, settings: Settings, *, chat: ChatModel | None = None
) -> StageReport:
    """Bring the triples of a shard up to date.

    An article some of whose chunks a language model did not answer is `partial`: it keeps what was answered, and
    is tried again by the next run, which pays for the unanswered chunks only. Pass one `chat` for all shards of a
    process to hold them to one budget; without it, each call opens its own.

    Raises
    ------
    SettingsError
        If the corpus asks for a language model and none is set.
    ModelError
        If the spaCy model is missing or is not the pinned one.

    """
    llm = language_model(spec, settings)
    upstream = [input_digests(datasets, stage, spec.name, shard) for stage in _INPUTS]
    articles = set.intersection(*(set(each) for each in upstream))

    def process(article_ids: Sequence[str]) -> Iterable[ArticleOutput]:
        found = _articles(datasets, spec.name, shard, article_ids)
        if llm is not None:
            return _ask(found, chat or open_chat(llm, settings.cache), llm.concurrency)
        return _read_offline(found, settings)

    return run_shard(
        datasets,
        stage=STAGE,
        corpus=spec.name,
        shard=shard,
        inputs={article: digest([each[article] for each in upstream]) for article in articles},
        fingerprint=_fingerprint(llm, settings),
        outputs=OUTPUTS,
        process=process,
    )


def language_model(spec: CorpusSpec, settings: Settings) -> LlmSettings | None:
    """The endpoint that reads the corpus, or `None` where it is read offline."""
    if spec.extraction == "llm" and settings.llm is None:
        raise SettingsError(
            f'Corpus {spec.name!r} has extraction = "llm", but no language model is set. Set KG_LLM_BASE_URL and '
            'KG_LLM_MODEL (and KG_LLM_API_KEY where the server asks for one), or choose extraction = "offline".'
        )
    return None if spec.extraction == "offline" else settings.llm


def _fingerprint(llm: LlmSettings | None, settings: Settings) -> str:
    if llm is not None:
        return digest(
            "llm",
            llm.model,
            prompt_digest(),
            code_digest([*_ROWS, *_LLM, *_VOCABULARY, "kg_pipeline.text.abbreviations"]),
        )
    weights = PINNED_WEIGHTS.get(settings.spacy_model, "")
    code = code_digest([*_ROWS, *_OFFLINE, *_VOCABULARY], packages=["spacy"])
    return digest(EXTRACTOR, settings.spacy_model, weights, code)


def _read_offline(articles: Mapping[str, _Article], settings: Settings) -> Iterable[ArticleOutput]:
    parser = load_parser(settings.spacy_model)

    def read(article_id: str) -> ArticleOutput:
        article = articles[article_id]
        spans = [span for of_chunk in article.sentences for span in of_chunk]
        triples = extract(parser, list(sentences_to_read(article.text, spans, article.mentions)))
        known = {mention.mention_id for mention in article.mentions}
        named = [each for triple in triples for each in triple.new_mentions if each.mention_id not in known]
        return ArticleOutput(
            article_id,
            {
                "triples": offline_rows(article_id, triples, article.chunks, EXTRACTOR),
                "triple_mentions": mention_rows(article_id, named, source="model"),
            },
        )

    return one_by_one(read)(list(articles))


def _ask(articles: Mapping[str, _Article], chat: ChatModel, concurrency: int) -> Iterator[ArticleOutput]:
    passages = {article_id: _passages(article) for article_id, article in articles.items()}
    answers = asyncio.run(read_passages(chat, passages, concurrency=concurrency))
    for article_id, extractions in answers.items():
        yield _llm_output(articles[article_id], extractions, f"llm:{chat.name}")


def _llm_output(article: _Article, extractions: list[ChunkExtraction], extractor: str) -> ArticleOutput:
    reason = unanswered(extractions)
    return ArticleOutput(
        article.article_id,
        {
            "triples": llm_rows(article.article_id, extractions, article.chunks, extractor),
            "rejects": reject_rows(article.article_id, extractions, article.chunks),
            "triple_mentions": new_mention_rows(article.article_id, extractions),
        },
        status="partial" if reason else "ok",
        reason=reason,
    )


def _passages(article: _Article) -> list[Passage]:
    definitions = tuple(find_definitions(article.text))
    return [
        Passage(
            article_id=article.article_id,
            title=article.title,
            document_text=article.text,
            start=chunk.start,
            end=chunk.end,
            sentences=sentences,
            mentions=article.mentions,
            definitions=definitions,
        )
        for chunk, sentences in zip(article.chunks, article.sentences, strict=True)
    ]


def _articles(datasets: Datasets, corpus: str, shard: str, article_ids: Sequence[str]) -> dict[str, _Article]:
    wanted = pl.col("article_id").is_in(list(article_ids))
    documents = datasets.read("documents", corpus, shard).filter(wanted)
    chunks = _by_article(datasets.read("chunks", corpus, shard).filter(wanted).sort("article_id", "ordinal"))
    mentions = _by_article(datasets.read("mentions", corpus, shard).filter(wanted))
    found = {}
    for article_id, title, text in (
        documents.sort("article_id").select("article_id", "title", "text").iter_rows()
    ):
        rows = chunks.get(article_id, [])
        found[article_id] = _Article(
            article_id=article_id,
            title=title,
            text=text,
            chunks=tuple(
                ChunkSpan(row["chunk_id"], row["start"], row["end"], row["section_kind"]) for row in rows
            ),
            sentences=tuple(tuple((s["start"], s["end"]) for s in row["sentences"]) for row in rows),
            mentions=tuple(_mention(row) for row in mentions.get(article_id, [])),
        )
    return found


def _by_article(frame: pl.DataFrame) -> dict[str, list[dict[str, Any]]]:
    parts = frame.partition_by("article_id", as_dict=True, maintain_order=True)
    return {str(key[0]): part.to_dicts() for key, part in parts.items()}


def _mention(row: Mapping[str, Any]) -> MentionSpan:
    names = ("mention_id", "start", "end", "text", "normal_form", "category", "concept_id")
    return MentionSpan(**{name: row[name] for name in names})
