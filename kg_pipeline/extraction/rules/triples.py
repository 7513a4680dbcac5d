"""Triples without a language model: the parse of each sentence, read by patterns that all need a trigger word.

There is no fall-back on co-occurrence. A sentence that names two things and relates them by no word of the lexicon
gives nothing. Patterns follow the predicate-argument rules of biomedical event extractors (REACH, eidos); denial and
doubt are read from the parse and flagged, never dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from kg_pipeline.extraction.grounding.triples import MentionSpan
from kg_pipeline.extraction.lexicon.inflection import singular
from kg_pipeline.extraction.lexicon.predicate_lexicon import verb_forms
from kg_pipeline.extraction.lexicon.word_list import word_set
from kg_pipeline.extraction.rules.adjective_patterns import adjective_readings
from kg_pipeline.extraction.rules.agent_patterns import agent_readings
from kg_pipeline.extraction.rules.negation import is_question
from kg_pipeline.extraction.rules.noun_patterns import noun_readings
from kg_pipeline.extraction.rules.patient_patterns import patient_readings
from kg_pipeline.extraction.rules.statements import Statement, statements
from kg_pipeline.extraction.rules.table_patterns import CONFIDENCE as CELL_CONFIDENCE
from kg_pipeline.extraction.rules.table_patterns import Cell, cells, is_glossary, is_row
from kg_pipeline.extraction.rules.verb_patterns import verb_readings
from kg_pipeline.extraction.syntax.arguments import MODIFIED
from kg_pipeline.extraction.syntax.phrases import Phrase
from kg_pipeline.extraction.syntax.sentence_parser import Parse, Sentence, SentenceParser
from kg_pipeline.vocabulary.categories import CHEMICAL, GENE, group_of

EXTRACTOR = "offline"
#: Who or what was studied; never an end of a triple. In lower-case singular or plural, as the text has it.
_HOSTS = word_set(
    """human humans patient patients mouse mice murine rat rats rabbit rabbits dog dogs pig pigs man men woman women child
    children infant infants people participant participants subject subjects adult adults mammal mammals animal animals
    """
)
#: Words that carry a relation and are things of their own.
_NAMED = frozenset({"autoantibody"})
#: What follows a gene that names cells; "TNF+IFN" are two that are given together.
_HAVING = re.compile(r"[+⁺](?:[^\w+⁺]|$|[\w/-]+[+⁺])")
#: Longer ones are lists, tables or failed splits; their parse is slow and wrong. In characters.
_LONGEST_SENTENCE = 1500


@dataclass(frozen=True, slots=True)
class OfflineTriple:
    """A triple that a sentence states; `quote` is the sentence, `start` its offset in the document's text.

    `new_mentions` are the ends that the sentence names through another mention ("resistance to X").
    """

    head: MentionSpan
    tail: MentionSpan
    predicate: str
    predicate_text: str
    negated: bool
    speculative: bool
    quote: str
    start: int
    confidence: float
    new_mentions: tuple[MentionSpan, ...] = ()

    @property
    def end(self) -> int:
        """Offset after the quote."""
        return self.start + len(self.quote)


def sentences_to_read(
    text: str, spans: Iterable[tuple[int, int]], mentions: Sequence[MentionSpan]
) -> Iterator[Sentence]:
    """Each distinct sentence that holds mentions of two different things, in document order."""
    for sentence in sentences_of(text, spans, mentions):
        if is_short(sentence) and len({identity(mention) for mention in sentence.mentions}) > 1:
            yield sentence


def sentences_of(
    text: str, spans: Iterable[tuple[int, int]], mentions: Sequence[MentionSpan]
) -> Iterator[Sentence]:
    """Each distinct sentence with the mentions in it that can be an end of a triple, in document order."""
    ordered = sorted(mentions, key=lambda mention: (mention.start, mention.end))
    first = 0
    for start, end in sorted(set(spans)):
        while first < len(ordered) and ordered[first].start < start:
            first += 1
        inside = []
        for mention in ordered[first:]:
            if mention.start >= end:
                break
            if mention.end <= end and not _is_generic(mention) and not _is_marker(mention, text):
                inside.append(mention)
        yield Sentence(start, text[start:end], tuple(inside))


def extract(parser: SentenceParser, sentences: Sequence[Sentence]) -> list[OfflineTriple]:
    """Triples of the sentences, in order."""
    return [triple for _, triples in extract_parsed(parser, sentences) for triple in triples]


def extract_parsed(
    parser: SentenceParser, sentences: Sequence[Sentence]
) -> Iterator[tuple[Parse | None, list[OfflineTriple]]]:
    """The parse and the triples of each sentence, in order; rows of tables and questions are not parsed."""
    parses = parser.parse([each for each in sentences if is_prose(each)])
    for sentence in sentences:
        if is_prose(sentence):
            parse = next(parses)
            yield parse, read(parse)
        else:
            yield None, [_of_cell(sentence, cell) for cell in cells(sentence)]


def read(parse: Parse) -> list[OfflineTriple]:
    """Triples of one parsed sentence: each pair and predicate once, in the surest and most cautious reading."""
    best: dict[tuple[str, ...], Statement] = {}
    patterns = (verb_readings, adjective_readings, noun_readings, agent_readings, patient_readings)
    for reading in chain.from_iterable(pattern(parse) for pattern in patterns):
        for statement in statements(parse, reading):
            if _are_same(parse, statement):
                continue
            ends = (_end(parse, each) for each in _ends(statement))
            key = (*(f"{end.start:09}:{end.end:09}" for end in ends), statement.predicate)
            best[key] = _merged(best[key], statement) if key in best else statement
    return [_triple(parse, best[key]) for key in sorted(best)]


def _is_generic(mention: MentionSpan) -> bool:
    """Whether the mention is a host, or a word that states or carries a relation: "affects", "degradation"."""
    word = mention.text.lower()
    if word in _HOSTS:
        return True
    if " " in word or not mention.text[1:].islower():
        return False
    is_verb = word in verb_forms() and group_of(mention.category) not in (
        CHEMICAL,
        GENE,
    )  # lead is a metal, too
    return is_verb or singular(word) in MODIFIED - _NAMED


def _is_marker(mention: MentionSpan, text: str) -> bool:
    """Whether the gene only names cells that have it: "CD4+ T cells"; what is said is said of the cells."""
    return group_of(mention.category) == GENE and _HAVING.match(text, mention.end) is not None


def is_short(sentence: Sentence) -> bool:
    """Whether the sentence is no list, table or failed split, the parse of which is slow and wrong."""
    return len(sentence.text) <= _LONGEST_SENTENCE


def is_prose(sentence: Sentence) -> bool:
    """Whether the sentence can state something: it is no row of a table, no list of abbreviations and no question."""
    return not any(is_other(sentence.text) for is_other in (is_row, is_glossary, is_question))


def _merged(known: Statement, other: Statement) -> Statement:
    surer = other if other.confidence > known.confidence else known
    return replace(
        surer,
        negated=known.negated or other.negated,
        speculative=known.speculative or other.speculative,
    )


def _are_same(parse: Parse, statement: Statement) -> bool:
    head, tail = (_end(parse, each) for each in _ends(statement))
    return identity(head) == identity(tail)


def identity(mention: MentionSpan) -> str:
    """What makes two mentions of an article one thing: the concept, or the name where there is none."""
    return mention.concept_id or mention.normal_form.casefold()


def _ends(statement: Statement) -> tuple[tuple[int, Phrase | None], tuple[int, Phrase | None]]:
    return (statement.head, statement.head_phrase), (statement.tail, statement.tail_phrase)


def _end(parse: Parse, end: tuple[int, Phrase | None]) -> MentionSpan:
    """The mention at an end of a statement; a new one where the end is a phrase."""
    sentence, (index, phrase) = parse.sentence, end
    mention = sentence.mentions[index]
    if phrase is None:
        return mention
    article_id = mention.mention_id.rpartition(":")[0]
    start, stop = sentence.start + phrase.start, sentence.start + phrase.end
    return MentionSpan(
        mention_id=f"{article_id}:{start}-{stop}",
        start=start,
        end=stop,
        text=sentence.text[phrase.start : phrase.end],
        normal_form=phrase.name,
        category=phrase.category,
        concept_id=None,
    )


def _triple(parse: Parse, statement: Statement) -> OfflineTriple:
    sentence = parse.sentence
    ends = _ends(statement)
    head, tail = (_end(parse, each) for each in ends)
    is_new = (phrase is not None for _, phrase in ends)
    return OfflineTriple(
        head=head,
        tail=tail,
        predicate=statement.predicate,
        predicate_text=statement.predicate_text,
        negated=statement.negated,
        speculative=statement.speculative,
        quote=sentence.text,
        start=sentence.start,
        confidence=statement.confidence,
        new_mentions=tuple(end for end, new in zip((head, tail), is_new, strict=True) if new),
    )


def _of_cell(sentence: Sentence, cell: Cell) -> OfflineTriple:
    return OfflineTriple(
        head=cell.head,
        tail=cell.tail,
        predicate=cell.predicate,
        predicate_text=cell.predicate_text,
        negated=False,
        speculative=cell.speculative,
        quote=sentence.text,
        start=sentence.start,
        confidence=CELL_CONFIDENCE,
    )
