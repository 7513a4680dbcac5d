"""What the recogniser found in an article and what the vocabulary found, made into one reading.

The recogniser knows where names begin and end and of what kind they are in their sentence; the vocabulary knows
which concepts there are. So the recogniser's span is taken where the two overlap, and linked if the vocabulary has the
whole name; it decides the kind where a name has several; and its silence weighs against what the vocabulary reads
without the sentence: short symbols, synonyms, and names that fit no single concept.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from kg_pipeline.extraction.mention import MAX_CANDIDATES, MAY_BE_ONE, Mention
from kg_pipeline.extraction.ner.recogniser import RecognisedName
from kg_pipeline.vocabulary.categories import group_of
from kg_pipeline.vocabulary.index import Candidate
from kg_pipeline.vocabulary.symbols import is_symbol

#: Concept, where it is clear, and candidates of a recognised name.
Linker = Callable[[RecognisedName], tuple[str | None, tuple[Candidate, ...]]]
#: What the `source` of a mention says that the recogniser found it.
MODEL = "model"
_VOCABULARY = "vocabulary"
#: A preferred name of a curated source: found by the vocabulary alone, it is kept.
_SURE_SCORE = 0.96


def agree(
    text: str,
    mentions: Iterable[Mention],
    names: Sequence[RecognisedName],
    known: Collection[str],
    link: Linker,
) -> list[Mention]:
    """Mentions of both, by position.

    Parameters
    ----------
    text, mentions
        The article, and what the vocabulary, its definitions and the patterns found in it.
    names
        What the recogniser found, by position and not overlapping.
    known
        Groups of the categories that the recogniser knows: its silence says something about these only.
    link
        Looks a recognised name up in the vocabulary.

    """
    kept: list[Mention] = []
    confirmed: set[RecognisedName] = set()
    for mention in mentions:
        touching = _touching(names, mention)
        if not touching and not _is_doubted(mention, known):
            kept.append(mention)
        for name in touching:
            if (name.start, name.end) == (mention.start, mention.end):
                confirmed.add(name)
                kept.append(_of_kind(mention, name))
    for name in names:
        if name not in confirmed:
            surface = text[name.start : name.end]
            concept_id, candidates = link(name)
            kept.append(
                Mention(name.start, name.end, surface, surface, name.category, concept_id, candidates, MODEL)
            )
    return sorted(kept, key=lambda mention: (mention.start, mention.end))


def _touching(names: Sequence[RecognisedName], mention: Mention) -> Sequence[RecognisedName]:
    first = bisect_right(names, mention.start, key=lambda name: name.end)
    last = first
    while last < len(names) and names[last].start < mention.end:
        last += 1
    return names[first:last]


def _of_kind(mention: Mention, name: RecognisedName) -> Mention:
    """The mention read as the recogniser's kind: by a candidate of that kind, else by the kind alone.

    A concept that is a chemical to the vocabulary and a gene to the recogniser is kept: hormones are both.
    """
    wanted, ours = group_of(name.category), group_of(mention.category)
    if wanted == ours:
        return mention
    fitting = tuple(one for one in mention.candidates if group_of(one.category) == wanted)
    if fitting:
        others = tuple(one for one in mention.candidates if one not in fitting)
        return replace(
            mention,
            category=fitting[0].category,
            concept_id=fitting[0].concept_id,
            candidates=(*fitting, *others)[:MAX_CANDIDATES],
        )
    if {wanted, ours} <= MAY_BE_ONE and mention.concept_id is not None:
        return mention
    return replace(mention, category=name.category, concept_id=None, candidates=())


def _is_doubted(mention: Mention, known: Collection[str]) -> bool:
    if mention.source != _VOCABULARY or group_of(mention.category) not in known:
        return False
    return mention.concept_id is None or is_symbol(mention.text) or mention.candidates[0].score < _SURE_SCORE
