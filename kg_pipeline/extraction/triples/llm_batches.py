"""Ask about all chunks of a corpus by the Batch API, before the triple stage reads shard by shard.

The stage finds the answers in the cache. What a batch left unanswered, or cut off, it asks one by one as ever. Batches
that an earlier run left are finished or cancelled, whatever the settings are by now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from kg_pipeline.extraction.llm.answer import TripleAnswer
from kg_pipeline.extraction.llm.triples import MAX_TOKENS, PURPOSE, passage_question
from kg_pipeline.extraction.triples.inputs import passages_of, read_articles
from kg_pipeline.extraction.triples.stage import language_model
from kg_pipeline.llm.batches import Batches, Outcome, left_batches
from kg_pipeline.llm.chat import open_chat

if TYPE_CHECKING:
    from kg_pipeline.corpora import CorpusSpec
    from kg_pipeline.datasets import Datasets
    from kg_pipeline.llm.structured import Question
    from kg_pipeline.settings import Settings


def answer_in_batches(
    datasets: Datasets,
    spec: CorpusSpec,
    shards: Sequence[str],
    settings: Settings,
    *,
    announce: Callable[[str], None],
) -> Outcome | None:
    """Have the chunks of these shards answered; `None` where the corpus or the settings want no batches.

    May take a day. A run that is killed meanwhile leaves its batches to the next one; `announce` is told of those.

    Raises
    ------
    LlmUnavailable
        If the endpoint cannot be reached or has no Batch API.

    """
    llm = language_model(spec, settings)
    folder = settings.cache / "llm" / "batches" / spec.name
    if llm is None:
        if left := len(left_batches(folder)):
            announce(
                f"Batches of corpus {spec.name!r} that an earlier run left ({left}) are still at the endpoint, and no "
                "language model reads it now. Set KG_LLM_BASE_URL, KG_LLM_MODEL and KG_LLM_API_KEY again to have "
                f"them cancelled, or delete {folder} to forget them."
            )
        return None
    batches = Batches(
        chat=open_chat(llm, settings.cache),
        settings=llm,
        folder=folder,
        schema=TripleAnswer,
        max_tokens=MAX_TOKENS,
        purpose=PURPOSE,
        announce=announce,
    )
    if not llm.batch:
        batches.cancel()
        return None
    return batches.answer(_requests(datasets, spec.name, shards))


def _requests(datasets: Datasets, corpus: str, shards: Sequence[str]) -> Iterator[Question]:
    for shard in shards:
        ids = sorted(datasets.read("documents", corpus, shard)["article_id"].to_list())
        for article in read_articles(datasets, corpus, shard, ids).values():
            for passage in passages_of(article):
                yield passage_question(passage)
