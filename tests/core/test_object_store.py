"""Tables and articles through an object store: a folder, and a server of S3's protocol in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from kg_pipeline.datasets import Datasets
from kg_pipeline.errors import DatasetError, ObjectStoreError, SettingsError
from kg_pipeline.files import TEMPORARY_PREFIX
from kg_pipeline.object_store import ObjectStore, open_store
from kg_pipeline.pmc.raw import ArticleStore
from kg_pipeline.settings import load_settings
from tests.core.s3_server import s3_server

pytestmark = pytest.mark.integration
ROW = {"article_id": "PMC1", "chunk_id": "PMC1:c0", "reason": "quote_not_found", "detail": "x"}


@pytest.fixture(scope="module")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a bucket; what this process needs to reach it is in its environment meanwhile."""
    with s3_server(tmp_path_factory.mktemp("s3")) as variables, pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        yield "s3://bucket"


@pytest.fixture(params=["folder", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    if request.param == "folder":
        address = (tmp_path / "shared").as_uri()
    else:
        address = f"{request.getfixturevalue('bucket')}/{tmp_path.name}"
    opened = open_store(address)
    assert opened is not None
    return opened


def frame(detail: str) -> pl.DataFrame:
    return pl.DataFrame([{**ROW, "detail": detail}])


def test_a_table_of_one_machine_is_read_by_another_and_by_none_that_shares_nothing(
    store: ObjectStore, tmp_path: Path
) -> None:
    here, there = Datasets(tmp_path / "here", store), Datasets(tmp_path / "there", store)
    here.write("rejects", "demo", frame("first"), "07")
    assert there.exists("rejects", "demo", "07")
    assert there.is_usable("rejects", "demo", "07")
    assert there.read("rejects", "demo", "07")["detail"].to_list() == ["first"]
    assert there.scan("rejects", "demo").collect()["detail"].to_list() == ["first"]
    assert there.shards("rejects", "demo") == ["07"]
    assert not Datasets(tmp_path / "alone").exists("rejects", "demo", "07")


def test_a_copy_is_fetched_once_and_anew_when_the_table_changed(store: ObjectStore, tmp_path: Path) -> None:
    here, there = Datasets(tmp_path / "here", store), Datasets(tmp_path / "there", store)
    here.write("rejects", "demo", frame("first"), "07")
    copy = there.fetched("rejects", "demo", "07")
    written = copy.stat()
    for again in (there.fetched("rejects", "demo", "07"), here.fetched("rejects", "demo", "07")):
        assert again.read_bytes() == copy.read_bytes()
    assert copy.stat().st_ino == written.st_ino
    here.write("rejects", "demo", frame("something longer"), "07")
    assert there.scan("rejects", "demo").collect()["detail"].to_list() == ["something longer"]
    assert there.read("rejects", "demo", "07")["detail"].to_list() == ["something longer"]


def test_what_is_gone_from_the_store_is_gone(store: ObjectStore, tmp_path: Path) -> None:
    datasets = Datasets(tmp_path / "here", store)
    datasets.write("rejects", "demo", frame("x"))
    store.delete("datasets/demo/rejects/all.parquet")
    store.delete("datasets/demo/rejects/all.parquet")
    assert not datasets.is_usable("rejects", "demo")
    assert datasets.read_or_empty("rejects", "demo").is_empty()
    assert datasets.scan("rejects", "demo").collect().is_empty()
    with pytest.raises(DatasetError, match="kg build demo"):
        datasets.read("rejects", "demo")


def test_shards_are_scanned_in_order_and_nothing_unfinished_is_a_shard(
    store: ObjectStore, tmp_path: Path
) -> None:
    here, there = Datasets(tmp_path / "here", store), Datasets(tmp_path / "there", store)
    for shard in ("02", "00", "01"):
        here.write("rejects", "demo", frame(shard), shard)
    store.write(f"datasets/demo/rejects/{TEMPORARY_PREFIX}1-ab-03.parquet", b"half")
    assert there.scan("rejects", "demo").collect()["detail"].to_list() == ["00", "01", "02"]
    assert [shard for shard, _ in there.batches("rejects", "demo")] == ["00", "01", "02"]


def test_a_damaged_object_is_made_again_and_not_trusted(store: ObjectStore, tmp_path: Path) -> None:
    datasets = Datasets(tmp_path / "here", store)
    store.write("datasets/demo/rejects/00.parquet", b"PAR1 nonsense")
    assert not datasets.is_usable("rejects", "demo", "00")
    with pytest.raises(DatasetError, match="damaged"):
        datasets.read("rejects", "demo", "00")


def test_articles_are_shared_verified_and_discarded(store: ObjectStore, tmp_path: Path) -> None:
    here, there = ArticleStore(tmp_path / "here", store), ArticleStore(tmp_path / "there", store)
    sha256 = here.put(b"<article/>")
    assert there.put(b"<article/>") == sha256
    assert (there.has(sha256), there.size(sha256), there.get(sha256)) == (True, 10, b"<article/>")
    store.write(f"raw/{sha256[:2]}/{sha256}.xml.zst", b"noise")
    with pytest.raises(DatasetError, match=sha256):
        there.get(sha256)
    there.discard(sha256)
    assert (here.has(sha256), here.size(sha256)) == (False, None)
    with pytest.raises(DatasetError, match="missing"):
        here.get(sha256)
    assert not (tmp_path / "here").exists()


def test_an_address_of_no_store_is_told_in_a_sentence() -> None:
    with pytest.raises(ObjectStoreError, match="KG_STORE is 'ftp://host/folder'"):
        open_store("ftp://host/folder")


def test_a_store_that_refuses_is_named_with_its_reason(bucket: str, tmp_path: Path) -> None:
    absent = open_store("s3://nobody-made-this/kg")
    with pytest.raises(ObjectStoreError, match=r"s3://nobody-made-this.*datasets/demo.*NO_SUCH_BUCKET"):
        Datasets(tmp_path, absent).write("rejects", "demo", frame("x"))
    assert not any(path.is_file() for path in tmp_path.rglob("*"))


@pytest.mark.parametrize("address", ["s3://AKIA:hush@bucket/kg", "s3://", "bucket/kg"])
def test_an_address_without_a_place_or_with_a_key_is_refused(address: str) -> None:
    with pytest.raises(SettingsError, match="KG_STORE") as caught:
        load_settings({"KG_STORE": address})
    assert "hush" not in str(caught.value)


def test_work_from_another_machine_is_done_in_the_own_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KG_HOME", "/here")
    theirs = {"KG_HOME": "/there"}
    assert load_settings(theirs).on_this_machine().home == Path("/there")
    assert load_settings({**theirs, "KG_STORE": "s3://bucket/kg"}).on_this_machine().home == Path("/here")
