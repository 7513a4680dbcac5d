"""The recogniser of entity names that ships with the package, and the interface that others share with it.

A linear-chain CRF (Lafferty et al., 2001; trained and run by CRFsuite) labels the tokens of each sentence; then
the article is made consistent (`kg_pipeline.extraction.mentions.ner.consistency`). Trained by `scripts/train_ner.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import pycrfsuite

from kg_pipeline.extraction.mentions.ner.abbreviated import Abbreviations
from kg_pipeline.extraction.mentions.ner.consistency import Name, Sentence, make_consistent
from kg_pipeline.extraction.mentions.ner.features import FeatureMaker
from kg_pipeline.extraction.mentions.ner.labels import decode
from kg_pipeline.extraction.mentions.ner.storage import parts_digest, read_parts
from kg_pipeline.extraction.mentions.ner.tokens import tokenize
from kg_pipeline.text.abbreviations import Definition

#: The recogniser that ships with the package.
OWN_MODEL = Path(__file__).resolve().parent / "data"
#: Biolink categories of the kinds that the CRF labels.
CATEGORIES: Mapping[str, str] = {
    "chem": "biolink:ChemicalEntity",
    "dis": "biolink:Disease",
    "gene": "biolink:Gene",
    "var": "biolink:SequenceVariant",
    "spec": "biolink:OrganismTaxon",
    "cell": "biolink:CellLine",
}


@dataclass(frozen=True, slots=True)
class RecognisedName:
    """A name in an article, by its offsets, and the Biolink category of what it names."""

    start: int
    end: int
    category: str


class NameRecogniser(Protocol):
    """Something that finds names of entities in an article."""

    @property
    def digest(self) -> str:
        """Changes with whatever the recogniser finds."""
        ...

    @property
    def categories(self) -> frozenset[str]:
        """Biolink categories that it knows; its silence says something about these only."""
        ...

    def recognise(
        self,
        text: str,
        sentences: Sequence[tuple[int, int]],
        definitions: Sequence[Definition],
        glossary: Mapping[str, str],
    ) -> list[RecognisedName]:
        """Names in the sentences of an article, by position, not overlapping."""
        ...


class CrfRecogniser:
    """The package's own recogniser; one object serves one process, and texts one after the other."""

    categories = frozenset(CATEGORIES.values())

    def __init__(self, folder: Path = OWN_MODEL) -> None:
        parts = read_parts(folder)
        self.digest = parts_digest(folder)
        self._maker = FeatureMaker(parts.lexicon, parts.classes)
        # CRFsuite reads the model in place, so the bytes must live as long as the tagger.
        self._model = parts.tagger
        self._tagger = pycrfsuite.Tagger()
        self._tagger.open_inmemory(self._model)

    def recognise(
        self,
        text: str,
        sentences: Sequence[tuple[int, int]],
        definitions: Sequence[Definition],
        glossary: Mapping[str, str],
    ) -> list[RecognisedName]:
        """Names in the sentences of an article, by position, not overlapping."""
        # A letter means what it is defined as in one place only, which says nothing about the others.
        definitions = [definition for definition in definitions if len(definition.short) > 1]
        abbreviations = Abbreviations(definitions, glossary, self._maker.lexicon, self._maker.classes)
        read = [
            Sentence(start, tokens)
            for start, end in sorted(set(sentences))
            if (tokens := tokenize(text[start:end]))
        ]
        names: list[Name] = []
        for number, sentence in enumerate(read):
            features = self._maker.features(sentence.tokens, abbreviations, sentence.offset)
            labels = self._tagger.tag(pycrfsuite.ItemSequence(features))
            names += [(number, first, last, kind) for first, last, kind in decode(labels)]
        return [
            RecognisedName(
                read[number].offset + read[number].tokens[first].start,
                read[number].offset + read[number].tokens[last].end,
                CATEGORIES[kind],
            )
            for number, first, last, kind in make_consistent(read, names, definitions)
        ]


@lru_cache(maxsize=2)
def load_recogniser(folder: Path = OWN_MODEL) -> CrfRecogniser:
    """The recogniser of a folder, read once a process.

    Raises
    ------
    ModelError
        If it cannot be read.

    """
    return CrfRecogniser(folder)
