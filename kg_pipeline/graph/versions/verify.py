"""Check a version against its manifest and against the rules that every graph must keep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from kg_pipeline.errors import CorruptGraphError, NoGraphError
from kg_pipeline.fingerprint import file_sha256
from kg_pipeline.graph import layout
from kg_pipeline.graph.reader import Manifest
from kg_pipeline.graph.snapshot.adjacency import build_adjacency
from kg_pipeline.graph.snapshot.mentions import build_evidence_rows, build_has_entity
from kg_pipeline.graph.withheld import withheld_problems
from kg_pipeline.rights import RightsPolicy
from kg_pipeline.schema import RELATION_KINDS
from kg_pipeline.vocabulary.predicates import PREDICATES

_UNIT_TOLERANCE = 1e-3
_CONFIDENCE_TOLERANCE = 1e-6
_SHOWN = 3
#: (table, column, table it refers to)
_REFERENCES = (
    ("chunks", "article_id", "documents"),
    ("mentions", "article_id", "documents"),
    ("mentions", "entity_id", "entities"),
    ("relations", "head_id", "entities"),
    ("relations", "tail_id", "entities"),
    ("evidence", "relation_id", "relations"),
    ("evidence", "article_id", "documents"),
    ("evidence", "chunk_id", "chunks"),
    ("names", "entity_id", "entities"),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that does not hold: the rule, where, and what was found."""

    rule: str
    where: str
    detail: str

    def __str__(self) -> str:
        return f"{self.where}: {self.detail} ({self.rule})"


def has_all_files(folder: Path) -> bool:
    """Whether the manifest can be read, every file it names is there and every table has its rows; reads no rows."""
    try:
        manifest = layout.read_manifest(folder)
        complete = all((folder / name).is_file() for name in manifest.files)
        return complete and not list(_wrong_counts(folder, manifest))
    except (NoGraphError, CorruptGraphError):
        return False


def is_intact(folder: Path) -> bool:
    """Whether every file of a version is there with the bytes that its manifest records, and the manifest is its own."""
    try:
        manifest = layout.read_manifest(folder)
        return not any(_wrong_files(folder, manifest)) and not any(_wrong_counts(folder, manifest))
    except (NoGraphError, CorruptGraphError):
        return False


def verify_version(folder: Path) -> list[Problem]:
    """Everything that does not hold of a version; an empty list is a clean bill.

    Raises
    ------
    NoGraphError
        If the directory holds no version.

    """
    try:
        manifest = layout.read_manifest(folder)
    except CorruptGraphError as error:
        return [Problem("manifest", layout.MANIFEST, str(error))]
    damaged = list(_wrong_files(folder, manifest))
    if damaged:
        return damaged
    tables = {name: layout.open_table(folder, name) for name in layout.TABLE_KEYS}
    frames = {name: _frame(table) for name, table in tables.items()}
    broken = [
        *_wrong_counts(folder, manifest),
        *_unsorted(frames),
        *_dangling(frames),
        *_unknown_values(frames["relations"]),
    ]
    if broken:
        return broken
    rights = RightsPolicy.parse(str(manifest.settings.get("rights", "")))
    return [
        *_not_withheld(rights, frames),
        *_wrong_spans(tables["documents"], tables["chunks"], "chunks"),
        *_wrong_spans(tables["documents"], tables["mentions"], "mentions"),
        *_wrong_quotes(frames["evidence"], frames["chunks"]),
        *_wrong_relations(frames["relations"], frames["evidence"]),
        *_wrong_premises(frames["relations"]),
        *_wrong_arrays(folder, tables),
        *_wrong_vectors(folder, tables),
    ]


def _frame(table: pa.Table) -> pl.DataFrame:
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame


def _some(rule: str, where: str, ids: pl.Series, what: str) -> Iterator[Problem]:
    """One problem for all rows that break a rule, naming the first few."""
    if len(ids):
        shown = ", ".join(str(value) for value in ids.sort().head(_SHOWN))
        yield Problem(rule, where, f"{len(ids)} rows {what}: {shown}{', …' if len(ids) > _SHOWN else ''}")


