"""Vectors of chunks and entities, computed once for each text.

A vector depends on its text and the model only, so it is kept under the digest of both, in parts that all corpora
share. A killed run loses at most one part; a renamed entity or an edited chunk costs one vector.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.files import TEMPORARY_PREFIX, replacing
from kg_pipeline.fingerprint import short_digest
from kg_pipeline.graph.reader import NodeKind
from kg_pipeline.llm.embeddings import Embedder, load_embedder
from kg_pipeline.schema import EMBEDDING_DIMENSIONS, EMBEDDINGS
from kg_pipeline.settings import Settings

#: Aliases that are embedded with the name; more of them blur the vector.
_ALIASES = 3
#: Texts embedded between two writes to disk: what a killed run loses, some seconds of work.
_PART_TEXTS = 256
_STORED = ("text_sha256", "vector")
_SCHEMA = pl.Schema({"text_sha256": pl.String(), "vector": pl.Array(pl.Float32, EMBEDDING_DIMENSIONS)})


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
    wanted = _wanted(datasets, spec.name, embedder.name).filter(pl.col("kind").is_in(list(kinds)))
    store = VectorStore(settings.cache / "embeddings" / _folder_name(embedder.name))
    previous = datasets.scan("embeddings", spec.name).select(_STORED)
    known = store.read(wanted.select("text_sha256").unique(), previous)
    missing = wanted.join(known, on="text_sha256", how="anti").unique("text_sha256").sort("text_sha256")
    fresh = [known, *_embed(embedder, missing, store)]
    vectors = pl.concat(fresh).unique("text_sha256", keep="first", maintain_order=True)
    table = wanted.join(vectors, on="text_sha256").sort("kind", "id")
    datasets.write("embeddings", spec.name, table.select(EMBEDDINGS.names))
    return {
        "chunks": wanted.filter(kind="chunk").height,
        "entities": wanted.filter(kind="entity").height,
        "computed": missing.height,
        "reused": wanted.height - missing.height,
    }


@dataclass(frozen=True, slots=True)
class VectorStore:
    """Vectors by digest of text and model: small Parquet parts, each written whole, read together."""

    folder: Path

    def read(self, wanted: pl.DataFrame, previous: pl.LazyFrame) -> pl.DataFrame:
        """Stored vectors of the wanted digests; those of `previous` first."""
        found = [previous.join(wanted.lazy(), on="text_sha256", how="semi").collect().cast(_SCHEMA)]
        for path in sorted(self.folder.glob("*.parquet")):
            if path.name.startswith(TEMPORARY_PREFIX):
                continue
            try:
                part = pl.scan_parquet(path).select(_STORED).cast(_SCHEMA)
                found.append(part.join(wanted.lazy(), on="text_sha256", how="semi").collect())
            except (OSError, pl.exceptions.PolarsError):
                # Merged away by another run, or damaged; a cache may lose a part.
                continue
        return pl.concat(found).unique("text_sha256", keep="first", maintain_order=True)

    def add(self, vectors: pl.DataFrame) -> Path:
        """Write a part."""
        path = self.folder / f"{short_digest(vectors['text_sha256'].to_list())}.parquet"
        with replacing(path) as aside:
            pq.write_table(vectors.to_arrow(compat_level=pl.CompatLevel.oldest()), aside, compression="none")
        return path

    def merge(self, parts: Sequence[tuple[Path, pl.DataFrame]]) -> None:
        """Replace parts by one that holds them all."""
        if len(parts) > 1:
            whole = self.add(pl.concat([vectors for _, vectors in parts]))
            for path, _ in parts:
                if path != whole:
                    path.unlink(missing_ok=True)


def _wanted(datasets: Datasets, corpus: str, model: str) -> pl.DataFrame:
    chunks = datasets.scan("chunks", corpus).select(id="chunk_id", text="text", kind=pl.lit("chunk"))
    aliases = pl.col("aliases").list.eval(pl.element().filter(pl.element().is_not_null()))
    # The name often stands among its aliases, so one more is taken and the name filtered out below.
    entities = datasets.scan("entities", corpus).select(
        "name", id="entity_id", aliases=aliases.list.head(_ALIASES + 1), kind=pl.lit("entity")
    )
    names = entities.explode("aliases", empty_as_null=True).filter(
        pl.col("aliases").is_null() | (pl.col("aliases") != pl.col("name"))
    )
    first = names.group_by("id", maintain_order=True).agg(pl.col("aliases").drop_nulls().head(_ALIASES))
    named = (
        entities.select("id", "name", "kind")
        .join(first, on="id", how="left")
        .select(
            "id",
            pl.concat_str(
                [pl.col("name"), pl.col("aliases").list.join("; ").replace("", None)],
                separator="; ",
                ignore_nulls=True,
            ).alias("text"),
            "kind",
        )
    )
    every = pl.concat([chunks, named]).collect()
    digests = [hashlib.sha256(f"{model}\0{text}".encode()).hexdigest() for text in every["text"]]
    return every.with_columns(pl.Series("text_sha256", digests, dtype=pl.String))


def _embed(embedder: Embedder, missing: pl.DataFrame, store: VectorStore) -> Iterator[pl.DataFrame]:
    parts: list[tuple[Path, pl.DataFrame]] = []
    for rows in missing.iter_slices(_PART_TEXTS):
        matrix = embedder.embed(rows["text"].to_list())
        vectors = pl.DataFrame({"text_sha256": rows["text_sha256"], "vector": matrix}, schema=_SCHEMA)
        parts.append((store.add(vectors), vectors))
        yield vectors
    store.merge(parts)


def _folder_name(model: str) -> str:
    return re.sub(r"[^A-Za-z0-9.@_-]+", "_", model)
