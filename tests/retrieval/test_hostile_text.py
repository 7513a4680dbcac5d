"""Articles that try to command their reader change nothing: no answer, no terminal, no tool result (pages: test_page)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from kg_pipeline.cli.asking import Form, show
from kg_pipeline.cli.session import Session
from retrieval.answer import Answer
from retrieval.graph import Graph
from retrieval.methods.registry import METHODS
from retrieval.service import Service
from tests.retrieval.conftest import open_memory
from tests.retrieval.hostile_graph import HARMFUL, ORDER, hostile
from tests.retrieval.memory_graph import MemoryGraph

QUESTIONS = ("What does Evilumab inhibit?", "Does Evilumab treat lupus?", "Tell me about Evilumab.")


@pytest.fixture(scope="module")
def reader() -> MemoryGraph:
    return hostile()


@pytest.fixture
def graph(reader: MemoryGraph) -> Graph:
    return open_memory(reader)


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(inner)


def harmless(reader: MemoryGraph) -> MemoryGraph:
    """The same articles, with the order replaced by an observation of the same length."""
    calm = ("Weather was recorded at each visit, and nothing came of it. ")[: len(ORDER) - 1].ljust(
        len(ORDER) - 1
    ) + "."
    chunks = {
        key: replace(chunk, text=chunk.text.replace(ORDER, calm)) for key, chunk in reader.chunks_.items()
    }
    return replace(reader, chunks_=chunks)


def said(answer: Answer) -> tuple[object, ...]:
    return answer.answered, answer.text, answer.verdict, answer.sentences, answer.citations, answer.graph


@pytest.mark.parametrize("method", sorted(METHODS))
def test_an_order_in_an_article_changes_no_answer(reader: MemoryGraph, graph: Graph, method: str) -> None:
    calm = open_memory(harmless(reader))
    for question in QUESTIONS:
        answer = graph.ask(question, method)
        assert said(answer) == said(calm.ask(question, method))
        assert not any(
            "previous instructions" in quote for quote in (answer.text, *(c.quote for c in answer.citations))
        )


def test_the_trace_names_the_place_of_an_order_and_not_its_words(graph: Graph) -> None:
    dropped = [item for item in graph.ask(QUESTIONS[0]).trace.dropped if item.what == "instruction"]
    assert dropped
    assert all(item.text.startswith("PMC66 ") for item in dropped)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_terminal_obeys_nothing_of_an_article(graph: Graph, method: str) -> None:
    out = StringIO()
    console = Console(file=out, highlight=False, soft_wrap=True, no_color=True)
    for question in QUESTIONS:
        answer = graph.ask(question, method)
        for form in (Form(explain=True), Form(as_json=True)):
            show(answer, form, console)
    shown = out.getvalue()
    assert "Evilumab" in shown
    assert not any(letter in shown for letter in HARMFUL)


def test_a_session_obeys_nothing_of_an_article_or_a_line(graph: Graph) -> None:
    out = StringIO()
    session = Session(graph, Console(file=out, highlight=False, soft_wrap=True, no_color=True), "auto")
    for line in (
        *QUESTIONS,
        "What about Evilumab?",
        "Is it \x9b31mnew\x1b[2J\udcff?",
        ":why",
        ":\x1b[2J",
        "[bold]x[/bold] drug?",
    ):
        assert session.take(line)
    shown = out.getvalue()
    assert "Evilumab" in shown
    assert not any(letter in shown for letter in HARMFUL)


def test_json_keeps_what_the_article_says_to_the_letter(graph: Graph, reader: MemoryGraph) -> None:
    loaded = json.loads(graph.ask(QUESTIONS[0], "egot").to_json())
    [chunk] = [chunk for chunk in reader.chunks_.values() if "inhibits BAFF" in chunk.text]
    quote = next(c["quote"] for c in loaded["citations"] if "inhibits BAFF" in c["quote"])
    assert quote in chunk.text
    assert "\x9b" in quote


async def test_tools_pass_on_no_order_and_no_command(graph: Graph) -> None:
    service = Service(graph)
    results = [
        await service.search("Evilumab inhibits BAFF strongly in patients"),
        await service.neighbourhood("Evilumab"),
        await service.path("BAFF", "lupus"),
        *[await service.ask(question) for question in QUESTIONS],
    ]
    for result in results:
        texts = list(strings(result.model_dump()))
        assert any("Evilumab" in text for text in texts)
        assert not any(letter in text for text in texts for letter in HARMFUL)
        assert not any("previous instructions" in text for text in texts)
    assert sum(passage.withheld for passage in results[0].passages) == 1  # type: ignore[union-attr]
