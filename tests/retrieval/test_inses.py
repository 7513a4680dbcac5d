from __future__ import annotations

import copy
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from kg_pipeline.llm.embeddings import Matrix
from retrieval.answer import Answer
from retrieval.graph import Graph
from retrieval.methods.context import CachedEmbedder, Context
from retrieval.methods.inses.method import Inses
from retrieval.methods.inses.walk import InsesSettings
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.llm_reasoner import LlmReasoner
from tests.retrieval.memory_graph import Builder, HashingEmbedder, MemoryGraph, split
from tests.retrieval.scripted_chat import ScriptedChat, citing, numbered, with_chat

Open = Callable[..., Graph]


class Likeness(HashingEmbedder):
    """As hashing, but all names that hold "scale" or "IL" are nearly the same."""

    def embed(self, texts: Sequence[str]) -> Matrix:
        rows = super().embed(texts)
        for i, text in enumerate(texts):
            for word, place in (("scale", 0), ("il-", 1)):
                if word in text.lower() and len(text) < 30:
                    rows[i] *= 0.3
                    rows[i, place] += 1.0
                    rows[i] /= np.linalg.norm(rows[i])
        return rows


def fragmented() -> MemoryGraph:
    """A chain that is broken between "wing scales" and "scales of the wing", and a namesake that leads elsewhere."""
    b = Builder(embedder=Likeness())
    b.entity("F1", "pigment", "ChemicalEntity")
    b.entity("F2", "wing scales", "AnatomicalEntity")
    b.entity("F3", "iridescent scales", "AnatomicalEntity")
    b.entity("F4", "camouflage", "BiologicalProcess")
    b.entity("L1", "IL-1", "Protein")
    b.entity("L2", "IL-10", "Protein")
    b.entity("L3", "fever", "PhenotypicFeature")
    b.entity("L4", "sedation", "PhenotypicFeature")
    s = [
        "Pigment activates wing scales early.",
        "Iridescent scales increase camouflage in forests.",
        "IL-1 causes fever.",
        "IL-10 causes sedation.",
    ]
    b.article("PMC31", "Scales", [s[0]], [s[1]])
    b.article("PMC32", "Interleukins", [s[2]], [s[3]])
    b.relation("F1", "activates", "F2", s[0])
    b.relation("F3", "increases", "F4", s[1])
    b.relation("L1", "causes", "L3", s[2])
    b.relation("L2", "causes", "L4", s[3])
    return b.build()


def ask(
    reader: MemoryGraph,
    question: str,
    settings: InsesSettings | None = None,
    chat: ScriptedChat | None = None,
) -> Answer:
    embedder = CachedEmbedder(Likeness())
    extractive = ExtractiveReasoner(reader, embedder, split)
    reasoner = LlmReasoner(chat, extractive) if chat else extractive
    return Graph(Context(reader, embedder, split, reasoner)).ask(question, Inses(settings))


BROKEN = "How is pigment connected with camouflage?"


def test_the_published_values_are_the_defaults() -> None:
    assert (InsesSettings().iterations, InsesSettings().similarity) == (6, 0.8)


def test_a_chain_is_navigated_and_told(lupus_graph: Graph) -> None:
    answer = lupus_graph.ask("How is UV related to lupus?", "inses")
    assert answer.method == "inses"
    assert [edge.head_id for edge in answer.graph.edges] == ["C1", "C2", "C3", "C4"]
    assert answer.trace.stopped.startswith("sufficient")
    selected = [step for step in answer.trace.steps if step.action == "select"]
    assert {step.iteration for step in selected} >= {1, 2}


def test_a_virtual_edge_bridges_a_gap_and_is_said_so() -> None:
    answer = ask(fragmented(), BROKEN)
    assert answer.answered
    assert [citation.article_id for citation in answer.citations] == ["PMC31", "PMC31"]
    [edge] = [edge for edge in answer.trace.virtual_edges if edge.accepted]
    assert {edge.one_name, edge.other_name} == {"wing scales", "iridescent scales"}
    assert edge.cosine >= 0.8
    assert edge.reason == "passed by the navigator"
    assert any("takes wing scales and iridescent scales for one thing" in n for n in answer.trace.notes)
    assert all(sentence.citations for sentence in answer.sentences)


@pytest.mark.parametrize("settings", [{"expand_similar": False}, {"navigate": False}, {"similarity": 0.999}])
def test_without_similarity_or_navigation_the_gap_stays(settings: dict[str, float]) -> None:
    answer = ask(fragmented(), BROKEN, InsesSettings(**settings))  # type: ignore[arg-type]
    assert not answer.answered
    assert not any(edge.accepted for edge in answer.trace.virtual_edges)


