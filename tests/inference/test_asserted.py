from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.datasets import table_from_rows
from kg_pipeline.inference.asserted import Assertions, assert_relations
from kg_pipeline.inference.belief import SYSTEMATIC_ERROR


def mention(article: str, entity: str) -> str:
    return f"{article}:{entity}"


def triple(article: str, head: str, predicate: str, tail: str, at: int = 0, **changes: Any) -> dict[str, Any]:
    row = {
        "article_id": article,
        "triple_id": f"{article}-{head}-{predicate}-{tail}-{at}-{changes.get('negated', False)}",
        "chunk_id": f"{article}:c0",
        "head_mention_id": mention(article, head),
        "tail_mention_id": mention(article, tail),
        "predicate": predicate,
        "predicate_text": predicate,
        "negated": False,
        "speculative": False,
        "quote": f"{head} {predicate} {tail}.",
        "start": at,
        "end": at + 9,
        "extractor": "offline",
        "confidence": 0.8,
    }
    return {**row, **changes}


def run(triples: list[dict[str, Any]], merged: dict[str, str] | None = None) -> Assertions:
    """Entities are named as in the mention ids, unless `merged` says otherwise."""
    ends = sorted({row[f"{end}_mention_id"] for row in triples for end in ("head", "tail")})
    entities = [
        {
            "article_id": each.split(":")[0],
            "mention_id": each,
            "entity_id": (merged or {}).get(each.split(":")[1], each.split(":")[1]),
        }
        for each in ends
    ]
    texts = pl.DataFrame(
        {"mention_id": ends, "text": [each.split(":")[1].lower() for each in ends]},
        schema={"mention_id": pl.String, "text": pl.String},
    )
    table = pl.from_arrow(table_from_rows("triples", triples))
    mapped = pl.from_arrow(table_from_rows("entity_mentions", entities))
    assert isinstance(table, pl.DataFrame)
    assert isinstance(mapped, pl.DataFrame)
    return assert_relations(table, [texts], [mapped], [])


def test_three_sentences_of_one_article_count_once() -> None:
    one = run([triple("PMC1", "A", "inhibits", "B")]).relations
    three = run([triple("PMC1", "A", "inhibits", "B", at) for at in (0, 50, 90)]).relations
    assert three["n_articles"].to_list() == [1]
    assert three["n_evidence"].to_list() == [3]
    assert three["confidence"].to_list() == one["confidence"].to_list()


def test_a_second_article_raises_belief_up_to_the_systematic_error() -> None:
    one = run([triple("PMC1", "A", "inhibits", "B")]).relations["confidence"][0]
    two = run([triple(article, "A", "inhibits", "B") for article in ("PMC1", "PMC2")]).relations[
        "confidence"
    ][0]
    many = run([triple(f"PMC{i}", "A", "inhibits", "B") for i in range(40)]).relations["confidence"][0]
    assert one == pytest.approx(0.8)
    assert one < two < many
    assert many == pytest.approx(1 - SYSTEMATIC_ERROR["offline"], abs=1e-4)


@pytest.mark.parametrize(
    "extractor", ["offline", "model", "llm:some-model", "annotation:PubTator", "somebody"]
)
def test_one_triple_alone_is_believed_as_it_promises_and_never_certain(extractor: str) -> None:
    def belief(confidence: float) -> float:
        found = run([triple("PMC1", "A", "inhibits", "B", extractor=extractor, confidence=confidence)])
        return float(found.relations["confidence"][0])

    assert belief(0.6) == pytest.approx(0.6, abs=1e-5)
    limit = 1 - SYSTEMATIC_ERROR.get(extractor.partition(":")[0], 0.2)
    assert belief(0.99) == pytest.approx(limit, abs=2e-3)
    assert belief(1.0) < limit


