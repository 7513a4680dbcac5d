"""Triples without a language model: the parse of each sentence, read by patterns that all need a trigger word.

There is no fall-back on co-occurrence. A sentence that names two things and relates them by no word of the lexicon
gives nothing. Patterns follow the predicate-argument rules of biomedical event extractors (REACH, eidos); denial and
doubt are read from the parse and flagged, never dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from kg_pipeline.extraction.grounding import MentionSpan
from kg_pipeline.extraction.negation import is_question
from kg_pipeline.extraction.noun_patterns import noun_readings
from kg_pipeline.extraction.sentence_parser import Parse, Sentence, SentenceParser
from kg_pipeline.extraction.statements import Statement, statements
from kg_pipeline.extraction.verb_patterns import verb_readings
from kg_pipeline.extraction.word_list import word_set

EXTRACTOR = "offline"
#: Who or what was studied; never an end of a triple. In lower-case singular or plural, as the text has it.
_HOSTS = word_set(
    """human humans patient patients mouse mice murine rat rats rabbit rabbits dog dogs pig pigs man men woman women child
    children infant infants people participant participants subject subjects adult adults mammal mammals animal animals
    """
)
#: Longer ones are lists, tables or failed splits; their parse is slow and wrong. In characters.
_LONGEST_SENTENCE = 1500


@dataclass(frozen=True, slots=True)
class OfflineTriple:
    """A triple that a sentence states; `quote` is the sentence, `start` its offset in the document's text."""

    head: MentionSpan
    tail: MentionSpan
    predicate: str
    predicate_text: str
    negated: bool
    speculative: bool
    quote: str
    start: int
    confidence: float

    @property
    def end(self) -> int:
        """Offset after the quote."""
        return self.start + len(self.quote)


def sentences_to_read(
    text: str, spans: Iterable[tuple[int, int]], mentions: Sequence[MentionSpan]
) -> Iterator[Sentence]:
    """Each distinct sentence that holds mentions of two different things, in document order."""
    ordered = sorted(mentions, key=lambda mention: (mention.start, mention.end))
    first = 0
    for start, end in sorted(set(spans)):
        while first < len(ordered) and ordered[first].start < start:
            first += 1
        inside = []
        for mention in ordered[first:]:
            if mention.start >= end:
                break
            if mention.end <= end and mention.text.lower() not in _HOSTS:
                inside.append(mention)
        if end - start <= _LONGEST_SENTENCE and len({_identity(mention) for mention in inside}) > 1:
            yield Sentence(start, text[start:end], tuple(inside))


def extract(parser: SentenceParser, sentences: Sequence[Sentence]) -> list[OfflineTriple]:
    """Triples of the sentences, in order."""
    stated = [sentence for sentence in sentences if not is_question(sentence.text)]
    return [triple for parse in parser.parse(stated) for triple in read(parse)]


def read(parse: Parse) -> list[OfflineTriple]:
    """Triples of one parsed sentence: each pair and predicate once, in the surest and most cautious reading."""
    best: dict[tuple[int, int, str], Statement] = {}
    for reading in chain(verb_readings(parse), noun_readings(parse)):
        for statement in statements(parse, reading):
            if _are_same(parse, statement):
                continue
            key = (statement.head, statement.tail, statement.predicate)
            best[key] = _merged(best[key], statement) if key in best else statement
    return [_triple(parse, best[key]) for key in sorted(best)]


def _merged(known: Statement, other: Statement) -> Statement:
    surer = other if other.confidence > known.confidence else known
    return replace(
        surer,
        negated=known.negated or other.negated,
        speculative=known.speculative or other.speculative,
    )


def _are_same(parse: Parse, statement: Statement) -> bool:
    mentions = parse.sentence.mentions
    return _identity(mentions[statement.head]) == _identity(mentions[statement.tail])


def _identity(mention: MentionSpan) -> str:
    return mention.concept_id or mention.normal_form.casefold()


def _triple(parse: Parse, statement: Statement) -> OfflineTriple:
    sentence = parse.sentence
    return OfflineTriple(
        head=sentence.mentions[statement.head],
        tail=sentence.mentions[statement.tail],
        predicate=statement.predicate,
        predicate_text=statement.predicate_text,
        negated=statement.negated,
        speculative=statement.speculative,
        quote=sentence.text,
        start=sentence.start,
        confidence=statement.confidence,
    )
