"""Make the look-up index of the vocabulary: once a content, whole or absent, shared by all corpora."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import marisa_trie
import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock

from kg_pipeline.errors import ModelError
from kg_pipeline.files import sync, temporary_sibling
from kg_pipeline.fingerprint import code_digest, file_sha256, short_digest
from kg_pipeline.schema import CONCEPTS
from kg_pipeline.settings import Settings
from kg_pipeline.vocabulary.index import CONCEPTS_FILE, NAMES_FILE, ORTHOLOGS_FILE, RECORD
from kg_pipeline.vocabulary.stack import OPEN_VOCABULARY, concept_table, orthologs_of
from kg_pipeline.vocabulary.variants import normal_key, singular_word

__all__ = ["OPEN_VOCABULARY", "ORTHOLOGS", "build_vocabulary", "vocabulary_digest"]

_SLICE = 50_000
ORTHOLOGS = pa.schema([("concept_id", pa.string()), ("taxon", pa.string()), ("ortholog", pa.string())])
#: Modules that decide what an index holds and finds.
CODE = tuple(
    f"kg_pipeline.vocabulary.{module}"
    for module in (
        "article_context",
        "build",
        "categories",
        "folding",
        "generic",
        "index",
        "linking",
        "matcher",
        "name_parts",
        "guard_words",
        "guards",
        "readings",
        "rewrite_words",
        "rewrites",
        "stopwords",
        "symbols",
        "taxa",
        "typing_errors",
        "variant_names",
        "variants",
        "words",
    )
)


def vocabulary_digest(source: Path = OPEN_VOCABULARY) -> str:
    """Digest of the concept table and its orthologs, of the code that indexes and matches it, and of the trie library."""
    files = [path for path in (source, orthologs_of(source)) if path.is_file()]
    return short_digest([file_sha256(path) for path in files], code_digest(CODE, ["marisa-trie", "pyarrow"]))


def build_vocabulary(settings: Settings, source: Path | None = None) -> Path:
    """Folder of the index of the vocabularies that the settings choose, or of a concept table; built if it is not there yet.

    Processes that ask at the same time wait for the one that builds.

    Raises
    ------
    ModelError
        If the concept table is missing or has other columns.

    """
    root = settings.cache / "vocabulary"
    if source is None:
        source = concept_table(settings)
    if not source.is_file():
        raise ModelError(
            f"The concept table {source} is missing. Install the package again, or run scripts/build_vocabulary.py."
        )
    folder = root / vocabulary_digest(source)
    if folder.is_dir():
        return folder
    root.mkdir(parents=True, exist_ok=True)
    with FileLock(root / ".lock"):
        if not folder.is_dir():
            _build(source, folder)
    return folder


def _build(source: Path, folder: Path) -> None:
    table = pq.read_table(source)
    if table.column_names != CONCEPTS.names:
        raise ModelError(
            f"{source} has the columns {table.column_names}; a concept table has {CONCEPTS.names}."
        )
    table = table.sort_by("concept_id").combine_chunks()
    aside = temporary_sibling(folder)
    aside.mkdir()
    try:
        keys = _keys(table.column("names"))
        marisa_trie.RecordTrie(RECORD, keys).save(str(aside / NAMES_FILE))
        _save(_compact(table), aside / CONCEPTS_FILE)
        _save(_orthologs(source), aside / ORTHOLOGS_FILE)
        for path in sorted(aside.iterdir()):
            sync(path)
        aside.rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _compact(table: pa.Table) -> pa.Table:
    """The columns as the index keeps them: no preferred name, as it is the first of the names; few values by number."""
    for name in ("category", "source"):
        at = table.schema.get_field_index(name)
        table = table.set_column(at, name, table.column(name).dictionary_encode())
    return table.drop_columns(["name"])


def _orthologs(source: Path) -> pa.Table:
    path = orthologs_of(source)
    if not path.is_file():
        return ORTHOLOGS.empty_table()
    return pq.read_table(path, schema=ORTHOLOGS).sort_by("concept_id").combine_chunks()


def _save(table: pa.Table, path: Path) -> None:
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def _keys(concepts: pa.ChunkedArray) -> Iterator[tuple[str, tuple[int, int, int]]]:
    # A slice at a time, so that a vocabulary of millions of concepts is not held as Python objects.
    slices = (concepts.slice(start, _SLICE).to_pylist() for start in range(0, max(len(concepts), 1), _SLICE))
    for row, names in enumerate(chain.from_iterable(slices)):
        for position, name in enumerate(names[:65_535]):
            key = normal_key(name)
            if not key:
                continue
            yield key, (row, position, 0)
            for form in _derived(name, key):
                yield form, (row, position, 1)


def _derived(name: str, key: str) -> set[str]:
    """Singular of the last word, and words that a hyphen joins written as one."""
    forms = set()
    head, _, last = key.rpartition(" ")
    if not name.isupper():
        one = singular_word(last)
        if one != last and len(one) > 2:
            forms.add(f"{head} {one}" if head else one)
    if "-" in name:
        joined = normal_key(name.replace("-", ""))
        if len(joined) > 3:
            forms.add(joined)
    return forms - {key}
