from __future__ import annotations

from collections.abc import Callable

import pytest

from retrieval.answer import Answer
from retrieval.graph import Graph
from retrieval.methods.asking import understand
from retrieval.paths.hop_finder import HopFinder
from retrieval.paths.typed_paths import Explorer, PathSettings
from retrieval.questions.shape import read_shape
from retrieval.reasoning.typed_answers import TypedAnswer, find_answers
from tests.retrieval.memory_graph import split
from tests.retrieval.onco_graph import onco

Open = Callable[..., Graph]
NESTED = "Which drug treats the syndrome that the antibody against DLL3 causes?"


def answers(graph: Graph, text: str, settings: PathSettings | None = None) -> list[TypedAnswer]:
    question = understand(text, graph.context)
    explorer = Explorer(
        question, read_shape(question), HopFinder(graph.reader, split), settings or PathSettings()
    )
    return find_answers(explorer)


def names(found: list[TypedAnswer]) -> list[str]:
    return [answer.entity.name for answer in found]


def test_a_thing_named_by_its_relations_is_found_over_relations_and_a_sentence(open_graph: Open) -> None:
    found = answers(open_graph(onco()), "Which drug binds the protein whose expression ASCL1 drives?")
    assert names(found) == ["tarlatamab"]
    assert [hop.source for hop in found[0].paths[0].hops] == ["doc", "kg"]


def test_three_hops_are_followed_in_the_order_of_the_question(open_graph: Open) -> None:
    found = answers(open_graph(onco()), NESTED)
    assert names(found)[0] == "tocilizumab"
    assert found[0].paths[0].entity_ids == ("G2", "M1", "S2", "M2")


def test_a_path_longer_than_the_question_is_no_answer(open_graph: Open) -> None:
    # Amifampridine is reached from ASCL1 over four steps; the question describes two.
    assert "amifampridine" not in names(
        answers(open_graph(onco()), "Which drug treats the syndrome that ASCL1 causes?")
    )


def test_the_depth_is_bounded(open_graph: Open) -> None:
    assert names(answers(open_graph(onco()), NESTED, PathSettings(max_depth=2))) == []


def test_the_answer_must_do_what_is_asked_and_not_undergo_it(open_graph: Open) -> None:
    graph = open_graph(onco())
    assert names(answers(graph, "Which protein increases cytokine release syndrome?")) == []
    assert "tocilizumab" in names(answers(graph, "Which drug treats cytokine release syndrome?"))


def test_entities_that_share_a_name_are_one_answer(open_graph: Open) -> None:
    found = names(answers(open_graph(onco()), "Which drugs treat small cell lung cancer?"))
    assert sorted(found) == ["cisplatin", "etoposide", "tarlatamab"]


def test_what_all_names_have_in_common(open_graph: Open) -> None:
    graph = open_graph(onco())
    assert names(answers(graph, "Which protein connects tarlatamab and ASCL1?")) == ["DLL3"]
    assert names(answers(graph, "Which protein connects tocilizumab and etoposide?")) == []


def test_results_do_not_depend_on_the_run(open_graph: Open) -> None:
    one, other = (answers(open_graph(onco()), NESTED) for _ in range(2))
    assert [(a.entity.entity_id, a.score, a.quotes) for a in one] == [
        (a.entity.entity_id, a.score, a.quotes) for a in other
    ]


@pytest.mark.parametrize("method", ["egot", "inses", "ppr", "bioweave", "auto"])
def test_every_method_tells_the_chain_hop_by_hop(open_graph: Open, method: str) -> None:
    graph = open_graph(onco())
    answer: Answer = graph.ask(NESTED, method)
    quotes = [citation.quote for citation in answer.citations]
    assert "Tocilizumab treats cytokine release syndrome." in quotes
    assert "Tarlatamab causes cytokine release syndrome after the first dose." in quotes
    assert "Tarlatamab binds DLL3 with high affinity." in quotes
    assert not any("cisplatin" in sentence.text.lower() for sentence in answer.sentences)


@pytest.mark.parametrize("method", ["egot", "inses", "ppr", "bioweave", "auto"])
@pytest.mark.parametrize(
    "text",
    [
        "Which drug blocks the receptor of the protein that PARP1 induces?",
        "Which drug treats the syndrome that cisplatin causes?",
        "Which drugs treat both renal failure and cytokine release syndrome?",
        "Which protein does amifampridine inhibit in small cell lung cancer?",
    ],
)
def test_a_chain_with_a_missing_step_is_no_answer(open_graph: Open, method: str, text: str) -> None:
    assert not open_graph(onco()).ask(text, method).answered


@pytest.mark.parametrize("bad", [{"max_depth": 0}, {"kept": 0}, {"frontier": 0}])
def test_settings_out_of_bounds_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(ValueError):
        PathSettings(**bad)
