from __future__ import annotations

import pickle
from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.corpora import add_corpus, check_readable, find_corpus, load_corpora, shard_keys, shard_of
from kg_pipeline.errors import CorpusError
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.queries import PmcQuery


def write(folder: Path, content: str) -> Path:
    path = folder / "corpora.toml"
    path.write_text(content, encoding="utf-8")
    return path


def test_an_absent_file_leaves_the_packaged_demo(tmp_path: Path) -> None:
    assert list(load_corpora(tmp_path / "corpora.toml")) == ["demo"]


def test_sources_are_relative_to_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, '[lupus]\nsource = "articles"\n')
    assert load_corpora(path)["lupus"].source_path == tmp_path / "articles"


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        ('[lupus\nsource = "x"', "line 1"),
        ('[lupus]\nsorce = "x"', "'sorce' is not an option"),
        ('[lupus]\ntitle = "x"', "it has no articles; add source"),
        ('[lupus]\nsource = "x"\nquery = "y"', "it has a source and a query"),
        ('[lupus]\nsource = "x"\nlicense = ["redistributable"]', "'license' is a filter of a query"),
        ('[lupus]\nquery = "x"\nlicense = ["free"]', "license.0 = 'free'"),
        ('[lupus]\nquery = "x"\nlicence = ["unknown"]', "'licence' is not an option"),
        (
            '[lupus]\nsource = "x"\nrights = { unknwn = "edges" }',
            "'rights.unknwn' is not an option (there are: mining_only, non_commercial",
        ),
        (
            '[lupus]\nsource = "x"\n[lupus.checks]\nhubs = 1',
            "'checks.hubs' is not an option (there are: max_change_factor",
        ),
        ('[lupus]\nquery = "x"\nfrom_date = "2015"', "from_date = '2015' is no date; write it as 2015-01-31"),
        ('[lupus]\nquery = "x"\nfrom_date = 2015', "from_date = 2015 is no date"),
        ('[lupus]\nquery = "(x"', "query: parentheses"),
        ("[lupus]\nquery = []", "query = []"),
        ('[lupus]\nquery = ["x", ""]', "query: a query is empty"),
        ('[lupus]\nquery = "x"\nmax_articles = 0', "max_articles = 0"),
        ('[lupus]\nquery = "x"\nfrom_date = 2020-01-02\nto_date = 2020-01-01', "2020-01-02 is after"),
        ('[lupus]\nsource = "x"\nchunk_tokens = 3', "chunk_tokens = 3"),
        ('[lupus]\nsource = "x"\nstandardization = "fuzzy"', "'guarded' or 'egot'"),
        ('["Lupus SLE"]\nsource = "x"', "cannot name a corpus"),
        ('[demo]\nsource = "x"', "belongs to the packaged sample corpus"),
        ('lupus = "x"', "outside of a section"),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, content: str, hint: str) -> None:
    with pytest.raises(CorpusError, match=r"corpora\.toml") as caught:
        load_corpora(write(tmp_path, content))
    assert hint in str(caught.value)


def test_an_unknown_corpus_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"Known: demo\..*no such file yet"):
        find_corpus(tmp_path / "corpora.toml", "lupus")


def test_a_new_corpus_is_appended_and_what_stood_there_is_kept(tmp_path: Path) -> None:
    path = write(tmp_path, '# ours\n[first]\nsource = "a"')
    source = tmp_path / 'odd "name"'
    source.mkdir()
    add_corpus(path, "second", source)
    assert path.read_text().startswith('# ours\n[first]\nsource = "a"\n')
    assert load_corpora(path)["second"].source_path == source
    assert add_corpus(path, "second", source).name == "second"


def test_a_corpus_does_not_change_its_source_silently(tmp_path: Path) -> None:
    path = write(tmp_path, '[first]\nsource = "a"\n')
    (tmp_path / "b").mkdir()
    with pytest.raises(CorpusError, match="already reads"):
        add_corpus(path, "first", tmp_path / "b")


def test_a_missing_source_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "corpora.toml"
    with pytest.raises(CorpusError, match="does not exist"):
        add_corpus(path, "first", tmp_path / "nowhere")
    assert not path.exists()


def test_a_corpus_can_be_a_query_with_filters(tmp_path: Path) -> None:
    content = """
        [lupus]
        query = ["lupus AND ultraviolet", "cutaneous lupus"]
        license = ["redistributable"]
        from_date = 2015-01-01
        article_types = ["research-article"]
        max_articles = 500
        chunk_tokens = 100
        [uv]
        query = "ultraviolet"
    """
    corpora = load_corpora(write(tmp_path, content))
    spec = corpora["lupus"]
    assert spec.query is not None
    assert spec.query.terms == ("lupus AND ultraviolet", "cutaneous lupus")
    assert spec.query.from_date == date(2015, 1, 1)
    assert (spec.query.max_articles, spec.chunk_tokens, spec.source) == (500, 100, "")
    assert spec.origin == "PMC: lupus AND ultraviolet | cutaneous lupus"
    assert corpora["uv"].query == PmcQuery(terms=("ultraviolet",))


def test_what_only_finds_the_articles_is_not_hashed_into_a_graph(tmp_path: Path) -> None:
    corpora = load_corpora(write(tmp_path, '[one]\nquery = "a"\n[two]\nquery = "b"\nmax_articles = 3\n'))
    assert corpora["one"].model_dump(exclude={"name"}) == corpora["two"].model_dump(exclude={"name"})
    assert pickle.loads(pickle.dumps(corpora["two"])) == corpora["two"]  # worker processes get all of it


def test_a_query_does_not_become_a_folder_silently(tmp_path: Path) -> None:
    path = write(tmp_path, '[first]\nquery = "lupus"\n')
    with pytest.raises(CorpusError, match="already reads PMC: lupus"):
        add_corpus(path, "first", tmp_path)


@given(st.text(min_size=1), st.integers(1, 99))
def test_every_article_belongs_to_one_existing_shard(article_id: str, shards: int) -> None:
    assert shard_of(article_id, shards) in shard_keys(shards)


def test_shards_are_balanced_and_fixed() -> None:
    counts = Counter(shard_of(f"PMC{number}", 64) for number in range(64_000))
    assert len(counts) == 64
    assert max(counts.values()) < 1.2 * min(counts.values())
    # Written down: another value would move every article to another shard of an existing corpus.
    assert shard_of("PMC3531190", 64) == "05"


def test_a_corpus_that_left_the_file_is_readable_as_long_as_it_has_versions(tmp_path: Path) -> None:
    path, graphs = tmp_path / "corpora.toml", tmp_path / "graphs"
    (graphs / "left").mkdir(parents=True)
    versions = VersionStore(graphs)
    check_readable(path, "left", versions.knows)
    check_readable(path, "demo", versions.knows)
    for name in ("never", "../graphs/left", "."):
        with pytest.raises(CorpusError, match="There is no corpus"):
            check_readable(path, name, versions.knows)
