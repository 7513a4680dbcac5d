"""What the stages read from the sample articles without a language model, against the triples they were written for.

The floors are a little below what is reached. What is missing there are names that the vocabulary does not know.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from kg_pipeline.corpora import DEMO, CorpusSpec, find_corpus
from kg_pipeline.datasets import Datasets
from kg_pipeline.pmc.stage import list_articles
from kg_pipeline.settings import load_settings
from kg_pipeline.stages import chunk_shard, extract_shard, fetch_shard, parse_shard, recognise_shard

pytestmark = pytest.mark.integration

SAMPLES = find_corpus(Path("absent.toml"), DEMO).source_path
EXPECTED = tomllib.loads((SAMPLES.parent / "expected.toml").read_text(encoding="utf-8"))
QUESTIONS = tomllib.loads((SAMPLES.parent / "questions.toml").read_text(encoding="utf-8"))["question"]
RETRACTED = "PMC99900013"
RECALL = 0.86  # 88 of 98 are found
#: What causes a molecule or cells is recorded as raising them.
READ_AS = {"causes": {"causes", "increases"}}
WORDS_OF_A_SENTENCE = 3  # a hop of fewer words is a cell of a table


@dataclass(frozen=True)
class Triple:
    article: str
    quote: str
    head: tuple[str, str]  # as written, and the form to standardise
    predicate: str
    tail: tuple[str, str]
    negated: bool
    speculative: bool
    extractor: str


@dataclass(frozen=True)
class Extracted:
    datasets: Datasets
    corpus: CorpusSpec

    def rows(self, name: str) -> list[dict[str, Any]]:
        return pl.concat(
            self.datasets.read_or_empty(name, self.corpus.name, shard)
            for shard in self.datasets.shards("documents", self.corpus.name)
        ).to_dicts()

    @cached_property
    def mentions(self) -> list[dict[str, Any]]:
        return self.rows("mentions") + self.rows("triple_mentions")

    @cached_property
    def texts(self) -> dict[str, str]:
        return {row["article_id"]: row["text"] for row in self.rows("documents")}

    @cached_property
    def triples(self) -> list[Triple]:
        names = {row["mention_id"]: (row["text"], row["normal_form"]) for row in self.mentions}
        return [
            Triple(
                article=row["article_id"],
                quote=row["quote"],
                head=names[row["head_mention_id"]],
                predicate=row["predicate"],
                tail=names[row["tail_mention_id"]],
                negated=row["negated"],
                speculative=row["speculative"],
                extractor=row["extractor"],
            )
            for row in self.rows("triples")
        ]

    def about(self, gold: dict[str, Any]) -> Iterator[Triple]:
        """Triples of the gold one's article that relate its ends in its way, whatever their polarity."""
        predicates = READ_AS.get(gold["predicate"], {gold["predicate"]})
        for triple in self.triples:
            if (
                triple.article == gold["article"]
                and triple.predicate in predicates
                and overlaps(gold["head"], triple.head)
                and overlaps(gold["tail"], triple.tail)
            ):
                yield triple

    def has(self, gold: dict[str, Any]) -> bool:
        flags = (gold.get("negated", False), gold.get("speculative", False))
        return any((each.negated, each.speculative) == flags for each in self.about(gold))

    def stated_by(self, article: str, words: str) -> list[Triple]:
        """Triples of the sentence that holds these words, or that the words hold."""
        return [
            triple
            for triple in self.triples
            if triple.article == article
            and (fold(words) in fold(triple.quote) or fold(triple.quote) in fold(words))
        ]