def test_two_readers_are_surer_than_one() -> None:
    one = run([triple("PMC1", "A", "inhibits", "B")])
    both = run(
        [
            triple("PMC1", "A", "inhibits", "B"),
            triple("PMC1", "A", "inhibits", "B", 70, extractor="llm:some-model", confidence=0.75),
        ]
    )
    assert both.relations["confidence"][0] > one.relations["confidence"][0]
    assert both.relations["n_articles"].to_list() == [1]


def test_self_relations_after_merging_are_dropped_and_counted() -> None:
    found = run([triple("PMC1", "Oat", "subclass_of", "Small")], merged={"Oat": "SCLC", "Small": "SCLC"})
    assert found.relations.is_empty()
    assert found.evidence.is_empty()
    assert found.self_relations == 1


def test_a_triple_whose_mention_has_no_entity_is_counted() -> None:
    table = pl.from_arrow(table_from_rows("triples", [triple("PMC1", "A", "inhibits", "B")]))
    assert isinstance(table, pl.DataFrame)
    found = assert_relations(table, [], [], [])
    assert (found.unresolved, found.self_relations, found.relations.height) == (1, 0, 0)


def test_symmetric_relations_have_one_direction_and_keep_their_texts() -> None:
    found = run([triple("PMC1", "B", "binds", "A"), triple("PMC2", "A", "binds", "B")])
    assert found.relations.select("head_id", "tail_id", "n_articles").rows() == [("A", "B", 2)]
    assert found.evidence.select("head_text", "tail_text").unique().rows() == [("a", "b")]


def test_directed_relations_are_never_turned_round() -> None:
    found = run([triple("PMC1", "nucleus", "part_of", "cell"), triple("PMC1", "drug", "treats", "disease")])
    pairs = set(found.relations.select("head_id", "predicate", "tail_id").rows())
    assert pairs == {("nucleus", "part_of", "cell"), ("drug", "treats", "disease")}


def test_polarities_stay_apart() -> None:
    found = run([triple("PMC1", "A", "causes", "B"), triple("PMC2", "A", "causes", "B", negated=True)])
    assert sorted(found.relations.select("negated", "n_articles").rows()) == [(False, 1), (True, 1)]


ENTITIES = st.sampled_from(["A", "B", "C", "D"])
TRIPLES = st.lists(
    st.tuples(
        st.sampled_from(["PMC1", "PMC2", "PMC3", "PMC4"]),
        ENTITIES,
        st.sampled_from(["inhibits", "binds", "causes", "subclass_of"]),
        ENTITIES,
        st.integers(0, 2),
        st.booleans(),
    ),
    max_size=25,
    unique=True,
)


@settings(max_examples=40, deadline=None)
@given(TRIPLES, st.randoms(use_true_random=False))
def test_removing_an_article_equals_never_having_had_it(stated: list[Any], random: Any) -> None:
    rows = [triple(a, h, p, t, at, negated=negated) for a, h, p, t, at, negated in stated]
    remaining = [row for row in rows if row["article_id"] != "PMC1"]
    shuffled = random.sample(remaining, len(remaining))
    assert run(shuffled).relations.equals(run(remaining).relations)
    both = run(rows)
    kept = both.evidence.filter(pl.col("article_id") != "PMC1")["evidence_id"].sort()
    assert kept.equals(run(remaining).evidence["evidence_id"].sort())


@settings(max_examples=40, deadline=None)
@given(TRIPLES)
def test_every_relation_has_evidence_and_every_evidence_its_relation(stated: list[Any]) -> None:
    found = run([triple(a, h, p, t, at, negated=negated) for a, h, p, t, at, negated in stated])
    assert set(found.relations["relation_id"]) == set(found.evidence["relation_id"])
    assert found.relations["relation_id"].is_unique().all()
    assert found.relations["n_evidence"].sum() == found.evidence.height
    assert found.relations["confidence"].is_between(0, 1, closed="right").all()
    assert (found.relations["head_id"] != found.relations["tail_id"]).all()
