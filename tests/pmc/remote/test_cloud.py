from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg_pipeline.pmc.raw import ArticleStore
from kg_pipeline.pmc.remote.cloud import CloudArticles, CloudClient
from kg_pipeline.pmc.remote.http import Fetcher
from kg_pipeline.pmc.remote.ledger import FetchLedger
from kg_pipeline.pmc.remote.outcomes import Fetched, Listed, Wanted
from tests.pmc.remote.bucket import Bucket, recorded_bucket
from tests.pmc.remote.conftest import Time
from tests.pmc.remote.replies import article_xml
from tests.pmc.remote.server import Asked, Reply, Server

MakeFetcher = Callable[..., Fetcher]


@pytest.fixture
def bucket(server: Server) -> Bucket:
    made = Bucket()
    server.handler = made.handler
    return made


@pytest.fixture
def client(server: Server, make_fetcher: MakeFetcher) -> CloudClient:
    return CloudClient(make_fetcher(), base_url=server.url)


@pytest.fixture
def service(client: CloudClient) -> CloudArticles:
    return CloudArticles(client, threads=1)


@pytest.fixture
def keeper(tmp_path: Path, store: ArticleStore):
    with FetchLedger(tmp_path / "ledger", store) as ledger:
        yield ledger


def _one(service: CloudArticles, keeper: FetchLedger, text: str) -> Fetched:
    wanted = Wanted.parse(text)
    assert wanted is not None
    (got,) = service.fetch([wanted], keeper)
    return got


def _look_up(service: CloudArticles, text: str) -> Listed:
    wanted = Wanted.parse(text)
    assert wanted is not None
    (listed,) = service.look_up([wanted])
    return listed


def test_an_id_is_resolved_by_listing_and_no_retired_path_is_asked(
    server: Server, bucket: Bucket, service: CloudArticles, keeper: FetchLedger
) -> None:
    bucket.add(99000001)
    assert _one(service, keeper, "PMC99000001").status == "ok"
    assert server.paths() == ["/", "/metadata/PMC99000001.1.json", "/PMC99000001.1/PMC99000001.1.xml"]
    assert server.asked[0].values["prefix"] == "PMC99000001."
    for retired in ("oa_package", "oa_bulk", "oa_comm", "oa_noncomm", "oa.fcgi", "ftp"):
        assert all(retired not in asked.target for asked in server.asked)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(versions=st.sets(st.integers(1, 300), min_size=1, max_size=12), page=st.integers(1, 5))
def test_versions_are_numbers_and_all_pages_are_read(
    server: Server, client: CloudClient, versions: set[int], page: int
) -> None:
    bucket = Bucket(page=page)
    for version in versions:
        bucket.add(99000030, version, b"<article/>")
    bucket.add(990000301, 999, b"<article/>")  # begins with the same digits
    server.handler = bucket.handler
    assert client.versions("PMC99000030") == sorted(versions)


def test_a_version_that_is_still_being_put_there_does_not_hide_the_one_before(
    bucket: Bucket, service: CloudArticles, keeper: FetchLedger
) -> None:
    bucket.add(7)
    bucket.objects["PMC7.2/PMC7.2.xml"] = b"<article/>"
    bucket.objects["PMC7.99999999999999999999/"] = b""
    listed = _look_up(service, "PMC7")
    assert (listed.status, listed.version) == ("ok", 1)
    assert _one(service, keeper, "PMC7").version == 1
    bucket.add(7, 2)
    assert _look_up(service, "PMC7").version == 2
    for version in (3, 4, 5):
        bucket.objects[f"PMC7.{version}/PMC7.{version}.xml"] = b"<article/>"
    assert (_look_up(service, "PMC7").status, _look_up(service, "PMC7").reason) == (
        "not_found", "the PMC Cloud Service does not hold version 5 of it"
    )  # fmt: skip


def test_version_ten_is_newer_than_two(bucket: Bucket, service: CloudArticles, keeper: FetchLedger) -> None:
    for version in (1, 10, 2):
        bucket.add(99000030, version)
    assert _one(service, keeper, "PMC99000030").version == 10
    assert _look_up(service, "PMC99000030").version == 10
    bucket.add(99000030, 11)
    assert _one(service, keeper, "PMC99000030").version == 11
    assert _one(service, keeper, "PMC99000030.2").version == 2


def test_recorded_listings(server: Server, client: CloudClient, shared: Path) -> None:
    folder = shared / "data" / "entrez" / "pmc_cloud_s3"
    server.script = [Reply((folder / "real_versions_listing_PMC11370360.xml").read_bytes())]
    assert client.versions("PMC11370360") == [1, 2]
    server.script = [Reply((folder / "inventory_day_prefixes.xml").read_bytes())]
    assert client.versions("PMC11370360") == []


