from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.errors import BudgetExhausted, LlmUnavailable, SettingsError
from kg_pipeline.extraction.llm.answer import TripleAnswer, TripleItem
from kg_pipeline.extraction.triples import stage as triple_stage
from kg_pipeline.extraction.triples.stage import build_triples, language_model
from kg_pipeline.incremental import StageReport
from kg_pipeline.settings import LlmSettings, Settings, load_settings
from tests.extraction.stage_inputs import SHARD, write_inputs

TEXT = "Imatinib inhibits ABL1. Imatinib may inhibit KIT. ABL1 and KIT were measured."
NAMES = {"Imatinib": "biolink:Drug", "ABL1": "biolink:Gene", "KIT": "biolink:Gene"}
SENTENCES = [(0, 23), (24, 49), (50, len(TEXT))]


@pytest.fixture
def datasets(tmp_path: Path) -> Datasets:
    """One article of three sentences in two chunks that share the second one."""
    made = Datasets(tmp_path / "datasets")
    write(made, {"PMC1": TEXT})
    return made


def write(datasets: Datasets, texts: dict[str, str]) -> None:
    documents, chunks, mentions = [], [], []
    for article, text in texts.items():
        documents.append(
            {
                "article_id": article, "version": 1, "pmcid": article, "pmid": None, "doi": None, "title": "A title",
                "journal": "", "year": 2020, "article_type": "", "language": "en", "license_class": "unknown",
                "text": text, "sections": [], "paragraphs": [], "glossary": [], "tables": [], "formulas": 0,
            }
        )  # fmt: skip
        for ordinal, inside in enumerate((SENTENCES[:2], SENTENCES[1:])):
            start, end = inside[0][0], inside[-1][1]
            chunks.append(
                {
                    "article_id": article, "chunk_id": f"{article}:c{ordinal}", "ordinal": ordinal,
                    "section_path": "Results", "section_kind": "body", "start": start, "end": end,
                    "text": text[start:end], "n_tokens": 20,
                    "sentences": [{"start": s, "end": e} for s, e in inside],
                }
            )  # fmt: skip
        mentions += list(mention_rows(article, text))
    tables = {"documents": documents, "chunks": chunks, "mentions": mentions}
    write_inputs(datasets, texts, tables)


def mention_rows(article: str, text: str) -> Iterator[dict[str, Any]]:
    for name, category in NAMES.items():
        at = text.find(name)
        while at >= 0:
            yield {
                "article_id": article, "mention_id": f"{article}:{at}-{at + len(name)}", "start": at,
                "end": at + len(name), "text": name, "normal_form": name, "category": category, "concept_id": None,
                "candidates": [], "source": "vocabulary",
            }  # fmt: skip
            at = text.find(name, at + 1)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({"KG_HOME": str(tmp_path)})


@pytest.fixture
def llm_settings(settings: Settings) -> Settings:
    llm = LlmSettings.model_validate(
        {"base_url": "http://127.0.0.1:9", "model": "m", "api_key": "k", "concurrency": 1}
    )
    return settings.model_copy(update={"llm": llm})


def spec(extraction: str = "auto") -> CorpusSpec:
    return CorpusSpec.model_validate({"name": "c", "source": ".", "extraction": extraction})


@dataclass
class Scripted:
    """A chat model that finds one triple in every chunk, or raises what is scripted for the n-th call."""

    items: list[TripleItem]
    errors: dict[int, Exception] = field(default_factory=dict)
    name: str = "scripted"
    calls: int = 0

    async def complete(self, messages: list[dict[str, str]], **_: Any) -> Any:
        self.calls += 1
        if self.calls in self.errors:
            raise self.errors[self.calls]
        answer = TripleAnswer(triples=self.items)
        return type(
            "Completion", (), {"parsed": answer, "finish_reason": "stop", "text": "", "cached": False}
        )()


def ask(datasets: Datasets, settings: Settings, chat: Scripted) -> StageReport:
    return build_triples(datasets, spec("llm"), SHARD, settings, chat=chat)  # type: ignore[arg-type]


def rows(datasets: Datasets, name: str = "triples") -> list[dict[str, Any]]:
    return datasets.read(name, "c", SHARD).to_dicts()


def test_offline_reads_each_sentence_once_and_quotes_it(datasets: Datasets, settings: Settings) -> None:
    report = build_triples(datasets, spec(), SHARD, settings)
    found = rows(datasets)
    assert report.rows == len(found) == 2
    assert [(row["predicate"], row["speculative"], row["chunk_id"]) for row in found] == [
        ("inhibits", False, "PMC1:c0"),
        ("inhibits", True, "PMC1:c0"),
    ]
    for row in found:
        assert TEXT[row["start"] : row["end"]] == row["quote"]
        assert row["extractor"] == "offline"


