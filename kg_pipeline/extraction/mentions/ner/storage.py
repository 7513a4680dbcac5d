"""The files of a trained recogniser: what is written by its training and read by every process that recognises.

`tagger.zst` is the CRF as CRFsuite writes it, `lexicon.zst` a marisa trie of folded names, `kinds.npz` their kinds,
`classes.npz` the classes of words, and `model.json` says what it was trained on and holds the SHA-256 of the other files.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import marisa_trie
import numpy as np
import zstandard

from kg_pipeline.errors import ModelError
from kg_pipeline.extraction.mentions.ner.lexicon import Lexicon
from kg_pipeline.extraction.mentions.ner.words import WordClasses
from kg_pipeline.fingerprint import digest, file_sha256, unchanged_file_sha256

TAGGER, LEXICON, NAME_KINDS, WORD_CLASSES = "tagger.zst", "lexicon.zst", "kinds.npz", "classes.npz"
DESCRIPTION = "model.json"
_LEVEL = 19


@dataclass(frozen=True, slots=True)
class Parts:
    """A recogniser read from its folder; the CRF stays as bytes, because its tagger cannot be pickled."""

    tagger: bytes
    lexicon: Lexicon
    classes: WordClasses
    description: dict[str, Any]


def write_parts(folder: Path, tagger: bytes, lexicon: Lexicon, description: dict[str, Any]) -> None:
    """Write the files of a recogniser beside its word classes; the same parts give the same bytes."""
    compressor = zstandard.ZstdCompressor(level=_LEVEL)
    (folder / TAGGER).write_bytes(compressor.compress(tagger))
    (folder / LEXICON).write_bytes(compressor.compress(lexicon.trie.tobytes()))
    np.savez_compressed(folder / NAME_KINDS, kinds=lexicon.kinds)
    hashes = {name: file_sha256(folder / name) for name in (TAGGER, LEXICON, NAME_KINDS, WORD_CLASSES)}
    text = json.dumps(description | {"sha256": hashes}, indent=1, sort_keys=True, ensure_ascii=False)
    (folder / DESCRIPTION).write_text(text + "\n", encoding="utf-8")


def write_classes(folder: Path, classes: WordClasses) -> None:
    """Write the word classes of a recogniser that is to be trained in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    words, numbers = classes.table()
    np.savez_compressed(folder / WORD_CLASSES, words=np.array("\n".join(words)), classes=numbers)


def read_classes(folder: Path) -> WordClasses:
    """The word classes in a folder."""
    with np.load(folder / WORD_CLASSES) as tables:
        numbers = tables["classes"]
        return WordClasses(str(tables["words"]).split("\n") if len(numbers) else [], numbers)


def read_parts(folder: Path) -> Parts:
    """The recogniser of a folder.

    Raises
    ------
    ModelError
        If a file is missing, or is not the one that `model.json` names.

    """
    try:
        description = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
        for name, expected in description["sha256"].items():
            if file_sha256(folder / name) != expected:
                raise ModelError(
                    f"{folder / name} is not the file that {DESCRIPTION} names. Install the package again, or run "
                    "scripts/train_ner.py."
                )
        tagger = zstandard.decompress((folder / TAGGER).read_bytes())
        trie = marisa_trie.Trie().frombytes(zstandard.decompress((folder / LEXICON).read_bytes()))
        with np.load(folder / NAME_KINDS) as tables:
            lexicon = Lexicon(trie, tables["kinds"])
        classes = read_classes(folder)
    except (OSError, KeyError, ValueError, zstandard.ZstdError) as error:
        raise ModelError(
            f"The recogniser in {folder} cannot be read ({error}). Install the package again, or run scripts/train_ner.py."
        ) from error
    return Parts(tagger, lexicon, classes, description)


def parts_digest(folder: Path) -> str:
    """Digest of a recogniser's files, for the fingerprint of what it finds.

    Raises
    ------
    ModelError
        If there is no recogniser in the folder.

    """
    try:
        return digest([(path.name, unchanged_file_sha256(path)) for path in sorted(folder.iterdir())])
    except OSError as error:
        raise ModelError(
            f"There is no recogniser in {folder} ({error}). Install the package again, or run scripts/train_ner.py."
        ) from error
