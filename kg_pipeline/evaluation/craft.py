"""CRAFT's texts and annotations against the articles as the parser reads them.

CRAFT publishes a plain text of each article and annotations with offsets into that. Both texts have the same
paragraphs in different orders, and CRAFT keeps bibliographic citations, so each of its paragraphs is aligned, token by
token, with the paragraphs of ours that share runs of words with it. An annotation survives if every part of it is found
there contiguously, character by character (white space and Unicode normal form aside).
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from kg_pipeline.pmc.jats.article import Article

# Letters and digits apart: a superscript that CRAFT glues to a name is marked by a sign in ours.
_TOKEN = re.compile(r"[A-Za-z]+|[0-9]+|[^\sA-Za-z0-9]")
_WORDS = 3  # consecutive words that two paragraphs must share to be compared
_SENTENCE_END = re.compile(r"[.?!][)\]}\"'”’»*†‡]*\s+")
_LINE = re.compile(r"[^\n]+")
_BETWEEN = "\n"  # separates paragraphs in a sequence of tokens, and equals none


@dataclass(frozen=True, slots=True)
class Annotation:
    """A gold annotation; `spans` are offsets into CRAFT's text."""

    ontology: str
    spans: tuple[tuple[int, int], ...]
    concept_id: str


@dataclass(frozen=True, slots=True)
class CraftArticle:
    """One article of CRAFT."""

    pmid: str
    pmcid: str
    xml: bytes
    text: str
    annotations: tuple[Annotation, ...]


@dataclass(frozen=True, slots=True)
class Survival:
    """What of CRAFT's text and annotations is in ours; `lost` are the annotations that are not."""

    characters: int
    characters_kept: int
    annotations: int
    lost: tuple[Annotation, ...]
    not_read: int  # annotations kept in sections that are not read for evidence


def read_craft(folder: Path, index: Path) -> Iterator[CraftArticle]:
    """Articles of a folder of `PMID.txt`, `PMID.ann.tsv` and `PMCID.nxml`; `index` is a table of both ids."""
    with index.open(encoding="utf-8", newline="") as stream:
        pmcids = {row["pmid"]: row["pmcid"] for row in csv.DictReader(stream, delimiter="\t")}
    for path in sorted(folder.glob("*.txt")):
        pmcid = pmcids[path.stem]
        yield CraftArticle(
            path.stem,
            pmcid,
            (folder / f"{pmcid}.nxml").read_bytes(),
            path.read_bytes().decode("utf-8"),
            tuple(_annotations(path.with_suffix(".ann.tsv"))),
        )


def _annotations(path: Path) -> Iterator[Annotation]:
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            spans = (span.split("-") for span in row["spans"].split(";"))
            yield Annotation(
                row["ontology"], tuple((int(start), int(end)) for start, end in spans), row["concept_id"]
            )


def survival(gold: CraftArticle, article: Article, unread: frozenset[str]) -> Survival:
    """What of the gold article is in ours; `unread` are kinds of sections that are no evidence."""
    places = align(gold.text, [(p.start, p.end) for p in article.paragraphs], article.text)
    lost = tuple(one for one in gold.annotations if not _is_kept(one, gold.text, article.text, places))
    outside = [(s.start, s.end) for s in article.sections if s.kind in unread]
    kept = (places[one.spans[0][0]] for one in gold.annotations if one not in lost)
    not_read = sum(any(start <= place < end for start, end in outside) for place in kept)
    characters = sum(not character.isspace() for character in gold.text)
    return Survival(characters, len(places), len(gold.annotations), lost, not_read)


def align(gold: str, spans: list[tuple[int, int]], text: str) -> dict[int, int]:
    """Offsets of the gold text to offsets of ours, for every character found; `spans` are our paragraphs."""
    tokens = [
        [(match.group(), start + match.start()) for match in _TOKEN.finditer(text[start:end])]
        for start, end in spans
    ]
    by_run: dict[tuple[str, ...], set[int]] = defaultdict(set)
    by_words: dict[tuple[str, ...], int] = {}
    for number, paragraph in enumerate(tokens):
        words = [token for token, _ in paragraph]
        by_words.setdefault(_words(words), number)
        for run in _runs(words):
            by_run[run].add(number)
    places: dict[int, int] = {}
    for line in _LINE.finditer(gold):
        wanted = [(match.group(), line.start() + match.start()) for match in _TOKEN.finditer(line.group())]
        words = [token for token, _ in wanted]
        candidates = _candidates(words, by_words, by_run)
        ours = [token for number in candidates for token in (*tokens[number], (_BETWEEN, -1))]
        matcher = SequenceMatcher(None, words, [token for token, _ in ours], autojunk=False)
        for block in matcher.get_matching_blocks():
            for offset in range(block.size):
                token, at = wanted[block.a + offset]
                place = ours[block.b + offset][1]
                places.update((at + n, place + n) for n in range(len(token)))
    return places


def _candidates(
    tokens: list[str],
    by_words: Mapping[tuple[str, ...], int],
    by_run: Mapping[tuple[str, ...], set[int]],
) -> list[int]:
    """Our paragraphs that a gold one is compared with: the one of the same words, else all that share a few runs."""
    same = by_words.get(_words(tokens))
    if same is not None:
        return [same]
    shared = Counter(number for run in _runs(tokens) for number in by_run.get(run, ()))
    return sorted(number for number, count in shared.items() if count >= min(3, len(tokens) // 4))


def _words(tokens: list[str]) -> tuple[str, ...]:
    return tuple(token for token in tokens if token.isalnum()) or tuple(tokens)


def _runs(tokens: list[str]) -> set[tuple[str, ...]]:
    """Runs of consecutive words; all of them where there are fewer."""
    words = _words(tokens)
    length = min(_WORDS, len(words))
    return {words[at : at + length] for at in range(len(words) - length + 1)}


def _is_kept(annotation: Annotation, gold: str, text: str, places: Mapping[int, int]) -> bool:
    return all(_is_same(gold, start, end, text, places) for start, end in annotation.spans)


def _is_same(gold: str, start: int, end: int, text: str, places: Mapping[int, int]) -> bool:
    surface = gold[start:end]
    inner = surface.strip()
    if not inner:
        return True
    first = start + surface.index(inner)
    begin, finish = places.get(first), places.get(first + len(inner) - 1)
    return begin is not None and finish is not None and _same(text[begin : finish + 1], inner)


def _same(ours: str, gold: str) -> bool:
    return " ".join(ours.split()) == " ".join(unicodedata.normalize("NFC", gold).split())


@dataclass(frozen=True, slots=True)
class Borders:
    """Sentence borders inside paragraphs: found rightly, found where there is none, and missed."""

    right: int
    wrong: int
    missed: int


def borders_found(text: str, starts: Set[int], inside: Set[int]) -> Borders:
    """Compare sentence starts with the ends of sentences in the text.

    A sentence ends after a full stop, question or exclamation mark before white space, except where `inside` holds
    the offset after that space; the ends of paragraphs are no question and not counted.
    """
    gold: set[int] = set()
    found: set[int] = set()
    for line in _LINE.finditer(text):
        begin = line.start() + len(line.group()) - len(line.group().lstrip())
        found.update(start for start in starts if begin < start < line.end())
        gold.update(
            line.start() + match.end()
            for match in _SENTENCE_END.finditer(line.group())
            if match.end() < len(line.group()) and line.start() + match.end() not in inside
        )
    return Borders(len(found & gold), len(found - gold), len(gold - found))
