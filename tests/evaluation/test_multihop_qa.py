from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

from kg_pipeline.cli.app import app
from kg_pipeline.errors import BenchmarkFileError, SettingsError
from kg_pipeline.graph.reader import GraphReader, Manifest
from kg_pipeline.settings import load_settings
from retrieval.answer import Answer, Citation, EvidenceEdge, EvidenceGraph
from retrieval.evaluation.agreement import agreement, judge_agreement
from retrieval.evaluation.biomedhop.build import Built
from retrieval.evaluation.biomedhop.items import Item, write_items
from retrieval.evaluation.biomedhop.patterns import load_patterns
from retrieval.evaluation.methods import make_method
from retrieval.evaluation.multihop_qa import benchmark
from retrieval.evaluation.multihop_qa.ablations import compare
from retrieval.evaluation.multihop_qa.benchmark import QaSettings, load_sample, run_benchmark
from retrieval.evaluation.multihop_qa.journal import Journal
from retrieval.evaluation.multihop_qa.outcomes import (
    Outcome,
    answer_read,
    path_overlap,
    path_read,
    source_label,
    verifying_sources,
)
from retrieval.evaluation.multihop_qa.predictions import predict_count, predict_entity, predict_option
from retrieval.evaluation.multihop_qa.published import MAIN
from retrieval.evaluation.multihop_qa.running import run_method, sample
from retrieval.evaluation.multihop_qa.summary import overlap_bin, summarise
from retrieval.evaluation.page.figures import figures_of
from retrieval.evaluation.page.html import render_page
from retrieval.evaluation.page.last import Last
from retrieval.evaluation.readers_of_graphs import PlainNames, Thinned, WithSources
from retrieval.evaluation.verification import (
    Judgement,
    RuleJudge,
    judge_all,
    require_independent,
    verifier_table,
)
from retrieval.graph import Graph
from retrieval.methods.context import CachedEmbedder, Context
from retrieval.methods.registry import UnknownMethodError
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.trace import Trace
from tests.evaluation.conftest import Small
from tests.evaluation.words import Words
from tests.retrieval.memory_graph import split

PATTERNS = load_patterns()


def context_of(reader: GraphReader, *_: object) -> Context:
    """What methods work with, without a model."""
    embedder = CachedEmbedder(Words())
    return Context(reader, embedder, split, ExtractiveReasoner(reader, embedder, split))


@pytest.fixture(scope="module")
def graph(small: Small) -> Graph:
    return Graph(context_of(small.reader))


@pytest.fixture
def pair(built: Built) -> Item:
    return next(item for item in built.items if item.family == "entity_pair")


def answering(text: str = "", **more: Any) -> Answer:
    return Answer(
        question="?",
        text=text,
        answered=bool(text or more.get("items") or more.get("option")),
        sentences=(),
        citations=more.pop("citations", ()),
        verdict=None,
        method="m",
        reasoner="extractive",
        corpus="small",
        version="v",
        **more,
    )


def cited(chunk_id: str, kind: str, quote: str = "q") -> Citation:
    return Citation(1, "A", "", "", chunk_id, 0, 1, quote, kind)  # type: ignore[arg-type]


def outcome(item: Item, score: float = 1.0, **more: Any) -> Outcome:
    values: dict[str, Any] = {
        "item_id": item.item_id,
        "family": item.family,
        "pattern": item.pattern,
        "format": "open",
        "method": "m",
        "score": score,
        "prediction": item.answers[0].name,
        "answered": True,
        "sources": frozenset({"kg"}),
        "overlap": 1.0,
        "calls": 1,
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "text": "",
        "quotes": (),
    }
    return Outcome(**(values | more))


def test_an_option_is_read_by_letter_or_by_the_one_name_in_the_text() -> None:
    options = ["balina", "corin", "denate", "firum"]
    assert predict_option(answering(option="C"), options).option == 2
    assert predict_option(answering("It is Corin. [3]"), options).option == 1
    assert predict_option(answering("Corin or denate."), options).option is None
    assert predict_option(replace(answering("corin"), answered=False), options).option is None


