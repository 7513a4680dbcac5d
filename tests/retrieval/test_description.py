"""Questions told in several sentences: how they are read, and the things for which all that is told holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from retrieval.graph import Graph
from retrieval.methods.bioweave.method import BioWeave
from retrieval.methods.bioweave.settings import BioWeaveSettings
from retrieval.questions.description import read_description
from retrieval.questions.question import read_question
from tests.retrieval.memory_graph import Builder, HashingEmbedder, MemoryGraph

Open = Callable[..., Graph]
TOLD = (
    "The biological process autophagy is regulated by a certain gene. That gene causes a certain disease. That disease is "
    "treated by a certain compound. That compound inhibits the protein kinase Q. What is the disease?"
)
PUT_OTHERWISE = (
    "A gene which causes a disease regulates autophagy. A compound inhibits kinase Q and treats this disease. Which disease is it?",
    "Some gene regulates autophagy and causes a disease. A compound treats it and inhibits kinase Q. What is the disease?",
)


def tangle() -> MemoryGraph:
    """Two genes, three diseases, two compounds: each half of what is told holds for two diseases, both for one."""
    b = Builder(embedder=HashingEmbedder())
    b.entity("P", "autophagy", "BiologicalProcess")
    b.entity("K", "kinase Q", "Protein")
    for number in (1, 2):
        b.entity(f"G{number}", f"GENE{'AB'[number - 1]}", "Gene")
        b.entity(f"C{number}", ("zolatinib", "mevopril")[number - 1], "Drug")
    for number, name in enumerate(("corvosis", "bandosis", "felmitis", "gait speed"), 1):
        b.entity(f"D{number}", name, "Disease" if number < 4 else "PhenotypicFeature")
    told = [
        ("G1", "regulates", "P", "GENEA regulates autophagy in the trial."),
        ("G2", "inhibits", "K", "GENEB inhibits kinase Q in the trial."),
        ("G1", "causes", "D1", "GENEA causes corvosis in the trial."),
        ("G1", "causes", "D2", "GENEA causes bandosis in the trial."),
        ("G1", "causes", "D4", "GENEA causes gait speed loss in the trial."),
        ("C1", "treats", "D1", "Zolatinib treats corvosis in the trial."),
        ("C1", "treats", "D3", "Zolatinib treats felmitis in the trial."),
        ("C1", "inhibits", "K", "Zolatinib inhibits kinase Q in the trial."),
        ("C2", "treats", "D2", "Mevopril treats bandosis in the trial."),
        ("C2", "activates", "K", "Mevopril activates kinase Q in the trial."),
        ("C1", "treats", "D4", "Zolatinib treats gait speed loss in the trial."),
    ]
    b.article("PMC31", "A tangle", [text for *_, text in told])
    for head, predicate, tail, text in told:
        b.relation(head, predicate, tail, text)
    return b.build()


@pytest.mark.parametrize("text", [TOLD, *PUT_OTHERWISE])
def test_all_that_is_told_must_hold(open_graph: Open, text: str) -> None:
    answer = open_graph(tangle()).ask(text, "bioweave")
    assert answer.items == ("corvosis",)
    assert {edge.predicate for edge in answer.graph.edges} >= {"causes", "treats", "inhibits"}


def test_things_are_counted_that_all_statements_fit(open_graph: Open) -> None:
    told = TOLD.replace("inhibits the protein", "affects the protein").replace(
        "What is the disease?", "How many distinct diseases fit this description?"
    )
    answer = open_graph(tangle()).ask(told, "bioweave")
    # What only may pass for a disease is not counted beside diseases.
    assert sorted(answer.items) == ["bandosis", "corvosis"]


def test_nothing_is_answered_where_one_statement_fails(open_graph: Open) -> None:
    answer = open_graph(tangle()).ask(TOLD.replace("treated by", "caused by"), "bioweave")
    assert "felmitis" not in answer.items
    only_text = BioWeave(BioWeaveSettings(sources=frozenset({"doc"})))
    assert open_graph(tangle()).ask(TOLD, only_text).items == ("corvosis",)


def test_what_is_told_is_read_as_statements(open_graph: Open) -> None:
    context = open_graph(tangle()).context
    vector = context.embedder.embed([TOLD])[0]

    def read(text: str) -> list[tuple[str, str, str]] | None:
        question = read_question(context.reader, text, vector, lambda name: context.embedder.embed([name])[0])
        found = read_description(question)
        if found is None:
            return None
        names = [
            question.links[thing.link].text
            if thing.link is not None
            else thing.slot.word
            if thing.slot
            else ""
            for thing in found.things
        ]
        return [
            (names[one.source], "/".join(sorted(one.stated)), names[one.target]) for one in found.statements
        ]

    wanted = [
        ("gene", "regulates", "autophagy"),
        ("gene", "causes", "disease"),
        ("compound", "treats", "disease"),
        ("compound", "inhibits", "kinase Q"),
    ]
    assert read(TOLD) == wanted
    for text in PUT_OTHERWISE:
        assert sorted(read(text) or ()) == sorted(wanted)
    # One sentence, one name, or a thing that nothing is told of: no description.
    assert read("Which disease is caused by a gene that regulates autophagy?") is None
    assert read("A gene regulates autophagy. What is the gene?") is None
    assert read("A gene regulates autophagy. A compound inhibits kinase Q. What is the disease?") is None
    # Words that say no relation leave open what is sought.
    assert read("A gene near autophagy is known. The gene sits beside kinase Q. What is the gene?") is None
