"""The stage `triples`: documents, chunks and mentions of a shard to triples with the sentence that states each.

Who reads is decided by the corpus (`extraction = "auto" | "offline" | "llm"`); `auto` asks a language model where
one is set and reads offline otherwise. What the corpus brings in (`annotations`) comes on top of either.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from kg_pipeline.errors import SettingsError
from kg_pipeline.extraction.llm.reading import read_passages, unanswered
from kg_pipeline.extraction.llm.triples import ChunkExtraction, prompt_digest
from kg_pipeline.extraction.rules.triples import EXTRACTOR
from kg_pipeline.extraction.syntax.sentence_parser import PINNED_WEIGHTS, load_parser
from kg_pipeline.extraction.triples.brought_in import BroughtIn
from kg_pipeline.extraction.triples.inputs import ArticleInput, passages_of, read_articles
from kg_pipeline.extraction.triples.offline_reading import read_article
from kg_pipeline.extraction.triples.rows import (
    llm_rows,
    mention_rows,
    new_mention_rows,
    offline_rows,
    reject_rows,
)
from kg_pipeline.fingerprint import code_digest, digest
from kg_pipeline.incremental import ArticleOutput, StageReport, input_digests, one_by_one, run_shard
from kg_pipeline.llm.chat import open_chat

if TYPE_CHECKING:
    from kg_pipeline.corpora import CorpusSpec
    from kg_pipeline.datasets import Datasets
    from kg_pipeline.llm.chat import ChatModel
    from kg_pipeline.settings import LlmSettings, Settings

STAGE = "triples"
OUTPUTS = ("triples", "rejects", "triple_mentions")
_INPUTS = ("documents", "chunks", "mentions")

_PACKAGE = "kg_pipeline.extraction"
_ROWS = tuple(f"{_PACKAGE}.triples.{module}" for module in ("stage", "inputs", "rows"))
_OFFLINE = tuple(
    f"{_PACKAGE}.{part}"
    for part in ("triples.offline_reading", "rules", "relation_model", "syntax", "grounding", "lexicon")
)
_LLM = tuple(f"{_PACKAGE}.{part}" for part in ("llm", "grounding", "lexicon"))
_VOCABULARY = tuple(f"kg_pipeline.vocabulary.{module}" for module in ("predicates", "domains", "categories"))


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
    brought = BroughtIn.read(datasets, spec, shard)
    digests = brought.digests() if brought is not None else {}

    def process(article_ids: Sequence[str]) -> Iterable[ArticleOutput]:
        found = read_articles(datasets, spec.name, shard, article_ids)
        if llm is not None:
            read: Iterable[ArticleOutput] = _ask(
                found, chat or open_chat(llm, settings.cache), llm.concurrency
            )
        else:
            read = _read_offline(found, settings)
        return read if brought is None else brought.added_to(read, found)

    return run_shard(
        datasets,
        stage=STAGE,
        corpus=spec.name,
        shard=shard,
        inputs={
            article: digest([*(each[article] for each in upstream), *filter(None, [digests.get(article)])])
            for article in articles
        },
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
            code_digest(
                [
                    *_ROWS,
                    *_LLM,
                    *_VOCABULARY,
                    "kg_pipeline.text.abbreviations",
                    "kg_pipeline.text.definitions",
                    "kg_pipeline.text.short_forms",
                ]
            ),
        )
    weights = PINNED_WEIGHTS.get(settings.spacy_model, "")
    code = code_digest([*_ROWS, *_OFFLINE, *_VOCABULARY], packages=["spacy"])
    return digest(EXTRACTOR, settings.spacy_model, weights, code)


def _read_offline(articles: Mapping[str, ArticleInput], settings: Settings) -> Iterable[ArticleOutput]:
    parser = load_parser(settings.spacy_model)

    def read(article_id: str) -> ArticleOutput:
        article = articles[article_id]
        found = read_article(parser, article)
        known = {mention.mention_id for mention in article.mentions}
        named = [
            each for triple in found.rules for each in triple.new_mentions if each.mention_id not in known
        ]
        return ArticleOutput(
            article_id,
            {
                "triples": [
                    row
                    for extractor, triples in found.by_extractor().items()
                    for row in offline_rows(article_id, triples, article.chunks, extractor)
                ],
                "triple_mentions": mention_rows(article_id, named, source="model"),
            },
        )

    return one_by_one(read)(list(articles))


def _ask(articles: Mapping[str, ArticleInput], chat: ChatModel, concurrency: int) -> Iterator[ArticleOutput]:
    passages = {article_id: passages_of(article) for article_id, article in articles.items()}
    answers = asyncio.run(read_passages(chat, passages, concurrency=concurrency))
    for article_id, extractions in answers.items():
        yield _llm_output(articles[article_id], extractions, f"llm:{chat.name}")


def _llm_output(article: ArticleInput, extractions: list[ChunkExtraction], extractor: str) -> ArticleOutput:
    reason = unanswered(extractions)
    return ArticleOutput(
        article.article_id,
        {
            "triples": llm_rows(article.article_id, extractions, article.chunks, extractor),
            "rejects": reject_rows(article.article_id, extractions, article.chunks, extractor),
            "triple_mentions": new_mention_rows(article.article_id, extractions),
        },
        status="partial" if reason else "ok",
        reason=reason,
    )