def test_a_count_is_not_a_mark_of_citation() -> None:
    assert predict_count(answering("There are three of them. [1][12]")).count == 3
    assert predict_count(answering("Many. [7]")).count is None
    assert predict_count(answering("The evidence names them.", items=("a", "b"))).count == 2


def test_two_names_of_one_thing_count_once(built: Built, small: Small) -> None:
    item = next(i for i in built.items if i.family == "count" and i.count == 2)
    one, other = item.answers
    alias = next(name for name in one.accepted if name not in (one.name, one.entity_id))

    class Listing:
        name = "listing"

        def __init__(self, *items: str) -> None:
            self.items = items

        async def answer(self, question: str, context: Context) -> Answer:
            return answering("They are listed.", items=self.items)

    def score(*items: str) -> float:
        (found,) = run_method(Graph(context_of(small.reader)), [item], Listing(*items), PATTERNS)
        return found.score

    assert score(one.name, other.name) == score(alias, one.name, other.name) == 1.0
    assert score(one.name, alias) == 0.0


@pytest.mark.parametrize("text", ["a\u2028b\x85c", "cut \ud83d", "two\nlines"])
def test_a_journal_gives_any_text_back(tmp_path: Path, pair: Item, text: str) -> None:
    Journal(tmp_path / "j.jsonl", "this").keep(outcome(pair, text=text))
    assert Journal(tmp_path / "j.jsonl", "this").find(pair.item_id, "open") == outcome(pair, text=text)


@pytest.mark.parametrize(
    "line", ["[" * 100_000, '{"of": "this"}', '{"of": "this", "outcome": {"item_id": 3}}', "\x00"]
)
def test_lines_of_a_journal_that_are_no_outcomes_are_passed_over(
    tmp_path: Path, pair: Item, line: str
) -> None:
    Journal(tmp_path / "j.jsonl", "this").keep(outcome(pair))
    with (tmp_path / "j.jsonl").open("a") as file:
        file.write("\n" + line)
    Journal(tmp_path / "j.jsonl", "this").keep(outcome(pair, item_id="i2"))
    journal = Journal(tmp_path / "j.jsonl", "this")
    assert [journal.find(one, "open") for one in (pair.item_id, "i2")] == [
        outcome(pair),
        outcome(pair, item_id="i2"),
    ]


def test_answers_that_a_journal_has_are_not_asked_for_again(pair: Item, small: Small, tmp_path: Path) -> None:
    class Counting:
        name = "counting"
        asked = 0

        async def answer(self, question: str, context: Context) -> Answer:
            self.asked += 1
            if self.asked == 2:
                raise KeyboardInterrupt
            return answering(pair.answers[0].name, citations=(cited("c", "passage", "a “quote”"),))

    def run(method: Counting, of: str = "this") -> list[Outcome]:
        graph = Graph(context_of(small.reader))
        return run_method(graph, [pair], method, PATTERNS, journal=Journal(tmp_path / "j.jsonl", of))

    stopped, again, other = Counting(), Counting(), Counting()
    with pytest.raises(KeyboardInterrupt):
        run(stopped)
    with (tmp_path / "j.jsonl").open("a") as file:
        file.write('\n{"of": "this", "outco')  # a line that was cut
    found = run(again)
    assert again.asked == 1
    assert found[0] == Journal(tmp_path / "j.jsonl", "this").find(pair.item_id, "mcq")
    assert found[0].sources == {"doc"}
    assert found[0].quotes == ("a “quote”",)
    assert run(Counting())[1] == found[1]
    with pytest.raises(KeyboardInterrupt):
        run(other, "that")  # made with something else: everything is asked


def test_an_entity_is_the_first_of_the_type_that_the_question_does_not_name(pair: Item, small: Small) -> None:
    asked, answer = pair.exposed[0], pair.answers[0]
    entities = {asked.entity_id: asked.name, answer.entity_id: answer.name}
    text = f"{asked.name} is like {answer.accepted[-1] if len(answer.accepted) > 2 else answer.name}."
    told = answering(text, graph=EvidenceGraph(entities=entities))
    alias = next(name for name in answer.accepted if name != answer.name)
    assert (
        predict_entity(
            answering(f"{asked.name} and {alias}.", graph=told.graph), pair, PATTERNS, small.reader
        ).text
        == answer.name
    )
    assert (
        predict_entity(answering(f"{asked.name} alone.", graph=told.graph), pair, PATTERNS, small.reader).text
        == ""
    )
    assert (
        predict_entity(answering("Listed.", items=("other",)), pair, PATTERNS, small.reader).text == "other"
    )


