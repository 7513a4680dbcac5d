"""Entities in the text of one article: vocabulary names, abbreviations by their definition, and patterns.

A short form means what the article says it means: an occurrence takes the nearest earlier definition, then the
article's glossary, and only then the vocabulary. A definition also silences the vocabulary: where OS is the overall
survival it is not a gene, nor anything else.

A concept is accepted only where it is the clear reading. Short symbols need a preferred name of the vocabulary, or
support by a full name in the same article; ambiguous ones stay open, with their candidates.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kg_pipeline.extraction.plain_words import is_plain_word
from kg_pipeline.extraction.recognisers import find_patterns
from kg_pipeline.text.abbreviations import Definition, definition_at
from kg_pipeline.vocabulary.categories import group_of
from kg_pipeline.vocabulary.headwords import category_of_phrase
from kg_pipeline.vocabulary.index import Candidate, Match, Vocabulary
from kg_pipeline.vocabulary.matcher import short_form_pattern
from kg_pipeline.vocabulary.symbols import is_symbol
from kg_pipeline.vocabulary.variants import normal_key, singular
from kg_pipeline.vocabulary.words import words

Span = tuple[int, int]

#: Below this a reading is never accepted by itself (a symbol in another case, for example).
ACCEPTED_SCORE = 0.7
#: A preferred name, or a synonym that was reviewed: enough for a short symbol.
TRUSTED_SCORE = 0.9
MARGIN, SYMBOL_MARGIN = 0.02, 0.05
#: Candidates kept with a mention.
MAX_CANDIDATES = 5
#: A protein hormone is listed as a chemical too; the first reading will do.
_MAY_BE_ONE = frozenset({"gene", "chemical"})
_GENE_CONTEXT = words(
    "gene genes protein proteins expression mrna mutation mutations mutant receptor receptors promoter transcript knockout "
    "knockdown allele alleles deficient deficiency overexpression signaling signalling"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity in the text: `text[start:end]`, the form that standardisation uses, and what it was linked to."""

    start: int
    end: int
    text: str
    normal_form: str
    category: str
    concept_id: str | None
    candidates: tuple[Candidate, ...]
    source: str


def find_mentions(
    text: str,
    sentences: Iterable[Span],
    definitions: Sequence[Definition],
    glossary: Mapping[str, str],
    vocabulary: Vocabulary,
) -> list[Mention]:
    """Mentions of an article by position, not overlapping; a sentence given twice counts once."""
    spans = sorted(set(sentences))
    matches = [match for start, end in spans for match in _shifted(vocabulary.match(text[start:end]), start)]
    supported = {
        candidate.concept_id
        for match in matches
        if not is_symbol(text[match.start : match.end])
        for candidate in match.candidates
        if candidate.score >= ACCEPTED_SCORE
    }
    supported |= {
        c.concept_id for long in _long_forms(definitions, glossary) for c in vocabulary.lookup(long)[:1]
    }
    found: dict[Span, Mention] = {}
    silenced: set[Span] = set()
    for span, long, source in _abbreviations(text, definitions, glossary):
        if not _sentence_of(spans, span):
            continue
        silenced.add(span)
        linked = _linked(text, span, long, source, vocabulary)
        if linked:
            found.setdefault(span, linked)
    for match in matches:
        span = (match.start, match.end)
        if span in found or span in silenced:
            continue
        sentence = _sentence_of(spans, span) or span
        mention = _from_vocabulary(text, match, sentence, supported, vocabulary)
        if mention:
            found[span] = mention
    for start, end in spans:
        for pattern_start, pattern_end, category in find_patterns(text[start:end]):
            span = (start + pattern_start, start + pattern_end)
            surface = text[span[0] : span[1]]
            found.setdefault(span, Mention(*span, surface, surface, category, None, (), "model"))
    return _without_overlaps(found.values(), silenced)


def accept(
    surface: str, candidates: Sequence[Candidate], supported: set[str], vocabulary: Vocabulary
) -> str | None:
    """Concept of the clear reading, or None.

    `supported` are concepts that the article names in full. A second reading does no harm where it is the family of
    the first one or has the same name; else it must score less by a margin, a wider one for symbols.
    """
    if not candidates or candidates[0].score < ACCEPTED_SCORE:
        return None
    top, *others = candidates
    symbol = is_symbol(surface)
    named = [candidate for candidate in candidates if candidate.concept_id in supported]
    if symbol and len(named) == 1 and named[0].score >= ACCEPTED_SCORE:
        return named[0].concept_id
    if symbol and len(surface) <= 4 and top.score < TRUSTED_SCORE and top.concept_id not in supported:
        # Short and only a synonym: accepted where it can be nothing else, and is long enough to be no chance.
        is_distinct = len(surface) > 3 or (len(surface) == 3 and any(c.isdigit() for c in surface))
        return top.concept_id if is_distinct and not others else None
    margin = SYMBOL_MARGIN if symbol else MARGIN
    for other in others:
        if top.score - other.score >= margin:
            break
        same_name = normal_key(singular(top.name)) == normal_key(singular(other.name))
        groups = {group_of(top.category), group_of(other.category)}
        if same_name and groups <= _MAY_BE_ONE:
            continue
        is_kin = len(groups) == 1 and (same_name or _is_family(vocabulary, top.concept_id, other.concept_id))
        if not is_kin:
            return None
    return top.concept_id


