"""Evidence of the web: found by a search service on loopback, kept, replayed, and shown where a condition says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kg_pipeline.errors import SettingsError
from retrieval.evaluation.biomedhop import web_evidence
from retrieval.evaluation.biomedhop.build import Built
from retrieval.evaluation.biomedhop.items import Item, write_items
from retrieval.evaluation.biomedhop.web_evidence import ItemsWeb, search_web
from retrieval.evaluation.methods import make_method, with_web
from retrieval.evaluation.multihop_qa import benchmark
from retrieval.evaluation.multihop_qa.benchmark import QaSettings, run_benchmark
from retrieval.evaluation.readers_of_graphs import WithSources
from retrieval.graph import Graph
from retrieval.web import EuropePmc
from tests.evaluation.conftest import Small
from tests.evaluation.test_multihop_qa import context_of
from tests.retrieval.test_web import Service, service

__all__ = ["service"]


@pytest.fixture
def item(built: Built) -> Item:
    return next(i for i in built.items if i.family == "intersection" and i.answer_type == "Disease")


@pytest.fixture
def searched(item: Item, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Item]:
    names = {e.entity_id: e.name for e in (*item.exposed, *item.answers)}
    told = " ".join(f"{names[e.source_id]} {e.phrase} {names[e.target_id]}." for e in item.gold)
    record = {"source": "MED", "id": "1", "title": "A cohort", "abstractText": told}
    service.replies = [(200, json.dumps({"resultList": {"result": [record]}}).encode())]
    monkeypatch.setattr(web_evidence, "SERVICES", {"europe-pmc": lambda: EuropePmc(service.url)})
    return search_web([item], ["europe-pmc"], tmp_path / "web")


def test_searches_are_kept_and_replayed(
    item: Item, searched: list[Item], service: Service, tmp_path: Path
) -> None:
    (found,) = searched
    assert {unit.hop for unit in found.exposed_evidence("web")} == {1, 2, 3}
    assert all(unit.article_id == "MED/1" for unit in found.exposed_evidence("web"))
    asked = len(service.asked)
    service.replies = [(500, b"")]
    assert search_web([item], ["europe-pmc"], tmp_path / "web") == searched
    assert len(service.asked) == asked > 0
    with pytest.raises(SettingsError, match="no search service bing"):
        search_web([item], ["bing"], tmp_path)


async def test_what_was_recorded_is_searched_by_words(item: Item, searched: list[Item]) -> None:
    web = ItemsWeb([*searched, *searched])
    assert len(web) == 1
    (record,) = await web.search(item.stem, 5)
    assert (record.record_id, record.address) == ("MED/1", "https://europepmc.org/article/MED/1")
    assert await web.search("zzz", 5) == []


@pytest.mark.parametrize("name", ["bioweave", "bioweave-no-verification"])
def test_bioweave_searches_what_was_recorded(name: str, searched: list[Item], small: Small) -> None:
    (item,) = searched
    shown = Graph(context_of(small.reader).over(WithSources(small.reader, {"web"})))
    method = with_web(make_method(name), ItemsWeb(searched))
    steps = [step.reason for step in shown.ask(item.stem, method).trace.steps]
    assert "recorded web, 1 records" in steps
    without = [step.reason for step in shown.ask(item.stem, make_method(name)).trace.steps]
    assert not any(reason.startswith("recorded web") for reason in without)
    assert with_web(make_method("naive"), ItemsWeb(searched)).name == "naive"


def test_the_whole_benchmark_runs_over_the_web(
    searched: list[Item], small: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark, "make_context", context_of)
    write_items(tmp_path / "items.jsonl", searched)
    chosen = QaSettings(methods=("bioweave",), conditions=("web",))
    (row,) = run_benchmark(tmp_path / "items.jsonl", small.settings, chosen).rows
    # Neither relations nor passages are shown, so nothing but the web can be cited.
    assert {source for outcome in row.outcomes for source in outcome.sources} <= {"web"}


def test_a_web_that_was_not_recorded_is_not_shown_as_one(item: Item, small: Small, tmp_path: Path) -> None:
    write_items(tmp_path / "items.jsonl", [item])
    with pytest.raises(SettingsError, match="nothing from the web"):
        run_benchmark(tmp_path / "items.jsonl", small.settings, QaSettings(conditions=("kg", "hybrid")))
