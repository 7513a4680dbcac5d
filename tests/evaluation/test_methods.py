"""Each ablation switches its own part off, and the trace shows it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from retrieval.answer import Answer
from retrieval.evaluation.methods import ABLATIONS, FULL, make_method
from retrieval.evaluation.multihop_qa.outcomes import verifying_sources
from retrieval.evaluation.readers_of_graphs import WithSources
from retrieval.graph import Graph
from retrieval.methods.asking import understand
from retrieval.methods.bioweave.exploration import Exploration
from retrieval.methods.bioweave.plan import make_plan
from retrieval.methods.bioweave.settings import BioWeaveSettings
from retrieval.methods.context import CachedEmbedder, Context
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.llm_reasoner import LlmReasoner
from tests.retrieval.lupus_graph import lupus
from tests.retrieval.memory_graph import MemoryGraph, split
from tests.retrieval.onco_graph import onco
from tests.retrieval.scripted_chat import ScriptedChat
from tests.retrieval.test_inses import BROKEN, Likeness, fragmented


def thoughts(answer: Answer) -> int:
    return len(answer.trace.thoughts)


def bridges(answer: Answer) -> int:
    """Virtual edges that were walked."""
    return sum(edge.accepted for edge in answer.trace.virtual_edges)


def routes(answer: Answer) -> int:
    return sum(step.action == "route" for step in answer.trace.steps)


def linked(answer: Answer) -> int:
    return len(answer.trace.entities)


def read_paths(answer: Answer) -> int:
    """Paths over a sentence, not over a relation of the graph."""
    return sum(step.action == "path" and "doc" in step.reason for step in answer.trace.steps)


def sentences_selected(answer: Answer) -> int:
    return sum(step.action == "unit" and step.reason.startswith("doc") for step in answer.trace.steps)


TREATS = "Which drugs treat lupus?"
#: A graph, a question, what is counted in the trace, and how often it is there in the full system and in the ablation.
Case = tuple[Callable[[], MemoryGraph], str, Callable[[Answer], int], tuple[int, int]]
CASES: dict[str, Case] = {
    "egot-no-thoughts": (lupus, "How is UV related to lupus?", thoughts, (8, 1)),
    "inses-no-similarity": (fragmented, BROKEN, bridges, (1, 0)),
    "inses-no-navigator": (fragmented, BROKEN, bridges, (1, 0)),
    "inses-no-router": (fragmented, BROKEN, routes, (1, 0)),
    "bioweave-no-normalisation": (lupus, "Which drugs treat SLE?", linked, (1, 0)),
    "bioweave-no-conversion": (
        onco,
        "Which drug binds the protein whose expression ASCL1 drives?",
        read_paths,
        (1, 0),
    ),
    # Sentences that a relation of the graph confirms are kept for that alone.
    "bioweave-no-verification": (lupus, TREATS, sentences_selected, (2, 0)),
    # Without any verification, sentences are worth as much as relations.
    "bioweave-relevance-only": (lupus, TREATS, sentences_selected, (2, 5)),
}


def context_of(reader: MemoryGraph) -> Context:
    embedder = CachedEmbedder(Likeness())
    return Context(reader, embedder, split, ExtractiveReasoner(reader, embedder, split))


def ask(reader: MemoryGraph, question: str, method: str) -> Answer:
    return Graph(context_of(reader)).ask(question, make_method(method))


@pytest.mark.parametrize("name", sorted(ABLATIONS))
def test_an_ablation_lacks_the_part_that_its_full_system_has(name: str) -> None:
    make, question, count, expected = CASES[name]
    reader = make()
    full, without = ask(reader, question, FULL[name]), ask(reader, question, name)
    assert without.method == name
    assert (count(full), count(without)) == expected


def test_no_other_method_answers_for_an_ablation_of_inses() -> None:
    # "auto" gives counting to BioWeave, which would be the same with and without any part of INSES.
    question = "How many drugs treat small cell lung cancer?"
    for name in ("inses-router", "inses-no-similarity", "inses-no-navigator"):
        steps = ask(onco(), question, name).trace.steps
        assert not any("bioweave" in step.text for step in steps)
        assert not any(step.action == "count" for step in steps)
    assert any("bioweave" in step.text for step in ask(onco(), question, "auto").trace.steps)


@pytest.mark.parametrize("method", ["egot", "egot-no-thoughts", "inses", "bioweave"])
def test_a_reasoner_looks_nothing_up_that_its_condition_hides(method: str) -> None:
    question = "How is UV related to lupus?"
    context = context_of(lupus())
    whole = Graph(context).ask(question, make_method(method))
    assert "kg" in verifying_sources(whole)
    for sources in ((), ("doc",)):
        shown = Graph(context.over(WithSources(context.reader, sources)))
        answer = shown.ask(question, make_method(method))
        assert "kg" not in verifying_sources(answer)
        assert not answer.graph.edges


def test_a_language_model_keeps_its_settings_over_another_reader() -> None:
    context = context_of(lupus())
    chat = ScriptedChat({})
    reasoner = LlmReasoner(chat, context.reasoner, context_tokens=4096)  # type: ignore[arg-type]
    bare = WithSources(context.reader, ())
    other = reasoner.over(bare)
    assert (other.name, other.characters) == (reasoner.name, reasoner.characters)
    assert other._extractive.reader is bare
    assert reasoner._extractive.reader is context.reader


def test_a_second_round_knows_the_entities_that_paths_of_the_first_lead_over() -> None:
    context = context_of(lupus())
    context = context.over(WithSources(context.reader, {"kg"}))  # no passage tells of them again
    asked = understand("How are plasmacytoid dendritic cells connected with lupus?", context)
    settings = BioWeaveSettings()
    exploration = Exploration(make_plan(asked, (), settings.sources), context, settings, ())
    exploration.search()
    (first, *_) = exploration.paths
    exploration.search(["interferon lupus"])
    assert exploration.paths[0].entity_ids == first.entity_ids