def test_overlap_is_the_share_of_gold_edges_in_the_evidence_graph(pair: Item) -> None:
    def edge(relation_id: str) -> EvidenceEdge:
        return EvidenceEdge(relation_id, "a", "causes", "b", "asserted", negated=False, citations=())

    first = edge(pair.gold[0].relation_ids[0])
    assert path_overlap(answering("x", graph=EvidenceGraph(edges=(first, edge("other")))), pair) == 0.5
    assert path_overlap(answering("x"), pair) == 0.0
    # An edge that is on the way to several answers is one edge.
    twice = pair.model_copy(
        update={"gold": (*pair.gold, pair.gold[0].model_copy(update={"answer_id": "other"}))}
    )
    assert path_overlap(answering("x", graph=EvidenceGraph(edges=(first,))), twice) == 0.5
    assert [overlap_bin(ratio) for ratio in (0.0, 0.5, 0.75, 1.0)] == ["0", "(0, 0.5]", "(0.5, 1)", "1"]


def test_what_was_read_is_told_apart_from_what_is_cited(pair: Item, small: Small) -> None:
    def refused(*, passages: tuple[str, ...] = (), relations: tuple[str, ...] = ()) -> Answer:
        return answering(trace=Trace(passages=passages, relations=relations))

    edge = next(edge for edge in pair.gold if pair.answers[0].entity_id in (edge.source_id, edge.target_id))
    assert path_read(refused(relations=edge.relation_ids), pair) == 0.5
    assert path_read(refused(), pair) == answer_read(refused(), pair, small.reader) == 0.0
    assert answer_read(refused(relations=edge.relation_ids), pair, small.reader) == 1.0
    chunk = small.reader.chunks_of([pair.answers[0].entity_id])[pair.answers[0].entity_id][0]
    assert answer_read(refused(passages=(chunk,)), pair, small.reader) == 1.0


def test_sources_are_what_is_cited() -> None:
    both = answering("x", citations=(cited("c1", "relation"), cited("c2", "passage")))
    assert source_label(verifying_sources(both)) == "KG-Doc"
    three = answering("x", citations=(*both.citations, cited("web:t:1", "passage")))
    assert source_label(verifying_sources(three)) == "3-source"
    assert source_label(verifying_sources(answering("x"))) == "none"


def test_the_overall_average_is_that_of_the_families(built: Built) -> None:
    pair, count = (next(i for i in built.items if i.family == family) for family in ("entity_pair", "count"))
    found = summarise(
        [
            outcome(pair, 1.0, format="mcq"),
            outcome(pair, 0.0, format="open"),
            outcome(count, 1.0, format="count"),
            outcome(count, 0.0, format="count", item_id="other"),
            outcome(count, 0.0, format="count", item_id="third"),
        ]
    )
    assert found.families["entity_pair"].average.mean == 0.5
    assert found.families["count"].average.mean == pytest.approx(1 / 3)
    assert found.overall.mean == pytest.approx((0.5 + 1 / 3) / 2)
    assert (found.calls, found.tokens) == (1, 15)
    with pytest.raises(ValueError, match="no outcomes"):
        summarise([])


def test_sources_and_overlaps_are_shares_of_the_right_answers(pair: Item) -> None:
    rows = [
        outcome(pair, 1.0, sources=frozenset({"kg"}), overlap=1.0),
        outcome(pair, 1.0, sources=frozenset({"kg", "doc"}), overlap=0.75),
        outcome(pair, 1.0, sources=frozenset({"kg", "doc"}), overlap=0.5),
        outcome(pair, 1.0, sources=frozenset({"kg", "doc", "web"}), overlap=0.5),
        outcome(pair, 0.0, sources=frozenset({"web"}), overlap=0.0),
    ]
    found = summarise(rows)
    assert found.sources["entity_pair"] == {"3-source": 0.25, "KG": 0.25, "KG-Doc": 0.5}
    assert found.overlap["entity_pair"] == {"(0, 0.5]": 0.5, "(0.5, 1)": 0.25, "1": 0.25}


