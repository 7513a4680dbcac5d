"""A corpus that is a query, from listing to documents and through a refresh, against a server on loopback."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kg_pipeline.corpora import CorpusSpec, shard_keys
from kg_pipeline.datasets import Datasets
from kg_pipeline.errors import ServiceUnavailable, SettingsError, StageError
from kg_pipeline.incremental import StageReport
from kg_pipeline.pmc.preview import preview_refresh
from kg_pipeline.pmc.query_articles import fetch_query
from kg_pipeline.pmc.query_index import is_listed, listing_record
from kg_pipeline.pmc.raw import ArticleStore
from kg_pipeline.pmc.remote.corpus import remote_settings
from kg_pipeline.pmc.stage import build_documents, list_articles
from kg_pipeline.queries import PmcQuery
from kg_pipeline.settings import Settings, load_settings
from tests.pmc.remote.bucket import recorded_bucket
from tests.pmc.remote.replies import article_xml
from tests.pmc.remote.server import Asked, Reply, Server
from tests.pmc.remote.services import Pmc

SHARDS = 3
KEY = "k3y-of-nobody"


@pytest.fixture
def pmc(server: Server) -> Pmc:
    made = Pmc(found={"lupus": [1, 2, 3, 4, 5]})
    for number in made.found["lupus"]:
        made.bucket.add(number)
    server.handler = made.handler
    return made


@pytest.fixture
def settings(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    services = {f"KG_PMC_{name}_URL": server.url for name in ("ENTREZ", "CLOUD", "EUROPEPMC")}
    return load_settings(
        {
            **services,
            "KG_HOME": str(tmp_path / "home"),
            "KG_SHARDS": str(SHARDS),
            "KG_PMC_REQUESTS_PER_SECOND": "1000",
            "KG_PMC_API_KEY": KEY,
            "KG_PMC_EMAIL": "me@lab.example",
        }
    )


@pytest.fixture
def datasets(settings: Settings) -> Datasets:
    return Datasets(settings.datasets)


@pytest.fixture
def store(settings: Settings) -> ArticleStore:
    return ArticleStore(settings.raw)


def corpus(*terms: str, **filters: object) -> CorpusSpec:
    return CorpusSpec(name="test", query=PmcQuery(terms=terms or ("lupus",), **filters))


def fetch(settings: Settings, spec: CorpusSpec) -> list[StageReport]:
    assert spec.query is not None
    return fetch_query(
        Datasets(settings.datasets),
        ArticleStore(settings.raw),
        spec.query,
        spec,
        settings,
        shard_keys(SHARDS),
        lambda done, total: None,
    )


def build(settings: Settings, spec: CorpusSpec) -> tuple[int, int]:
    """Fetch and parse what was listed: how many articles each stage had to do."""
    fetched = fetch(settings, spec)
    datasets, store = Datasets(settings.datasets), ArticleStore(settings.raw)
    made = [build_documents(datasets, store, spec, shard) for shard in shard_keys(SHARDS)]
    return sum(report.computed for report in fetched), sum(report.computed for report in made)


def rows(datasets: Datasets, name: str) -> dict[str, dict[str, object]]:
    return {row["article_id"]: row for row in datasets.scan(name, "test").collect().iter_rows(named=True)}


def statuses(datasets: Datasets, name: str = "articles") -> dict[str, object]:
    return {article: row["status"] for article, row in rows(datasets, name).items()}


def downloads(server: Server) -> list[str]:
    return [path for path in server.paths() if path.endswith(".xml")]


def changes(settings: Settings, spec: CorpusSpec) -> dict[str, str]:
    listing = list_articles(Datasets(settings.datasets), spec, settings)
    return {row["article_id"]: row["change"] for row in listing.rows}


@contextmanager
def unchanged(folder: Path) -> Iterator[None]:
    def state() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in folder.rglob("*.*") if path.is_file()}

    before = state()
    yield
    assert state() == before


def test_a_query_becomes_documents(
    server: Server, pmc: Pmc, settings: Settings, datasets: Datasets, store: ArticleStore
) -> None:
    assert set(changes(settings, corpus()).values()) == {"added"}
    index = rows(datasets, "article_index")["PMC3"]
    assert (index["version"], index["license_class"], index["content_sha256"]) == (1, "redistributable", "")
    assert build(settings, corpus()) == (5, 5)
    article = rows(datasets, "articles")["PMC3"]
    assert article["status"] == "ok"
    assert store.get(str(article["content_sha256"])) == article_xml(3).encode()
    assert (article["license"], article["license_class"]) == ("CC BY", "redistributable")
    assert str(rows(datasets, "documents")["PMC3"]["text"]).endswith("Zinc lowers IL-8.")
    assert len(downloads(server)) == 5


def test_a_second_build_asks_nothing_and_computes_nothing(
    server: Server, pmc: Pmc, settings: Settings, datasets: Datasets
) -> None:
    changes(settings, corpus())
    build(settings, corpus())
    asked = len(server.asked)
    with unchanged(settings.home):
        assert build(settings, corpus()) == (0, 0)
    assert len(server.asked) == asked


def test_a_refresh_tells_every_change_and_the_next_build_does_only_those(
    server: Server, pmc: Pmc, settings: Settings, datasets: Datasets
) -> None:
    changes(settings, corpus())
    build(settings, corpus())
    pmc.bucket.add(1, 2, article_xml(1, version=2, body="<p>Zinc raises IL-8.</p>").encode())
    pmc.bucket.add(2, is_retracted=True)
    pmc.found["lupus"] = [1, 2, 4, 5, 6]
    pmc.bucket.add(6)
    before = len(downloads(server))
    assert changes(settings, corpus()) == {
        "PMC1": "updated",
        "PMC2": "retracted",
        "PMC3": "withdrawn",
        "PMC4": "unchanged",
        "PMC5": "unchanged",
        "PMC6": "added",
    }
    assert rows(datasets, "article_index")["PMC3"]["reason"] == (
        "withdrawn: no query of the corpus finds it any more"
    )
    # PMC2 and PMC3 get another row, without text; only PMC1 and PMC6 are read.
    assert build(settings, corpus()) == (4, 2)
    assert sorted(downloads(server)[before:]) == ["/PMC1.2/PMC1.2.xml", "/PMC6.1/PMC6.1.xml"]
    documents = rows(datasets, "documents")
    assert sorted(documents) == ["PMC1", "PMC4", "PMC5", "PMC6"]
    assert documents["PMC1"]["version"] == 2
    assert str(documents["PMC1"]["text"]).endswith("Zinc raises IL-8.")
    # The next listing has forgotten what was withdrawn.
    assert set(changes(settings, corpus()).values()) == {"unchanged"}
    assert "PMC3" not in rows(datasets, "article_index")


def test_another_file_of_the_same_version_is_an_update(pmc: Pmc, settings: Settings) -> None:
    changes(settings, corpus())
    pmc.bucket.add(4, content=article_xml(4, body="<p>Corrected.</p>").encode())
    assert changes(settings, corpus())["PMC4"] == "updated"


def test_articles_that_no_search_finds_any_more_but_are_retracted(pmc: Pmc, settings: Settings) -> None:
    changes(settings, corpus())
    pmc.found["lupus"].remove(2)
    pmc.bucket.add(2, is_retracted=True)
    assert changes(settings, corpus())["PMC2"] == "retracted"
    assert changes(settings, corpus())["PMC2"] == "unchanged"


def test_what_the_service_fails_on_keeps_its_row(
    server: Server, pmc: Pmc, settings: Settings, datasets: Datasets
) -> None:
    changes(settings, corpus())
    build(settings, corpus())
    before = rows(datasets, "article_index")["PMC4"]

    def handler(asked: Asked) -> Reply:
        is_broken = asked.path == "/metadata/PMC4.1.json"
        return Reply(b"no", 400) if is_broken else pmc.handler(asked)

    server.handler = handler
    assert changes(settings, corpus())["PMC4"] == "unchanged"
    assert rows(datasets, "article_index")["PMC4"] == {**before, "change": "unchanged"}
    assert listing_record(datasets, "test") == (1, ())
    assert build(settings, corpus()) == (0, 0)


def test_an_update_that_cannot_be_fetched_leaves_the_version_before(
    server: Server, pmc: Pmc, settings: Settings, datasets: Datasets
) -> None:
    changes(settings, corpus())
    build(settings, corpus())
    pmc.bucket.add(1, 2, article_xml(1, version=2, body="<p>Zinc raises IL-8.</p>").encode())
    server.handler = lambda asked: (
        Reply(b"gone", 404) if asked.path.startswith("/PMC1.2/") else pmc.handler(asked)
    )
    assert changes(settings, corpus())["PMC1"] == "updated"
    build(settings, corpus())
    assert rows(datasets, "articles")["PMC1"]["version"] == 1
    assert rows(datasets, "articles.status")["PMC1"]["status"] == "partial"
    assert str(rows(datasets, "documents")["PMC1"]["text"]).endswith("Zinc lowers IL-8.")
    server.handler = pmc.handler
    build(settings, corpus())
    assert rows(datasets, "articles")["PMC1"]["version"] == 2
    assert str(rows(datasets, "documents")["PMC1"]["text"]).endswith("Zinc raises IL-8.")


def test_a_new_article_that_cannot_be_fetched_is_asked_for_again(
    pmc: Pmc, settings: Settings, datasets: Datasets
) -> None:
    changes(settings, corpus())
    content = pmc.bucket.objects.pop("PMC1.1/PMC1.1.xml")
    build(settings, corpus())
    assert statuses(datasets)["PMC1"] == "not_found"
    assert "PMC1" not in rows(datasets, "documents")
    pmc.bucket.objects["PMC1.1/PMC1.1.xml"] = content
    assert build(settings, corpus()) == (1, 1)


def test_a_service_that_is_down_ends_the_build_and_keeps_what_came(
    server: Server, pmc: Pmc, settings: Settings, datasets: Datasets
) -> None:
    pmc.found["lupus"] = list(range(1, 101))
    for number in pmc.found["lupus"]:
        pmc.bucket.add(number)
    changes(settings, corpus())
    served = 0

    def handler(asked: Asked) -> Reply:
        nonlocal served
        if asked.path.endswith(".xml"):
            served += 1
            if served > 20:
                return Reply(b"AccessDenied", 403)
        return pmc.handler(asked)

    server.handler = handler
    with pytest.raises(ServiceUnavailable, match="5 requests failed one after the other"):
        fetch(settings, corpus())
    assert not datasets.shards("articles", "test")
    server.handler = pmc.handler
    before = len(downloads(server))
    assert build(settings, corpus()) == (100, 100)
    assert len(downloads(server)) - before == 80


@pytest.mark.parametrize(
    "breaking",
    [
        lambda pmc: pmc.found.update(lupus=[]),
        lambda pmc: pmc.bucket.objects.clear(),
    ],
    ids=["the search finds nothing", "nothing can be used"],
)
def test_a_service_that_answers_nonsense_withdraws_nothing(
    pmc: Pmc, settings: Settings, breaking: Callable[[Pmc], None]
) -> None:
    changes(settings, corpus())
    breaking(pmc)
    with unchanged(settings.home), pytest.raises(StageError, match=r"No article (of PMC|that the query)"):
        list_articles(Datasets(settings.datasets), corpus(), settings)


def test_a_retraction_notice_retracts_the_article_it_names(
    server: Server, pmc: Pmc, settings: Settings, datasets: Datasets
) -> None:
    pmc.bucket.add(2, doi="10.1234/Bad")
    changes(settings, corpus())
    build(settings, corpus())
    notice = article_xml(9, kind="retraction").replace(
        "<custom-meta-group>",
        '<related-article xmlns:xlink="http://www.w3.org/1999/xlink" ext-link-type="doi" '
        'related-article-type="retracted-article" xlink:href="10.1234/bad"/><custom-meta-group>',
    )
    pmc.found["lupus"].append(9)
    pmc.bucket.add(9, content=notice.encode(), title="Retraction: Article 2")
    changed = changes(settings, corpus())
    assert (changed["PMC2"], changed["PMC9"]) == ("retracted", "added")
    index = rows(datasets, "article_index")
    assert index["PMC2"]["reason"] == "retracted by PMC9"
    assert index["PMC9"]["reason"] == "retraction notice for 10.1234/bad"
    build(settings, corpus())
    assert {"PMC2", "PMC9"}.isdisjoint(rows(datasets, "documents"))
    # It stays so, and the notice is not fetched again.
    assert changes(settings, corpus())["PMC2"] == "unchanged"
    assert downloads(server).count("/PMC9.1/PMC9.1.xml") == 1
    preview = preview_refresh(datasets, ArticleStore(settings.raw), corpus(), settings)
    assert preview.listing.changes["unchanged"] == 6


def test_a_title_retracts_and_a_paper_about_retractions_does_not(
    pmc: Pmc, settings: Settings, datasets: Datasets
) -> None:
    pmc.bucket.add(1, title="RETRACTED: Zinc and IL-8")
    pmc.bucket.add(2, title="Retraction rates in clinical trials 2000–2020")
    changes(settings, corpus())
    assert statuses(datasets, "article_index")["PMC1"] == "retracted"
    assert statuses(datasets, "article_index")["PMC2"] == "ok"


def test_filters_by_licence_and_type_decide_on_both_ways(
    pmc: Pmc, settings: Settings, datasets: Datasets
) -> None:
    pmc.bucket.add(2, license_code="CC BY-NC")
    pmc.bucket.add(3, license_code=None)
    pmc.bucket.add(4, content=article_xml(4, kind="editorial").encode())
    pmc.bucket.add(5, content=article_xml(5, kind="correction").encode())
    spec = corpus(license=("redistributable",), article_types=("research-article",))
    changes(settings, spec)
    build(settings, spec)
    assert statuses(datasets) == {
        "PMC1": "ok",
        "PMC2": "excluded",
        "PMC3": "excluded",
        "PMC4": "excluded",
        "PMC5": "notice",
    }
    assert "'" not in str(rows(datasets, "articles")["PMC4"]["reason"])
    # Looser filters take what is in the store already.
    build(settings, corpus(article_types=("research-article",)))
    assert statuses(datasets)["PMC3"] == "ok"
    assert sorted(rows(datasets, "documents")) == ["PMC1", "PMC3"]


def test_only_another_query_is_listed_again_by_a_build(
    pmc: Pmc, settings: Settings, datasets: Datasets
) -> None:
    assert not is_listed(datasets, corpus(), settings)
    changes(settings, corpus())
    assert is_listed(datasets, corpus(), settings)
    assert is_listed(datasets, corpus().model_copy(update={"chunk_tokens": 64}), settings)
    assert not is_listed(datasets, corpus("lupus", "UV"), settings)
    assert not is_listed(datasets, corpus(max_articles=3), settings)
    assert not is_listed(datasets, CorpusSpec(name="test", source="x"), settings)


def test_a_preview_tells_what_would_be_fetched_and_changes_nothing(
    server: Server, pmc: Pmc, settings: Settings, datasets: Datasets, store: ArticleStore
) -> None:
    with unchanged(settings.datasets):
        first = preview_refresh(datasets, store, corpus(), settings)
    assert first.to_fetch == ("PMC1", "PMC2", "PMC3", "PMC4", "PMC5")
    assert (first.requests, first.size, first.chunks) == (5, None, None)
    changes(settings, corpus())
    build(settings, corpus())
    pmc.bucket.add(1, 2)
    pmc.found["lupus"] = [1, 2, 3, 4, 6]
    pmc.bucket.add(6)
    before = downloads(server)
    with unchanged(settings.home):
        preview = preview_refresh(datasets, store, corpus(), settings)
    assert preview.listing.changes == {
        "added": 1,
        "updated": 1,
        "retracted": 0,
        "withdrawn": 1,
        "unchanged": 3,
    }
    assert preview.to_fetch == ("PMC1", "PMC6")
    assert preview.requests == 2
    assert preview.size == pytest.approx(2 * len(article_xml(1)), rel=0.01)
    assert downloads(server) == before


def test_the_search_may_complain_and_is_heard(server: Server, pmc: Pmc, settings: Settings) -> None:
    def handler(asked: Asked) -> Reply:
        reply = pmc.handler(asked)
        if asked.path != "/esearch.fcgi":
            return reply
        warning = b"<WarningList><QuotedPhraseNotFound>x y</QuotedPhraseNotFound></WarningList></eSearch"
        return Reply(reply.body.replace(b"</eSearch", warning))

    server.handler = handler
    listing = list_articles(Datasets(settings.datasets), corpus(), settings)
    assert listing.warnings == ("PMC does not know the phrase 'x y' as a whole and searched for its words",)
    assert listing_record(Datasets(settings.datasets), "test") == (0, listing.warnings)


@pytest.mark.parametrize("articles", ["entrez", "europepmc"])
def test_services_without_versions_serve_a_corpus_too(
    server: Server, pmc: Pmc, settings: Settings, datasets: Datasets, articles: str
) -> None:
    def handler(asked: Asked) -> Reply:
        if asked.path.endswith("/fullTextXML"):
            return Reply(article_xml(int(asked.path.split("/")[1][3:])).encode())
        if asked.path == "/search":
            numbers = pmc.found["lupus"]
            hits = ",".join(
                f'{{"pmcid":"PMC{n}","isOpenAccess":"Y","license":"cc by"}}'
                for n in numbers
                if f"PMCID:PMC{n}" in asked.values["query"]
            )
            return Reply(f'{{"hitCount":{len(numbers)},"resultList":{{"result":[{hits}]}}}}'.encode())
        return pmc.handler(asked)

    server.handler = handler
    chosen = settings.model_copy(
        update={"pmc": settings.pmc.model_copy(update={"articles": articles, "email": settings.pmc.api_key})}
    )
    if articles == "europepmc":  # a client that names nobody may ask by GET, which the handler above reads
        chosen = chosen.model_copy(
            update={"pmc": chosen.pmc.model_copy(update={"email": type(chosen.pmc.email)("")})}
        )
    changes(chosen, corpus())
    assert build(chosen, corpus()) == (5, 5)
    assert set(statuses(datasets).values()) == {"ok"}
    assert build(chosen, corpus()) == (0, 0)


def test_the_key_and_the_address_are_written_nowhere(
    server: Server, pmc: Pmc, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(0):
        changes(settings, corpus())
        build(settings, corpus())
    assert any(asked.values.get("api_key") == KEY for asked in server.asked)
    assert all(KEY not in asked.target for asked in server.asked)
    assert KEY not in caplog.text
    assert "lab.example" not in caplog.text
    assert KEY not in repr(settings)
    for path in settings.home.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


@pytest.mark.shared
def test_the_recorded_bucket_as_a_corpus(
    server: Server, settings: Settings, datasets: Datasets, shared: Path
) -> None:
    bucket = recorded_bucket(shared)
    numbers = sorted({int(key.split(".")[0][3:]) for key in bucket.objects if key.startswith("PMC")})
    pmc = Pmc(found={"lupus": numbers}, bucket=bucket)
    server.handler = pmc.handler
    assert set(changes(settings, corpus(open_access=False)).values()) == {"added"}
    build(settings, corpus(open_access=False))
    counts = Counter(statuses(datasets).values())
    assert sum(counts.values()) == len(numbers)
    documents = rows(datasets, "documents")
    assert len(documents) == counts["ok"] >= 24
    # A record without its file, as some made-up ones are, is asked for again and never called an empty article.
    assert set(counts) <= {"ok", "notice", "retracted", "no_body", "not_found"}
    before = len(downloads(server))
    build(settings, corpus(open_access=False))
    assert set(downloads(server)[before:]) == {
        path
        for path in downloads(server)
        if path.split("/")[1].split(".")[0] in _of_status(datasets, "not_found")
    }


def _of_status(datasets: Datasets, status: str) -> set[str]:
    return {article for article, found in statuses(datasets).items() if found == status}


def test_settings_reach_the_services_and_mistakes_name_their_variable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    official = remote_settings(load_settings({}))
    assert official.entrez_url.startswith("https://eutils.ncbi.nlm.nih.gov/")
    assert official.limiter_folder == tmp_path / "kg-pipeline" / "limits"
    chosen = remote_settings(
        load_settings({"KG_PMC_ARTICLES": "entrez", "KG_PMC_THREADS": "3", "KG_PMC_API_KEY": KEY})
    )
    assert (chosen.articles, chosen.threads, chosen.entrez_rate) == ("entrez", 3, 10.0)
    for name, value in {"THREADS": "0", "SEARCH": "google", "CLOUD_URL": "ftp://x", "MAIL": "me"}.items():
        with pytest.raises(SettingsError, match=f"KG_PMC_{name}"):
            load_settings({f"KG_PMC_{name}": value})
