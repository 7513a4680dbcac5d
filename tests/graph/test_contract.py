"""What every store must answer; the same suite runs on the version directory and on a real Neo4j."""

from __future__ import annotations

import numpy as np
import pytest

from kg_pipeline.errors import GraphError
from kg_pipeline.fingerprint import short_digest
from kg_pipeline.graph.reader import ASSERTED


def rid(kind, *statement):
    return short_digest(kind, *statement)


TNF_IL6 = rid("asserted", "TNF", "increases", "IL6")
IL6_CRP = rid("asserted", "IL6", "increases", "CRP")
TNF_TNF = rid("asserted", "TNF", "binds", "TNF")
TNF_CRP = rid("transitive", "TNF", "increases", "CRP")
TNF_SEPSIS = rid("community", "TNF", "related_to", "sepsis")


def test_records_come_in_the_order_asked_and_unknown_ids_are_left_out(open_graph):
    graph = open_graph("cytokines")
    assert [d.article_id for d in graph.documents(["PMC20", "nothing", "PMC10"])] == ["PMC20", "PMC10"]
    assert [c.text for c in graph.chunks(["PMC35:c0"])] == ["TNF increases IL6.\nCRP biomarker_of sepsis."]
    assert [e.name for e in graph.entities(["E:TNF", "E:CRP", "E:TNF"])] == ["TNF", "CRP", "TNF"]
    assert graph.entities([]) == graph.relations([]) == graph.chunks(["x"]) == []


def test_records_carry_all_their_fields(open_graph):
    graph = open_graph("cytokines")
    (document,) = graph.documents(["PMC10"])
    assert (document.year, document.doi, document.pmid, document.title) == (
        None,
        "10.1/PMC10",
        None,
        "About PMC10",
    )
    (entity,) = graph.entities(["E:TNF"])
    assert entity.aliases == ("TNF", "TNF protein", "the TNF")
    assert (entity.n_mentions, entity.n_articles) == (5, 3)
    asserted, inferred = graph.relations([TNF_IL6, TNF_CRP])
    assert (asserted.head_id, asserted.predicate, asserted.tail_id) == ("E:TNF", "increases", "E:IL6")
    assert (asserted.n_articles, asserted.n_evidence, asserted.premises, asserted.rule) == (3, 3, (), "")
    assert (inferred.kind, inferred.confidence, inferred.rule) == ("transitive", 0.5, "transitive_rule")
    assert set(inferred.premises) == {TNF_IL6, IL6_CRP}


def test_evidence_quotes_its_chunk_and_is_limited_per_relation(open_graph):
    graph = open_graph("cytokines")
    evidence = graph.evidence([TNF_IL6, TNF_CRP, IL6_CRP], per_relation=2)
    assert [e.relation_id for e in evidence] == [TNF_IL6, TNF_IL6, IL6_CRP]
    assert [e.confidence for e in evidence] == [0.5, 0.5, 0.625]
    assert evidence[0].evidence_id < evidence[1].evidence_id
    for row in evidence:
        (chunk,) = graph.chunks([row.chunk_id])
        assert chunk.text[row.start - chunk.start : row.end - chunk.start] == row.quote


def test_nearest_finds_the_same_text_first_and_respects_the_threshold(open_graph, versions):
    graph = open_graph("cytokines")
    vector = versions.embedder.embed(["TNF increases IL6.\nCRP biomarker_of sepsis."])[0]
    hits = graph.nearest("chunk", vector, 3)
    assert hits[0].id == "PMC35:c0"
    assert hits[0].score == pytest.approx(1.0, abs=1e-6)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert [hit.id for hit in graph.nearest("chunk", vector, 3, threshold=0.999)] == ["PMC35:c0"]
    assert graph.nearest("entity", vector, 0) == []


def test_many_vectors_find_what_each_finds(open_graph, versions):
    graph = open_graph("cytokines")
    vectors = versions.embedder.embed(["TNF increases IL6.", "CRP", "sepsis"])
    for threshold in (-1.0, 0.4):
        assert graph.nearest_many("entity", vectors, 4, threshold=threshold) == [
            graph.nearest("entity", vector, 4, threshold=threshold) for vector in vectors
        ]
    assert graph.nearest_many("entity", [], 4) == []
    assert graph.nearest_many("chunk", vectors[:2], 0) == [[], []]