def test_a_name_that_differs_in_a_number_is_never_offered() -> None:
    answer = ask(fragmented(), "How is IL-1 connected with sedation?")
    assert not answer.answered
    [edge] = answer.trace.virtual_edges
    assert (edge.accepted, edge.reason) == (False, "numbers differ: 1 | 10")


def test_an_entity_with_a_shared_name_is_collapsed_before_anything_is_offered() -> None:
    b = Builder(embedder=Likeness())
    b.entity("A1", "scale pigment", "ChemicalEntity", "SP7")
    b.entity("A2", "melanin of scales", "ChemicalEntity", "SP7")
    b.entity("A3", "camouflage", "BiologicalProcess")
    stated = "Melanin of scales increases camouflage."
    b.article("PMC41", "Melanin", [stated])
    b.relation("A2", "increases", "A3", stated)
    answer = ask(b.build(), "How is scale pigment connected with camouflage?")
    [edge] = answer.trace.virtual_edges
    assert (edge.accepted, edge.reason) == (True, "same name: one thing")


def test_nothing_is_written_to_the_graph() -> None:
    reader = fragmented()
    before = copy.deepcopy((reader.relations_, reader.entities_, dict(reader.evidence_)))
    ask(reader, BROKEN)
    assert (reader.relations_, reader.entities_, dict(reader.evidence_)) == before


def test_iterations_are_bounded(lupus_graph: Graph) -> None:
    answer = lupus_graph.ask("How is UV related to lupus?", Inses(InsesSettings(iterations=1)))
    assert max(step.iteration for step in answer.trace.steps) == 1
    assert answer.trace.stopped == "maximum iterations"


def test_a_foreign_question_is_not_navigated(open_graph: Open, lupus_reader: MemoryGraph) -> None:
    chat = ScriptedChat({})
    answer = with_chat(open_graph, lupus_reader, chat).ask("What is the capital of France?", "inses")
    assert not answer.answered
    assert chat.purposes == []


def virtual_chat(*, passes: bool) -> ScriptedChat:
    words = ("activates wing", "increase camouflage", *(("(virtual",) if passes else ()))

    def navigate(body: str) -> dict[str, object]:
        lines = body.partition("Candidates:")[2].splitlines()
        triples = "\n".join(line for line in lines if "(virtual" not in line)
        offered = "\n".join(lines) if passes else triples
        return {"selected": numbered(offered, *words), "sufficient": "increase camouflage" in triples}

    said = citing(
        ("Pigment activates wing scales.", "Pigment activates"),
        ("Iridescent scales increase camouflage.", "increase camouflage"),
    )
    return ScriptedChat({"entities": {"entities": ["pigment"]}, "navigate": navigate, "synthesise": said})


def test_a_language_model_navigates_over_the_virtual_edge_it_passed() -> None:
    chat = virtual_chat(passes=True)
    answer = ask(fragmented(), "What does pigment activate or increase?", chat=chat)
    assert answer.trace.stopped == "sufficient after 3 iterations"
    assert [edge.accepted for edge in answer.trace.virtual_edges] == [True]
    assert chat.purposes == ["entities", "navigate", "navigate", "navigate", "synthesise", "entail"]
    assert answer.usage.calls == 6


def test_a_virtual_edge_that_the_model_does_not_select_is_not_walked() -> None:
    answer = ask(fragmented(), "What does pigment activate or increase?", chat=virtual_chat(passes=False))
    assert [edge.accepted for edge in answer.trace.virtual_edges] == [False]
    assert not any("camouflage" in step.text for step in answer.trace.steps)


def test_an_entity_that_the_model_names_is_found_by_vector(
    open_graph: Open, lupus_reader: MemoryGraph
) -> None:
    chat = ScriptedChat(
        {"entities": {"entities": ["disease flares"]}, "navigate": {"selected": [], "sufficient": False}}
    )
    answer = with_chat(open_graph, lupus_reader, chat).ask("What does hydroxychloroquine decrease?", "inses")
    seeds = [step.text for step in answer.trace.steps if step.action == "seed"]
    assert seeds == ["hydroxychloroquine (C6)", "disease flare (C14)"]
    assert answer.trace.stopped == "nothing selected"


def test_a_model_that_refuses_to_navigate_is_noted(open_graph: Open, lupus_reader: MemoryGraph) -> None:
    answer = with_chat(open_graph, lupus_reader, ScriptedChat({})).ask(
        "What does belimumab inhibit?", "inses"
    )
    assert answer.answered
    assert {note.partition(" ")[0] for note in answer.trace.notes} >= {"extraction", "navigation"}


@pytest.mark.parametrize("bad", [{"iterations": 0}, {"selected": 0}, {"candidates": 1}, {"similarity": 0.0}])
def test_settings_out_of_bounds_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        InsesSettings(**bad)  # type: ignore[arg-type]