def test_a_second_run_computes_nothing_and_a_new_article_only_itself(
    datasets: Datasets, settings: Settings
) -> None:
    build_triples(datasets, spec(), SHARD, settings)
    before = datasets.path("triples", "c", SHARD).read_bytes()
    assert build_triples(datasets, spec(), SHARD, settings).computed == 0
    write(datasets, {"PMC1": TEXT, "PMC2": TEXT})
    report = build_triples(datasets, spec(), SHARD, settings)
    assert (report.computed, report.reused) == (1, 1)
    write(datasets, {"PMC1": TEXT})
    build_triples(datasets, spec(), SHARD, settings)
    assert datasets.path("triples", "c", SHARD).read_bytes() == before


def test_auto_reads_offline_without_a_model_and_asks_one_that_is_set(
    settings: Settings, llm_settings: Settings
) -> None:
    assert language_model(spec(), settings) is None
    assert language_model(spec(), llm_settings) is llm_settings.llm
    assert language_model(spec("offline"), llm_settings) is None


def test_llm_without_a_model_names_the_variables(datasets: Datasets, settings: Settings) -> None:
    with pytest.raises(SettingsError, match=r"'c'.*KG_LLM_BASE_URL and KG_LLM_MODEL"):
        build_triples(datasets, spec("llm"), SHARD, settings)


GOOD = TripleItem(
    head="Imatinib", predicate="inhibits", tail="KIT", quote="Imatinib may inhibit KIT", speculative=True,
    head_category="Drug", tail_category="Gene",
)  # fmt: skip
INVENTED = GOOD.model_copy(update={"head": "dasatinib"})


def test_llm_triple_of_two_overlapping_chunks_is_one_row(datasets: Datasets, llm_settings: Settings) -> None:
    chat = Scripted([GOOD, INVENTED])
    report = ask(datasets, llm_settings, chat)
    (row,) = rows(datasets)
    assert (row["chunk_id"], row["extractor"], row["speculative"]) == ("PMC1:c0", "llm:scripted", True)
    assert chat.calls == 2
    assert {reject["reason"] for reject in rows(datasets, "rejects")} == {"head_not_anchored"}
    assert report.rejected == 2
    assert report.failed == 0


def test_llm_failed_chunks_leave_the_article_partial_and_are_asked_again(
    datasets: Datasets, llm_settings: Settings
) -> None:
    first = Scripted([GOOD], errors={2: LlmUnavailable("429")})
    report = ask(datasets, llm_settings, first)
    assert report.failed == 1
    status = datasets.read("triples.status", "c", SHARD).row(0, named=True)
    assert status["status"] == "partial"
    assert "1 of 2 chunks" in status["reason"]
    assert len(rows(datasets)) == 1  # what was answered is kept
    again = Scripted([GOOD])
    assert ask(datasets, llm_settings, again).failed == 0
    assert again.calls == 2  # the answered one comes from the chat model's own cache
    assert ask(datasets, llm_settings, Scripted([])).computed == 0


def test_llm_budget_stops_cleanly(datasets: Datasets, llm_settings: Settings) -> None:
    write(datasets, {"PMC1": TEXT, "PMC2": TEXT})
    chat = Scripted([GOOD], errors={2: BudgetExhausted("10 tokens are spent")})
    report = ask(datasets, llm_settings, chat)
    assert chat.calls == 2  # nothing is sent after the refusal
    assert report.failed == 2
    reasons = datasets.read("triples.status", "c", SHARD)["reason"].to_list()
    assert all("budget" in reason for reason in reasons)


def test_llm_new_mentions_are_rows_with_a_type(datasets: Datasets, llm_settings: Settings) -> None:
    measured = TripleItem(
        head="ABL1", predicate="related_to", tail="measured", quote="ABL1 and KIT were measured",
        head_category="Gene", tail_category="Procedure",
    )  # fmt: skip
    ask(datasets, llm_settings, Scripted([measured]))
    (mention,) = rows(datasets, "triple_mentions")
    assert mention["text"] == TEXT[mention["start"] : mention["end"]] == "measured"
    assert (mention["category"], mention["source"]) == ("biolink:Procedure", "llm")
    (row,) = rows(datasets)
    assert row["tail_mention_id"] == mention["mention_id"]


@pytest.mark.parametrize("names", [triple_stage._OFFLINE, triple_stage._LLM])
def test_the_fingerprint_covers_all_modules_of_the_package_that_decide_the_output(
    names: tuple[str, ...],
) -> None:
    package = "kg_pipeline.extraction"
    covered = {*names, *triple_stage._ROWS}
    for name in names:
        module = find_spec(name)
        assert module is not None
        assert module.origin is not None
        is_package = module.submodule_search_locations is not None  # then its digest is that of all its files
        files = Path(module.origin).parent.glob("*.py") if is_package else [Path(module.origin)]
        for node in [
            node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        ]:
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(f"{package}."):
                parts = node.module.split(".")
                assert {".".join(parts[:n]) for n in range(3, len(parts) + 1)} & covered, (
                    f"{name} imports {node.module}"
                )