@pytest.mark.parametrize(
    ("name", "license_class", "has_xml"),
    [
        ("real_metadata_PMC7759461.1.json", "redistributable", True),
        ("real_metadata_PMC1817752.1.json", "redistributable", True),
        ("edge_metadata_no_pdf_PMC8238499.1.json", "redistributable", True),
        ("edge_metadata_null_licence_PMC7123456.1.json", "unknown", False),
    ],
)
def test_recorded_metadata(
    server: Server, client: CloudClient, shared: Path, name: str, license_class: str, has_xml: bool
) -> None:
    server.script = [Reply((shared / "data" / "entrez" / "pmc_cloud_s3" / name).read_bytes())]
    record = client.metadata(name.split("_")[-1].split(".")[0], 1)
    assert record is not None
    assert record.is_open_access
    assert not record.is_retracted
    assert record.license_class == license_class
    assert bool(record.xml_url) == has_xml


def test_the_recorded_bucket_article_by_article(
    server: Server, make_fetcher: MakeFetcher, keeper: FetchLedger, shared: Path
) -> None:
    bucket = recorded_bucket(shared)
    server.handler = bucket.handler
    service = CloudArticles(CloudClient(make_fetcher(), base_url=server.url), threads=4)
    pmcids = sorted({key.split("/")[0].split(".")[0] for key in bucket.objects if key.startswith("PMC")})
    listed = {row.pmcid: row for row in service.look_up([Wanted(pmcid) for pmcid in pmcids])}
    synthetic = {pmcid: row for pmcid, row in listed.items() if pmcid.startswith("PMC9900000")}
    assert {pmcid: (row.status, row.version, row.license_class) for pmcid, row in synthetic.items()} == {
        "PMC99000001": ("retracted", 1, "redistributable"),
        "PMC99000002": ("ok", 1, "non_commercial"),
        "PMC99000003": ("ok", 2, "redistributable"),
        "PMC99000004": ("ok", 10, "redistributable"),
        "PMC99000005": ("no_body", 1, "redistributable"),
        "PMC99000006": ("ok", 1, "unknown"),
        "PMC99000007": ("ok", 1, "redistributable"),
    }
    (old,) = service.look_up([Wanted("PMC99000003", 1)])
    assert (old.status, old.license_class) == ("not_open", "mining_only")
    real = [row for pmcid, row in listed.items() if pmcid not in synthetic]
    assert len(real) == 25
    got = list(service.fetch([Wanted.parse(row.source_ref) or Wanted(row.pmcid) for row in real], keeper))
    assert [article.pmcid for article in got] == [row.pmcid for row in real]
    assert {article.pmcid: article.status for article in got if article.status != "ok"} == {
        "PMC12634591": "notice"  # a correction
    }
    # A synthetic article has metadata, but no file.
    (gone,) = service.fetch([Wanted("PMC99000002")], keeper)
    assert (gone.status, gone.reason) == ("not_found", "its XML is not in the bucket")


def test_an_unknown_id_is_not_found(bucket: Bucket, service: CloudArticles, keeper: FetchLedger) -> None:
    got = _one(service, keeper, "PMC99999999")
    assert (got.status, got.content) == ("not_found", None)
    bucket.add(5)
    assert _one(service, keeper, "PMC5.4").status == "not_found"


@pytest.mark.parametrize(
    ("metadata", "status"),
    [
        ({"is_pmc_openaccess": False}, "not_open"),
        ({"is_pmc_openaccess": None}, "not_open"),
        ({"is_pmc_openaccess": False, "is_manuscript": True, "license_code": "TDM"}, "not_open"),
        ({"is_retracted": True}, "retracted"),
        ({"is_retracted": "Yes"}, "retracted"),
        ({"xml_url": None}, "no_body"),
        ({"license_code": None}, "ok"),
    ],
)
def test_being_in_the_bucket_is_no_licence(
    server: Server,
    bucket: Bucket,
    service: CloudArticles,
    keeper: FetchLedger,
    metadata: dict[str, object],
    status: str,
) -> None:
    bucket.add(7, **metadata)
    got = _one(service, keeper, "PMC7")
    assert got.status == status
    assert bool(got.reason) == (status != "ok")
    assert (got.content is not None) == (status == "ok")
    assert any(path.endswith(".xml") for path in server.paths()) == (status == "ok")


def test_manuscripts_if_the_corpus_wants_more_than_open_access(
    bucket: Bucket, client: CloudClient, keeper: FetchLedger
) -> None:
    bucket.add(7, is_pmc_openaccess=False, is_manuscript=True, license_code="TDM")
    service = CloudArticles(client, open_access=False, threads=1)
    assert _look_up(service, "PMC7").license_class == "mining_only"
    assert _one(service, keeper, "PMC7").status == "ok"


def test_a_body_with_another_md5_is_fetched_again(
    server: Server, bucket: Bucket, service: CloudArticles, keeper: FetchLedger
) -> None:
    ref = bucket.add(7)
    server.script = [Reply(article_xml(7, body="<p>damaged</p>").encode())]
    got = _one(service, keeper, ref)
    assert got.status == "ok"
    assert got.content == article_xml(7).encode()
    assert len(server.asked) == 2