def test_the_page_tells_what_right_answers_rest_on(pair: Item) -> None:
    rows = [
        outcome(pair, 1.0, sources=frozenset({"kg"}), overlap=1.0),
        outcome(pair, 1.0, sources=frozenset({"kg", "doc"}), overlap=0.5),
        outcome(pair, 0.0, sources=frozenset({"web"}), overlap=0.0),
    ]
    row = {
        "method": "m",
        "condition": "kg+doc",
        "completeness": 1.0,
        "summary": summarise(rows).to_json(),
        "verification": {},
        "judge_agreement": {"a and b": {"answer": {"n": 3, "share": 0.75, "kappa": None}}},
        "outcomes": [{"family": one.family, "score": one.score} for one in rows],
    }
    report = {"rows": [row], "answering": "extractive", "items": 3}
    shown = {
        (figure.row.rpartition(": ")[2], figure.metric): (figure.value, figure.n)
        for figure in figures_of("sources", report)
    }
    assert shown["pair", "KG"] == shown["pair", "KG-Doc"] == shown["pair", "ratio 1"] == (0.5, 2)
    assert ("pair", "Web") not in shown  # of a wrong answer
    assert shown["a and b", "answer"] == (0.75, 3)
    page = render_page({"sources": report}, {}, Last())
    columns = page[page.index("What right answers rest on") :]
    assert columns.index("<th>KG</th>") < columns.index("<th>Doc</th>") < columns.index("<th>3-source</th>")
    assert "figure 5 of the BioWeave paper" in page


def test_published_averages_are_those_of_their_columns() -> None:
    for figures in MAIN.values():
        families = [*np.mean(np.reshape(figures[:6], (3, 2)), axis=1), figures[6]]
        assert figures[7] == pytest.approx(np.mean(families), abs=0.11)


def test_a_sample_takes_of_every_family(built: Built) -> None:
    taken = sample(built.items, 8, 0)
    assert [item.family for item in taken].count("count") == 2
    assert taken == sample(built.items, 8, 0)
    assert len(sample(built.items, 10_000, 0)) == len(built.items)


def test_the_graph_answers_what_was_built_from_it(graph: Graph, built: Built) -> None:
    items = [item for item in built.items if item.family in ("entity_pair", "intersection")]
    items = [item for item in items if item.answer_type == "Disease"][-2:]
    outcomes = run_method(graph, items, make_method("bioweave"), PATTERNS)
    assert len(outcomes) == 4
    assert summarise(outcomes).overall.mean >= 0.8
    right = [o for o in outcomes if o.score == 1.0]
    assert all(o.answered and o.quotes for o in right)


def test_hidden_relations_cost_a_method_its_answers(graph: Graph, built: Built, small: Small) -> None:
    items = [item for item in built.items if item.family == "intersection"][:1]
    hidden = Graph(graph.context.over(WithSources(small.reader, ())))
    seen = summarise(run_method(graph, items, make_method("bioweave"), PATTERNS)).overall.mean
    assert summarise(run_method(hidden, items, make_method("bioweave"), PATTERNS)).overall.mean < seen


def test_egot_without_thoughts_retrieves_once_for_the_question(graph: Graph, pair: Item) -> None:
    answer = graph.ask(pair.stem, make_method("egot-no-thoughts"))
    assert [thought.text for thought in answer.trace.thoughts] == [pair.stem]
    assert answer.usage.calls < graph.ask(pair.stem, "egot").usage.calls


def test_without_conversion_no_sentence_is_a_hop(graph: Graph, pair: Item, small: Small) -> None:
    documents_only = Graph(graph.context.over(WithSources(small.reader, {"doc"})))
    item = pair.multiple_choice
    assert documents_only.ask(item, "bioweave").option == pair.correct
    bare = documents_only.ask(item, make_method("bioweave-no-conversion"))
    assert "path" not in {step.action for step in bare.trace.steps}


def test_a_method_that_does_not_exist_is_named() -> None:
    with pytest.raises(UnknownMethodError, match="egot-no-thoughts"):
        make_method("egot-no-thought")


