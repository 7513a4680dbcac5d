from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from retrieval.evidence import EvidenceState, Step
from retrieval.graph import Graph
from retrieval.methods.asking import understand
from tests.retrieval.memory_graph import Builder, MemoryGraph


def test_thoughts_start_with_the_question_and_its_pairs(lupus_graph: Graph) -> None:
    context = lupus_graph.context
    question = understand("How is UV related to lupus?", context)
    thoughts = asyncio.run(context.reasoner.generate(question, EvidenceState(), 4))
    assert thoughts[0] == question.text
    assert thoughts[1] == "How is UV radiation related to systemic lupus erythematosus?"
    assert 2 <= len(thoughts) <= 4


def test_later_thoughts_name_entities_that_bridge_the_question(lupus_graph: Graph) -> None:
    context = lupus_graph.context
    question = understand("How is UV related to lupus?", context)
    evidence = EvidenceState()
    evidence.add([Step(question.text, "", lupus_graph.search(question.text))])
    thoughts = asyncio.run(context.reasoner.generate(question, evidence, 4))
    assert "How is keratinocyte apoptosis related to systemic lupus erythematosus?" in thoughts
    assert any(thought.endswith("related to UV radiation?") for thought in thoughts)
    assert len(thoughts) <= 4


def test_scores_are_between_nought_and_one_and_prefer_the_question(lupus_graph: Graph) -> None:
    context = lupus_graph.context
    question = understand("How is UV related to lupus?", context)
    near, far = asyncio.run(context.reasoner.evaluate(question, [question.text, "capital of France"]))
    assert near == pytest.approx(1.0)
    assert 0.0 <= far < 0.2


def scattered() -> MemoryGraph:
    """A passage whose sentences together, and none alone, answer a question of many words."""
    b = Builder()
    b.entity("E1", "colonoscopy", "Procedure")
    sentences = [
        "Acute diverticulitis was treated in 300 adults.",
        "Six weeks later colonoscopy changed the plan in nine of them.",
        "Malignancy was found by colonoscopy in two adults.",
    ]
    b.article("PMC1", "Colonoscopy after diverticulitis", sentences)
    b.article("PMC2", "Something else", ["Mice were fed chow.", "Weight rose in all of the mice."])
    return b.build()


def test_sentences_of_one_passage_may_answer_together(open_graph: Callable[..., Graph]) -> None:
    graph = open_graph(scattered())
    answer = graph.ask("Does colonoscopy after acute diverticulitis detect malignancy in adults?")
    assert answer.answered, answer.trace.reason
    assert {citation.article_id for citation in answer.citations} == {"PMC1"}


def test_they_may_not_when_a_word_of_the_question_is_foreign(open_graph: Callable[..., Graph]) -> None:
    graph = open_graph(scattered())
    assert not graph.ask("Does colonoscopy after acute pancreatitis detect malignancy in adults?").answered


def test_the_title_of_a_section_is_no_statement(open_graph: Callable[..., Graph]) -> None:
    b = Builder()
    title = "Obesity Is a Cause of Insulin Resistance"
    b.article(
        "PMC1", "Review", [f"{title}.", "Obesity causes insulin resistance in mice."], section=f"3. > {title}"
    )
    b.entity("S1", "insulin resistance", "Disease")
    b.entity("S2", "obesity", "Disease")
    quotes = [
        c.quote for c in open_graph(b.build()).ask("What causes insulin resistance?", "naive").citations
    ]
    assert quotes == ["Obesity causes insulin resistance in mice."]
