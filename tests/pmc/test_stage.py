import shutil
import tarfile

import polars as pl
import pytest

from kg_pipeline.corpora import CorpusSpec, shard_keys
from kg_pipeline.datasets import Datasets
from kg_pipeline.errors import CorpusError, StageError
from kg_pipeline.pmc.raw import ArticleStore
from kg_pipeline.pmc.stage import build_documents, fetch_articles, list_articles
from kg_pipeline.rights import RightsPolicy
from kg_pipeline.settings import load_settings

SHARDS = 3


def article(pmcid: str, text: str, *, title: str = "Title", version: int = 1) -> bytes:
    return f"""<article article-type="research-article"><front><article-meta>
    <article-id pub-id-type="pmcid">{pmcid}</article-id><article-id pub-id-type="pmcid-ver">{pmcid}.{version}</article-id>
    <title-group><article-title>{title}</article-title></title-group></article-meta></front>
    <body><sec><title>Results</title><p>{text}</p></sec></body></article>""".encode()


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "articles"
    folder.mkdir()
    for number in range(1, 6):
        (folder / f"{number}.xml").write_bytes(article(f"PMC{number}", f"Zinc lowers IL-{number}."))
    (folder / "bad.xml").write_bytes(b"<article>")
    return CorpusSpec(name="test", source=str(folder))


@pytest.fixture
def datasets(tmp_path):
    return Datasets(tmp_path / "datasets")


@pytest.fixture
def store(tmp_path):
    return ArticleStore(tmp_path / "raw")


def listing(datasets, spec):
    return list_articles(
        datasets, spec, load_settings({"KG_HOME": str(datasets.root), "KG_SHARDS": str(SHARDS)})
    )


def build(datasets, store, spec):
    listing(datasets, spec)
    fetched = [fetch_articles(datasets, store, spec, shard) for shard in shard_keys(SHARDS)]
    made = [build_documents(datasets, store, spec, shard) for shard in shard_keys(SHARDS)]
    return sum(report.computed for report in fetched), sum(report.computed for report in made)


def documents(datasets):
    frame = datasets.scan("documents", "test").collect()
    return {row["article_id"]: row for row in frame.iter_rows(named=True)}


def changes(listed):
    return {row["article_id"]: row["change"] for row in listed.rows}


def test_articles_become_documents_with_exact_spans(datasets, store, corpus):
    build(datasets, store, corpus)
    row = documents(datasets)["PMC3"]
    assert row["text"] == "Title\n\nResults\n\nZinc lowers IL-3."
    assert [row["text"][p["start"] : p["end"]] for p in row["paragraphs"]] == [
        "Title",
        "Results",
        "Zinc lowers IL-3.",
    ]
    assert row["sections"][1]["path"] == ["Results"]


def test_article_without_a_pubmed_id_has_none_and_is_kept(datasets, store, corpus):
    build(datasets, store, corpus)
    row = documents(datasets)["PMC3"]
    assert (row["pmcid"], row["pmid"], row["doi"]) == ("PMC3", None, None)


def test_every_article_ends_in_one_status(datasets, store, corpus):
    build(datasets, store, corpus)
    articles = datasets.scan("articles", "test").collect()
    assert articles["article_id"].n_unique() == articles.height == 6
    assert dict(articles.group_by("status").len().iter_rows()) == {"ok": 5, "malformed": 1}
    assert "FILE:bad.xml" not in documents(datasets)


def test_an_article_with_a_table_that_is_cut_says_so_in_its_status(datasets, store, corpus):
    row = "<tr>" + "<td>x</td>" * 600 + "</tr>"
    big = f"<table-wrap><label>Table 7</label><table>{row}</table></table-wrap>"
    data = article("PMC4", "Zinc.").replace(b"</sec>", big.encode() + b"</sec>")
    (corpus.source_path / "4.xml").write_bytes(data)
    build(datasets, store, corpus)
    status = datasets.scan("documents.status", "test").filter(pl.col("reason") != "").collect()
    assert status["article_id"].to_list() == ["PMC4"]
    assert status["status"].to_list() == ["ok"]
    assert "Table 7" in status["reason"][0]
    assert build(datasets, store, corpus) == (0, 0)


