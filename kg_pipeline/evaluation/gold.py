"""Readers of annotated corpora in their published formats: PubTator, the ChemProt sentences of SciBERT, and Ab3P.

PubTator offsets count characters of the title, one space or line break, and the abstract: the text built here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kg_pipeline.errors import BenchmarkFileError

#: Biolink category of the entity types of BC5CDR, BioRED and NCBI-disease.
CATEGORIES = {
    "Chemical": "biolink:ChemicalEntity",
    "ChemicalEntity": "biolink:ChemicalEntity",
    "Disease": "biolink:Disease",
    "DiseaseOrPhenotypicFeature": "biolink:Disease",
    "SpecificDisease": "biolink:Disease",
    "DiseaseClass": "biolink:Disease",
    "CompositeMention": "biolink:Disease",
    "Modifier": "biolink:Disease",
    "GeneOrGeneProduct": "biolink:Gene",
    "OrganismTaxon": "biolink:OrganismTaxon",
    "SequenceVariant": "biolink:SequenceVariant",
    "CellLine": "biolink:CellLine",
}
_UNKNOWN_IDENTIFIERS = frozenset({"", "-", "-1"})
_ID_SEPARATORS = str.maketrans({"|": ",", "+": ",", ";": ","})
#: PubTator files put identifiers of one mention behind commas, bars or plus signs; variants contain bars themselves.
_WHOLE_IDENTIFIER = "biolink:SequenceVariant"


@dataclass(frozen=True, slots=True)
class GoldMention:
    """An annotated entity: `article.text[start:end] == text`; `identifiers` are as published, without a prefix."""

    start: int
    end: int
    text: str
    kind: str
    category: str
    identifiers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GoldRelation:
    """A relation of the article between two identifiers; `novel` is None where the corpus does not say."""

    kind: str
    head: str
    tail: str
    novel: bool | None


@dataclass(frozen=True, slots=True)
class GoldArticle:
    """Title and abstract of one annotated article."""

    pmid: str
    title: str
    text: str
    mentions: tuple[GoldMention, ...]
    relations: tuple[GoldRelation, ...]


@dataclass(frozen=True, slots=True)
class GoldSentence:
    """A ChemProt sentence with the two arguments as spans, in the order << >> then [[ ]], and its label."""

    text: str
    first: tuple[int, int]
    second: tuple[int, int]
    label: str


@dataclass(frozen=True, slots=True)
class GoldAbbreviations:
    """The (short, long) pairs annotated in one MEDLINE record."""

    pmid: str
    text: str
    pairs: frozenset[tuple[str, str]]


def read_pubtator(path: Path) -> Iterator[GoldArticle]:
    """Articles of a PubTator file, in its order; an article given twice is read once.

    Raises
    ------
    BenchmarkFileError
        A line that is neither text, mention nor relation, or a mention whose text is not at its offsets.
    """
    seen: set[str] = set()
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        lines = [line for line in block.split("\n") if line.strip()]
        if len(lines) < 2:
            continue
        article = _article(lines, path)
        if article.pmid not in seen:
            seen.add(article.pmid)
            yield article


def _article(lines: list[str], path: Path) -> GoldArticle:
    pmid, mark, title = _text_line(lines[0], path)
    _, abstract_mark, abstract = _text_line(lines[1], path)
    if (mark, abstract_mark) != ("t", "a"):
        raise BenchmarkFileError(
            f"{path}: {pmid} does not begin with its title and abstract. Check that it is PubTator."
        )
    text = f"{title} {abstract}"
    mentions, relations = [], []
    for line in lines[2:]:
        fields = line.split("\t")
        if len(fields) >= 5 and fields[1].isdigit():
            mentions.append(_mention(fields, text, path))
        elif len(fields) >= 4:
            relations.append(_relation(fields))
        else:
            raise BenchmarkFileError(
                f"{path}: the line {line[:80]!r} of {pmid} cannot be read. Check that it is PubTator."
            )
    return GoldArticle(pmid, title, text, tuple(sorted(mentions, key=_position)), tuple(relations))


def _text_line(line: str, path: Path) -> tuple[str, str, str]:
    parts = line.split("|", 2)
    if len(parts) != 3:
        raise BenchmarkFileError(
            f"{path}: the line {line[:80]!r} is no title or abstract. Check that it is PubTator."
        )
    return parts[0], parts[1], parts[2]


def _position(mention: GoldMention) -> tuple[int, int, str]:
    return mention.start, mention.end, mention.kind


def _mention(fields: list[str], text: str, path: Path) -> GoldMention:
    start, end, kind = int(fields[1]), int(fields[2]), fields[4]
    surface = text[start:end]
    if surface.split() != fields[3].split():
        raise BenchmarkFileError(
            f"{path}: {fields[0]} has {surface!r} at {start}-{end}, not {fields[3]!r}. Take the corpus unmodified."
        )
    category = CATEGORIES.get(kind, "biolink:NamedThing")
    identifiers = _identifiers(fields[5] if len(fields) > 5 else "", category)
    return GoldMention(start, end, surface, kind, category, identifiers)


def _identifiers(column: str, category: str) -> tuple[str, ...]:
    parts = [column] if category == _WHOLE_IDENTIFIER else column.translate(_ID_SEPARATORS).split(",")
    return tuple(part.strip() for part in parts if part.strip() not in _UNKNOWN_IDENTIFIERS)


def _relation(fields: list[str]) -> GoldRelation:
    novel = {"Novel": True, "No": False}.get(fields[4]) if len(fields) > 4 else None
    return GoldRelation(fields[1], fields[2], fields[3], novel)


def read_chemprot(path: Path) -> Iterator[GoldSentence]:
    """Sentences of a ChemProt file (JSON lines) with the argument marks taken out.

    Raises
    ------
    BenchmarkFileError
        A sentence that does not mark one << >> and one [[ ]].
    """
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        text, spans = _unmarked(row["text"])
        if set(spans) != set(_CLOSING):
            raise BenchmarkFileError(
                f"{path}: {row['text'][:80]!r} does not mark both arguments. Take the corpus unmodified."
            )
        yield GoldSentence(text, spans["<< "], spans["[[ "], row["label"])


#: With the space that sets a mark apart, as names of compounds hold double brackets too.
_CLOSING = {"<< ": " >>", "[[ ": " ]]"}


def _unmarked(marked: str) -> tuple[str, dict[str, tuple[int, int]]]:
    """Text without the marks, and the span each pair enclosed; marks stand apart from the words by one space."""
    text, spans, position = "", {}, 0
    while position < len(marked):
        opening = marked[position : position + 3]
        end = marked.find(_CLOSING[opening], position) if opening in _CLOSING and opening not in spans else -1
        if end < 0:
            text, position = text + marked[position], position + 1
            continue
        inside = marked[position + 3 : end]
        spans[opening] = (len(text), len(text) + len(inside))
        text, position = text + inside, end + 3
    return text, spans


def read_abbreviations(path: Path) -> Iterator[GoldAbbreviations]:
    """Records of an Ab3P file."""
    yield from parse_abbreviations(path.read_text(encoding="utf-8"))


def parse_abbreviations(text: str) -> Iterator[GoldAbbreviations]:
    """Records of an Ab3P text: PMID, title and abstract lines, then `  short|long` lines, with or without a score."""
    for block in text.strip().split("\n\n"):
        lines = block.split("\n")
        texts = [line.strip() for line in lines[1:] if not line.startswith("  ")]
        pairs = [[part.strip() for part in line.split("|")] for line in lines[1:] if line.startswith("  ")]
        yield GoldAbbreviations(
            lines[0].strip(),
            "\n".join(texts),
            frozenset((pair[0], pair[1]) for pair in pairs if len(pair) > 1),
        )
