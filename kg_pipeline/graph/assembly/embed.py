"""Vectors of chunks and entities, computed once for each text.

A vector depends on its text and the model only, so it is kept under the digest of both, in parts that all corpora
share. A killed run loses at most one part; a renamed entity or an edited chunk costs one vector.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import ROW_GROUP, Datasets
from kg_pipeline.graph.assembly.vector_store import STORED, CorpusVectors, VectorStore, stored_batches
from kg_pipeline.graph.reader import NodeKind
from kg_pipeline.llm.embeddings import Embedder, load_embedder
from kg_pipeline.schema import EMBEDDINGS
from kg_pipeline.settings import Settings

#: Aliases that are embedded with the name; more of them blur the vector.
_ALIASES = 3
#: Texts embedded between two writes to disk: what a killed run loses, some seconds of work.
_PART_TEXTS = 256
#: Parts of a run that are put together: as many vectors as one stage table has in a row group.
_MERGED_PARTS = 256


def build_embeddings(
    datasets: Datasets,
    spec: CorpusSpec,
    settings: Settings,
    *,
    embedder: Embedder | None = None,
    kinds: Collection[NodeKind] = ("chunk", "entity"),
) -> dict[str, int]:
    """Write the dataset `embeddings`: a vector for each chunk's text and each entity's name with its first aliases.

    Parameters
    ----------
    datasets
        Reads `chunks` and `entities`.
    spec
        The corpus.
    settings
        Names the model and the cache folder.
    embedder
        The model; by default the one that the settings name.
    kinds
        What gets a vector.

    Returns
    -------
    dict
        Counts: `chunks`, `entities`, and how many texts were `computed` and `reused`.

    """
    embedder = embedder or load_embedder(settings)
    texts = _Texts(datasets, spec.name, embedder.name, kinds)
    wanted = pl.concat([frame.drop("text") for frame in texts.frames()]).sort("kind", "id")
    store = VectorStore(settings.cache / "embeddings" / _folder_name(embedder.name))
    vectors = CorpusVectors(store.folder, wanted["text_sha256"].unique().sort())
    vectors.fill(stored_batches(datasets.fetched("embeddings", spec.name)))
    vectors.fill(store.batches())
    missing = vectors.missing()
    for part in _embedded(embedder, texts, missing, store):
        vectors.put(part)
    datasets.write_batches(
        "embeddings",
        spec.name,
        (
            rows.with_columns(vectors.of(rows["text_sha256"])).select(EMBEDDINGS.names)
            for rows in wanted.iter_slices(ROW_GROUP)
        ),
    )
    return {
        "chunks": wanted.filter(kind="chunk").height,
        "entities": wanted.filter(kind="entity").height,
        "computed": missing.height,
        "reused": wanted.height - missing.height,
    }


@dataclass(frozen=True, slots=True)
class _Texts:
    """What gets a vector: kind, id, text and text_sha256, read from the datasets whenever it is asked for."""

    datasets: Datasets
    corpus: str
    model: str
    kinds: Collection[NodeKind]

    def frames(self) -> Iterator[pl.DataFrame]:
        """All of it, the chunks of one shard at a time; an empty frame comes first."""
        yield pl.DataFrame(schema=dict.fromkeys(("kind", "id", "text", "text_sha256"), pl.String))
        if "entity" in self.kinds:
            yield self._digested(_named(self.datasets.scan("entities", self.corpus)).collect(), "entity")
        if "chunk" in self.kinds:
            for _, chunks in self.datasets.batches("chunks", self.corpus):
                yield self._digested(chunks.select(id="chunk_id", text="text"), "chunk")

    def _digested(self, frame: pl.DataFrame, kind: NodeKind) -> pl.DataFrame:
        digests = [hashlib.sha256(f"{self.model}\0{text}".encode()).hexdigest() for text in frame["text"]]
        return frame.select(
            pl.lit(kind).alias("kind"), "id", "text", pl.Series("text_sha256", digests, dtype=pl.String)
        )


def _named(entities: pl.LazyFrame) -> pl.LazyFrame:
    """Id of each entity and its name with its first other names."""
    aliases = pl.col("aliases").list.eval(pl.element().filter(pl.element().is_not_null()))
    # The name often stands among its aliases, so one more is taken and the name filtered out below.
    named = entities.select("name", id="entity_id", aliases=aliases.list.head(_ALIASES + 1))
    others = named.explode("aliases", empty_as_null=True).filter(
        pl.col("aliases").is_null() | (pl.col("aliases") != pl.col("name"))
    )
    first = others.group_by("id", maintain_order=True).agg(pl.col("aliases").drop_nulls().head(_ALIASES))
    text = pl.concat_str(
        [pl.col("name"), pl.col("aliases").list.join("; ").replace("", None)],
        separator="; ",
        ignore_nulls=True,
    )
    return named.select("id", "name").join(first, on="id", how="left").select("id", text=text)


def _embedded(
    embedder: Embedder, texts: _Texts, missing: pl.DataFrame, store: VectorStore
) -> Iterator[pl.DataFrame]:
    """Embed the missing digests' texts, each once; every part is stored before the next is begun."""
    parts: list[Path] = []
    for rows in _in_parts(texts, missing):
        vectors = pl.DataFrame(
            {"text_sha256": rows["text_sha256"], "vector": embedder.embed(rows["text"].to_list())},
            schema=STORED,
        )
        parts.append(store.add(vectors))
        yield vectors
        if len(parts) == _MERGED_PARTS:
            store.merge(parts)
            parts.clear()
    store.merge(parts)


def _in_parts(texts: _Texts, missing: pl.DataFrame) -> Iterator[pl.DataFrame]:
    waiting = pl.DataFrame()
    if missing.is_empty():
        return
    for frame in texts.frames():
        found = frame.join(missing, on="text_sha256", how="semi").unique("text_sha256", maintain_order=True)
        missing = missing.join(found, on="text_sha256", how="anti")
        waiting = pl.concat([waiting, found]) if waiting.height else found
        while waiting.height >= _PART_TEXTS:
            yield waiting.head(_PART_TEXTS)
            waiting = waiting.slice(_PART_TEXTS)
    if waiting.height:
        yield waiting


def _folder_name(model: str) -> str:
    return re.sub(r"[^A-Za-z0-9.@_-]+", "_", model)
