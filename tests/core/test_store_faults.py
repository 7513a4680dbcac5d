"""What is wrong with an object store, or with its address, is told in a sentence and before anything is made for it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from kg_pipeline.cli import app
from kg_pipeline.cli.diagnosis import _store as diagnosed
from kg_pipeline.datasets import Datasets, empty_frame
from kg_pipeline.errors import ObjectStoreError, SettingsError
from kg_pipeline.object_store import ObjectStore, open_store, require_store
from kg_pipeline.settings import load_settings

pytestmark = pytest.mark.integration


def test_an_address_of_no_store_is_told_in_a_sentence() -> None:
    with pytest.raises(ObjectStoreError, match="KG_STORE is 'ftp://host/folder'"):
        open_store("ftp://host/folder")


def test_a_store_that_refuses_is_named_with_its_reason(bucket: str, tmp_path: Path) -> None:
    absent = open_store("s3://nobody-made-this/kg")
    with pytest.raises(ObjectStoreError, match=r"s3://nobody-made-this.*datasets/demo.*NO_SUCH_BUCKET"):
        Datasets(tmp_path, absent).write("rejects", "demo", empty_frame("rejects"))
    assert not any(path.is_file() for path in tmp_path.rglob("*"))


def test_doctor_tells_a_bucket_or_folder_that_is_not_there(bucket: str, tmp_path: Path) -> None:
    def is_well(address: str) -> bool:
        return diagnosed(load_settings({"KG_HOME": str(tmp_path), "KG_STORE": address})).is_well

    assert is_well(bucket)
    assert is_well(f"{bucket}/nothing-is-there-yet")
    assert not is_well("s3://nobody-made-this/kg")
    assert is_well(tmp_path.as_uri())
    assert not is_well((tmp_path / "not-mounted").as_uri())


@pytest.mark.parametrize(
    "address",
    [
        "s3://bucket/prefix", "gs://bucket/prefix", "file:///folder",
        "abfs://container@account.dfs.core.windows.net/prefix", "abfss://container@account.dfs.core.windows.net",
    ],
)  # fmt: skip
def test_every_address_that_the_manual_shows_is_taken(address: str) -> None:
    assert load_settings({"KG_STORE": address}).store == address
    assert open_store(address) is not None


@pytest.mark.parametrize(
    "address",
    [
        "s3://AKIA:hush@bucket/kg", "s3://AKIA@bucket/kg", "abfs://account:hush@container/kg",
        "abfs://:hush@account.dfs.core.windows.net/container", "abfs://a@b:hush@c/kg", "s3://", "bucket/kg",
    ],
)  # fmt: skip
def test_an_address_without_a_place_or_with_a_key_is_refused(address: str) -> None:
    with pytest.raises(SettingsError, match="KG_STORE") as caught:
        load_settings({"KG_STORE": address})
    assert "hush" not in str(caught.value)


def test_a_store_is_asked_for_before_anything_is_made_for_it(bucket: str, tmp_path: Path) -> None:
    require_store("")
    require_store(f"{bucket}/nothing-is-there-yet")
    for address in ("s3://nobody-made-this/kg", (tmp_path / "not-mounted").as_uri()):
        with pytest.raises(ObjectStoreError, match="no such bucket or folder"):
            require_store(address)
    for command in ("build", "versions"):
        environment = {"KG_HOME": str(tmp_path / "home"), "KG_STORE": (tmp_path / "not-mounted").as_uri()}
        refused = CliRunner(env=environment).invoke(app.app, [command, "demo"])
        assert isinstance(refused.exception, ObjectStoreError), command
    assert not (tmp_path / "home").exists()


def test_a_fault_that_the_library_gives_no_number_is_told_in_a_line(tmp_path: Path) -> None:
    class Refusing:
        """As Arrow's client of Azure does where it finds no credentials."""

        def get_file_info(self, _: object) -> None:
            raise pa.ArrowException("Unknown error: no token.\nSee the manual")

    refusing = ObjectStore("abfs://container@account.dfs.core.windows.net", Refusing(), "container")
    with pytest.raises(ObjectStoreError, match=r"failed at name \(Unknown error: no token\)\. Check"):
        refusing.has("name")
