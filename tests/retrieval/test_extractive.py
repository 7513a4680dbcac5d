from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from kg_pipeline.graph.reader import Entity, Relation
from retrieval.evidence import EvidenceState, Step
from retrieval.graph import Graph
from retrieval.methods.asking import understand
from retrieval.passages.sentences import is_heading
from retrieval.paths.chains import Chain
from retrieval.paths.facts import Fact
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


@pytest.mark.parametrize(
    ("text", "section", "heads"),
    [
        ("A role for the skin", "Results > 5. A role for the skin", True),
        ("Frequency of infected cells.", "Results > Table 2: Frequency of infected cells", True),
        ("Infected cells were frequent", "Results > Figure 2", True),
        ("Infected cells were frequent.", "Results > Figure 2", False),
        ("Skin heals.", "Results > Why skin heals", False),
        ("BAFF causes lupus", "Title", False),
        ("Skin heals.3,4", "Results", False),
        ("Skin heals (twice).¹²", "Results", False),
        ("Doses above 0.5", "Results > Figure 2", True),
    ],
)
def test_titles_of_sections_figures_and_tables(text: str, section: str, heads: bool) -> None:
    assert is_heading(text, section) is heads


def treating() -> MemoryGraph:
    b = Builder()
    b.entity("D1", "vexolimab", "Drug")
    b.entity("D2", "carbazine", "Drug")
    b.entity("S1", "gastric lymphoma", "Disease")
    b.entity("G1", "RXQ4", "Gene")
    b.entity("G2", "TP7", "Gene")
    said = [
        "Vexolimab treats gastric lymphoma.",
        "Carbazine treats gastric lymphoma.",
        "Vexolimab blocks RXQ4.",
        "TP7 is lost in nearly all cases and this causes growth.",
    ]
    b.article("PMC1", "The genes of gastric lymphoma", said)
    for head, predicate, tail, quote in (
        ("D1", "treats", "S1", said[0]),
        ("D2", "treats", "S1", said[1]),
        ("D1", "inhibits", "G1", said[2]),
    ):
        b.relation(head, predicate, tail, quote)
    return b.build()


def test_an_antibody_that_is_asked_for_is_one(open_graph: Callable[..., Graph]) -> None:
    answer = open_graph(treating()).ask("Which antibody treats gastric lymphoma?")
    assert [c.quote for c in answer.citations] == ["Vexolimab treats gastric lymphoma."]


def test_an_antibody_binds_what_it_blocks_but_that_is_no_yes(open_graph: Callable[..., Graph]) -> None:
    graph = open_graph(treating())
    assert "RXQ4" in graph.ask("Which gene does vexolimab bind?").text
    assert graph.ask("Does vexolimab bind RXQ4?").verdict != "yes"


def test_the_title_of_an_article_says_where_its_sentences_hold(open_graph: Callable[..., Graph]) -> None:
    graph = open_graph(treating())
    assert "TP7 is lost" in graph.ask("Is TP7 lost in gastric lymphoma?").text
    assert not graph.ask("Is TP7 lost in carbazine?").answered


def test_a_chain_by_way_of_a_class_connects_nothing() -> None:
    def chain(*facts: tuple[str, str, str], ids: tuple[str, ...]) -> Chain:
        relations = [
            Relation(f"R{n}", "asserted", *fact, False, False, 0.9, 1, 1, (), "")
            for n, fact in enumerate(facts)
        ]
        known = {e: Entity(e, e, "biolink:Gene", (), 1, 1) for e in ids}
        told = [Fact(r, known[r.head_id], known[r.tail_id], (), ()) for r in relations]
        return Chain(ids, tuple(told), 1.0, through_hub=False)

    up = chain(("A", "binds", "B"), ("B", "subclass_of", "C"), ("C", "causes", "D"), ids=("A", "B", "C", "D"))
    down = chain(("B", "subclass_of", "A"), ("B", "causes", "C"), ids=("A", "B", "C"))
    assert up.generalises
    assert not down.generalises
