"""Ask a language model about the chunks of many articles at once, with bounded concurrency and a clean stop.

Answers are cached by the chat model, so a chunk that failed is asked again on the next run and those that were
answered cost nothing. When the budget is spent, no further chunk is sent; its article is left partial.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kg_pipeline.extraction.llm.triples import ChunkExtraction, Passage, extract_chunk

if TYPE_CHECKING:
    from kg_pipeline.llm.chat import ChatModel

#: First word of `ChunkExtraction.reason` when the budget refused the call.
_BUDGET = "budget"


async def read_passages(
    chat: ChatModel, passages: Mapping[str, Sequence[Passage]], *, concurrency: int
) -> dict[str, list[ChunkExtraction]]:
    """What the model found in the passages of each article, in the order given.

    At most `concurrency` passages are asked about at a time. Passages after the one that exhausted the budget are
    `failed` with the reason `budget`, unsent.
    """
    slots = asyncio.Semaphore(concurrency)
    spent: list[str] = []

    async def ask(passage: Passage) -> ChunkExtraction:
        async with slots:
            if spent:
                return ChunkExtraction((), (), "failed", spent[0])
            extraction = await extract_chunk(chat, passage)
            if extraction.status == "failed" and extraction.reason.startswith(_BUDGET):
                spent.append(extraction.reason)
            return extraction

    async def article(of_article: Sequence[Passage]) -> list[ChunkExtraction]:
        return list(await asyncio.gather(*(ask(passage) for passage in of_article)))

    read = await asyncio.gather(*(article(passages[name]) for name in passages))
    return dict(zip(passages, read, strict=True))


def unanswered(extractions: Sequence[ChunkExtraction]) -> str:
    """Why the article is partial: how many chunks failed and the first reason; empty when all were answered."""
    failed = [extraction.reason for extraction in extractions if extraction.status == "failed"]
    if not failed:
        return ""
    return f"{len(failed)} of {len(extractions)} chunks to be asked again: {failed[0]}"
