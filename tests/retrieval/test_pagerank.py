from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.graph import Graph
from retrieval.methods.asking import understand
from retrieval.methods.ppr.facts import near_facts, statements
from retrieval.methods.ppr.method import PageRankSettings, rank_passages, walk_search
from retrieval.methods.ppr.second_hop import rerank, second_hop
from retrieval.methods.ppr.seeds import Seeds, passage_prior, seed_weights
from retrieval.methods.ppr.walk import Walk, pagerank, synonym_edges, walk

SETTINGS = PageRankSettings()


@given(
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.floats(0.01, 1)), max_size=30),
    st.integers(0, 7),
)
def test_shares_sum_to_one_and_are_not_negative(edges: list[tuple[int, int, float]], seed: int) -> None:
    start = np.zeros(8)
    start[seed] = 2.0
    shares = pagerank(edges, start, SETTINGS)
    assert shares.sum() == pytest.approx(1.0)
    assert (shares >= 0).all()


def test_shares_fall_with_distance_and_stay_in_the_component() -> None:
    start = np.array([1.0, 0, 0, 0, 0])
    shares = pagerank([(0, 1, 1.0), (1, 2, 1.0), (3, 4, 1.0)], start, SETTINGS)
    assert shares[0] > shares[1] > shares[2] > 0
    assert shares[3] == shares[4] == 0


def test_a_heavier_edge_carries_more() -> None:
    shares = pagerank([(0, 1, 3.0), (0, 2, 1.0)], np.array([1.0, 0, 0]), SETTINGS)
    assert shares[1] == pytest.approx(3 * shares[2])


def test_less_damping_stays_nearer_to_the_seeds() -> None:
    edges, start = [(0, 1, 1.0), (1, 2, 1.0)], np.array([1.0, 0, 0])
    near, far = (
        pagerank(edges, start, dataclasses.replace(SETTINGS, damping=damping)) for damping in (0.2, 0.8)
    )
    assert near[0] > far[0]
    assert near[2] < far[2]


def facts_of(graph: Graph, text: str):
    question = understand(text, graph.context)
    prior = passage_prior(graph.reader, question, graph.context.search.threshold, SETTINGS)
    return question, prior, near_facts(graph.reader, graph.context.embedder, question, prior, SETTINGS)


def test_the_prior_is_a_share_of_passages_near_the_question(lupus_graph: Graph) -> None:
    _, prior, _ = facts_of(lupus_graph, "Does hydroxychloroquine reduce lupus flares?")
    assert sum(prior.values()) == pytest.approx(1.0)
    assert list(prior) == sorted(prior, key=lambda chunk_id: (-prior[chunk_id], chunk_id))
    assert next(iter(prior)) == "PMC2:c0"


def test_facts_near_the_question_come_first(lupus_graph: Graph) -> None:
    _, _, facts = facts_of(lupus_graph, "What does belimumab inhibit?")
    assert (facts[0].relation.head_id, facts[0].relation.tail_id) == ("C9", "C10")
    assert [fact.score for fact in facts] == sorted((fact.score for fact in facts), reverse=True)
    assert all(fact.relation.kind == "asserted" and not fact.relation.negated for fact in facts)


def test_no_more_statements_are_embedded_than_asked(lupus_graph: Graph) -> None:
    embedded: list[str] = []

    class Counting:
        name = "counting"
        dimensions = lupus_graph.context.embedder.dimensions

        def embed(self, texts):
            embedded.extend(texts)
            return lupus_graph.context.embedder.embed(texts)

    question, prior, _ = facts_of(lupus_graph, "How is UV related to lupus?")
    few = dataclasses.replace(SETTINGS, facts=3)
    facts = near_facts(lupus_graph.reader, Counting(), question, prior, few)
    assert len(embedded) == 3
    assert len(facts) <= 3


def test_a_statement_is_in_the_authors_words_where_there_is_evidence(lupus_graph: Graph) -> None:
    reader = lupus_graph.reader
    (asserted,) = reader.relations(["C9-inhibits-C10-asserted"])
    (inferred,) = reader.relations(["C8-increases-C5-transitive"])
    assert statements(reader, [inferred, asserted]) == [
        ["plasmacytoid dendritic cell increases systemic lupus erythematosus"],
        ["belimumab inhibits BAFF"],
    ]


def test_an_entity_of_many_articles_starts_less(lupus_graph: Graph) -> None:
    question, prior, _ = facts_of(lupus_graph, "How is belimumab related to lupus?")
    seeds = seed_weights(lupus_graph.reader, question, [], prior, SETTINGS)
    assert set(seeds.entities) == {"C5", "C9"}  # lupus is in most articles, belimumab in one
    assert seeds.entities["C9"] > 2 * seeds.entities["C5"]
    assert sum(seeds.passages.values()) == pytest.approx(SETTINGS.prior_mass)


def test_the_walk_prefers_what_its_seeds_are_joined_to(lupus_graph: Graph) -> None:
    vector = lupus_graph.context.embedder.vector("question")

    def first(entity_id: str) -> str:
        return walk(lupus_graph.reader, Seeds({entity_id: 1.0}, {}), [], [], vector, SETTINGS).passages[0][0]

    assert first("C9") == "PMC4:c0"
    assert first("C8") == "PMC3:c0"
    nowhere = walk(lupus_graph.reader, Seeds({}, {}), [], [], vector, SETTINGS)
    assert (nowhere.passages, nowhere.entities) == ((), {})


