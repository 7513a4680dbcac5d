"""How much of a question is told by words, predicates and sentences: its cues, and the things that it names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from retrieval.evidence import Quote
from retrieval.questions.question import Question
from retrieval.questions.shape import Cue
from retrieval.words.cues import ANY_RELATION
from retrieval.words.terms import find_name, stem, tokenise

_EVENTS = frozenset({stem("mutate")})  # the closed set of predicates has only "associated with" for them


def cue_share(cues: Sequence[Cue], words: Collection[str], predicates: Iterable[str]) -> float:
    """Share of the cues that are among the stems or the predicates; 1.0 where there are none."""
    if not cues:
        return 1.0
    known, said = frozenset(predicates), frozenset(words)
    return sum(_is_expressed(cue, said, known) for cue in cues) / len(cues)


def _is_expressed(cue: Cue, words: frozenset[str], predicates: frozenset[str]) -> bool:
    """A word that asks for any relation ("connects") is expressed by any; one that tells an event only by itself."""
    loose = bool(cue.predicates) and cue.predicates <= ANY_RELATION
    return cue.word in words or (cue.word not in _EVENTS and (loose or bool(cue.predicates & predicates)))


def covered_links(question: Question, ids: Iterable[str], quotes: Iterable[Quote]) -> frozenset[int]:
    """Links of the question that are among the entities or named in the sentences or their section titles."""
    known = frozenset(ids)
    texts = [tokenise(f"{quote.text} . {quote.section_path}") for quote in quotes]
    return frozenset(
        number
        for number, link in enumerate(question.links)
        if known.intersection(link.ids) or any(find_name(tokens, link.names) for tokens in texts)
    )