def test_similarities_agree_with_nearest_and_are_zero_for_the_unknown(open_graph, versions):
    graph = open_graph("cytokines")
    vector = versions.embedder.embed(["CRP"])[0]
    hits = graph.nearest("entity", vector, 20)
    assert graph.similarities("entity", [hit.id for hit in hits], vector) == [hit.score for hit in hits]
    assert graph.similarities("entity", ["E:nobody"], vector) == [0.0]


def test_vectors_are_those_that_are_searched_and_absent_for_the_unknown(open_graph, versions):
    graph = open_graph("cytokines")
    ids = [hit.id for hit in graph.nearest("entity", versions.embedder.embed(["CRP"])[0], 5)]
    found = graph.vectors("entity", [ids[1], "E:nobody", ids[0]])
    assert list(found) == [ids[1], ids[0]]
    for entity_id, vector in found.items():
        assert vector.dtype == np.float32
        assert graph.nearest("entity", vector, 1, threshold=0.999)[0].id == entity_id
    assert graph.vectors("chunk", []) == {}


def test_a_vector_of_another_model_is_refused_with_both_sizes(open_graph):
    with pytest.raises(GraphError, match=r"3 dimensions.*384"):
        open_graph("cytokines").nearest("chunk", np.ones(3, np.float32), 1)


@pytest.mark.parametrize(
    "query", ["", "   ", '"', "AND OR NOT", "a:b^2~ (x] {y* \\", "text:[a TO b]", "é😀/&&||!"]
)
def test_any_characters_are_allowed_in_a_text_query(open_graph, query):
    graph = open_graph("cytokines")
    assert graph.search_text("chunk", query, 5) == []
    assert graph.search_text("entity", query, 5) == []


def test_text_search_ranks_by_rarity_and_knows_aliases(open_graph):
    graph = open_graph("cytokines")
    assert [hit.id for hit in graph.search_text("chunk", "sepsis (increase)", 1)] == ["PMC35:c0"]
    assert len(graph.search_text("chunk", "inhibiting", 5)) == 2, "chunk texts are stemmed"
    assert graph.search_text("entity", "the CRP protein", 1)[0].id == "E:CRP"
    hits = graph.search_text("chunk", "tnf", 10)
    assert [(hit.score, hit.id) for hit in hits] == sorted(
        ((h.score, h.id) for h in hits), key=lambda h: (-h[0], h[1])
    )


def test_entities_are_found_by_any_spelling_of_a_name_or_alias(open_graph):
    graph = open_graph("cytokines")
    assert graph.find_entities("il-6") == graph.find_entities("IL 6") == ["E:IL6"]
    assert graph.find_entities("TNF  Protein") == ["E:TNF"]
    assert graph.find_entities("IL") == graph.find_entities("") == graph.find_entities('"\\') == []


def test_entities_are_found_by_what_only_the_vocabulary_calls_them(open_graph):
    graph = open_graph("cytokines")
    assert graph.find_entities("Hybridoma Growth-Factor") == ["E:IL6"]
    assert graph.find_entities("TNF") == ["E:TNF"], "what articles call so comes before"
    assert graph.find_entities("nobody's protein") == []
    assert "hybridoma growth factor" not in graph.entities(["E:IL6"])[0].aliases


def test_mentions_count_in_every_chunk_that_contains_them(open_graph):
    graph = open_graph("cytokines")
    # PMC10:c0 holds "TNF increases IL6. IL6 increases CRP."
    assert graph.entities_of(["PMC10:c0", "none"]) == {"PMC10:c0": ["E:IL6", "E:CRP", "E:TNF"]}
    assert graph.chunks_of(["E:IL6R", "E:x"], per_entity=2) == {"E:IL6R": ["PMC10:c1", "PMC20:c0"]}
    assert graph.chunks_of(["E:TNF"], per_entity=1) == {"E:TNF": ["PMC20:c1"]}


def test_neighbours_go_both_ways_asserted_first_and_a_self_loop_once(open_graph):
    graph = open_graph("cytokines")
    found = graph.neighbours(["E:TNF"])
    assert found == [*sorted([TNF_IL6, TNF_TNF]), TNF_CRP, TNF_SEPSIS]
    assert graph.neighbours(["E:CRP"], kinds=ASSERTED) == sorted(
        [IL6_CRP, rid("asserted", "CRP", "biomarker_of", "sepsis")]
    )
    assert graph.neighbours(["E:TNF"], kinds={"community"}) == [TNF_SEPSIS]
    assert graph.neighbours(["E:TNF"], per_node=1) == sorted([TNF_IL6, TNF_TNF])[:1]
    assert graph.neighbours([]) == graph.neighbours(["E:x"]) == graph.neighbours(["E:TNF"], kinds=()) == []


