"""A graph version that answers questions."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache
from types import TracebackType
from typing import TYPE_CHECKING

from kg_pipeline.errors import GraphError, QuestionError, StoreUnavailable
from kg_pipeline.graph.reader import GraphReader, Manifest
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.settings import Settings, load_settings
from retrieval.answer import Answer
from retrieval.evidence import Retrieved
from retrieval.methods.context import CachedEmbedder, Context
from retrieval.methods.registry import Method, find_method
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.journal import journal
from retrieval.search import SearchSettings, search

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_pipeline.llm.embeddings import Embedder
    from retrieval.passages.sentences import Splitter
    from retrieval.reasoning.reasoner import Reasoner
    from retrieval.trace import ModelCall

_REMEMBERED_TEXTS = 1024
_LONGEST_QUESTION = 4000  # characters, options included; every run of its words is looked up as a name


class Graph:
    """One pinned version of a corpus's graph; safe for many threads and event loops.

    Close it, or use it in a `with` block, to release the files of the version.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self._is_closed = False

    def __repr__(self) -> str:
        return f"Graph({self.corpus!r}, version={self.version!r}, reasoner={self.context.reasoner.name!r})"

    def __enter__(self) -> Graph:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def reader(self) -> GraphReader:
        """The store underneath."""
        return self.context.reader

    @property
    def manifest(self) -> Manifest:
        """What the version was made from and what it holds."""
        return self.reader.manifest

    @property
    def corpus(self) -> str:
        """Name of the corpus."""
        return self.manifest.corpus

    @property
    def version(self) -> str:
        """Id of the version; `latest` was resolved when the graph was opened."""
        return self.manifest.version

    async def aask(self, question: str, method: str | Method = "auto") -> Answer:
        """Answer a question.

        Raises
        ------
        UnknownMethodError
            If there is no such method.
        LlmError
            If a language model is configured and cannot be reached, or its budget is spent.
        QuestionError
            If the question is empty, or longer than 4,000 characters.
        GraphError
            If the graph was closed.

        """
        self._check_open()
        text = " ".join(question.encode("utf-8", "replace").decode().split())
        if not text:
            raise QuestionError("The question is empty; ask one in words.")
        if len(text) > _LONGEST_QUESTION:
            raise QuestionError(
                f"The question has {len(text)} characters; at most {_LONGEST_QUESTION} are read. Shorten it."
            )
        with journal() as calls:
            answer = await find_method(method).answer(text, self.context)
        return _with_calls(answer, calls) if calls else answer

    def ask(self, question: str, method: str | Method = "auto") -> Answer:
        """`aask` for code without an event loop; works inside a running loop too (notebooks), blocking it."""
        if not _in_running_loop():
            return asyncio.run(self.aask(question, method))
        with ThreadPoolExecutor(max_workers=1) as executor:
            return executor.submit(asyncio.run, self.aask(question, method)).result()

    def search(self, question: str, settings: SearchSettings | None = None) -> Retrieved:
        """Algorithm 2 alone: passages, entities and relations for a question, without an answer."""
        self._check_open()
        context = self.context
        return search(context.reader, question, context.embedder.vector(question), settings or context.search)

    def close(self) -> None:
        """Release the version's files and connections."""
        self._is_closed = True
        self.reader.close()

    def _check_open(self) -> None:
        if self._is_closed:
            raise GraphError(
                "This graph was closed, with its `with` block or by close(). Open it again with retrieval.open()."
            )


def _with_calls(answer: Answer, calls: Sequence[ModelCall]) -> Answer:
    """The answer with its calls of a language model in the trace, and what these calls and no others have used."""
    used = replace(
        answer.usage,
        cached_calls=sum(call.cached for call in calls),
        prompt_tokens=sum(call.prompt_tokens for call in calls),
        completion_tokens=sum(call.completion_tokens for call in calls),
        cost=sum(call.cost for call in calls),
    )
    return replace(answer, usage=used, trace=replace(answer.trace, calls=tuple(calls)))


def _in_running_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def open_graph(
    corpus: str, version: str = "latest", *, store: str | None = None, settings: Settings | None = None
) -> Graph:
    """Open a version of a corpus's graph for questions.

    Parameters
    ----------
    corpus
        Name of the corpus, as in corpora.toml.
    version
        Id of a version, or `latest` for the published one.
    store
        `embedded` (default), the version's directory, or `neo4j`, the server of `KG_NEO4J_URI`.
    settings
        Where things live; read from the environment by default. With `settings.llm` a language model reasons, without
        it answers are composed of quotes.

    Raises
    ------
    NoGraphError
        If the corpus has no such version; the message says what to run.
    StoreUnavailable
        If the store is unknown or cannot be reached.

    """
    settings = settings or load_settings()
    return Graph(make_context(open_reader(corpus, version, store or "embedded", settings), settings))


def open_reader(corpus: str, version: str, store: str, settings: Settings) -> GraphReader:
    """The version in the store of that name; raises as `open_graph` does."""
    if store == "embedded":
        return VersionStore.of(settings).open(corpus, version)
    if store != "neo4j":
        raise StoreUnavailable(f"There is no graph store {store!r}; use 'embedded' or 'neo4j'.")
    if settings.neo4j is None:
        raise StoreUnavailable("store='neo4j' needs a server: set KG_NEO4J_URI and KG_NEO4J_PASSWORD.")
    from kg_pipeline.graph.neo4j import open_reader as open_neo4j

    return open_neo4j(settings.neo4j, corpus, version)


def make_context(reader: GraphReader, settings: Settings) -> Context:
    """Models for a reader by the settings; nothing heavy is loaded before the first question."""
    from kg_pipeline.llm.embeddings import load_embedder

    embedder = CachedEmbedder(load_embedder(settings))
    split = lazy_splitter(settings.sentence_model)
    return Context(reader, embedder, split, make_reasoner(reader, embedder, split, settings))


def make_reasoner(reader: GraphReader, embedder: Embedder, split: Splitter, settings: Settings) -> Reasoner:
    """The language model of the settings, or the extractive reasoner where there is none."""
    extractive = ExtractiveReasoner(reader, embedder, split)
    if settings.llm is None:
        return extractive
    from kg_pipeline.llm.chat import open_chat
    from retrieval.reasoning.llm_reasoner import LlmReasoner

    return LlmReasoner(
        open_chat(settings.llm, settings.cache), extractive, context_tokens=settings.llm.context_tokens
    )


def lazy_splitter(model: str) -> Splitter:
    """The sentence splitter of a model, loaded at the first text; passages recur, so recent ones are remembered."""

    @lru_cache(maxsize=_REMEMBERED_TEXTS)
    def split(text: str) -> Sequence[tuple[int, int]]:
        from kg_pipeline.text.sentences import load_splitter

        return load_splitter(model).split(text)

    return split
