"""Make the look-up index of the vocabulary: once a content, whole or absent, shared by all corpora."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from kg_pipeline.errors import ModelError
from kg_pipeline.files import TEMPORARY_PREFIX, sync, temporary_sibling
from kg_pipeline.fingerprint import code_digest, short_digest, unchanged_file_sha256
from kg_pipeline.schema import CONCEPTS
from kg_pipeline.settings import Settings
from kg_pipeline.vocabulary.index.concept_names import name_lists, number_names
from kg_pipeline.vocabulary.index.lookup import CONCEPTS_FILE, ORTHOLOGS_FILE
from kg_pipeline.vocabulary.index.name_grams import write_name_grams
from kg_pipeline.vocabulary.index.name_keys import NameKeys, write_name_keys
from kg_pipeline.vocabulary.index.stack import OPEN_VOCABULARY, concept_table, orthologs_of
from kg_pipeline.vocabulary.names.variants import normal_key, singular_word

__all__ = ["OPEN_VOCABULARY", "ORTHOLOGS", "build_vocabulary", "vocabulary_digest"]

#: How long a process waits for another one that indexes: a vocabulary of 12 million names takes some minutes.
LOCK_SECONDS = 1800.0
ORTHOLOGS = pa.schema([("concept_id", pa.string()), ("taxon", pa.string()), ("ortholog", pa.string())])
#: What decides what an index holds and finds.
CODE = tuple(
    f"kg_pipeline.vocabulary.{part}"
    for part in ("categories", "guards", "index", "linking", "matcher", "names")
)


def vocabulary_digest(source: Path = OPEN_VOCABULARY) -> str:
    """Digest of the concept table and its orthologs, of the code that indexes and matches it, and of the trie library."""
    files = [path for path in (source, orthologs_of(source)) if path.is_file()]
    return short_digest(
        [unchanged_file_sha256(path) for path in files], code_digest(CODE, ["marisa-trie", "pyarrow"])
    )


def build_vocabulary(
    settings: Settings, source: Path | None = None, *, patience: float = LOCK_SECONDS
) -> Path:
    """Folder of the index of the vocabularies that the settings choose, or of a concept table; built if it is not there yet.

    Processes that ask at the same time wait for the one that builds, for at most `patience` seconds.

    Raises
    ------
    ModelError
        If the concept table is missing or has other columns, or the wait was in vain.

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
    lock = root / ".lock"
    try:
        with FileLock(lock, timeout=patience):
            if not folder.is_dir():
                _sweep(root)
                _build(source, folder)
    except Timeout:
        raise ModelError(
            f"Another process has been indexing a vocabulary for over {patience:.0f} s and holds {lock}. "
            "Wait for it, or end it, and run this again; the lock goes with its process."
        ) from None
    return folder


def _sweep(root: Path) -> None:
    """Remove what killed builds left; whoever holds the lock knows that nobody is at work in these folders."""
    for path in root.glob(f"{TEMPORARY_PREFIX}*"):
        if path.is_dir():  # a stack of vocabularies, a file, is written without the lock
            shutil.rmtree(path, ignore_errors=True)


def _build(source: Path, folder: Path) -> None:
    table = _concepts(source)
    aside = temporary_sibling(folder)
    aside.mkdir()
    try:
        write_name_keys(_keys(_whole(table, "names")), aside)
        write_name_grams(NameKeys(aside).slices, aside)
        _save(_compact(table, aside), aside / CONCEPTS_FILE)
        _save(_orthologs(source), aside / ORTHOLOGS_FILE)
        for path in sorted(aside.iterdir()):
            sync(path)
        aside.rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _concepts(source: Path) -> pa.Table:
    """The concept table, sorted by id."""
    try:
        table = pq.read_table(source)
    except (OSError, pa.ArrowException) as error:
        raise ModelError(
            f"The concept table {source} cannot be read ({error}). Make it again, or name another one."
        ) from error
    if table.column_names != CONCEPTS.names:
        raise ModelError(
            f"{source} has the columns {table.column_names}; a concept table has {CONCEPTS.names}."
        )
    table = table.sort_by("concept_id").combine_chunks()
    names = _whole(table, "names")
    cut = pc.index(pc.match_substring(names.values, "\0"), True).as_py()  # tries end names there
    if cut >= 0:
        concept = table.column("concept_id")[pc.list_parent_indices(names)[cut].as_py()].as_py()
        raise ModelError(
            f"A name of {concept} in the concept table {source} holds a NUL character. Take it out of what the table was "
            "made from, and make it again."
        )
    return table


def _whole(table: pa.Table, name: str) -> pa.ListArray:
    column = table.column(name).combine_chunks()
    return column.chunk(0) if isinstance(column, pa.ChunkedArray) else column


def _compact(table: pa.Table, folder: Path) -> pa.Table:
    """The columns as the index keeps them: names by number, few values too; no preferred name, the first of the names."""
    columns = {"concept_id": table.column("concept_id")}
    for name in ("category", "source"):
        columns[name] = table.column(name).dictionary_encode().cast(pa.dictionary(pa.int16(), pa.string()))
    columns["names"] = number_names(_whole(table, "names"), folder)
    parents = _whole(table, "parents")
    columns["parents"] = pa.ListArray.from_arrays(parents.offsets, parents.values.dictionary_encode())
    return pa.table(columns)


def _orthologs(source: Path) -> pa.Table:
    path = orthologs_of(source)
    if not path.is_file():
        return ORTHOLOGS.empty_table()
    return pq.read_table(path, schema=ORTHOLOGS).sort_by("concept_id").combine_chunks()


def _save(table: pa.Table, path: Path) -> None:
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def _keys(concepts: pa.ListArray) -> Iterator[tuple[str, int, bool]]:
    """Keys of all names and of their derived forms, with the place of the name among all."""
    places = count()
    for slice_ in name_lists(concepts):
        for name, place in zip(chain.from_iterable(slice_), places, strict=False):  # places never end
            if key := normal_key(name):
                yield key, place, False
                yield from ((form, place, True) for form in _derived(name, key))


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
