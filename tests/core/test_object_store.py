"""Tables and articles through an object store: a folder, and servers of the protocols of S3 and Google Cloud Storage."""

from __future__ import annotations

import errno
import os
import re
import signal
import threading
import time
from pathlib import Path

import polars as pl
import pytest

from kg_pipeline import object_store
from kg_pipeline.datasets import Datasets
from kg_pipeline.errors import DatasetError
from kg_pipeline.files import TEMPORARY_PREFIX
from kg_pipeline.object_store import ObjectStore, open_store
from kg_pipeline.pmc.raw import ArticleStore
from kg_pipeline.settings import load_settings
from tests.core.rows import ROW

pytestmark = pytest.mark.integration


@pytest.fixture(params=["folder", "s3", "gs"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    if request.param == "folder":
        address = (tmp_path / "shared").as_uri()
    elif request.param == "gs":
        address = f"gs://anonymous@bucket/{tmp_path.name}?{request.getfixturevalue('google')}"
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


def test_a_copy_is_fetched_once_and_anew_when_the_table_changed(
    store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_store, "_SETTLED", 0)  # nothing else changes a table that was just written
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


def test_a_table_that_changes_within_a_second_and_not_in_size_is_not_taken_for_the_old_one(
    store: ObjectStore, tmp_path: Path
) -> None:
    here, there = Datasets(tmp_path / "here", store), Datasets(tmp_path / "there", store)
    for detail in ("one", "two", "six", "ten"):  # a bucket tells whole seconds: some of these fall into one
        here.write("rejects", "demo", frame(detail))
        assert there.read("rejects", "demo")["detail"].to_list() == [detail]
        assert there.scan("rejects", "demo").collect()["detail"].to_list() == [detail]


def test_an_interrupted_upload_leaves_the_old_object_or_the_whole_new_one(
    bucket: str, tmp_path: Path
) -> None:
    store = open_store(f"{bucket}/{tmp_path.name}")
    assert store is not None
    path = tmp_path / "new"
    path.write_bytes(os.urandom(24 << 20))

    def send_interrupted(after: float) -> None:
        threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT)).start()
        store.send(path, "object")
        time.sleep(60)  # where the upload was faster

    for after in (0.002, 0.01, 0.02):
        store.write("object", b"old")
        with pytest.raises(KeyboardInterrupt):
            send_interrupted(after)
        assert store.list("")["object"][0] in {3, 24 << 20}


def test_an_empty_file_is_sent(store: ObjectStore, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    store.send(tmp_path / "empty", "folder/empty")
    assert store.read("folder/empty") == b""


@pytest.mark.parametrize("failing", [errno.EIO, errno.ENOENT])
def test_a_fault_of_the_own_disk_is_not_told_of_the_store(
    store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    store.write("name", b"content")

    def fail(path: Path, mode: str = "r") -> None:
        raise OSError(failing, os.strerror(failing), str(path))

    monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(OSError, match=os.strerror(failing)) as caught:
        store.fetch("name", tmp_path / "copy")
    assert caught.value.errno == failing


def test_a_workspace_that_gets_a_store_keeps_its_own_tables(tmp_path: Path) -> None:
    home = {"KG_HOME": str(tmp_path / "home")}
    own = Datasets.of(load_settings(home))
    own.write("rejects", "demo", frame("paid for"), "00")
    for name in ("one", "two"):
        shared = Datasets.of(load_settings({**home, "KG_STORE": (tmp_path / name).as_uri()}))
        assert not shared.is_usable("rejects", "demo", "00")
        shared.write("rejects", "demo", frame(name), "00")
        assert shared.read("rejects", "demo", "00")["detail"].to_list() == [name]
    assert own.read("rejects", "demo", "00")["detail"].to_list() == ["paid for"]


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
    key = f"{store.address}/datasets/demo/rejects/00.parquet is damaged"  # what to delete, not the copy of it
    with pytest.raises(DatasetError, match=re.escape(key)):
        datasets.read("rejects", "demo", "00")
    with pytest.raises(DatasetError, match=re.escape(key)):
        list(datasets.parts("rejects", "demo", ["detail"], 1))


def test_articles_that_were_copied_into_the_store_file_by_file_are_read(
    store: ObjectStore, tmp_path: Path
) -> None:
    own, shared = ArticleStore(tmp_path / "raw"), ArticleStore(tmp_path / "none", store)
    sha256 = own.put(b"<article/>")
    packed = own.path(sha256).read_bytes()
    assert shared.put(b"<article/>") == sha256
    key = f"{store.prefix}/raw/{own.path(sha256).relative_to(own.root)}"
    with store.filesystem.open_input_stream(key, compression=None) as source:
        assert source.read() == packed
    with store.filesystem.open_output_stream(key, compression=None) as sink:
        sink.write(packed)
    assert shared.get(sha256) == b"<article/>"


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


def test_work_from_another_machine_is_done_in_the_own_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KG_HOME", "/here")
    theirs = {"KG_HOME": "/there"}
    assert load_settings(theirs).on_this_machine().home == Path("/there")
    assert load_settings({**theirs, "KG_STORE": "s3://bucket/kg"}).on_this_machine().home == Path("/here")


def test_what_lies_deeper_is_found_with_its_path(store: ObjectStore) -> None:
    for name in (
        "graphs/demo/v2/tables/a",
        "graphs/demo/v1/manifest",
        "graphs/demo/CURRENT",
        "graphs/others",
    ):
        store.write(name, b"x")
    assert store.walk("graphs/demo") == ["CURRENT", "v1/manifest", "v2/tables/a"]
    assert store.folders("graphs/demo") == ["v1", "v2"]
    assert store.folders("") == ["graphs"]
    assert store.walk("nothing") == []
    assert list(store.list("graphs/demo")) == ["CURRENT"]


def test_a_file_is_copied_whatever_is_there(store: ObjectStore, tmp_path: Path) -> None:
    store.write("name", b"content")
    (tmp_path / "copy").write_bytes(b"longer than it")
    store.download("name", tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"content"
    with pytest.raises(FileNotFoundError):
        store.download("absent", tmp_path / "other")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["copy"]