def _wrong_files(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    if manifest.version != folder.name:
        yield Problem(
            "manifest", layout.MANIFEST, f"names version {manifest.version}, the directory {folder.name}"
        )
    elif layout.version_id(manifest.inputs, manifest.settings, manifest.models) != manifest.version:
        yield Problem(
            "manifest", layout.MANIFEST, "was changed: its version does not follow from its contents"
        )
    present = dict(layout.version_files(folder))
    for name in sorted(present.keys() - manifest.files.keys()):
        yield Problem("checksum", name, "is not in the manifest")
    for name, expected in sorted(manifest.files.items()):
        if name not in present:
            yield Problem("checksum", name, "is missing")
        elif file_sha256(present[name]) != expected:
            yield Problem("checksum", name, "was changed after it was written")


def _wrong_counts(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    for name in layout.TABLE_KEYS:
        rows, expected = layout.open_table(folder, name).num_rows, manifest.counts.get(name)
        if rows != expected:
            yield Problem("counts", name, f"has {rows} rows, the manifest says {expected}")


def _unsorted(frames: dict[str, pl.DataFrame]) -> Iterator[Problem]:
    for name, key in layout.TABLE_KEYS.items():
        ids = frames[name][key]
        if not ids.is_sorted():
            yield Problem("sorted ids", name, f"is not sorted by {key}")
        elif name not in ("merges", "names"):
            yield from _some("unique ids", name, ids.filter(ids == ids.shift()), f"repeat {key}")


def _dangling(frames: dict[str, pl.DataFrame]) -> Iterator[Problem]:
    for name, column, other in _REFERENCES:
        key = layout.TABLE_KEYS[other]
        missing = frames[name].join(frames[other].select(key), left_on=column, right_on=key, how="anti")
        yield from _some("foreign keys", name, missing[column].unique(), f"name no row of {other}")


def _unknown_values(relations: pl.DataFrame) -> Iterator[Problem]:
    for column, known in (("kind", RELATION_KINDS), ("predicate", tuple(PREDICATES))):
        unknown = relations.filter(~pl.col(column).is_in(known))["relation_id"]
        yield from _some(f"{column}s", "relations", unknown, f"have an unknown {column}")


def _not_withheld(rights: RightsPolicy, frames: dict[str, pl.DataFrame]) -> Iterator[Problem]:
    for name, column, ids in withheld_problems(rights, frames):
        yield from _some("rights", name, ids, f"have a {column} that the licence of their article withholds")


def _wrong_spans(documents: pa.Table, spans: pa.Table, name: str) -> Iterator[Problem]:
    text_of = dict(zip(documents["article_id"].to_pylist(), documents["text"].to_pylist(), strict=True))
    columns: list[list[Any]] = [
        spans[column].to_pylist()
        for column in (layout.TABLE_KEYS[name], "article_id", "start", "end", "text")
    ]
    wrong = [
        id_
        for id_, article, start, end, text in zip(*columns, strict=True)
        # A text that its licence withholds is empty, and so are its chunks; names found in it are facts.
        if not 0 <= start < end
        or ((text_of[article] or name == "chunks") and text_of[article][start:end] != text)
    ]
    yield from _some("offsets", name, pl.Series(wrong, dtype=pl.String), "differ from the document's text")


def _wrong_quotes(evidence: pl.DataFrame, chunks: pl.DataFrame) -> Iterator[Problem]:
    """Quotes are compared within the chunk, which `_wrong_spans` has compared with the document."""
    joined = evidence.join(
        chunks.select("chunk_id", "article_id", "start", "end", "text"), on="chunk_id", suffix="_chunk"
    )
    start, end = pl.col("start"), pl.col("end")
    inside = (
        (pl.col("article_id") == pl.col("article_id_chunk"))
        & (start >= pl.col("start_chunk"))
        & (end <= pl.col("end_chunk"))
        & (start < end)
    )
    outside = joined.filter(~inside)["evidence_id"]
    yield from _some("evidence", "evidence", outside, "lie outside of their chunk")
    said = pl.col("text").str.slice(start - pl.col("start_chunk"), end - start)
    differing = joined.filter(inside & (pl.col("text") != "")).filter(said != pl.col("quote"))["evidence_id"]
    yield from _some("evidence", "evidence", differing, "quote what the article does not say")


def _wrong_relations(relations: pl.DataFrame, evidence: pl.DataFrame) -> Iterator[Problem]:
    def check(rule: str, condition: pl.Expr, what: str, frame: pl.DataFrame = relations) -> Iterator[Problem]:
        return _some(rule, "relations", frame.filter(condition)["relation_id"], what)

    confidence = pl.col("confidence")
    yield from check(
        "confidence", ~((confidence > 0) & (confidence <= 1)), "have a confidence outside of (0, 1]"
    )
    counted = evidence.group_by("relation_id").agg(rows=pl.len(), articles=pl.col("article_id").n_unique())
    joined = relations.join(counted, on="relation_id", how="left").with_columns(
        pl.col("rows", "articles").fill_null(0)
    )
    asserted = pl.col("kind") == "asserted"
    yield from check("evidence", asserted & (pl.col("rows") == 0), "are asserted without evidence", joined)
    yield from check("evidence", ~asserted & (pl.col("rows") > 0), "are inferred and have evidence", joined)
    miscounted = (pl.col("rows") != pl.col("n_evidence")) | (pl.col("articles") != pl.col("n_articles"))
    yield from check("evidence", asserted & miscounted, "count their evidence wrongly", joined)


def _wrong_premises(relations: pl.DataFrame) -> Iterator[Problem]:
    premises = relations.select("relation_id", "kind", "confidence", premise="premises").explode(
        "premise", empty_as_null=False
    )
    yield from _some(
        "premises",
        "relations",
        premises.filter(kind="asserted")["relation_id"].unique(),
        "are asserted with premises",
    )
    of_premise = relations.select(premise="relation_id", premise_confidence="confidence")
    joined = premises.join(of_premise, on="premise", how="left")
    unmet = joined.filter(pl.col("premise_confidence").is_null())["relation_id"].unique()
    yield from _some("premises", "relations", unmet, "have a premise that is not in the graph")
    bolder = joined.filter(pl.col("confidence") > pl.col("premise_confidence") + _CONFIDENCE_TOLERANCE)
    yield from _some("premises", "relations", bolder["relation_id"].unique(), "are surer than a premise")


def _wrong_arrays(folder: Path, tables: dict[str, pa.Table]) -> Iterator[Problem]:
    expected: dict[str, Any] = {
        f"adjacency_{name}": array
        for name, array in build_adjacency(tables["entities"], tables["relations"]).items()
    }
    of_chunks, of_entities = build_has_entity(tables)
    of_relations = build_evidence_rows(tables["relations"], tables["evidence"])
    for prefix, rows in (
        ("chunk_entities", of_chunks),
        ("entity_chunks", of_entities),
        ("relation_evidence", of_relations),
    ):
        expected |= {f"{prefix}_{part}": getattr(rows, part) for part in rows.__slots__}
    for name, array in expected.items():
        if not np.array_equal(layout.open_array(layout.array_path(folder, name)), array):
            yield Problem("adjacency", name, "does not follow from the tables")


def _wrong_vectors(folder: Path, tables: dict[str, pa.Table]) -> Iterator[Problem]:
    for kind, name in (("chunk", "chunks"), ("entity", "entities")):
        matrix: Any = layout.open_array(layout.vector_path(folder, kind))
        rows: Any = layout.open_array(layout.vector_rows_path(folder, kind))
        fits = len(rows) == len(matrix) and bool((np.diff(rows) > 0).all())
        if not fits or (len(rows) and not 0 <= rows[0] <= rows[-1] < tables[name].num_rows):
            yield Problem("vectors", kind, f"do not belong to the rows of {name}")
        elif len(rows) and bool((np.abs(np.linalg.norm(matrix, axis=1) - 1) > _UNIT_TOLERANCE).any()):
            yield Problem("vectors", kind, "are not all of unit length")