def test_a_thinned_graph_keeps_what_a_thinner_one_keeps(small: Small, built: Built) -> None:
    ids = sorted({r for item in built.items for edge in item.gold for r in edge.relation_ids})
    kept = {}
    for share in (0.0, 0.3, 0.8, 1.0):
        reader = Thinned(small.folder, share, seed=5)
        kept[share] = {relation.relation_id for relation in reader.relations(ids)}
        entities = [entity.entity_id for item in built.items[:20] for entity in item.exposed]
        around = set(reader.neighbours(entities))
        assert around <= {r.relation_id for r in reader.relations(sorted(around))}
        assert {row.relation_id for row in reader.evidence(ids)} == kept[share]
        assert set(reader.expand(entities, depth=2).relation_ids) <= set(
            small.reader.neighbours(list(reader.expand(entities, depth=2).depths))
        )
        reader.close()
    assert kept[0.0] == set()
    assert kept[0.3] < kept[0.8] < kept[1.0] == set(ids)
    assert 0.15 < len(kept[0.3]) / len(ids) < 0.45
    with pytest.raises(ValueError, match="between 0 and 1"):
        Thinned(small.folder, 1.5)


def test_an_inferred_relation_falls_with_a_premise(tmp_path: Path) -> None:
    from kg_pipeline.graph.versions.store import VersionStore
    from tests.retrieval.lupus_graph import lupus
    from tests.retrieval.snapshot import publish

    settings = load_settings({"KG_HOME": str(tmp_path)})
    version = publish(lupus(Words()), settings, "lupus", Words()).version
    folder = VersionStore(settings.graphs).folder("lupus", version)
    whole = VersionStore(settings.graphs).open("lupus")
    ids = whole.neighbours(["C5", "C8", "C7"])
    inferred = [r for r in whole.relations(ids) if r.premises]
    assert inferred
    seen = set()
    for seed in range(12):
        reader = Thinned(folder, 0.5, seed=seed)
        for relation in inferred:
            premises = len(reader.relations(relation.premises)) == len(relation.premises)
            assert bool(reader.relations([relation.relation_id])) == premises
            seen.add(premises)
    assert seen == {True, False}
    whole.close()


def test_sources_that_are_not_shown_are_empty(small: Small, built: Built) -> None:
    entity = built.items[0].exposed[0].entity_id
    no_text = WithSources(small.reader, {"kg"})
    assert no_text.search_text("chunk", "the", 5) == []
    assert no_text.chunks_of([entity]) == {}
    assert no_text.neighbours([entity]) == small.reader.neighbours([entity])
    no_graph = WithSources(small.reader, {"doc"})
    assert no_graph.neighbours([entity]) == []
    assert no_graph.expand([entity], depth=2).relation_ids == ()
    assert no_graph.chunks_of([entity]) == small.reader.chunks_of([entity])


def test_plain_names_are_found_by_themselves_only(small: Small, built: Built) -> None:
    entity = built.items[0].exposed[0]
    alias = next(name for name in entity.accepted if name not in (entity.name, entity.entity_id))
    bare = PlainNames(small.reader)
    assert bare.find_entities(entity.name.upper()) == [entity.entity_id]
    assert small.reader.find_entities(alias) == [entity.entity_id]
    assert bare.find_entities(alias) == []


def test_the_answering_model_does_not_judge_itself() -> None:
    require_independent("llm:a", "llm:b")
    require_independent("rules", "extractive")
    for judge in ("llm:a", "llm:A", "llm:maker/a"):
        with pytest.raises(SettingsError, match="must not judge its own"):
            require_independent(judge, "llm:a")


def test_the_model_that_extracted_the_graph_does_not_judge_it(small: Small) -> None:
    graph = replace_models(small.reader.manifest, llm="a")
    require_independent("llm:b", "extractive", graph)
    require_independent("llm:a", "extractive", small.reader.manifest)
    with pytest.raises(SettingsError, match="extracted the graph"):
        require_independent("llm:a", "extractive", graph)


