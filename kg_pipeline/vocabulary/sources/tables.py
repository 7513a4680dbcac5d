"""A user's table of concepts, and the knowledge bases of scispaCy.

The table is tab-separated with a heading: `id`, `name`, `synonyms` (separated by |), `category` (a Biolink category, with
or without its prefix) and `parents` (identifiers separated by |); the last three may be absent.
"""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from kg_pipeline.errors import ModelError
from kg_pipeline.vocabulary.categories import known_categories
from kg_pipeline.vocabulary.sources.concept_table import category_of_types, first_category, write_concepts

_NEEDED, _OPTIONAL = ("id", "name"), ("synonyms", "category", "parents")
#: What the files are called that scispaCy downloads, behind the digests of its cache.
_KEPT = {
    "umls": "umls_20*.jsonl",
    "mesh": "umls_mesh_*.jsonl",
    "rxnorm": "umls_rxnorm_*.jsonl",
    "go": "umls_go_*.jsonl",
    "hpo": "umls_hpo_*.jsonl",
}
_ANY_CATEGORY = "biolink:NamedThing"


def build_from_table(path: Path, output: Path) -> int:
    """Write the concept table of a user's tab-separated file; returns the number of concepts.

    Raises
    ------
    ModelError
        If the file cannot be read, a column is missing or unknown, a category is unknown, or an identifier is repeated.

    """
    try:
        rows = pl.read_csv(
            path, separator="\t", quote_char=None, infer_schema=False, empty_string_is_null=False
        )
    except (OSError, pl.exceptions.PolarsError) as error:
        raise ModelError(f"{path} cannot be read as a table ({error}). Give a tab-separated file.") from None
    missing = [column for column in _NEEDED if column not in rows.columns]
    unknown = [column for column in rows.columns if column not in (*_NEEDED, *_OPTIONAL)]
    if missing or unknown:
        wrong = f"has no column {missing[0]!r}" if missing else f"has the unknown column {unknown[0]!r}"
        raise ModelError(f"{path} {wrong}; its columns are {', '.join((*_NEEDED, *_OPTIONAL))}.")
    rows = rows.with_columns(pl.lit("").alias(column) for column in _OPTIONAL if column not in rows.columns)
    empty = rows.filter((pl.col("id") == "") | (pl.col("name") == ""))
    if not empty.is_empty():
        raise ModelError(f"{path} has a row without an id or a name: {empty.row(0)}.")
    prefixed = pl.when(pl.col("category") == "").then(pl.lit(_ANY_CATEGORY))
    rows = rows.with_columns(
        category=prefixed.otherwise("biolink:" + pl.col("category").str.strip_prefix("biolink:"))
    )
    strange = set(rows["category"].unique()) - known_categories() - {_ANY_CATEGORY}
    if strange:
        raise ModelError(
            f"{path} has the category {min(strange)!r}; known are {', '.join(sorted(known_categories()))}."
        )
    concepts = rows.lazy().select(
        pl.col("id").alias("concept_id"),
        "name",
        "category",
        names=pl.col("synonyms").str.split("|"),
        parents=pl.col("parents").str.split("|"),
        source=pl.lit("USER"),
    )
    return write_concepts(concepts, output, str(path))


def build_from_scispacy(path: Path, output: Path) -> int:
    """Write the concept table of a knowledge base of scispaCy (JSON lines or a list); returns the number of concepts.

    JSON lines are read as a stream, so that the whole UMLS base needs no more memory than its names. It has no parents.

    Raises
    ------
    ModelError
        If the file is missing or of another form, or has no concept of a known semantic type.

    """
    path = scispacy_file(path)
    schema: dict[str, pl.DataType | type[pl.DataType]] = {
        "concept_id": pl.String,
        "canonical_name": pl.String,
        "aliases": pl.List(pl.String),
        "types": pl.List(pl.String),
    }
    try:
        with path.open("rb") as file:
            is_list = file.read(1) == b"["
        entries = (
            pl.read_json(path, schema=schema)
            if is_list
            else pl.scan_ndjson(path, schema=schema).collect(engine="streaming")
        )
    except (OSError, pl.exceptions.PolarsError) as error:
        raise ModelError(f"{path} is no knowledge base of scispaCy ({error}).") from None
    types = (
        entries.lazy()
        .select("concept_id", category=pl.col("types"))
        .explode("category")
        .with_columns(category=category_of_types(pl.col("category")))
        .drop_nulls()
        .group_by("concept_id")
        .agg(category=first_category(pl.col("category")))
    )
    concepts = (
        entries.lazy()
        .join(types, on="concept_id")
        .select(
            "concept_id",
            pl.col("canonical_name").alias("name"),
            "category",
            pl.col("aliases").fill_null([]).alias("names"),
            pl.lit([], dtype=pl.List(pl.String)).alias("parents"),
            source=pl.lit("UMLS"),
        )
    )
    return write_concepts(concepts, output, str(path))


def scispacy_file(path: Path) -> Path:
    """The file of a knowledge base of scispaCy: the path itself, or of a name such as `umls` the one that scispaCy keeps.

    Raises
    ------
    ModelError
        If there is no such file.

    """
    if path.is_file():
        return path
    folder = Path(os.environ.get("SCISPACY_CACHE") or Path.home() / ".scispacy") / "datasets"
    pattern = _KEPT.get(str(path))
    kept = sorted(folder.glob(f"*{pattern}"), key=lambda one: one.stat().st_mtime) if pattern else []
    if not kept:
        raise ModelError(
            f"{path} is missing. Give a file, or {', '.join(_KEPT)} once scispaCy has loaded it, "
            f"which it then keeps under {folder}."
        )
    return kept[-1]
