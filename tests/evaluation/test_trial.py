"""Judges tried on labelled items: what a good one, a hasty one and a broken one come to, and what a reader is told."""

from __future__ import annotations

import pytest

from retrieval.evaluation.page.figures import grids_of
from retrieval.evaluation.page.html import render_page
from retrieval.evaluation.page.last import Last
from retrieval.evaluation.trial import LEAST_KAPPA, cautions, try_judge, weakness
from tests.retrieval.scripted_chat import ScriptedChat


def test_a_judge_that_says_what_the_labels_say_is_trusted() -> None:
    facts = ("lowers blood", "risk factor", "recycles", "Anopheles transmit", "leads to anaemia")
    chat = ScriptedChat(
        {"bench-entailment": lambda body: {"stated": any(told in body.split("Fact: ")[1] for told in facts)}}
    )
    tried = try_judge(chat, "entailment")["entailment"]
    assert (tried["share"], tried["kappa"], tried["trusted"], tried["unusable"]) == (1.0, 1.0, True, 0)
    assert cautions({"judge_trial": {"llm:good": {"entailment": tried}}}) == []


def test_one_that_always_says_yes_is_not() -> None:
    chat = ScriptedChat(
        {
            "bench-entailment": {"stated": True},
            "bench-pairwise": dict.fromkeys(
                ("comprehensiveness", "empowerment", "diversity", "overall"), "first"
            ),
        }
    )
    tried = try_judge(chat, "entailment", "pairwise")
    # Half of the labels are yes, and half of the better answers come first: agreement by chance alone.
    assert {name: (row["share"], row["kappa"], row["trusted"]) for name, row in tried.items()} == {
        "entailment": (0.5, 0.0, False),
        "pairwise": (0.5, 0.0, False),
    }
    (warning, _) = cautions({"judge_trial": {"llm:hasty": tried}, "judge_doubts": []})
    assert warning.startswith(
        "llm:hasty is too weak a judge of entailment: it agrees with the labels of 50% of 10 items labelled by hand"
    )


@pytest.mark.parametrize(
    "task", ["verifier", "faithfulness", "context_precision", "relevance", "same_answer"]
)
def test_replies_that_are_no_verdicts_are_counted_and_agree_with_nothing(task: str) -> None:
    tried = try_judge(ScriptedChat({}), task)[task]  # type: ignore[arg-type]
    assert (tried["unusable"], tried["share"], tried["trusted"]) == (tried["n"], 0.0, False)
    assert tried["n"] >= 9
    assert tried["least_kappa"] == LEAST_KAPPA


def test_the_page_warns_beside_every_figure_of_a_weak_judge() -> None:
    weak = {
        "n": 10,
        "unusable": 2,
        "share": 0.5,
        "low": 0.2,
        "high": 0.8,
        "kappa": 0.0,
        "trusted": False,
        "least_kappa": 0.6,
    }
    score = {"mean": 0.7, "low": 0.6, "high": 0.8, "n": 9}
    report = {
        "judge": "llm:weak",
        "rows": [{"graph": "KGGen", "retriever": "published", "score": score, "gain": None, "triples": 3}],
        "published_per_cent": {},
        "inses_gains_points": {},
        "judge_trial": {"llm:weak": {"entailment": weak}},
        "judge_doubts": ["something is not known"],
    }
    assert weakness(report, "entailment") == "weak judge, kappa 0.00"
    facts, trial = grids_of("graph-quality", report)
    assert {figure.metric.partition(",")[0]: bool(figure.warning) for figure in facts.figures} == {
        "facts found": True,
        "triples of an essay": False,
    }
    assert {figure.metric: figure.value for figure in trial.figures}["no usable verdict"] == 2
    page = render_page({"graph-quality": report}, {}, Last())
    assert page.count("weak judge, kappa 0.00") == 1
    assert "llm:weak is too weak a judge of entailment" in page
    assert "something is not known." in page