async def test_rules_judge_by_names_and_gold_relations(pair: Item) -> None:
    names = " ".join(entity.name for entity in (*pair.exposed, pair.answers[0]))
    cases = {
        "none": outcome(pair, quotes=(names,)),
        "missing_evidence": outcome(pair, 0.0, answered=False, prediction=""),
        "format_error": outcome(pair, 0.0, prediction="", quotes=(names,)),
        "unsupported_answer": outcome(pair, 0.0, prediction="xyz"),
        "distractor_confusion": outcome(
            pair, 0.0, format="mcq", prediction=pair.exposed[0].name, quotes=(names,)
        ),
        "wrong_hop": outcome(pair, 0.0, prediction=pair.exposed[0].name, quotes=(names,), overlap=0.5),
        "entity_grounding": outcome(pair, 0.0, prediction=pair.exposed[0].name, quotes=(names,), overlap=0.0),
    }
    found = await judge_all(RuleJudge(), {pair.item_id: pair}, list(cases.values()))
    assert [judgement.error_type for judgement in found if judgement] == list(cases)
    table = verifier_table(list(cases.values()), found)
    means = table["families"]["entity_pair"]
    # Five of the seven cite all names, so that they are supported; the overlap is 1 but for 0.5 and 0.
    assert means["answer"]["mean"] == pytest.approx(1 / 7)
    assert means["supported"]["mean"] == pytest.approx(5 / 7)
    assert means["reasoning"]["mean"] == pytest.approx((5 + 0.5 + 0.0) / 7)
    assert means["answer"]["low"] == 0.0 < means["answer"]["high"] < 1.0
    assert table["errors"] == dict.fromkeys(sorted(set(cases) - {"none"}), 1 / 6)


def test_errors_are_shares_of_the_wrong_answers(pair: Item) -> None:
    def verdict(*, correct: bool, error: str) -> Judgement:
        values = {"answer_correct": correct, "evidence_support": 0.2, "reasoning_completeness": 0.5}
        return Judgement.model_validate(values | {"error_type": error})

    judged = [
        verdict(correct=True, error="missing_evidence"),  # right, whatever its evidence
        verdict(correct=False, error="wrong_hop"),
        verdict(correct=False, error="none"),  # wrong, and nothing wrong with it
        None,
    ]
    table = verifier_table([outcome(pair)] * 4, judged)
    assert table["errors"] == {"judge_instability": 0.5, "wrong_hop": 0.5}
    assert (table["judged"], table["refused"]) == (3, 1)


def test_kappa_takes_chance_out() -> None:
    # The textbook's 50 applications: 20 yes-yes, 15 no-no, 5 yes-no, 10 no-yes give kappa 0.4.
    one = ["yes"] * 25 + ["no"] * 25
    other = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    found = agreement(one, other)
    assert (found.n, found.share) == (50, 0.7)
    assert found.kappa == pytest.approx(0.4)
    assert agreement(["a"], ["a"]).kappa is None
    with pytest.raises(ValueError, match="pairs"):
        agreement([], [])


def test_judges_are_compared_on_what_both_have_judged() -> None:
    def verdict(*, correct: bool, error: str) -> Judgement:
        return Judgement.model_validate(
            {
                "answer_correct": correct,
                "evidence_support": 0.9,
                "reasoning_completeness": 0.1,
                "error_type": error,
            }
        )

    one = [verdict(correct=True, error="none"), verdict(correct=False, error="wrong_hop"), None]
    other = [verdict(correct=True, error="none"), verdict(correct=False, error="counting"), one[0]]
    found = judge_agreement(one, other)
    assert (found["answer"]["n"], found["answer"]["share"], found["error_type"]["share"]) == (2, 1.0, 0.5)
    assert judge_agreement([None], [one[0]]) == {}


def replace_models(manifest: Manifest, **models: str) -> Manifest:
    return manifest.model_copy(update={"models": {**manifest.models, **models}})