def _is_family(vocabulary: Vocabulary, a: str, b: str) -> bool:
    return vocabulary.is_a(a, b, max_depth=2) or vocabulary.is_a(b, a, max_depth=2)


def _shifted(matches: Iterable[Match], offset: int) -> Iterable[Match]:
    return (Match(match.start + offset, match.end + offset, match.candidates) for match in matches)


def _long_forms(definitions: Sequence[Definition], glossary: Mapping[str, str]) -> list[str]:
    return sorted({definition.long for definition in definitions} | set(glossary.values()))


def _sentence_of(spans: Sequence[Span], span: Span) -> Span | None:
    index = bisect_right(spans, span[0], key=lambda sentence: sentence[0]) - 1
    return spans[index] if index >= 0 and span[1] <= spans[index][1] else None


def _abbreviations(
    text: str, definitions: Sequence[Definition], glossary: Mapping[str, str]
) -> Iterable[tuple[Span, str, str]]:
    """Occurrences of defined short forms with the long form each stands for, and the long forms themselves."""
    pattern = short_form_pattern(frozenset(glossary) | {definition.short for definition in definitions})
    for match in pattern.finditer(text) if pattern else ():
        definition = definition_at(definitions, match[1], match.start(1))
        long = definition.long if definition else glossary.get(match[1])
        if long is not None:
            yield match.span(1), long, "abbreviation" if definition else "glossary"
    for definition in definitions:
        yield (definition.long_start, definition.long_end), definition.long, "abbreviation"


def _linked(text: str, span: Span, long: str, source: str, vocabulary: Vocabulary) -> Mention | None:
    """A mention that stands for `long`; None where that is no entity, as with `confidence interval`."""
    candidates = tuple(vocabulary.lookup(long)[:MAX_CANDIDATES])
    concept_id = accept(long, candidates, set(), vocabulary)
    category = candidates[0].category if candidates else category_of_phrase(long, vocabulary.match)
    if category is None:
        return None
    return Mention(*span, text[span[0] : span[1]], long, category, concept_id, candidates, source)


def _from_vocabulary(
    text: str, match: Match, sentence: Span, supported: set[str], vocabulary: Vocabulary
) -> Mention | None:
    surface = text[match.start : match.end]
    candidates = match.candidates[:MAX_CANDIDATES]
    if len(surface) <= 2 and not _is_backed(candidates, supported, text[sentence[0] : sentence[1]]):
        return None
    if is_plain_word(text, match.start, match.end):
        return None
    concept_id = accept(surface, candidates, supported, vocabulary)
    if concept_id is None and is_symbol(surface):
        candidates = _molecules_first(surface, candidates)
        if not candidates:
            return None
    chosen = next((c for c in candidates if c.concept_id == concept_id), candidates[0])
    return Mention(
        match.start, match.end, surface, surface, chosen.category, concept_id, candidates, "vocabulary"
    )


def _molecules_first(surface: str, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Readings of an open symbol: a gene before a disease that is called after it (TFIIH, NS1).

    A short one without a digit that the article does not explain is nothing, whether its readings are diseases only
    (SEM) or diseases and genes (LAP): either category would be a guess.
    """
    if group_of(candidates[0].category) != "disorder" or candidates[0].score >= TRUSTED_SCORE:
        return candidates
    ranked = tuple(sorted(candidates, key=lambda c: group_of(c.category) != "gene"))
    is_gene_like = group_of(ranked[0].category) == "gene" and any(c.isdigit() for c in surface)
    if len(surface) <= 4 and not is_gene_like:
        return ()
    return ranked


def _is_backed(candidates: Sequence[Candidate], supported: set[str], sentence: str) -> bool:
    """Whether a two-letter symbol is backed by a full name in the article or, for a gene, by the sentence's words."""
    if any(candidate.concept_id in supported for candidate in candidates):
        return True
    if candidates[0].score < TRUSTED_SCORE:
        return False
    if group_of(candidates[0].category) != "gene":
        return True
    return not _GENE_CONTEXT.isdisjoint(sentence.lower().replace("-", " ").split())


def _without_overlaps(mentions: Iterable[Mention], silenced: set[Span]) -> list[Mention]:
    """The longest of overlapping mentions; what starts first, then what an abbreviation says, between equals."""
    kept: list[Mention] = []
    ranked = sorted(mentions, key=lambda m: (m.start - m.end, m.source == "vocabulary", m.start))
    occupied: set[int] = set()
    for mention in ranked:
        positions = range(mention.start, mention.end)
        if not occupied.isdisjoint(positions):
            continue
        # A silenced short form may be part of a longer name, but never a mention of its own.
        if (mention.start, mention.end) in silenced and mention.source in ("vocabulary", "model"):
            continue
        kept.append(mention)
        occupied.update(positions)
    return sorted(kept, key=lambda mention: mention.start)
