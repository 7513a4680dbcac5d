"""What needs no server: labels, and the sentence for one that is not there."""

from __future__ import annotations

import socket
import threading

import pytest

from kg_pipeline.errors import GraphError, StoreUnavailable
from kg_pipeline.graph.neo4j import load_version, open_reader, ping
from kg_pipeline.graph.neo4j.client import VersionLabels, open_driver
from kg_pipeline.graph.neo4j.local_server import _free_port
from kg_pipeline.settings import Neo4jSettings


@pytest.mark.parametrize(
    ("corpus", "version"),
    [("lupus`) DETACH DELETE (n", "v0123456789ab"), ("lupus", "v1"), ("Lupus", "v0123456789ab"), ("", "")],
)
def test_only_slugs_and_version_ids_become_labels(corpus, version):
    with pytest.raises(GraphError, match="cannot be labels"):
        VersionLabels(corpus, version)


def test_labels_tell_corpora_apart():
    assert VersionLabels("a-b", "v0123456789ab").of("Chunk") == "Chunk__a_b__v0123456789ab"


def test_a_server_that_is_not_there_is_told_in_one_sentence(workplace):
    absent = Neo4jSettings(uri=f"bolt://127.0.0.1:{_free_port()}")
    folder = workplace.build({"P1": [("A", "binds", "B")]})
    for act in (
        lambda: ping(absent),
        lambda: load_version(absent, folder),
        lambda: open_reader(absent, "tiny"),
    ):
        with pytest.raises(
            StoreUnavailable, match=r"Neo4j at bolt://.* cannot be reached .*KG_NEO4J_URI\.$"
        ) as told:
            act()
        assert "\n" not in str(told.value)


def test_a_malformed_address_is_told_with_the_variable():
    with pytest.raises(StoreUnavailable, match="KG_NEO4J_URI"):
        ping(Neo4jSettings(uri="localhost:7687"))


@pytest.mark.parametrize(
    ("uri", "encrypted"),
    [("bolt://h:1", False), ("bolt+s://h:1", True), ("bolt+ssc://h:1", True), ("neo4j+s://h:1", True)],
)
def test_tls_is_chosen_by_the_address(uri, encrypted):
    driver = open_driver(Neo4jSettings(uri=uri))
    assert driver.encrypted == encrypted
    driver.close()


def test_a_server_that_does_not_speak_tls_is_told_in_one_sentence():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]

        def answer():
            connection, _ = listening.accept()
            connection.recv(1024)
            connection.sendall(b"plain text")
            connection.close()

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(StoreUnavailable, match=r"cannot be reached .*KG_NEO4J_URI\.$"):
            ping(Neo4jSettings(uri=f"bolt+s://127.0.0.1:{port}"))
        thread.join()
