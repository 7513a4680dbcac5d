"""Where things lie in a version directory, and the one way each kind of file is written and opened.

    graphs/<corpus>/CURRENT                name of the version that readers open
    graphs/<corpus>/PROPOSED               the last version that verified, which may become CURRENT
    graphs/<corpus>/pins/<version>         versions that collection leaves alone
    graphs/<corpus>/<version>/
        manifest.json                      written last; a directory without it is not a version
        tables/<name>.arrow                rows sorted by id (Arrow IPC, uncompressed, so that it opens by memory map
                                           and any Arrow tool reads it: polars.read_ipc, pandas)
        arrays/<name>.npy                  adjacency and other joins by row number, memory-mapped
        vectors/<kind>.npy, <kind>_rows.npy, and <kind>.usearch over many of them
        text/<kind>/                       tantivy index

Row number in a table, sorted by id, is called the ordinal; it never leaves the version.

Tables are Arrow and not Parquet because a reader finds single rows in them: of 600,000 relations with 351,000 rows of evidence
they open in 4 ms and 3 MB, where Parquet (51 MB on disk in place of 346) takes 2 s and 430 MB to read whole, 100 ms and 100 MB
for the columns of ids alone, and 8 ms more for each group of rows that a sentence is looked up in. `kg export --format
parquet` writes Parquet for tools that want it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import ValidationError

from kg_pipeline.errors import CorruptGraphError, NoGraphError
from kg_pipeline.fingerprint import digest
from kg_pipeline.graph.reader import Manifest

MANIFEST = "manifest.json"
CURRENT = "CURRENT"
PROPOSED = "PROPOSED"
PINS = "pins"

#: Tables of a version and the column each is sorted by; unique in all but `merges` and `names`.
TABLE_KEYS = {
    "documents": "article_id",
    "chunks": "chunk_id",
    "mentions": "mention_id",
    "entities": "entity_id",
    "relations": "relation_id",
    "evidence": "evidence_id",
    "merges": "entity_id",
    "names": "key",
}

Array = npt.NDArray[np.generic]
#: Setting of a version that came from another tool by an import.
IMPORTED = "imported"
#: Rows that are digested at a time.
_DIGESTED = 65_536


def table_path(folder: Path, name: str) -> Path:
    """Where a table of the version lies."""
    return folder / "tables" / f"{name}.arrow"


def array_path(folder: Path, name: str) -> Path:
    """Where a join array of the version lies."""
    return folder / "arrays" / f"{name}.npy"


def vector_path(folder: Path, kind: str) -> Path:
    """Where the vectors of chunks or entities lie."""
    return folder / "vectors" / f"{kind}.npy"


def vector_rows_path(folder: Path, kind: str) -> Path:
    """Where the ordinals of the nodes that have a vector lie, in the order of the vectors."""
    return folder / "vectors" / f"{kind}_rows.npy"


def vector_index_path(folder: Path, kind: str) -> Path:
    """Where the approximate index over the vectors lies, in a version that has one."""
    return folder / "vectors" / f"{kind}.usearch"


def text_path(folder: Path, kind: str) -> Path:
    """Where the text index of chunks or entities lies."""
    return folder / "text" / kind


def write_table(path: Path, table: pa.Table) -> None:
    """Write a table as one record batch, so that it opens without a copy."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = table.combine_chunks()
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, whole.schema) as writer:
        writer.write_table(whole, max_chunksize=max(whole.num_rows, 1))


def open_table(folder: Path, name: str) -> pa.Table:
    """Memory-map a table; only the pages that are asked for are read.

    Raises
    ------
    CorruptGraphError
        If the file is absent or is not an Arrow file.

    """
    path = table_path(folder, name)
    try:
        return map_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise _corrupt(path, error) from error


def map_table(path: Path) -> pa.Table:
    """Memory-map a file of `write_table`; raises what Arrow raises where it is none."""
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


def open_frame(folder: Path, name: str) -> pl.DataFrame:
    """A table as a frame over the same mapped memory; a CorruptGraphError like `open_table`."""
    frame = pl.from_arrow(open_table(folder, name))
    assert isinstance(frame, pl.DataFrame)
    return frame


def write_array(path: Path, values: Array) -> None:
    """Write an array as .npy."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, np.ascontiguousarray(values), allow_pickle=False)


def create_array(path: Path, shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """A .npy file of that shape, mapped for writing; its values are to be filled in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made: npt.NDArray[Any] = np.lib.format.open_memmap(  # type: ignore[no-untyped-call]
        path, mode="w+", dtype=dtype, shape=shape
    )
    return made


