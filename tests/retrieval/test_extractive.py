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


def resisting(sentences: list[str]) -> MemoryGraph:
    b = Builder()
    b.entity("S1", "insulin resistance", "Disease")
    b.entity("S2", "obesity", "Disease")
    b.entity("M1", "leucine", "ChemicalEntity")
    b.entity("G1", "AKT2", "Gene")
    b.article("PMC1", "Review", sentences)
    return b.build()


def test_a_denial_does_not_answer_what_does_something(open_graph: Callable[..., Graph]) -> None:
    said = [
        "Leucine as such does not cause insulin resistance.",
        "Obesity causes insulin resistance in mice.",
    ]
    graph = open_graph(resisting(said))
    assert [c.quote for c in graph.ask("What causes insulin resistance?", "naive").citations] == said[1:]
    assert graph.ask("Does leucine cause insulin resistance?", "naive").answered
    assert not open_graph(resisting(said[:1])).ask("What causes insulin resistance?", "naive").answered


def test_what_holds_is_told_before_what_does_not(open_graph: Callable[..., Graph]) -> None:
    said = ["Leucine does not cause insulin resistance.", "Obesity causes insulin resistance in mice."]
    b = Builder()
    b.entity("S1", "insulin resistance", "Disease")
    b.entity("S2", "obesity", "Disease")
    b.entity("M1", "leucine", "ChemicalEntity")
    b.article("PMC1", "Review", said)
    b.relation("M1", "causes", "S1", said[0], negated=True)
    b.relation("S2", "causes", "S1", said[1])
    answer = open_graph(b.build()).ask("What causes insulin resistance?", "egot")
    assert [c.quote for c in answer.citations] == said[::-1]


def test_an_event_is_stated_only_by_its_own_word(open_graph: Callable[..., Graph]) -> None:
    question = "Which genes are mutated in insulin resistance?"
    near = open_graph(resisting(["AKT2 is associated with insulin resistance in mice."]))
    assert not near.ask(question).answered
    stated = open_graph(resisting(["AKT2 is mutated in severe insulin resistance."]))
    assert "AKT2" in stated.ask(question).text


def test_harm_may_be_told_as_toxicity(open_graph: Callable[..., Graph]) -> None:
    said = ["The main toxicity of leucine is a headache.", "Leucine was given twice."]
    answer = open_graph(resisting(said)).ask("What are the side effects of leucine?", "naive")
    assert [c.quote for c in answer.citations] == said[:1]