def fold(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def overlaps(surface: str, names: tuple[str, str]) -> bool:
    gold = fold(surface)
    return any(each in gold or gold in each for each in map(fold, names) if each)


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> Extracted:
    home = tmp_path_factory.mktemp("home")
    settings = load_settings({"KG_HOME": str(home), "KG_SHARDS": "1"})
    corpus = find_corpus(Path("absent.toml"), DEMO).model_copy(update={"extraction": "offline"})
    datasets = Datasets(settings.datasets)
    list_articles(datasets, corpus, settings)
    for shard in datasets.read("article_index", corpus.name)["shard"].unique().sort():
        for stage in (fetch_shard, parse_shard, chunk_shard, recognise_shard, extract_shard):
            assert stage(corpus, settings, shard).failed == 0
    return Extracted(datasets, corpus)


def test_most_of_the_expected_triples_are_extracted(extracted: Extracted) -> None:
    missing = [gold for gold in EXPECTED["triple"] if not extracted.has(gold)]
    assert len(missing) <= (1 - RECALL) * len(EXPECTED["triple"]), missing


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q["answered"]], ids=lambda q: q["id"])
def test_each_sentence_on_the_path_to_an_answer_gives_an_edge(
    extracted: Extracted, question: dict[str, Any]
) -> None:
    for hop in question["hops"]:
        if len(hop["quote"].split()) >= WORDS_OF_A_SENTENCE:
            assert extracted.stated_by(hop["article"], hop["quote"]), hop


def test_no_claim_of_the_retracted_article_is_extracted(extracted: Extracted) -> None:
    assert RETRACTED not in {triple.article for triple in extracted.triples}
    for gold in EXPECTED["forbidden"]:
        assert not [triple for triple in extracted.triples if overlaps(gold["head"], triple.head)]


@pytest.mark.parametrize("flag", ["negated", "speculative"])
def test_what_is_denied_or_only_suggested_is_never_stated(extracted: Extracted, flag: str) -> None:
    marked = [gold for gold in EXPECTED["triple"] if gold.get(flag)]
    found = [
        triple
        for gold in marked
        for triple in extracted.about(gold)
        if fold(gold["quote"]) in fold(triple.quote)
    ]
    assert len(found) >= len(marked) / 2
    assert all(getattr(triple, flag) for triple in found)


def test_two_articles_that_contradict_each_other_speak_of_the_same_things(extracted: Extracted) -> None:
    (question,) = (q for q in QUESTIONS if q["kind"] == "contradiction")
    yes, no = (extracted.stated_by(hop["article"], hop["quote"]) for hop in question["hops"])
    stated = {(fold(t.head[1]), t.predicate, fold(t.tail[1])) for t in yes if not t.negated}
    denied = {(fold(t.head[1]), t.predicate, fold(t.tail[1])) for t in no if t.negated}
    assert stated & denied


@pytest.mark.parametrize("gold", EXPECTED["short_form"], ids=lambda g: f"{g['article']}-{g['long']}")
def test_a_short_form_means_what_it_means_there(extracted: Extracted, gold: dict[str, Any]) -> None:
    start = extracted.texts[gold["article"]].index(gold["quote"])
    forms = {
        fold(row["normal_form"]).removesuffix("s")
        for row in extracted.mentions
        if row["article_id"] == gold["article"]
        and start <= row["start"] < start + len(gold["quote"])
        and row["text"] == gold["short"]
    }
    assert forms == {fold(gold["long"]).removesuffix("s")}


@pytest.mark.parametrize("gold", EXPECTED["table_fact"], ids=lambda g: g["row"][0])
def test_a_row_of_a_table_is_a_sentence_of_its_own(extracted: Extracted, gold: dict[str, Any]) -> None:
    pattern = ".*".join(re.escape(cell) for cell in gold["row"])
    assert re.search(pattern, extracted.texts[gold["article"]])


@pytest.mark.parametrize(("drug", "target"), [("Hydroxychloroquine", "TLR9"), ("Belimumab", "BAFF")])
def test_a_column_of_targets_gives_edges_marked_as_read_from_a_table(
    extracted: Extracted, drug: str, target: str
) -> None:
    assert [
        triple
        for triple in extracted.triples
        if (triple.head[0], triple.predicate, triple.tail[0]) == (drug, "targets", target)
        and triple.extractor == "table"
    ]