def open_array(path: Path) -> Array:
    """Memory-map an array.

    Raises
    ------
    CorruptGraphError
        If the file is absent or is not a .npy file.

    """
    try:
        opened = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise _corrupt(path, error) from error
    # A plain view: every gather from the memmap subclass would pay for its Python hooks.
    return np.asarray(opened)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a version directory.

    Raises
    ------
    NoGraphError
        If there is no manifest, so this is no complete version.
    CorruptGraphError
        If it cannot be parsed.

    """
    path = folder / MANIFEST
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise NoGraphError(f"{folder} holds no graph version: it has no {MANIFEST}.") from None
    except (OSError, ValidationError) as error:
        raise _corrupt(path, error) from error


def is_imported(manifest: Manifest) -> bool:
    """Whether a version came from another tool by an import, so that no build makes it."""
    return IMPORTED in manifest.settings


def remade_by(folder: Path) -> str:
    """The command that makes a version again, as far as its manifest can be read; for messages."""
    corpus = folder.parent.name
    try:
        imported = is_imported(Manifest.model_validate_json((folder / MANIFEST).read_bytes()))
    except (OSError, ValidationError):
        return f"kg build {corpus} (or kg import {corpus} FILES, if it was imported)"
    return f"kg import {corpus} FILES" if imported else f"kg build {corpus}"


def version_id(
    inputs: Mapping[str, str],
    settings: Mapping[str, str | int | float | bool],
    models: Mapping[str, str],
) -> str:
    """Id of a version: a digest of the digests of its tables, and of the settings and models that decided them."""
    form = Manifest.model_fields["format"].default
    return f"v{digest(form, dict(inputs), dict(settings), dict(models))[:12]}"


def version_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every file of a version but the manifest: relative POSIX path and path, sorted."""
    found = ((path.relative_to(folder).as_posix(), path) for path in folder.rglob("*") if path.is_file())
    return iter(sorted((name, path) for name, path in found if name != MANIFEST))


def content_digest(table: pa.Table) -> str:
    """SHA-256 of the values of a table, whatever its chunks, buffers and the library that holds it."""
    state = hashlib.sha256()
    for name in table.column_names:
        column = table.column(name)
        state.update(digest(name, str(column.type), len(column)).encode())
        # Piece by piece, since what is made on the way is as large as the column.
        pieces = (
            chunk.slice(start, _DIGESTED)
            for chunk in column.chunks
            for start in range(0, len(chunk), _DIGESTED)
        )
        _update(state, list(pieces))
    return state.hexdigest()


def _update(state: hashlib._Hash, pieces: Sequence[pa.Array]) -> None:
    """Take in which values of a column are valid, then the lengths of texts and lists, then their content or the numbers."""
    for piece in pieces:
        state.update(piece.is_valid().cast(pa.uint8()).to_numpy(zero_copy_only=False).data)
    kind = pieces[0].type if pieces else pa.null()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        for piece in pieces:
            state.update(_int64(pc.list_value_length(piece)))
        _update(state, [piece.flatten() for piece in pieces])
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        for piece in pieces:
            state.update(_int64(pc.binary_length(piece)))
        for piece in pieces:
            state.update(_characters(piece))
    else:
        for piece in pieces:
            is_boolean = pa.types.is_boolean(kind)
            filled = pc.fill_null(piece, False if is_boolean else 0)
            state.update(
                (filled.cast(pa.uint8()) if is_boolean else filled).to_numpy(zero_copy_only=False).data
            )


def _int64(lengths: pa.Array) -> memoryview:
    return memoryview(pc.fill_null(lengths, 0).cast(pa.int64()).to_numpy(zero_copy_only=False))


def _characters(texts: pa.Array) -> memoryview:
    """The bytes of texts, one after the other; those that a null may have do not count."""
    plain = (pc.fill_null(texts, "") if texts.null_count else texts).cast(pa.large_string())
    _, offsets, data = plain.buffers()
    within = np.frombuffer(offsets, np.int64)[plain.offset : plain.offset + len(plain) + 1]
    return memoryview(data)[within[0] : within[-1]] if data is not None else memoryview(b"")


def _corrupt(path: Path, error: Exception) -> CorruptGraphError:
    folder = path.parent if path.name == MANIFEST else path.parents[1]
    said = str(error).splitlines()[0]
    return CorruptGraphError(
        f"{path} of a graph version cannot be read ({said}). Make it again with: {remade_by(folder)}"
    )
