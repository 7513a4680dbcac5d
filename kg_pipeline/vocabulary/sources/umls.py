"""The user's own UMLS Metathesaurus, read from its RRF files (UMLS Reference Manual, chapter 3).

Nothing of the files leaves the workspace. Only sources and restriction levels that are asked for are read; by default
level 0, which carries no restriction beyond the licence itself, so that SNOMED CT (level 9) needs to be named. Where the
name that the Metathesaurus prefers is left out by that, the ranks of MRRANK.RRF choose another. Concepts that MRCUI.RRF
retires give their names to the one they were merged into.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from kg_pipeline.errors import ModelError
from kg_pipeline.vocabulary.sources.concept_table import category_of_types, first_category, write_concepts
from kg_pipeline.vocabulary.sources.rrf import Release, open_release

#: Columns that are read of each file.
_ATOMS = ("CUI", "LAT", "TS", "STT", "ISPREF", "SAB", "TTY", "STR", "SRL", "SUPPRESS")
_TYPES = ("CUI", "TUI")
_RELATIONS = ("CUI1", "REL", "CUI2", "SAB", "SUPPRESS")
_RANKS = ("RANK", "SAB", "TTY")
_HISTORY = ("CUI1", "REL", "CUI2", "MAPIN")
#: RELs of MRREL: what CUI2 is to CUI1. PAR and RB name a parent of CUI1, CHD and RN a child of it.
_PARENT, _CHILD = ("PAR", "RB"), ("CHD", "RN")
#: REL of MRCUI for a concept that was merged into another one.
_MERGED = "SY"


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
        If a file is missing, is not what MRFILES.RRF says it is, or nothing is left.

    """
    release = open_release(folder)
    successor = _successors(release)
    atoms = _with_successors(release.scan("MRCONSO.RRF", _ATOMS), successor).filter(
        pl.col("LAT") == language, pl.col("SUPPRESS") == "N", pl.col("SRL").is_in(list(levels))
    )
    if sources:
        atoms = atoms.filter(pl.col("SAB").is_in(list(sources)))
    names = (
        _ranked(atoms, release)
        .group_by("CUI", "STR")
        .agg(pl.col("choice").min(), pl.col("rank").max())
        .sort("CUI", "choice", "rank", "STR", descending=[False, False, True, False])
        .group_by("CUI", maintain_order=True)
        .agg(name=pl.col("STR").first(), names=pl.col("STR"))
    )
    types = (
        _with_successors(release.scan("MRSTY.RRF", _TYPES), successor)
        .select("CUI", category=category_of_types(pl.col("TUI")))
        .drop_nulls()
        .group_by("CUI")
        .agg(category=first_category(pl.col("category")))
    )
    concepts = (
        names.join(types, on="CUI")
        .join(_parents(release, sources), on="CUI", how="left")
        .select(
            pl.col("CUI").alias("concept_id"),
            "name",
            "category",
            "names",
            pl.col("parents").fill_null([]),
            source=pl.lit("UMLS"),
        )
    )
    try:
        return write_concepts(concepts, output, str(folder))
    except pl.exceptions.PolarsError as error:
        raise ModelError(
            f"A file of {folder} cannot be read as MRFILES.RRF describes it ({error}). "
            "Unpack the release again, or let MetamorphoSys write it again."
        ) from None


def _ranked(atoms: pl.LazyFrame, release: Release) -> pl.LazyFrame:
    """Names with how the Metathesaurus chooses between them: its preferred one (0), then the greatest rank of the source."""
    # Preferred: term status P, string type PF, preferred atom; what sources share comes before the rest.
    choice = (
        (pl.col("TS") != "P").cast(pl.Int8) * 4
        + (pl.col("STT") != "PF").cast(pl.Int8) * 2
        + (pl.col("ISPREF") != "Y").cast(pl.Int8)
    )
    if not release.has("MRRANK.RRF"):
        return atoms.select("CUI", "STR", choice=choice, rank=pl.lit(0, pl.Int32))
    ranks = (
        release.scan("MRRANK.RRF", _RANKS)
        .select("SAB", "TTY", rank=pl.col("RANK").cast(pl.Int32, strict=False).fill_null(0))
        .group_by("SAB", "TTY")
        .agg(pl.col("rank").max())
    )
    return atoms.join(ranks, on=["SAB", "TTY"], how="left").select(
        "CUI", "STR", choice=choice, rank=pl.col("rank").fill_null(0)
    )


def _successors(release: Release) -> pl.LazyFrame | None:
    """Retired concepts and the one that each was merged into, where that is one only."""
    if not release.has("MRCUI.RRF"):
        return None
    return (
        release.scan("MRCUI.RRF", _HISTORY)
        .filter(pl.col("REL") == _MERGED, pl.col("MAPIN") == "Y", pl.col("CUI1") != pl.col("CUI2"))
        .group_by("CUI1")
        .agg(pl.col("CUI2").unique())
        .filter(pl.col("CUI2").list.len() == 1)
        .select(CUI=pl.col("CUI1"), successor=pl.col("CUI2").list.first())
    )


def _with_successors(rows: pl.LazyFrame, successor: pl.LazyFrame | None) -> pl.LazyFrame:
    if successor is None:
        return rows
    return (
        rows.join(successor, on="CUI", how="left")
        .with_columns(CUI=pl.coalesce("successor", "CUI"))
        .drop("successor")
    )


def _parents(release: Release, sources: Sequence[str]) -> pl.LazyFrame:
    if not release.has("MRREL.RRF"):
        return pl.LazyFrame(schema={"CUI": pl.String, "parents": pl.List(pl.String)})
    relations = release.scan("MRREL.RRF", _RELATIONS).filter(
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