def test_an_ablation_is_compared_question_by_question(built: Built) -> None:
    pair, count = (next(i for i in built.items if i.family == family) for family in ("entity_pair", "count"))
    full = [
        outcome(pair, 1.0, format="mcq"),
        outcome(pair, 1.0, format="open"),
        outcome(count, 1.0, format="count"),
        outcome(count, 0.0, format="count", item_id="other"),
    ]
    without = [
        outcome(pair, 1.0, format="mcq", method="x"),
        outcome(pair, 0.0, format="open", method="x", text="nothing", path_read=0.5),
        outcome(count, 0.0, format="count", method="x", quotes=("another",)),
        outcome(count, 0.0, format="count", method="x", item_id="other"),
    ]
    found = compare(full, without)
    assert (found.method, found.full) == ("x", "m")
    # Pairs lose half (MCQ 0, open 1), counts lose half (1 and 0): so does their mean.
    assert found.loss.mean == pytest.approx(0.5)
    assert found.mcq is not None
    assert found.open is not None
    assert found.count is not None
    assert (found.mcq.mean, found.open.mean, found.count.mean, found.same) == (1.0, 0.0, 0.0, 0.5)
    # Both refuse to say what a path was read of; that of the pair is half read in one of two formats.
    assert found.read["path_read"].mean == pytest.approx(0.125)
    assert found.read_losses["path_read"].mean == pytest.approx(-0.125)
    assert (compare(full, full).loss.mean, compare(full, full).same) == (0.0, 1.0)
    with pytest.raises(ValueError, match="same questions"):
        compare(full, without[:3])


@pytest.fixture
def items_file(built: Built, tmp_path: Path) -> Path:
    chosen = [item for item in built.items if item.answer_type == "Disease" and item.family == "intersection"]
    write_items(tmp_path / "items.jsonl", chosen[:1])
    return tmp_path / "items.jsonl"


def test_the_command_prints_a_table_and_writes_a_report(
    small: Small, items_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_HOME", str(small.settings.home))
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setattr(
        benchmark, "make_context", context_of
    )  # else most of the time goes into loading models
    methods = "egot,egot-no-thoughts"
    arguments = ["bench", "multihop-qa", str(items_file), "--methods", methods, "--judge", "rules"]
    arguments += ["--completeness", "0,100", "--output", str(tmp_path / "report.json")]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    report = json.loads((tmp_path / "report.json").read_text())
    assert [row["completeness"] for row in report["rows"]] == [0.0, 0.0, 1.0, 1.0]
    assert report["rows"][0]["summary"]["overall"]["mean"] <= report["rows"][2]["summary"]["overall"]["mean"]
    assert report["rows"][2]["verification"]["rules"]["judged"] == 2
    assert {"versions", "hardware", "settings", "published", "bootstrap", "llm"} <= set(report)
    compared = [(row["method"], row["completeness"]) for row in report["ablations"]]
    assert compared == [(name, share) for share in (0.0, 1.0) for name in ("egot", "egot-no-thoughts")]
    assert "eGoT wins overall: Legal 63.0, Agriculture 66.0, Mix 64.35" in result.output
    assert "published: BioWeave" in result.output
    shown = figures_of("multihop-qa", report)
    assert {figure.metric for figure in shown} >= {
        *("overall of 1 families", "intersection MCQ", "intersection open"),
        *("loss", "same answers", "Evid.", "calls", "tokens", "seconds"),
    }
    assert len({figure.key for figure in shown}) == len(shown)
    page = render_page({"completeness": report}, {}, Last())
    assert "published: BioWeave, 0%" in page
    drawn = ElementTree.fromstring(page[page.index("<svg") : page.index("</svg>")] + "</svg>")
    dots = [dot.get("cx") for dot in drawn.iter("circle")]
    # Two methods over none and all of the relations, and the two ends that were published.
    assert (dots.count("48.0"), dots.count("508.0")) == (3, 3)


def test_an_empty_file_of_items_is_refused(tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").write_text("")
    with pytest.raises(BenchmarkFileError, match="holds no items"):
        load_sample(tmp_path / "items.jsonl", 5, 0)


def test_a_judge_that_answers_is_refused_before_anything_is_asked(small: Small, items_file: Path) -> None:
    settings = load_settings(
        {"KG_HOME": str(small.settings.home), "KG_LLM_BASE_URL": "http://127.0.0.1:9/v1", "KG_LLM_MODEL": "m"}
    )
    with pytest.raises(SettingsError, match="must not judge"):
        run_benchmark(items_file, settings, QaSettings(methods=("naive",), judges=("m",)))