def test_a_body_cut_short_is_fetched_again_and_nothing_of_it_stays(
    server: Server, bucket: Bucket, service: CloudArticles, keeper: FetchLedger, store: ArticleStore
) -> None:
    content = article_xml(7, body=f"<p>{'x' * 900}</p>").encode()
    ref = bucket.add(7, content=content)
    server.script = [Reply(content, sent=400)]
    assert _one(service, keeper, ref).content == content
    assert len([path for path in store.root.rglob("*") if path.is_file()]) == 1


def test_a_file_that_changed_after_the_listing_is_taken_as_it_is_now(
    server: Server, bucket: Bucket, service: CloudArticles, keeper: FetchLedger, fake_time: Time
) -> None:
    listed = bucket.add(7)
    bucket.add(7, content=article_xml(7, body="<p>corrected</p>").encode())
    got = _one(service, keeper, listed)
    assert got.status == "ok"
    assert got.content is not None
    assert b"corrected" in got.content
    assert sum(fake_time.waits) < 5.0


def test_a_version_that_is_gone_since_the_listing_is_told_by_its_number(
    bucket: Bucket, service: CloudArticles, keeper: FetchLedger, store: ArticleStore
) -> None:
    listed = bucket.add(7, version=2)
    for key in ("PMC7.2/PMC7.2.xml", "metadata/PMC7.2.json"):
        del bucket.objects[key]
    bucket.add(7, version=3)
    got = _one(service, keeper, listed)
    assert (got.status, got.version) == ("not_found", 2)
    assert "version 2" in got.reason
    assert not store.root.exists()
    assert (_one(service, keeper, "PMC7").status, _one(service, keeper, "PMC7").version) == ("ok", 3)


def test_versions_that_come_while_they_are_listed_are_no_error(
    server: Server, client: CloudClient, bucket: Bucket
) -> None:
    bucket.page = 1
    for version in (1, 2):
        bucket.add(7, version=version)
    first = server.handler

    def grows(asked: Asked) -> Reply:
        bucket.add(7, version=3)
        return first(asked)

    server.handler = grows
    assert client.versions("PMC7") == [1, 2, 3]


def test_a_file_that_never_fits_its_metadata_fails(
    bucket: Bucket, service: CloudArticles, keeper: FetchLedger, store: ArticleStore
) -> None:
    bucket.add(7)
    bucket.objects["PMC7.1/PMC7.1.xml"] = article_xml(7, body="<p>other</p>").encode()
    got = _one(service, keeper, "PMC7")
    assert got.status == "failed"
    assert "MD5" in got.reason
    assert not store.root.exists()


@pytest.mark.parametrize("content", [b"<article><front>", b"%PDF-1.7", b"<html/>", b"{}"])
def test_what_is_no_article_is_malformed(
    bucket: Bucket, service: CloudArticles, keeper: FetchLedger, content: bytes
) -> None:
    bucket.add(7, content=content)
    got = _one(service, keeper, "PMC7")
    assert (got.status, got.content) == ("malformed", None)
    assert got.reason


def test_an_article_over_the_bound_is_malformed(
    server: Server, bucket: Bucket, make_fetcher: MakeFetcher, keeper: FetchLedger
) -> None:
    ref = bucket.add(7, content=article_xml(7, body=f"<p>{'x' * 5000}</p>").encode())
    service = CloudArticles(CloudClient(make_fetcher(max_bytes=4000), base_url=server.url))
    got = _one(service, keeper, ref)
    assert (got.status, got.is_service_failure) == ("malformed", False)
    assert "more than 4000 bytes" in got.reason


def test_the_article_of_another_id_is_malformed(
    bucket: Bucket, service: CloudArticles, keeper: FetchLedger
) -> None:
    bucket.add(7, content=article_xml(8).encode())
    got = _one(service, keeper, "PMC7")
    assert (got.status, got.reason) == ("malformed", "the XML is that of PMC8")


@pytest.mark.parametrize(
    "body", [b'{"pmcid": "PMC8", "version": 1}', b'{"pmcid": "PMC7", "version": 2}', b"[1]", b"<html>", b""]
)
def test_metadata_that_are_not_those_asked_for_fail(
    bucket: Bucket, service: CloudArticles, keeper: FetchLedger, body: bytes
) -> None:
    bucket.add(7)
    bucket.objects["metadata/PMC7.1.json"] = body
    got = _one(service, keeper, "PMC7")
    assert got.status == "failed"
    assert got.is_service_failure


def test_an_error_of_s3_inside_a_200_is_repeated(server: Server, client: CloudClient, bucket: Bucket) -> None:
    bucket.add(7)
    server.script = [
        Reply(b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>")
    ]
    assert client.versions("PMC7") == [1]


def test_nothing_is_downloaded_twice(
    server: Server, bucket: Bucket, service: CloudArticles, keeper: FetchLedger
) -> None:
    ref = bucket.add(7)
    first = _one(service, keeper, ref)
    asked = len(server.asked)
    assert _one(service, keeper, ref).is_reused
    assert _one(service, keeper, "PMC7.1").content == first.content
    assert len(server.asked) == asked
    again = _one(service, keeper, "PMC7")  # is there a newer version? the file itself is not fetched
    assert again.is_reused
    assert [path for path in server.paths() if path.endswith(".xml")] == ["/PMC7.1/PMC7.1.xml"]
