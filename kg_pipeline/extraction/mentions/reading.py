"""Entities in the text of one article: vocabulary names, abbreviations by their definition, patterns, and a recogniser.

A short form means what the article says it means: an occurrence takes the nearest earlier definition, then the
article's glossary, and only then the vocabulary. A definition also silences the vocabulary: where OS is the overall
survival it is not a gene, nor anything else.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from kg_pipeline.extraction.mentions.agreement import MODEL, agree
from kg_pipeline.extraction.mentions.formulas import is_formula
from kg_pipeline.extraction.mentions.links import MentionLinker
from kg_pipeline.extraction.mentions.mention import MAX_CANDIDATES, Mention
from kg_pipeline.extraction.mentions.name_patterns import find_patterns
from kg_pipeline.extraction.mentions.ner.recogniser import NameRecogniser, RecognisedName
from kg_pipeline.extraction.mentions.not_names import is_label, is_mere_word, is_no_name, whole_brackets
from kg_pipeline.extraction.mentions.plain_words import is_plain_word
from kg_pipeline.extraction.mentions.viral import without_host_genes
from kg_pipeline.text.abbreviations import Definition
from kg_pipeline.text.definitions import DefinitionIndex
from kg_pipeline.vocabulary.categories import CHEMICAL, GENE, group_of
from kg_pipeline.vocabulary.index.lookup import Candidate, Match, Vocabulary
from kg_pipeline.vocabulary.linking.article_context import ArticleContext, article_context, named_in_full
from kg_pipeline.vocabulary.linking.readings import TRUSTED_SCORE, clear_reading
from kg_pipeline.vocabulary.matcher import short_form_pattern
from kg_pipeline.vocabulary.names.headwords import category_of_phrase
from kg_pipeline.vocabulary.names.symbols import is_symbol
from kg_pipeline.vocabulary.names.words import words

__all__ = ["Mention", "find_mentions"]

Span = tuple[int, int]

_COMPOUND = "biolink:ChemicalEntity"
_NUMBER = re.compile(r"\d+")
_LETTERS_AND_NUMBER = re.compile(r"[A-Za-z]{2,}\d")
_GENE_CONTEXT = words(
    "gene genes protein proteins expression mrna mutation mutations mutant receptor receptors promoter transcript knockout "
    "knockdown allele alleles deficient deficiency overexpression signaling signalling"
)


def find_mentions(
    text: str,
    sentences: Iterable[Span],
    definitions: Sequence[Definition],
    glossary: Mapping[str, str],
    vocabulary: Vocabulary,
    recogniser: NameRecogniser | None = None,
) -> list[Mention]:
    """Mentions of an article by position, not overlapping; a sentence given twice counts once.

    Without a recogniser, only what the vocabulary, the definitions and the patterns give.
    """
    spans = sorted(set(sentences))
    matches = [match for start, end in spans for match in _shifted(vocabulary.match(text[start:end]), start)]
    context = article_context(text, definitions, glossary, vocabulary, named_in_full(text, matches))
    found = _by_look_up(text, spans, matches, context, vocabulary)
    if recogniser is not None:
        defined = {*glossary, *(definition.short for definition in definitions)}
        names = _names(text, recogniser.recognise(text, spans, definitions, glossary), defined)
        found = agree(text, found, names, {group_of(category) for category in recogniser.categories})
    linker = MentionLinker(vocabulary, context.across_vertebrates())
    linked = without_host_genes(
        text, [linker.linked(mention) for mention in _without_overlaps(found)], vocabulary
    )
    return [mention for mention in linked if not _is_word_for_gene(text, mention)]


def _is_word_for_gene(text: str, mention: Mention) -> bool:
    """Whether only the recogniser says that a word is a gene, against what it looks like."""
    is_guess = mention.source == MODEL and mention.concept_id is None and not mention.candidates
    return is_guess and group_of(mention.category) == GENE and is_mere_word(text, mention.start, mention.end)


def _names(text: str, recognised: Iterable[RecognisedName], defined: Collection[str]) -> list[RecognisedName]:
    """What a recogniser found, without what is no name; formulae are compounds whatever it took them for."""
    names = []
    for name in recognised:
        start, end = whole_brackets(text, name.start, name.end)
        if is_no_name(text, start, end, name.category, defined) or is_plain_word(text, start, end):
            continue
        category = _COMPOUND if is_formula(text, start, end) else name.category
        names.append(replace(name, start=start, end=end, category=category))
    return names


def _by_look_up(
    text: str,
    spans: Sequence[Span],
    matches: Sequence[Match],
    context: ArticleContext,
    vocabulary: Vocabulary,
) -> list[Mention]:
    """Mentions by definitions, vocabulary and patterns; they may overlap.

    A short form that the article defines may be part of a longer name, but is a mention of its own only if what it
    stands for is an entity.
    """
    found: dict[Span, Mention] = {}
    silenced: set[Span] = set()
    definitions = DefinitionIndex(context.definitions)
    for span, long, source in _abbreviations(text, context.definitions, context.glossary):
        if not _sentence_of(spans, span):
            continue
        silenced.add(span)
        linked = _linked(text, span, long, source, vocabulary)
        if linked is None and (symbol := _symbol_spelled_out(text[slice(*span)], long, vocabulary)):
            linked = _linked(text, span, symbol, source, vocabulary)
        if linked:
            found.setdefault(span, linked)
    for match in matches:
        span = (match.start, match.end)
        if span in found or span in silenced or _holds_definition(span, definitions):
            continue
        sentence = _sentence_of(spans, span) or span
        mention = _from_vocabulary(text, match, sentence, context.supported, vocabulary)
        if mention:
            found[span] = mention
    for start, end in spans:
        for pattern_start, pattern_end, category in find_patterns(text[start:end]):
            span = (start + pattern_start, start + pattern_end)
            surface = text[span[0] : span[1]]
            if span not in silenced and not is_label(text, *span):
                found.setdefault(span, Mention(*span, surface, surface, category, None, (), MODEL))
    return list(found.values())


def _shifted(matches: Iterable[Match], offset: int) -> Iterable[Match]:
    return (Match(match.start + offset, match.end + offset, match.candidates) for match in matches)


def _sentence_of(spans: Sequence[Span], span: Span) -> Span | None:
    index = bisect_right(spans, span[0], key=lambda sentence: sentence[0]) - 1
    return spans[index] if index >= 0 and span[1] <= spans[index][1] else None


def _abbreviations(
    text: str, definitions: Sequence[Definition], glossary: Mapping[str, str]
) -> Iterable[tuple[Span, str, str]]:
    """Occurrences of defined short forms with the long form each stands for, and the long forms themselves."""
    index = DefinitionIndex(definitions)
    pattern = short_form_pattern(frozenset(glossary) | {definition.short for definition in definitions})
    for match in pattern.finditer(text) if pattern else ():
        definition = index.at(match[1], match.start(1))
        long = definition.long if definition else glossary.get(match[1])
        if long is not None:
            yield match.span(1), long, "abbreviation" if definition else "glossary"
    for definition in definitions:
        yield (definition.long_start, definition.long_end), definition.long, "abbreviation"


def _holds_definition(span: Span, definitions: DefinitionIndex) -> bool:
    """Whether a name goes over a long form and its short form, as in `acute lymphoblastic leukemia (ALL)`: two mentions."""
    return any(
        span[0] <= one.long_start and max(one.long_end, one.short_end) <= span[1]
        for one in definitions.within(*span)
    )


def _linked(text: str, span: Span, long: str, source: str, vocabulary: Vocabulary) -> Mention | None:
    """A mention that stands for `long`; None where that is no entity, as with `confidence interval`."""
    candidates = tuple(vocabulary.lookup(long)[:MAX_CANDIDATES])
    clear = clear_reading(long, candidates, (), vocabulary)
    category = candidates[0].category if candidates else category_of_phrase(long, vocabulary.match)
    if category is None:
        return None
    concept_id = clear.concept_id if clear else None
    return Mention(*span, text[span[0] : span[1]], long, category, concept_id, candidates, source)


def _symbol_spelled_out(short: str, long: str, vocabulary: Vocabulary) -> str:
    """The symbol of a gene that a long form which is no entity only spells ("cluster of differentiation 47 (CD47)"); or "".

    It has to be more than a letter and a number, as `visit 1 (V1)` is, the numbers have to agree, and it has to be the
    gene's own symbol.
    """
    numbers = _NUMBER.findall(short)
    is_spelled = _LETTERS_AND_NUMBER.match(short) and set(numbers) <= set(_NUMBER.findall(long))
    best = vocabulary.lookup(short)[:1] if is_spelled else []
    return short if any(group_of(each.category) == GENE and each.name == short for each in best) else ""


def _from_vocabulary(
    text: str, match: Match, sentence: Span, supported: Collection[str], vocabulary: Vocabulary
) -> Mention | None:
    surface = text[match.start : match.end]
    candidates = match.candidates[:MAX_CANDIDATES]
    if len(surface) <= 2 and not _is_backed(candidates, supported, text[sentence[0] : sentence[1]]):
        return None
    if is_plain_word(text, match.start, match.end) or is_label(text, match.start, match.end):
        return None
    if is_formula(text, match.start, match.end):
        candidates = tuple(one for one in candidates if group_of(one.category) == CHEMICAL)
        if not candidates:
            return Mention(match.start, match.end, surface, surface, _COMPOUND, None, (), MODEL)
    clear = clear_reading(surface, candidates, supported, vocabulary)
    if clear is None and is_symbol(surface):
        candidates = _molecules_first(surface, candidates)
        if not candidates:
            return None
    chosen = clear or candidates[0]
    concept_id = clear.concept_id if clear else None
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


def _is_backed(candidates: Sequence[Candidate], supported: Collection[str], sentence: str) -> bool:
    """Whether a two-letter symbol is backed by a full name in the article or, for a gene, by the sentence's words."""
    if any(candidate.concept_id in supported for candidate in candidates):
        return True
    if candidates[0].score < TRUSTED_SCORE:
        return False
    if group_of(candidates[0].category) != "gene":
        return True
    return not _GENE_CONTEXT.isdisjoint(sentence.lower().replace("-", " ").split())


def _without_overlaps(mentions: Iterable[Mention]) -> list[Mention]:
    """The longest of overlapping mentions; what starts first, then what an abbreviation says, between equals."""
    kept: list[Mention] = []
    ranked = sorted(mentions, key=lambda m: (m.start - m.end, m.source == "vocabulary", m.start))
    occupied: set[int] = set()
    for mention in ranked:
        positions = range(mention.start, mention.end)
        if not occupied.isdisjoint(positions):
            continue
        kept.append(mention)
        occupied.update(positions)
    return sorted(kept, key=lambda mention: mention.start)
