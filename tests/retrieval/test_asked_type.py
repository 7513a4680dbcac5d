"""Questions of a type ("which drug …?") that are nearly answered: right names, and yet nothing that says what is asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from retrieval.graph import Graph
from retrieval.methods.asking import understand
from retrieval.questions.links import link_entities
from retrieval.words.terms import tokenise
from tests.retrieval.memory_graph import Builder

_METHODS = ["auto", "egot", "inses", "ppr"]


@pytest.fixture(scope="module")
def sources() -> Builder:
    b = Builder()
    b.entity("T1", "tovalimab", "Protein")
    b.entity("T2", "CTLX4", "Gene")
    b.entity("T3", "microRNAs", "GenomicEntity", "microRNA")
    b.entity("T4", "miR-777", "MicroRNA")
    b.entity("T5", "pancreatic cancer", "Disease")
    b.entity("T6", "tumors", "Disease", "tumor")
    b.entity("T7", "oncovaxin", "Drug")
    b.entity("T8", "horses", "OrganismTaxon", "horse")
    b.entity("T9", "vaccines", "ChemicalEntity", "vaccine")
    b.entity("T10", "ferritase", "Gene")
    b.entity("T11", "metformin", "Drug")
    b.entity("T12", "polycystic ovary syndrome", "Disease")
    b.entity("T13", "dendritic cells", "Cell")
    b.entity("T14", "apoptosis", "BiologicalProcess")
    b.entity("T15", "RNX5", "Gene")
    b.entity("T18", "cervical cancer", "Disease")
    b.entity("T19", "neurotoxicity", "Disease")
    s = {
        "tcx": "A TCX-T therapy caused severe neurotoxicity in two patients.",
        "block": "Tovalimab suppresses CTLX4, which keeps lymphocytes awake.",
        "mir": "The microRNA miR-777 targets ferritase in liver cells.",
        "kind": "Resistance was seen in tumors such as pancreatic cancer.",
        "vax": "Oncovaxin treats tumors of many organs.",
        "vaccine": "Vaccines prevent cervical cancer in a part of the patients.",
        "met": "Metformin treats polycystic ovary syndrome in obese women.",
        "circ": "The loop circQrx9 controls the maturation of dendritic cells.",
        "far": "This led us to think that a linkage of RNX5 to disease might reflect enhanced susceptibility.",
        "near": "Activated RNX5 triggers apoptosis of infected cells.",
        "act": "The variant of RNX5 had a third of the activity of the common one.",
    }
    b.article("PMC21", "Antibodies", [s["block"]], [s["mir"]])
    b.article("PMC22", "Tumours", [s["kind"], s["vax"]], [s["vaccine"]])
    b.article("PMC23", "Metformin", [s["met"]], [s["circ"]])
    b.article("PMC25", "Harm", [s["tcx"]])
    b.article("PMC24", "RNX5", [s["far"], s["act"]], [s["near"]])
    b.relation("T1", "inhibits", "T2", s["block"])
    b.relation("T4", "targets", "T10", s["mir"])
    b.relation("T5", "subclass_of", "T6", s["kind"])
    b.relation("T7", "treats", "T6", s["vax"])
    b.relation("T9", "prevents", "T18", s["vaccine"])
    b.relation("T11", "treats", "T12", s["met"])
    b.relation("T15", "causes", "T14", s["near"])
    return b


@pytest.fixture
def graph(sources: Builder, open_graph: Callable[..., Graph]) -> Graph:
    return open_graph(sources.build())


@pytest.mark.parametrize("method", _METHODS)
@pytest.mark.parametrize(
    "question",
    [
        "Which microRNA targets tovalimab?",  # what tovalimab does is no microRNA that acts on it
        "Which drug inhibits circQrx9?",  # named by a passage only, which says nothing of drugs
        "Which drug treats pancreatic cancer?",  # what treats tumors need not treat a kind of them
        "Which vaccine prevents cervical cancer in horses?",  # in patients it does
    ],
)
def test_what_is_only_near_does_not_answer(graph: Graph, question: str, method: str) -> None:
    found = graph.ask(question, method)
    assert not found.answered, found.text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which microRNA targets ferritase?", "miR-777"),
        ("What does circQrx9 control?", "maturation"),  # letters and digits, of which the index has one word
        ("What does RNX5 trigger?", "apoptosis"),
        ("Which therapy caused severe neurotoxicity?", "TCX-T"),  # of which the graph has no entity
        ("Which vaccine prevents cervical cancer?", "part of the patients"),
    ],
)
def test_what_says_it_answers(graph: Graph, question: str, said: str) -> None:
    found = graph.ask(question)
    assert found.answered, found.trace.reason
    assert said in found.text


def test_a_noun_with_the_stem_of_a_verb_says_nothing(graph: Graph) -> None:
    assert "third of the activity" not in graph.ask("What does RNX5 activate?").text


@pytest.mark.parametrize(
    ("word", "linked"), [("metfromin", ["metformin"]), ("metrofmin", []), ("ferratise", [])]
)
def test_two_letters_may_have_changed_places(graph: Graph, word: str, linked: list[str]) -> None:
    right = graph.context.embedder.vector("metformin")
    found = link_entities(graph.reader, word, tokenise(word), lambda _: right)
    assert [link.entities[0].name for link in found.links] == linked


def test_a_class_that_is_asked_for_is_no_name(graph: Graph) -> None:
    asked = understand("Which microRNA targets ferritase?", graph.context)
    assert [link.text for link in asked.links] == ["ferritase"]
    assert asked.categories == {"MicroRNA"}