def test_expand_goes_level_by_level_and_says_when_it_was_cut(open_graph):
    graph = open_graph("cytokines")
    two = graph.expand(["E:TNF", "E:x"], depth=2, kinds=ASSERTED)
    assert two.depths == {"E:TNF": 0, "E:IL6": 1, "E:CRP": 2, "E:IL6R": 2}
    assert not two.truncated
    assert set(two.relation_ids) >= {TNF_IL6, TNF_TNF, IL6_CRP}
    capped = graph.expand(["E:TNF"], depth=2, max_nodes=2, kinds=ASSERTED)
    assert (len(capped.depths), capped.truncated) == (2, True)
    ends = {e for r in graph.relations(capped.relation_ids) for e in (r.head_id, r.tail_id)}
    assert ends <= capped.depths.keys()
    assert graph.expand(["E:TNF"], depth=0).depths == {"E:TNF": 0}
    assert graph.expand([], depth=2).relation_ids == ()


def test_paths_are_simple_shortest_first_and_can_leave_out_what_was_inferred(open_graph):
    graph = open_graph("cytokines")
    direct, *_ = graph.paths("E:TNF", "E:CRP")
    assert direct.relation_ids == (TNF_CRP,)
    (asserted,) = graph.paths("E:TNF", "E:CRP", kinds=ASSERTED)
    assert asserted.entity_ids == ("E:TNF", "E:IL6", "E:CRP")
    assert asserted.relation_ids == (TNF_IL6, IL6_CRP)
    assert graph.paths("E:TNF", "E:TNF") == graph.paths("E:TNF", "E:x") == []
    assert graph.paths("E:tocilizumab", "E:sepsis", max_length=2) == []


def test_many_paths_are_capped_simple_and_have_evidence_on_every_hop(open_graph):
    graph = open_graph("random-net")
    found = graph.paths("E:gene00", "E:gene30", max_length=4, k=7, kinds=ASSERTED)
    assert len(found) == 7
    assert [len(path.relation_ids) for path in found] == sorted(len(path.relation_ids) for path in found)
    for path in found:
        assert len(set(path.entity_ids)) == len(path.entity_ids) == len(path.relation_ids) + 1
        relations = graph.relations(path.relation_ids)
        for (left, right), relation in zip(
            zip(path.entity_ids, path.entity_ids[1:], strict=False), relations, strict=True
        ):
            assert {relation.head_id, relation.tail_id} == {left, right}
        assert len({e.relation_id for e in graph.evidence(path.relation_ids)}) == len(set(path.relation_ids))


@pytest.mark.integration
def test_neo4j_answers_exactly_like_the_directory(versions, neo4j_versions):
    from kg_pipeline.graph.neo4j import open_reader

    here, there = versions.store.open("random-net"), open_reader(neo4j_versions, "random-net")
    names = [f"E:gene{number:02d}" for number in range(40)]
    assert here.manifest == there.manifest
    assert here.entities(names) == there.entities(names)
    every = here.neighbours(names, per_node=10_000)
    assert every == there.neighbours(names, per_node=10_000)
    assert here.relations(every) == there.relations(every)
    assert here.evidence(every) == there.evidence(every)
    for per_node, max_nodes in ((2, 10), (5, 500), (50, 7)):
        for seeds in (names[:1], names[5:8], names[39:]):
            for kinds in (
                {"asserted"},
                {"transitive", "lexical"},
                {"asserted", "transitive", "lexical", "community"},
            ):
                options = {"depth": 3, "kinds": kinds, "per_node": per_node, "max_nodes": max_nodes}
                one, other = here.expand(seeds, **options), there.expand(seeds, **options)
                assert list(one.depths.items()) == list(other.depths.items())
                assert (one.relation_ids, one.truncated) == (other.relation_ids, other.truncated)
    for target in names[1::7]:
        assert here.paths(names[0], target, per_node=6) == there.paths(names[0], target, per_node=6)
    chunks = [f"PMC{number:03d}:c{ordinal}" for number in range(30) for ordinal in range(9)]
    assert here.entities_of(chunks) == there.entities_of(chunks)
    assert here.chunks_of(names) == there.chunks_of(names)
    for text in ("gene03 binds gene11", "subclass_of gene07"):
        vector = versions.embedder.embed([text])[0]
        assert here.nearest("chunk", vector, 10) == there.nearest("chunk", vector, 10)
        assert here.similarities("chunk", chunks, vector) == there.similarities("chunk", chunks, vector)
    here.close()
    there.close()
