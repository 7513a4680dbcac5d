from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

import kg_pipeline.llm.embeddings as embeddings
from kg_pipeline.cli.app import app
from kg_pipeline.errors import BenchmarkFileError
from kg_pipeline.pmc.jats.parser import parse_article
from kg_pipeline.settings import load_settings
from retrieval.evaluation.mine.entailment import WordEntailment, word_share
from retrieval.evaluation.mine.own_graph import article_id, read_triples, write_articles
from retrieval.evaluation.mine.reading import Essay, read_mine
from retrieval.evaluation.mine.retrievers import ours, published
from retrieval.evaluation.mine.scoring import run_mine
from retrieval.evaluation.page.figures import figures_of
from retrieval.evaluation.questions import Passage
from retrieval.evaluation.triple_graph import publish_graph
from retrieval.methods.context import CachedEmbedder
from tests.evaluation.conftest import Small
from tests.evaluation.words import Words

TRIPLES = [
    ("bees", "collect", "nectar"),
    ("nectar", "becomes", "honey"),
    ("honey", "is kept in", "jars"),
    ("jars", "are made of", "glass"),
    ("glass", "comes from", "sand"),
]
FACTS = ("Bees collect nectar.", "Honey is kept in jars.", "Wolves hunt at night.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A benchmark of two essays, whose graphs are numbered 1 and 3."""
    (tmp_path / "essays.json").write_text(
        json.dumps(
            [
                {"topic": "Bees & honey", "content": "```Bees work.\n\nHoney < 5 jars."},
                {"topic": "Wolves", "content": "Howl."},
            ]
        )
    )
    (tmp_path / "answers.json").write_text(
        json.dumps([[{"answer": fact} for fact in FACTS], [{"answer": "Wolves howl."}]])
    )
    rows = ["system\tgraph_number\tessay_index0\toverlap\trunner_up"]
    for system, (place, ending) in {
        "KGGen": ("kggen", "_results"),
        "GraphRAG": ("GraphRAG", "_resultsG"),
        "OpenIE": ("openIE", "_resultsST"),
    }.items():
        rows += [f"{system}\t1\t0\t1\t0", f"{system}\t3\t1\t1\t0"]
        with zipfile.ZipFile(tmp_path / f"results_{system}.zip", "w") as archive:
            archive.writestr(f"{place}/1.json", json.dumps({"entities": [], "relations": TRIPLES}))
            archive.writestr(
                f"{place}/3.json", json.dumps({"entities": [], "relations": [["wolves", "howl"]]})
            )
            verdict = {
                "correct_answer": FACTS[0],
                "retrieved_context": "bees collect nectar. a. b",
                "evaluation": 1,
            }
            archive.writestr(f"{place}/1{ending}.json", json.dumps([verdict, {"accuracy": "100 %"}]))
    (tmp_path / "graph_to_essay.tsv").write_text("\n".join(rows) + "\n")
    return tmp_path


def test_graphs_belong_to_the_essay_that_the_table_says(folder: Path) -> None:
    mine = read_mine(folder)
    assert [essay.topic for essay in mine.essays] == ["Bees & honey", "Wolves"]
    assert mine.graphs["OpenIE"] == {0: tuple(TRIPLES), 1: ()}
    assert [verdict.is_found for verdict in mine.verdicts["GraphRAG"][0]] == [True]
    assert mine.essays[0].text.startswith("Bees work.")


@pytest.mark.parametrize("name", ["essays.json", "results_KGGen.zip", "graph_to_essay.tsv"])
def test_a_missing_or_broken_file_is_named(name: str, folder: Path) -> None:
    (folder / name).write_text("[")
    with pytest.raises(BenchmarkFileError, match="does not hold MINE"):
        read_mine(folder)


def test_the_published_retriever_goes_two_steps_along_the_arrows_from_the_nearest_nodes() -> None:
    chain = [(f"n{number}", "to", f"n{number + 1}") for number in range(30)]
    found = published([*chain, ("bees", "near", "n0")], Words())("bees")
    # Eight nodes at most are taken; of "bees" alone it is two steps to n1.
    assert {"bees near n0", "n0 to n1"} <= set(found)
    assert len(found) < len(chain)


def test_the_published_retriever_keeps_one_relation_for_two_nodes_and_never_goes_back() -> None:
    flowers = [(f"flower {number}", "feeds", "bees") for number in range(20)]
    retrieve = published([*flowers, ("bees", "make", "honey"), ("bees", "eat", "honey")], Words())
    found = retrieve("bees")
    assert "bees eat honey" in found
    assert "bees make honey" not in found
    # Flowers start a relation to the bees, but only the seven that are among the nearest nodes themselves are taken.
    assert sum(statement.startswith("flower") for statement in found) <= 7


def test_ours_ranks_statements() -> None:
    retrieve = ours(TRIPLES, Words())
    assert retrieve("Honey is kept in jars.")[0] == "honey is kept in jars"
    assert ours([], Words())("anything") == []


def test_words_tell_what_a_context_says() -> None:
    context = ["bees collect nectar", "honey is kept in jars"]
    assert WordEntailment().judge([(fact, context) for fact in FACTS]) == [True, True, False]
    assert word_share(FACTS[0], []) == 0.0
    assert word_share("Bees keep honey", ["bees", "keep", "honey"]) < word_share(
        "Bees keep honey", ["bees keep honey"]
    )


def test_a_graph_scores_the_share_of_facts_that_it_holds(folder: Path) -> None:
    mine = read_mine(folder)
    rows, report = run_mine(mine, {"KGGen": mine.graphs["KGGen"]}, Words(), WordEntailment(), mine.essays)
    assert [(row.retriever, row.essays) for row in rows] == [("published", 2), ("ours", 2)]
    assert [row.score.mean for row in rows] == pytest.approx([1 / 3, 1 / 3])
    assert rows[0].gain is None
    assert rows[1].gain is not None
    assert rows[1].gain.mean == 0.0
    assert report["published_verdicts"]["KGGen"]["model"] == 1.0
    shown = [f for f in figures_of("graph-quality", report) if "judge: words" in f.metric]
    assert [(figure.metric, figure.published) for figure in shown] == [
        ("facts found, judge: words", "66.07"),
        ("facts found, judge: words", ""),
        ("gain over the published retriever, judge: words", "INSES: +4.7"),
    ]


def test_essays_are_articles_that_the_pipeline_reads(tmp_path: Path) -> None:
    write_articles([Essay(3, "Bees & <honey>", "One.\n\nTwo & three.", ())], tmp_path)
    article = parse_article((tmp_path / "PMC99000003.xml").read_bytes())
    assert "Two & three." in article.text
    assert article.metadata.title == "Bees & <honey>"


def test_triples_are_those_of_the_essays_article(small: Small) -> None:
    essay = Essay(0, "", "", ())
    assert read_triples(small.folder, small.reader, [essay]) == {0: ()}
    assert article_id(0) == "PMC99000000"


def test_ones_own_graph_of_the_essays_is_scored_beside_the_published_ones(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    passage = Passage(article_id(0), "Bees & honey", "Bees collect nectar. Honey is kept in jars.")
    triples = {passage.passage_id: [("bees", "collect", "nectar"), ("honey", "is kept in", "jars")]}
    publish_graph([passage], triples, load_settings({"KG_HOME": str(home)}), "mine", embedder=Words())
    monkeypatch.setenv("KG_HOME", str(home))
    monkeypatch.setattr(embeddings, "load_embedder", lambda settings: Words())
    output = tmp_path / "report.json"
    arguments = ["bench", "graph-quality", "--data", str(folder), "--corpus", "mine", "--essays", "1"]
    result = CliRunner().invoke(app, [*arguments, "--output", str(output)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    own = [row for row in json.loads(output.read_text())["rows"] if row["graph"].startswith("mine ")]
    # In the authors' verbs, of which the graph itself keeps only that the two are related.
    assert [(row["score"]["mean"], row["triples"]) for row in own] == [(pytest.approx(2 / 3), 2)] * 2


def test_the_command_prints_and_writes(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(embeddings, "load_embedder", lambda settings: Words())  # else a model is loaded
    arguments = ["bench", "graph-quality", "--data", str(folder), "--output", str(tmp_path / "report.json")]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "66.07" in result.output
    assert "INSES +27.5" in result.output
    assert len(json.loads((tmp_path / "report.json").read_text())["rows"]) == 6
    missing = CliRunner().invoke(app, [*arguments[:3], str(tmp_path / "nowhere")], catch_exceptions=False)
    assert "Skipped" in missing.output


def test_published_verdicts_are_those_of_the_paper(shared: Path) -> None:
    folder = shared / "data" / "qa" / "mine_kggen"
    mine = read_mine(folder)
    facts = {system: [v for row in by.values() for v in row] for system, by in mine.verdicts.items()}
    means = {system: sum(v.is_found for v in rows) / len(rows) for system, rows in facts.items()}
    assert means == pytest.approx({"KGGen": 0.656, "GraphRAG": 0.48, "OpenIE": 0.283}, abs=0.001)
    odd = [v for system, by in mine.verdicts.items() for number, row in by.items() if number % 2 for v in row]
    said = WordEntailment().judge([(v.fact, v.context.split(". ")) for v in odd])
    assert sum(a == v.is_found for a, v in zip(said, odd, strict=True)) / len(odd) > 0.76


@pytest.mark.shared
def test_the_published_retriever_finds_the_published_contexts(shared: Path) -> None:
    mine = read_mine(shared / "data" / "qa" / "mine_kggen")
    embedder = CachedEmbedder(embeddings.load_embedder(load_settings({})))
    same = []
    for essay in mine.essays[1:6]:
        retrieve = published(mine.graphs["GraphRAG"][essay.number], embedder)
        for verdict in mine.verdicts["GraphRAG"][essay.number]:
            told = {part.strip(" .") for part in verdict.context.split(". ")}
            found = {part.strip(" .") for part in ". ".join(retrieve(verdict.fact)).split(". ")}
            same.append(found == told)
    # Our model has 8 bits, and now and then another node is the eighth.
    assert sum(same) / len(same) > 0.9
