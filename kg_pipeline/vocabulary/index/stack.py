"""Which vocabularies a workspace uses (`KG_VOCABULARY`), and several of them as one concept table.

`open` is the packaged one, any other name one that `kg vocabulary build --name NAME` made; `open+umls` stacks two. Where
two have a concept of one identifier, it gets the names and parents of both, and the name and category of the
first one that is listed.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import polars as pl

from kg_pipeline.errors import ModelError, SettingsError
from kg_pipeline.files import replacing
from kg_pipeline.fingerprint import short_digest, unchanged_file_sha256
from kg_pipeline.schema import CONCEPTS
from kg_pipeline.settings import Settings

OPEN = "open"
OPEN_VOCABULARY = Path(__file__).parents[1] / "data" / "open.parquet"
_NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")


def table_path(home: Path, name: str) -> Path:
    """Where the concept table of that name is, or will be.

    Raises
    ------
    SettingsError
        If the name cannot be one.

    """
    if not _NAME.fullmatch(name):
        raise SettingsError(f"{name!r} cannot name a vocabulary; use lower-case letters, digits and hyphens.")
    return OPEN_VOCABULARY if name == OPEN else home / "vocabularies" / f"{name}.parquet"


def orthologs_of(table: Path) -> Path:
    """The table of orthologs that belongs to a concept table; most vocabularies have none."""
    return table.with_name(f"{table.stem}_orthologs.parquet")


def chosen_tables(settings: Settings) -> list[Path]:
    """Concept tables of the vocabularies that the settings name, in their order.

    Raises
    ------
    ModelError
        If one of them is not built.

    """
    tables = []
    for name in dict.fromkeys(settings.vocabulary.split("+")):
        path = table_path(settings.home, name)
        if not path.is_file() and name == OPEN:
            raise ModelError(f"The concept table {path} is missing. Install the package again.")
        if not path.is_file():
            raise ModelError(
                f"KG_VOCABULARY names {name!r}, and {path} is not there. Make it with `kg vocabulary build --name {name}`."
            )
        tables.append(path)
    return tables


def chosen_digest(settings: Settings) -> str:
    """Digest of the content of the chosen vocabularies."""
    return short_digest([unchanged_file_sha256(path) for path in chosen_tables(settings)])


def concept_table(settings: Settings) -> Path:
    """The concept table to index: the chosen one, or the stack of the chosen ones, made once a content."""
    tables = chosen_tables(settings)
    if len(tables) == 1:
        return tables[0]
    stacked = settings.cache / "vocabulary" / f"stack-{chosen_digest(settings)}.parquet"
    if not stacked.is_file():
        linked = next((orthologs_of(table) for table in tables if orthologs_of(table).is_file()), None)
        if linked is not None:
            with replacing(orthologs_of(stacked)) as aside:
                shutil.copyfile(linked, aside)
        with replacing(stacked) as aside:
            stack(tables).write_parquet(aside, compression="zstd")
    return stacked


def stack(tables: list[Path]) -> pl.DataFrame:
    """Concept tables as one, in order of the identifier."""
    ranked = [pl.scan_parquet(table).with_columns(rank=pl.lit(rank)) for rank, table in enumerate(tables)]
    return (
        pl.concat(ranked)
        .sort("concept_id", "rank")
        .group_by("concept_id", maintain_order=True)
        .agg(
            pl.col("name").first(),
            pl.col("category").first(),
            pl.col("names").explode().unique(maintain_order=True),
            pl.col("parents").explode().drop_nulls().unique().sort(),
            pl.col("source").first(),
        )
        .select(CONCEPTS.names)
        .collect()
    )
