from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.graph import Graph
from retrieval.methods.asking import understand
from retrieval.methods.bioweave.documents import hop_queries, retrieve
from retrieval.methods.bioweave.plan import Abstraction, make_plan, split_options
from retrieval.methods.bioweave.scoring import jaccard, score_units, select
from retrieval.methods.bioweave.settings import BioWeaveSettings
from retrieval.methods.bioweave.units import Unit
from retrieval.paths.hop_finder import HopFinder
from tests.retrieval.conftest import open_memory
from tests.retrieval.memory_graph import HashingEmbedder, split
from tests.retrieval.onco_graph import onco

ALL = frozenset({"kg", "doc", "web"})


@pytest.fixture(scope="module")
def graph() -> Graph:
    return open_memory(onco())


def test_options_are_read_in_their_usual_forms() -> None:
    for text in (
        "Which? A) one B) two",
        "Which? (A) one; (B) two.",
        "Which? A. one, B. two",
        "Which? A: one B: two",
    ):
        question, options = split_options(text)
        assert question == "Which?"
        assert [(option.letter, option.text) for option in options] == [("A", "one"), ("B", "two")]


@pytest.mark.parametrize(
    "text", ["What is vitamin A?", "Hepatitis B: what is it?", "A) one C) three", "Type A) only"]
)
def test_letters_that_are_no_options_stay_in_the_question(text: str) -> None:
    assert split_options(text) == (text, ())


@given(st.text())
def test_splitting_never_fails(text: str) -> None:
    question, options = split_options(text)
    assert len(question) <= len(text)
    assert len(options) != 1


def test_sources_are_planned_within_the_condition(graph: Graph) -> None:
    question = understand("Which drug treats SCLC?", graph.context)
    assert make_plan(question, (), ALL).sources == ("kg", "doc")  # type: ignore[arg-type]
    fresh = understand("Which drug is in phase 3 trials for SCLC?", graph.context)
    assert make_plan(fresh, (), ALL).sources == ("kg", "doc", "web")  # type: ignore[arg-type]
    assert make_plan(fresh, (), frozenset({"doc"})).sources == ("doc",)
    assert make_plan(question, (), frozenset({"web"})).sources == ("web",)


def test_a_model_may_name_the_operator_and_a_known_type(graph: Graph) -> None:
    question = understand("What helps against SCLC?", graph.context)
    plan = make_plan(question, (), ALL, Abstraction(operator="count", answer_type="small molecule drug"))  # type: ignore[arg-type]
    assert plan.shape.operator == "count"
    assert plan.shape.answer is not None
    assert plan.shape.answer.word == "drug"
    other = make_plan(question, (), ALL, Abstraction(answer_type="gizmo"))  # type: ignore[arg-type]
    assert other.shape.answer is None


def test_hop_queries_have_names_aliases_and_relation_phrases(graph: Graph) -> None:
    question = understand("Which drug treats small cell lung cancer?", graph.context)
    plan = make_plan(question, (), frozenset({"kg", "doc"}))
    queries = hop_queries(plan, [], HopFinder(graph.reader, split), ["SCLC chemotherapy"])
    assert queries[:2] == ["SCLC chemotherapy", question.text]
    assert any("SCLC" in query and "treats" in query and "drug" in query for query in queries[2:])


def test_retrieval_keeps_passages_that_name_what_is_looked_for(graph: Graph) -> None:
    question = understand("Which drug treats cytokine release syndrome?", graph.context)
    found = retrieve(graph.context, [question.text], 5, question.links, ())
    assert found
    assert all("S2" in graph.reader.entities_of([chunk])[chunk] for chunk in found)


def unit(key: str, source: str, text: str, *entities: str) -> Unit:
    return Unit(key, source, text, frozenset(entities), (), 0.8)  # type: ignore[arg-type]


def scored(units: list[Unit], settings: BioWeaveSettings | None = None, **more: object) -> list[object]:
    embedder = HashingEmbedder()
    question = embedder.embed(["drug treats cancer"])[0]
    return score_units(units, question, {"a"}, embedder, settings or BioWeaveSettings(), **more)  # type: ignore[arg-type,return-value]


def test_scores_are_those_of_the_paper() -> None:
    settings = BioWeaveSettings()
    rows = scored(
        [unit("1", "kg", "drug treats cancer", "a", "b"), unit("2", "doc", "drug treats cancer", "a", "b")]
    )
    by_key = {row.unit.key: row for row in rows}  # type: ignore[attr-defined]
    relevance = 0.6 * 1.0 + 0.4 * 0.5
    for key, prior in (("1", 1.0), ("2", 0.8)):
        # Each is supported by the other source: one of the two that count.
        verification = 0.3 * prior + 0.3 * 0.5 + 0.4 * 1.0
        assert by_key[key].relevance == pytest.approx(relevance, abs=1e-6)
        assert by_key[key].verification == pytest.approx(verification)
        assert by_key[key].cross == pytest.approx(
            settings.relevance * relevance + (1 - settings.relevance) * verification, abs=1e-6
        )


def test_an_isolated_web_claim_scores_least() -> None:
    rows = scored(
        [unit(source, source, "drug treats cancer", "a", f"x{source}") for source in ("web", "kg", "doc")]
    )
    assert [row.unit.source for row in rows] == ["kg", "doc", "web"]  # type: ignore[attr-defined]


def test_units_of_other_things_support_nothing() -> None:
    apart = scored(
        [unit("1", "kg", "drug treats cancer", "a", "b"), unit("2", "doc", "drug treats cancer", "a", "c")]
    )
    together = scored(
        [unit("1", "kg", "drug treats cancer", "a", "b"), unit("2", "doc", "drug treats cancer", "a", "b")]
    )
    assert apart[0].verification < together[0].verification  # type: ignore[attr-defined]


def test_budgets_cut_but_never_what_an_answer_needs() -> None:
    settings = BioWeaveSettings(pool=2, verified=2, selected=1)
    units = [unit(str(i), "doc", f"word{i}", "z") for i in range(5)]
    rows = scored(units, settings, required={"4"})
    assert len(rows) == 2
    assert "4" in {row.unit.key for row in rows}  # type: ignore[attr-defined]
    assert [row.unit.key for row in select(rows, settings, {"4"})] == ["4"]  # type: ignore[arg-type]


def test_jaccard() -> None:
    assert jaccard({"a"}, {"a", "b"}) == 0.5
    assert jaccard(set(), set()) == 0.0
    assert np.isclose(jaccard({"a", "b", "c"}, {"b", "c", "d"}), 0.5)


@pytest.mark.parametrize(
    "bad",
    [
        {"semantic": 0.9},
        {"prior_weight": 0.5},
        {"prior_weight": -0.1, "support_weight": 0.7},
        {"relevance": 2},
        {"sources": frozenset()},
        {"sources": frozenset({"oracle"})},
        {"pool": 1},
        {"rounds": 0},
    ],
)
def test_settings_out_of_bounds_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        BioWeaveSettings(**bad)  # type: ignore[arg-type]