def test_second_build_computes_nothing_and_changes_no_byte(datasets, store, corpus):
    build(datasets, store, corpus)
    paths = [path for name in ("articles", "documents") for path in (datasets.root / "test" / name).glob("*")]
    before = [path.read_bytes() for path in paths]
    assert build(datasets, store, corpus) == (0, 0)
    assert [path.read_bytes() for path in paths] == before


def test_changes_are_told_against_the_last_listing(datasets, corpus):
    folder = corpus.source_path
    assert set(changes(listing(datasets, corpus)).values()) == {"added"}
    (folder / "1.xml").write_bytes(article("PMC1", "Zinc raises IL-1."))
    (folder / "2.xml").write_bytes(article("PMC2", "Zinc lowers IL-2.", title="RETRACTED: Title"))
    (folder / "3.xml").unlink()
    (folder / "6.xml").write_bytes(article("PMC6", "New."))
    (folder / "notes.txt").write_bytes(b"")
    listed = listing(datasets, corpus)
    assert listed.warnings[0].endswith(": notes.txt")
    assert changes(listed) == {
        "FILE:bad.xml": "unchanged",
        "PMC1": "updated",
        "PMC2": "retracted",
        "PMC3": "withdrawn",
        "PMC4": "unchanged",
        "PMC5": "unchanged",
        "PMC6": "added",
    }
    assert [row["status"] for row in listed.rows if row["article_id"] == "PMC3"] == ["not_found"]
    assert listed.changes == {"added": 1, "updated": 1, "retracted": 1, "withdrawn": 1, "unchanged": 3}
    assert "PMC3" not in changes(listing(datasets, corpus))


def test_only_what_changed_is_computed_and_withdrawn_articles_leave(datasets, store, corpus):
    build(datasets, store, corpus)
    (corpus.source_path / "1.xml").write_bytes(article("PMC1", "Zinc raises IL-1.", version=2))
    (corpus.source_path / "2.xml").write_bytes(article("PMC2", "Zinc lowers IL-2.", title="RETRACTED: Title"))
    (corpus.source_path / "3.xml").unlink()
    assert build(datasets, store, corpus) == (3, 1)
    rows = documents(datasets)
    assert sorted(rows) == ["PMC1", "PMC4", "PMC5"]
    assert rows["PMC1"]["version"] == 2
    assert rows["PMC1"]["text"].endswith("Zinc raises IL-1.")


def test_archive_gives_the_same_documents_as_its_folder(datasets, store, corpus, tmp_path):
    build(datasets, store, corpus)
    archive = tmp_path / "articles.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        for path in sorted(corpus.source_path.iterdir()):
            tar.add(path, path.name)
    other = Datasets(tmp_path / "other")
    spec = corpus.model_copy(update={"source": str(archive)})
    build(other, ArticleStore(tmp_path / "raw2"), spec)
    assert documents(other) == documents(datasets)


def test_article_of_a_set_is_kept_alone(datasets, store, tmp_path):
    folder = tmp_path / "sets"
    folder.mkdir()
    content = b"<pmc-articleset>" + article("PMC1", "One.") + article("PMC2", "Two.") + b"</pmc-articleset>"
    (folder / "set.xml").write_bytes(content)
    build(datasets, store, CorpusSpec(name="test", source=str(folder)))
    assert documents(datasets)["PMC2"]["text"].endswith("Two.")


def test_front_only_article_gives_title_and_abstract(datasets, store, corpus):
    front = (
        article("PMC9", "x")
        .split(b"<body>")[0]
        .replace(b"</article-meta>", b"<abstract><p>Zinc.</p></abstract></article-meta>")
    )
    (corpus.source_path / "9.xml").write_bytes(front + b"</article>")
    build(datasets, store, corpus)
    assert documents(datasets)["PMC9"]["text"] == "Title\n\nZinc."
    assert [section["kind"] for section in documents(datasets)["PMC9"]["sections"]] == ["title", "abstract"]


