"""The user's own UMLS Metathesaurus, read from its RRF files (UMLS Reference Manual, chapter 3).

Columns are taken from MRFILES.RRF, since they differ between releases. Nothing of the files leaves the workspace. Only
sources and restriction levels that are asked for are read; by default level 0, which carries no restriction
beyond the licence itself, so that SNOMED CT (level 9) needs to be named.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from kg_pipeline.errors import ModelError
from kg_pipeline.vocabulary.sources.concept_table import category_of_types, first_category, write_concepts

_REST = "rest of the line"
#: RELs of MRREL: what CUI2 is to CUI1. PAR and RB name a parent of CUI1, CHD and RN a child of it.
_PARENT, _CHILD = ("PAR", "RB"), ("CHD", "RN")


def read_columns(folder: Path) -> dict[str, list[str]]:
    """Column names of every file, as MRFILES.RRF lists them.

    Raises
    ------
    ModelError
        If MRFILES.RRF is missing or holds something else.

    """
    path = folder / "MRFILES.RRF"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise ModelError(
            f"{path} is missing. Give the META folder of a UMLS release, with its RRF files."
        ) from None
    rows = [line.split("|") for line in lines if line]
    if any(len(row) < 3 for row in rows):
        raise ModelError(f"{path} is no RRF file: a line has fewer than three fields.")
    return {row[0].rpartition("/")[2]: row[2].split(",") for row in rows}


def build_umls(
    folder: Path,
    output: Path,
    *,
    sources: Sequence[str] = (),
    levels: Sequence[str] = ("0",),
    language: str = "ENG",
) -> int:
    """Write the concept table of a UMLS release; returns the number of concepts.

    Kept are names of the language that are not suppressed, of the sources (all where none is given) and of the
    source restriction levels. A concept needs a semantic type that stands for an entity.

    Raises
    ------
    ModelError
        If a file is missing, or nothing is left.

    """
    columns = read_columns(folder)
    atoms = _scan(folder, "MRCONSO.RRF", columns).filter(
        pl.col("LAT") == language, pl.col("SUPPRESS") == "N", pl.col("SRL").is_in(list(levels))
    )
    if sources:
        atoms = atoms.filter(pl.col("SAB").is_in(list(sources)))
    names = (
        atoms.select(
            "CUI",
            "STR",
            # Preferred: term status P, string type PF, preferred atom; what sources share comes before the rest.
            rank=(pl.col("TS") != "P").cast(pl.Int8) * 4
            + (pl.col("STT") != "PF").cast(pl.Int8) * 2
            + (pl.col("ISPREF") != "Y").cast(pl.Int8),
        )
        .group_by("CUI", "STR")
        .agg(pl.col("rank").min())
        .sort("CUI", "rank", "STR")
        .group_by("CUI", maintain_order=True)
        .agg(name=pl.col("STR").first(), names=pl.col("STR"))
    )
    types = (
        _scan(folder, "MRSTY.RRF", columns)
        .select("CUI", category=category_of_types(pl.col("TUI")))
        .drop_nulls()
        .group_by("CUI")
        .agg(category=first_category(pl.col("category")))
    )
    parents = _parents(folder, columns, sources)
    concepts = (
        names.join(types, on="CUI")
        .join(parents, on="CUI", how="left")
        .select(
            pl.col("CUI").alias("concept_id"),
            "name",
            "category",
            "names",
            pl.col("parents").fill_null([]),
            source=pl.lit("UMLS"),
        )
    )
    return write_concepts(concepts, output, str(folder))


def _parents(folder: Path, columns: dict[str, list[str]], sources: Sequence[str]) -> pl.LazyFrame:
    if not (folder / "MRREL.RRF").is_file():
        return pl.LazyFrame(schema={"CUI": pl.String, "parents": pl.List(pl.String)})
    relations = _scan(folder, "MRREL.RRF", columns).filter(
        pl.col("REL").is_in([*_PARENT, *_CHILD]), pl.col("SUPPRESS") == "N", pl.col("CUI1") != pl.col("CUI2")
    )
    if sources:
        relations = relations.filter(pl.col("SAB").is_in(list(sources)))
    names_parent = pl.col("REL").is_in(_PARENT)
    return (
        relations.select(
            CUI=pl.when(names_parent).then("CUI1").otherwise("CUI2"),
            parent=pl.when(names_parent).then("CUI2").otherwise("CUI1"),
        )
        .unique()
        .group_by("CUI")
        .agg(parents=pl.col("parent").sort())
    )


def _scan(folder: Path, name: str, columns: dict[str, list[str]]) -> pl.LazyFrame:
    """A file as a stream of text columns; every line ends in a bar, and quotes mean nothing."""
    path = folder / name
    if name not in columns or not path.is_file():
        raise ModelError(
            f"{path} is missing. Let MetamorphoSys write {name} into the release, then build again."
        )
    schema = dict.fromkeys([*columns[name], _REST], pl.String)
    return pl.scan_csv(
        path,
        separator="|",
        has_header=False,
        quote_char=None,
        schema=schema,
        empty_string_is_null=False,
    )
