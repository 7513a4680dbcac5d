from __future__ import annotations

from retrieval.paths.hop_finder import HopFinder
from retrieval.paths.hops import FixedHops
from retrieval.words.terms import content_stems
from tests.retrieval.memory_graph import MemoryGraph, split
from tests.retrieval.onco_graph import onco


def finder(reader: MemoryGraph, **options: object) -> HopFinder:
    return HopFinder(reader, split, **options)  # type: ignore[arg-type]


def ends(hops: HopFinder, entity_id: str) -> set[tuple[str, str]]:
    return {(hop.end_id, hop.source) for hop in hops.around([entity_id])[entity_id]}


def test_a_sentence_is_a_hop_where_no_relation_was_extracted() -> None:
    around = finder(onco()).around(["G1"])["G1"]
    [hop] = [hop for hop in around if hop.end_id == "G2"]
    assert hop.source == "doc"
    assert hop.quotes[0].text == "ASCL1 drives the expression of DLL3."
    assert content_stems("drives")[0] in hop.words


def test_a_relation_is_walked_from_either_end_and_says_which_way_it_reads() -> None:
    hops = finder(onco(), use_text=False)
    [out] = [hop for hop in hops.around(["M2"])["M2"] if hop.end_id == "S2"]
    [back] = [hop for hop in hops.around(["S2"])["S2"] if hop.end_id == "M2"]
    assert (out.forward, back.forward) == (True, False)
    assert out.key == back.key
    assert back.predicates == frozenset({"treats"})


def test_denied_relations_and_denying_sentences_are_no_hops() -> None:
    assert "S4" not in {end for end, _ in ends(finder(onco()), "M1")}


def test_a_title_and_a_sentence_of_two_clauses_relate_only_what_they_say() -> None:
    hops = finder(onco(), use_graph=False)
    assert ("S1", "doc") not in ends(hops, "G1")  # the title
    assert ("G4", "doc") in ends(hops, "M2")
    assert ("G3", "doc") not in ends(hops, "M2")  # "…, and PARP1 regulates ASCL1"
    assert ("G1", "doc") in ends(hops, "G3")


def test_sources_can_be_left_out() -> None:
    assert {source for _, source in ends(finder(onco(), use_text=False), "M1")} == {"kg"}
    assert {source for _, source in ends(finder(onco(), use_graph=False), "M1")} == {"doc"}


def test_an_added_passage_makes_hops_around_entities_looked_up_before() -> None:
    reader = onco()
    hops = finder(reader, per_entity=0)
    assert hops.around(["G1"])["G1"] == []
    hops.add_passages(["PMC21:c0"])
    assert ("G2", "doc") in ends(hops, "G1")


def test_fixed_hops_are_walked_both_ways() -> None:
    reader = onco()
    [hop] = [hop for hop in finder(reader).around(["M2"])["M2"] if hop.end_id == "S2" and hop.fact]
    fixed = FixedHops(reader, [hop])
    assert [h.end_id for h in fixed.around(["S2"])["S2"]] == ["M2"]
    assert fixed.around(["G1"]) == {"G1": []}
    assert set(fixed.entities) == {"M2", "S2"}
