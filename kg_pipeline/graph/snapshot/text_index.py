"""Full-text search over chunks and entities: a tantivy index (BM25) of a version directory.

Chunk texts are stemmed; names are not, and their aliases count as part of the name.

The library names its segments at random. They are renamed after their content, so that the same texts give the same
files; only an index so large that it was written in several segments and merged in the background may differ.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from kg_pipeline.errors import CorruptGraphError
from kg_pipeline.fingerprint import file_sha256
from kg_pipeline.graph.layout import remade_by

Analyzer = Literal["en_stem", "default"]

_FIELD = "text"
_ORDINAL = "ordinal"
_WORD = re.compile(r"[^\W_]+")
_MAX_WORDS = 256
_HEAP_BYTES = 64_000_000
#: Hits fetched beyond k, so that equal scores at the cut are ordered by id.
_SLACK = 64
_META = "meta.json"
_MANAGED = ".managed.json"


def words(query: str) -> list[str]:
    """Distinct words of a query, so that no character of it can be read as query syntax."""
    return list(dict.fromkeys(word.lower() for word in _WORD.findall(query)))[:_MAX_WORDS]


def build_text_index(folder: Path, texts: Iterable[str], analyzer: Analyzer) -> None:
    """Index texts; the position of a text is its ordinal."""
    import tantivy

    folder.mkdir(parents=True, exist_ok=True)
    schema = tantivy.SchemaBuilder()
    schema.add_text_field(_FIELD, stored=False, tokenizer_name=analyzer, index_option="freq")
    schema.add_unsigned_field(_ORDINAL, stored=True)
    index = tantivy.Index(schema.build(), path=str(folder))
    writer = index.writer(heap_size=_HEAP_BYTES, num_threads=1)
    for ordinal, text in enumerate(texts):
        document = tantivy.Document()
        document.add_text(_FIELD, text)
        document.add_unsigned(_ORDINAL, ordinal)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    del writer, index
    _name_after_content(folder)


def _name_after_content(folder: Path) -> None:
    """Give each segment an id made from its files, in the directory and in the library's two lists of files.

    Nothing else stays: which locks and remnants the library leaves depends on what its threads came to.
    """
    meta = json.loads((folder / _META).read_text(encoding="utf-8"))
    kept = {_META}
    for segment in meta["segments"]:
        old = uuid.UUID(segment["segment_id"]).hex
        parts = sorted(folder.glob(f"{old}.*"))
        content = "".join(f"{path.suffix}{file_sha256(path)}" for path in parts)
        new = uuid.UUID(bytes=hashlib.sha256(content.encode()).digest()[:16])
        kept |= {path.rename(path.with_name(f"{new.hex}{path.suffix}")).name for path in parts}
        segment["segment_id"] = str(new)
    meta["segments"].sort(key=lambda segment: segment["segment_id"])
    for path in folder.iterdir():
        if path.name not in kept:
            path.unlink()
    (folder / _META).write_text(json.dumps(meta, indent=2) + "\n", encoding="utf-8")
    (folder / _MANAGED).write_text(json.dumps(sorted(kept)) + "\n", encoding="utf-8")


@contextmanager
def _links_to(folder: Path) -> Iterator[Path]:
    """A folder of links to the files of an index, to open it by: a version may lie where nobody may write.

    The library writes a lock beside what it opens, and a thread of its own does so once more, at any moment within the
    first second; a lock that comes in between the removal of the files and that of the folder is why there are two.
    """
    links = Path(tempfile.mkdtemp(prefix="kg-text-"))
    try:
        for path in folder.resolve().iterdir():
            if path.suffix != ".lock":
                (links / path.name).symlink_to(path)
        yield links
    finally:
        shutil.rmtree(links, ignore_errors=True)
        shutil.rmtree(links, ignore_errors=True)


class TextIndex:
    """An index opened for reading; safe for many threads."""

    def __init__(self, folder: Path) -> None:
        """Map the index; raises CorruptGraphError if it cannot be opened."""
        import tantivy

        try:
            with _links_to(folder) as links:
                self._index: Any = tantivy.Index.open(str(links))
                self._index.config_reader(num_warmers=0, reload_policy="manual")
                self._searcher: Any = self._index.searcher()
        except (ValueError, FileNotFoundError) as error:
            said = str(error).partition(". Content:")[0]
            raise CorruptGraphError(
                f"The text index {folder} cannot be opened ({said}). "
                f"Make it again with: {remade_by(folder.parents[1])}"
            ) from error

    def search(self, query: str, k: int) -> list[tuple[int, float]]:
        """Ordinals by (-BM25, ordinal), at most `k`; nothing for a query without words."""
        terms = words(query)
        if not terms or k < 1:
            return []
        # Lenient, because the library may cut a word at a character that is a letter to Python.
        parsed, _ = self._index.parse_query_lenient(" ".join(f'"{term}"' for term in terms), [_FIELD])
        hits = self._searcher.search(parsed, k + _SLACK, count=False).hits
        found = [(self._searcher.doc(address)[_ORDINAL][0], float(score)) for score, address in hits]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:k]
