from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.corpora import shard_keys
from kg_pipeline.datasets import Datasets
from kg_pipeline.errors import LlmUnavailable, MalformedError
from kg_pipeline.incremental import ArticleOutput, StageReport, input_digests, one_by_one, run_shard


def output(article: str, content: str, status: str = "ok") -> ArticleOutput:
    rows = [
        {"article_id": article, "chunk_id": f"{article}:{i}", "reason": "r", "detail": c, "extractor": "e"}
        for i, c in enumerate(content)
    ]
    return ArticleOutput(article, {"rejects": rows}, status=status)


class Stage:
    """Copies the content of each article and remembers what it was asked for."""

    def __init__(self, datasets: Datasets, fingerprint: str = "f") -> None:
        self.datasets, self.fingerprint = datasets, fingerprint
        self.asked: list[str] = []

    def run(self, articles: Mapping[str, str], status: str = "ok") -> StageReport:
        def process(ids: Sequence[str]) -> Iterable[ArticleOutput]:
            self.asked = list(ids)
            return [output(article, articles[article], status) for article in ids]

        return run_shard(
            self.datasets, stage="copy", corpus="c", shard="00", inputs=articles, fingerprint=self.fingerprint,
            outputs=["rejects"], process=process,
        )  # fmt: skip

    def bytes(self) -> list[bytes]:
        return [self.datasets.path(name, "c", "00").read_bytes() for name in ("rejects", "copy.status")]


def test_only_what_changed_is_computed(tmp_path: Path) -> None:
    stage = Stage(Datasets(tmp_path))
    stage.run({"A": "x", "B": "y"})
    report = stage.run({"A": "x", "B": "z", "C": "w"})
    assert stage.asked == ["B", "C"]
    assert (report.computed, report.reused, report.articles) == (2, 1, 3)


class Held(list):
    """Rows that can be seen to be let go."""


def test_the_rows_of_few_articles_are_held_at_a_time(tmp_path: Path) -> None:
    made: list[weakref.ref[Held]] = []
    held = []

    def process(ids: Sequence[str]) -> Iterable[ArticleOutput]:
        for article in ids:
            rows = Held(output(article, "x").rows["rejects"])
            made.append(weakref.ref(rows))
            held.append(sum(reference() is not None for reference in made))
            yield ArticleOutput(article, {"rejects": rows})

    articles = {f"P{number:03d}": "x" for number in range(200)}
    datasets = Datasets(tmp_path)
    run_shard(
        datasets, stage="copy", corpus="c", shard="00", inputs=articles, fingerprint="f",
        outputs=["rejects"], process=process,
    )  # fmt: skip
    assert datasets.read("rejects", "c", "00")["article_id"].to_list() == sorted(articles)
    assert max(held) < 40


def test_a_new_fingerprint_computes_everything(tmp_path: Path) -> None:
    Stage(Datasets(tmp_path)).run({"A": "x"})
    stage = Stage(Datasets(tmp_path), fingerprint="g")
    stage.run({"A": "x"})
    assert stage.asked == ["A"]


@pytest.mark.parametrize("status", ["partial", "failed"])
def test_what_did_not_succeed_is_tried_again(tmp_path: Path, status: str) -> None:
    stage = Stage(Datasets(tmp_path))
    stage.run({"A": "x"}, status=status)
    stage.run({"A": "x"})
    assert stage.asked == ["A"]


def test_one_run_over_all_shards_tries_just_those_again_that_failed(tmp_path: Path) -> None:
    datasets, asked = Datasets(tmp_path), []

    def run(shard: str, broken: Sequence[str]) -> StageReport:
        def process(ids: Sequence[str]) -> Iterable[ArticleOutput]:
            asked.extend(ids)
            return [output(one, "x", "failed" if shard in broken else "ok") for one in ids]

        return run_shard(
            datasets, stage="copy", corpus="c", shard=shard, inputs={f"PMC{shard}1": "x", f"PMC{shard}2": "x"},
            fingerprint="f", outputs=["rejects"], process=process,
        )  # fmt: skip

    broken = ["01", "07", "30"]
    first = [run(shard, broken) for shard in shard_keys(64)]
    assert [report.shard for report in first if report.failed] == broken
    asked.clear()
    again = [run(shard, []) for shard in shard_keys(64)]
    assert asked == [f"PMC{shard}{number}" for shard in broken for number in (1, 2)]
    assert sum(report.failed for report in again) == 0


@pytest.mark.parametrize("dataset", ["rejects", "copy.status"])
@pytest.mark.parametrize("content", [None, b"", b"PAR1 cut short"])
def test_a_lost_or_damaged_table_is_made_again(tmp_path: Path, dataset: str, content: bytes | None) -> None:
    stage = Stage(Datasets(tmp_path))
    stage.run({"A": "x", "B": "y"})
    path = stage.datasets.path(dataset, "c", "00")
    path.unlink() if content is None else path.write_bytes(content)
    stage.run({"A": "x", "B": "y", "C": "z"})
    assert stage.datasets.read("rejects", "c", "00")["article_id"].to_list() == ["A", "B", "C"]


def test_an_empty_shard_is_written_once(tmp_path: Path) -> None:
    stage = Stage(Datasets(tmp_path))
    stage.run({})
    assert stage.datasets.read("rejects", "c", "00").is_empty()
    modified = stage.datasets.path("rejects", "c", "00").stat().st_mtime_ns
    stage.run({})
    assert stage.datasets.path("rejects", "c", "00").stat().st_mtime_ns == modified


def test_the_next_stage_sees_a_change_and_not_a_failure(tmp_path: Path) -> None:
    stage = Stage(Datasets(tmp_path))
    stage.run({"A": "x", "B": "y"})
    before = input_digests(stage.datasets, "copy", "c", "00")
    stage.run({"A": "x", "B": "z"})
    after = input_digests(stage.datasets, "copy", "c", "00")
    assert before["A"] == after["A"]
    assert before["B"] != after["B"]
    stage.run({"A": "x", "B": "q"}, status="failed")
    assert set(input_digests(stage.datasets, "copy", "c", "00")) == {"A"}


def test_an_article_that_fails_is_a_row_and_a_service_that_fails_is_not() -> None:
    def process(article: str) -> ArticleOutput:
        if article == "bad":
            raise MalformedError("it is cut short")
        if article == "bug":
            raise KeyError("x")
        if article == "down":
            raise LlmUnavailable("no answer")
        return ArticleOutput(article)

    outputs = list(one_by_one(process)(["bad", "bug", "good"]))
    assert [(o.status, o.reason) for o in outputs] == [
        ("failed", "it is cut short"),
        ("failed", "KeyError: 'x'"),
        ("ok", ""),
    ]
    with pytest.raises(LlmUnavailable):
        list(one_by_one(process)(["down"]))


CORPORA = st.dictionaries(st.sampled_from("ABCDEF"), st.text("xyz", max_size=3), max_size=6)


@settings(max_examples=40, deadline=None)
@given(st.lists(CORPORA, min_size=1, max_size=4))
def test_any_history_ends_in_the_bytes_of_a_single_build(history: list[dict[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        evolved, fresh = Stage(Datasets(Path(folder, "a"))), Stage(Datasets(Path(folder, "b")))
        for articles in history:
            evolved.run(articles)
        fresh.run(history[-1])
        assert evolved.bytes() == fresh.bytes()