def test_correction_makes_no_document(datasets, store, corpus):
    (corpus.source_path / "8.xml").write_bytes(
        article("PMC8", "Wrong.").replace(b"research-article", b"correction")
    )
    build(datasets, store, corpus)
    assert "PMC8" not in documents(datasets)


def test_file_that_changed_after_the_listing_is_a_failed_article(datasets, store, corpus):
    listing(datasets, corpus)
    (corpus.source_path / "1.xml").write_bytes(article("PMC1", "Changed."))
    (corpus.source_path / "2.xml").unlink()
    for shard in shard_keys(SHARDS):
        fetch_articles(datasets, store, corpus, shard)
    articles = datasets.scan("articles", "test").collect()
    failed = articles.filter(pl.col("status") == "failed")
    assert sorted(failed["article_id"]) == ["PMC1", "PMC2"]
    assert all("build the corpus again" in reason for reason in failed["reason"])


def test_file_that_was_being_copied_when_it_was_listed_is_read_once_it_is_whole(datasets, store, corpus):
    whole = article("PMC6", "Zinc lowers IL-6.")
    for length in (0, 1, len(whole) // 2, len(whole) - 1):
        (corpus.source_path / "6.xml").write_bytes(whole[:length])
        assert listing(datasets, corpus).statuses == {"ok": 5, "malformed": 2}
    build(datasets, store, corpus)
    assert "PMC6" not in documents(datasets)
    (corpus.source_path / "6.xml").write_bytes(whole)
    assert build(datasets, store, corpus)[1] == 1
    assert documents(datasets)["PMC6"]["text"].endswith("Zinc lowers IL-6.")


def test_archive_that_was_being_written_when_it_was_listed_changes_nothing(datasets, store, corpus, tmp_path):
    path = tmp_path / "articles.tar"
    with tarfile.open(path, "w") as archive:
        archive.add(corpus.source_path, arcname=".")
    whole = path.read_bytes()
    spec = CorpusSpec(name="test", source=str(path))
    build(datasets, store, spec)
    before = documents(datasets)
    for length in (len(whole) // 2, len(whole) // 2 + 700):
        path.write_bytes(whole[:length])
        with pytest.raises(CorpusError, match="cannot be read"):
            build(datasets, store, spec)
        assert documents(datasets) == before
    path.write_bytes(whole)
    assert build(datasets, store, spec) == (0, 0)


def test_corpus_without_a_readable_article_stops_with_counts(datasets, corpus):
    shutil.rmtree(corpus.source_path)
    corpus.source_path.mkdir()
    (corpus.source_path / "bad.xml").write_bytes(b"<article>")
    (corpus.source_path / "page.xml").write_bytes(b"<html/>")
    with pytest.raises(StageError, match=r"2 malformed.*bad\.xml: not well-formed"):
        listing(datasets, corpus)
    assert datasets.read("article_index", "test").height == 2


def test_articles_of_a_licence_that_is_left_out_make_no_document(datasets, store, corpus):
    corpus = corpus.model_copy(update={"rights": RightsPolicy(unknown="skip")})
    open_one = article("PMC1", "Zinc lowers IL-1.").replace(
        b"</article-meta>", b"<permissions><license><p>CC BY 4.0</p></license></permissions></article-meta>"
    )
    (corpus.source_path / "1.xml").write_bytes(open_one)
    build(datasets, store, corpus)
    assert set(documents(datasets)) == {"PMC1"}
    rows = datasets.scan("articles", "test").filter(pl.col("status") == "excluded").collect()
    assert set(rows["reason"]) == {
        "the corpus leaves out articles of licence class unknown (its setting rights)"
    }
    build(datasets, store, corpus.model_copy(update={"rights": RightsPolicy()}))
    assert len(documents(datasets)) == 5
