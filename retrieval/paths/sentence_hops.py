"""Hops that sentences state: two names of entities with a word of relation between them, in one clause."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kg_pipeline.graph.reader import Entity
from kg_pipeline.vocabulary.predicates import PREDICATES
from retrieval.evidence import Quote
from retrieval.paths.hops import Hop, Source
from retrieval.words.cues import predicates_of
from retrieval.words.terms import (
    RELATION_STEMS,
    Token,
    content_stems,
    find_name,
    is_hedged,
    is_negated,
    name_keys,
    stem,
    tokenise,
)

_NAMES_COMPARED = 20
_ENDINGS = frozenset(".!;)]")  # of a statement; a title ends with a word
_CONJUNCTIONS = frozenset({"and", "but", "whereas", "while"})
_TO_BE = frozenset({"is", "are", "was", "were", "be", "been", "being"})
_NEAR_VERB = 2  # tokens: an adverb may stand before the verb
_HEDGED = 0.7  # factor of the confidence in a sentence that only suggests
_WIDEST = 25  # tokens between two names of one statement


def sentence_hops(
    quotes: Sequence[Quote], entities: Sequence[Entity], confidence: float, source: Source = "doc"
) -> list[Hop]:
    """Hops of sentences that name two of the entities with a word of relation between the names, and do not deny it."""
    names = [
        (entity.entity_id, name_keys([entity.name, *entity.aliases[:_NAMES_COMPARED]])) for entity in entities
    ]
    firsts = [frozenset(key[0] for key in keys) for _, keys in names]
    hops: list[Hop] = []
    for quote in quotes:
        tokens = tokenise(quote.text)
        words = frozenset(token.text for token in tokens) | frozenset(t.text.rstrip("s") for t in tokens)
        places = []
        for (entity_id, keys), first in zip(names, firsts, strict=True):
            if not first.isdisjoint(words) and (place := find_name(tokens, keys)):
                places.append((*place, entity_id))
        if len(places) < 2 or is_negated(quote.text) or quote.text.rstrip()[-1:] not in _ENDINGS:
            continue
        places = _outermost(places)
        clauses = _clauses(tokens, places)
        stems = frozenset(content_stems(quote.text))
        sureness = confidence * (_HEDGED if is_hedged(quote.text) else 1.0)
        for i, (_, end, one) in enumerate(places):
            for j, (start, _, other) in enumerate(places[i + 1 :], i + 1):
                if clauses[i] != clauses[j]:
                    continue
                cues = _cues(tokens[end:start])
                if one != other and start - end <= _WIDEST and cues:
                    predicates = frozenset(name for cue in cues for name in predicates_of(cue))
                    forward = _reads_forward(tokens[end:start], predicates)
                    hops.append(Hop(one, other, source, (quote,), predicates, forward, sureness, stems))
    return hops


def _reads_forward(between: Sequence[Token], predicates: frozenset[str]) -> bool | None:
    """True where the first name is the subject of a verb that follows it at once; None where it cannot be told."""
    if any(PREDICATES[name].symmetric for name in predicates):
        return None
    passive = any(token.text in _TO_BE for token in between)
    return True if _cues(between[:_NEAR_VERB]) and not passive else None


def _clauses(tokens: Sequence[Token], places: Sequence[tuple[int, int, str]]) -> list[int]:
    """The clause each name stands in: "X blocks Y, and Z activates W" says nothing of X and Z, nor of X and W."""
    clause = 0
    found = []
    for i, (start, end, _) in enumerate(places):
        opens = start > 0 and tokens[start - 1].text in _CONJUNCTIONS
        if i and opens and _cues(tokens[end : end + 2]):
            clause += 1
        found.append(clause)
    return found


def _outermost(places: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Names in order, without those inside a longer one ("interferon" in "type I interferon")."""
    found = sorted(set(places), key=lambda place: (place[0], -place[1], place[2]))
    return [
        place
        for place in found
        if not any(
            other[0] <= place[0] and place[1] <= other[1] and (other[1] - other[0]) > (place[1] - place[0])
            for other in found
        )
    ]


def _cues(between: Sequence[Token]) -> list[str]:
    return [word for token in between if (word := stem(token.text)) in RELATION_STEMS]
