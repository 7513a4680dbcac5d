import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.errors import DatasetError
from kg_pipeline.pmc.raw import ArticleStore


@settings(deadline=None)
@given(st.binary(max_size=2000))
def test_bytes_come_back_by_their_digest(tmp_path_factory, data):
    store = ArticleStore(tmp_path_factory.mktemp("raw"))
    sha256 = store.put(data)
    assert sha256 == hashlib.sha256(data).hexdigest() == store.put(data)
    assert store.has(sha256)
    assert store.get(sha256) == data


def test_missing_and_damaged_content_is_reported(tmp_path):
    store = ArticleStore(tmp_path)
    sha256 = store.put(b"<article/>")
    other = store.put(b"<other/>")
    store.path(sha256).write_bytes(store.path(other).read_bytes())
    with pytest.raises(DatasetError, match="damaged"):
        store.get(sha256)
    store.path(sha256).write_bytes(b"noise")
    with pytest.raises(DatasetError, match="cannot be read"):
        store.get(sha256)
    store.path(sha256).unlink()
    with pytest.raises(DatasetError, match="missing"):
        store.get(sha256)
    assert not store.has(sha256)