def test_synonyms_are_pairs_of_near_names(lupus_graph: Graph) -> None:
    reader = lupus_graph.reader
    near = dataclasses.replace(SETTINGS, synonym_cosine=0.4)
    edges = synonym_edges(reader, {"C1": 1.0, "C5": 0.5}, near)
    assert ("C1", "C13") in {(first, second) for first, second, _ in edges}  # UV radiation, UV forecasting
    assert all(first < second and cosine >= 0.4 for first, second, cosine in edges)
    assert synonym_edges(reader, {"C1": 1.0}, dataclasses.replace(near, synonym_seeds=0)) == []


def test_the_walk_reaches_a_passage_that_shares_no_word_with_the_question(lupus_graph: Graph) -> None:
    question = understand("What does UV radiation lead to?", lupus_graph.context)
    ranked = dict(rank_passages(lupus_graph.context, question, SETTINGS))
    assert "PMC1:c1" in ranked  # autoantigens and immune complexes
    assert max(ranked, key=lambda chunk_id: ranked[chunk_id]) == "PMC1:c0"


class Recording:
    """An embedder that keeps the texts it is given."""

    name = "recording"

    def __init__(self, graph: Graph) -> None:
        self.texts: list[str] = []
        self.embedder = graph.context.embedder
        self.dimensions = self.embedder.dimensions

    def embed(self, texts):
        self.texts.extend(texts)
        return self.embedder.embed(texts)


def test_the_second_hop_asks_of_what_the_first_passage_names(lupus_graph: Graph) -> None:
    context = lupus_graph.context
    question = understand("Which serum level rises with the target of belimumab?", context)
    recording = Recording(lupus_graph)
    walked = Walk((("PMC4:c0", 0.9),), {"C10": 0.5, "C5": 0.4, "C9": 0.6})
    found = second_hop(context.reader, recording, question, walked, SETTINGS)
    assert recording.texts == [
        "Which serum level rises with the target of BAFF?",
        "Which serum level rises with the target of systemic lupus erythematosus?",
    ]
    (text,) = (chunk.text for chunk in context.reader.chunks(["PMC4:c0"]))
    cosines = [vector @ context.embedder.vector(text) for vector in context.embedder.embed(recording.texts)]
    assert found["PMC4:c0"] == pytest.approx(max(cosines))
    assert rerank(context.reader, context.embedder, question, Walk((), {}), SETTINGS) == []


def test_the_rarest_name_that_the_passage_has_gives_way(lupus_graph: Graph) -> None:
    context = lupus_graph.context
    question = understand("How is lupus changed by belimumab?", context)
    recording = Recording(lupus_graph)
    walked = Walk((("PMC4:c0", 0.9),), {"C10": 0.5})
    second_hop(context.reader, recording, question, walked, dataclasses.replace(SETTINGS, bridges=1))
    assert recording.texts == ["How is lupus changed by BAFF?"]  # lupus is in more articles


def test_a_passage_without_a_name_of_the_question_moves_its_vector(lupus_graph: Graph) -> None:
    context = lupus_graph.context
    question = understand("What rises in autoimmunity?", context)
    recording = Recording(lupus_graph)
    walked = Walk((("PMC4:c0", 0.9),), {"C10": 0.5})
    found = second_hop(context.reader, recording, question, walked, SETTINGS)
    assert question.links == ()
    assert recording.texts == []  # the graph holds the vectors of its entities
    near = context.reader.vectors("entity", ["C10"])["C10"] + question.vector
    cosines = context.reader.similarities("chunk", ["PMC4:c0"], near / np.linalg.norm(near))
    assert found["PMC4:c0"] >= cosines[0] - 1e-6


def test_without_its_weights_the_order_is_the_walks(lupus_graph: Graph) -> None:
    question = understand("How is UV related to lupus?", lupus_graph.context)
    walked = Walk((("PMC3:c0", 0.5), ("PMC1:c0", 0.3), ("PMC2:c0", 0.2)), {})
    plain = dataclasses.replace(SETTINGS, question_weight=0.0, hop_weight=0.0, bridges=0)
    ranked = rerank(lupus_graph.reader, lupus_graph.context.embedder, question, walked, plain)
    assert [chunk_id for chunk_id, _ in ranked] == ["PMC3:c0", "PMC1:c0", "PMC2:c0"]


def test_the_same_question_gives_the_same_ranking(lupus_graph: Graph) -> None:
    question = understand("How is UV related to lupus?", lupus_graph.context)
    first = rank_passages(lupus_graph.context, question, SETTINGS)
    assert first == rank_passages(lupus_graph.context, question, SETTINGS)
    assert first == sorted(first, key=lambda row: (-round(row[1], 6), row[0]))


def test_a_foreign_question_walks_nowhere(lupus_graph: Graph) -> None:
    question = understand("What is the capital of France?", lupus_graph.context)
    assert rank_passages(lupus_graph.context, question, SETTINGS) == []
    assert walk_search(lupus_graph.context, question, SETTINGS).passages == ()


def test_ppr_answers_with_one_call(lupus_graph: Graph) -> None:
    answer = lupus_graph.ask("How is UV related to lupus?", method="ppr")
    assert answer.answered
    assert (answer.method, answer.usage.calls) == ("ppr", 1)
    assert len(answer.graph.edges) == 4


@pytest.mark.parametrize("question", ["What is the capital of France?", "Does aspirin prevent stroke?"])
def test_ppr_abstains_too(lupus_graph: Graph, question: str) -> None:
    assert not lupus_graph.ask(question, method="ppr").answered
