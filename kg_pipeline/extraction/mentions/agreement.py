"""What the recogniser found in an article and what the vocabulary found, made into one reading.

The recogniser knows where names begin and end and of what kind they are in their sentence; the vocabulary knows
which concepts there are. So the recogniser's span is taken where the two overlap, and linked if the vocabulary has the
whole name; but a longer name that the vocabulary has for sure (`cGAS-STING pathway`) is kept whole, and a span that
swallows a concept and the words after it gives way to that. The recogniser decides the kind where a name has several,
and its silence weighs against what the vocabulary reads without the sentence: symbols of genes and diseases, doubtful
synonyms, and names that fit no single concept.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from kg_pipeline.extraction.mentions.mention import MAX_CANDIDATES, Mention
from kg_pipeline.extraction.mentions.ner.recogniser import RecognisedName
from kg_pipeline.vocabulary.categories import CHEMICAL, DISORDER, GENE, ORGANISM, group_of
from kg_pipeline.vocabulary.linking.readings import MAY_BE_ONE
from kg_pipeline.vocabulary.names.symbols import is_symbol

#: What the `source` of a mention says that the recogniser found it.
MODEL = "model"
_VOCABULARY = "vocabulary"
#: A preferred name of a curated source, which is kept whole and in its own category.
_SURE_SCORE = 0.95
#: A synonym that a curated source lists; below it, what the vocabulary alone finds is not kept.
_LISTED_SCORE = 0.88
_CAUSED = re.compile(r"[-\u2010\u2011]induced\b", re.IGNORECASE)
#: Characters that a name may have after a concept that it begins with.
_GOES_ON = 14
_KINDS_OF_NAMES = frozenset({CHEMICAL, DISORDER, GENE})
#: Symbols of these groups are letters of many meanings.
_AMBIGUOUS_SYMBOLS = frozenset({GENE, DISORDER})


def agree(
    text: str,
    mentions: Iterable[Mention],
    names: Sequence[RecognisedName],
    known: Collection[str],
) -> list[Mention]:
    """Mentions of both, by position; those that only the recogniser found are not linked yet.

    Parameters
    ----------
    text, mentions
        The article, and what the vocabulary, its definitions and the patterns found in it.
    names
        What the recogniser found, by position and not overlapping.
    known
        Groups of the categories that the recogniser knows: its silence says something about these only.

    """
    ordered = sorted(mentions, key=lambda mention: mention.start)
    names = [name for name in names if not _swallows(name, ordered)]
    whole = [one for one in ordered if _is_kept_whole(one, _touching(names, one))]
    inside = {name for one in whole for name in _touching(names, one)}
    rest = [name for name in names if name not in inside]
    kept = list(whole)
    confirmed: set[RecognisedName] = set()
    for mention in ordered:
        if _is_kept_whole(mention, _touching(names, mention)):
            continue
        touching = _touching(rest, mention)
        if not touching and not _is_doubted(mention, known):
            kept.append(mention)
        for name in touching:
            if (name.start, name.end) == (mention.start, mention.end):
                confirmed.add(name)
                kept.append(_of_kind(mention, name, known))
    for name in rest:
        if name not in confirmed:
            surface = text[name.start : name.end]
            kept.append(Mention(name.start, name.end, surface, surface, name.category, None, (), MODEL))
    return sorted(kept, key=lambda mention: (mention.start, mention.end))


def _is_kept_whole(mention: Mention, touching: Sequence[RecognisedName]) -> bool:
    """Whether the mention is longer than the names in it, and sure: a preferred name, or what a pattern or definition says.

    A definition of several names at once (`SCA3/MJD`) that is no concept gives way to them, and so does a disorder that is called
    after its cause (`levodopa-induced dyskinesia`) where the article does not define it: its two names are in a relation.
    """
    if not touching or not all(
        mention.start <= name.start
        and name.end <= mention.end
        and (name.start, name.end) != (mention.start, mention.end)
        for name in touching
    ):
        return False
    if mention.source == _VOCABULARY:
        return _is_sure(mention) and not (len(touching) > 1 and _CAUSED.search(mention.text))
    return mention.concept_id is not None or len(touching) < 2


def _swallows(name: RecognisedName, ordered: Sequence[Mention]) -> bool:
    """Whether a span holds more than one name: it begins with a concept and goes on, or holds concepts of two kinds."""
    first = bisect_left(ordered, name.start, key=lambda mention: mention.start)
    groups = set()
    for mention in ordered[first:]:
        if mention.start >= name.end:
            break
        if mention.end > name.end or mention.concept_id is None:
            continue
        if (mention.start, mention.end) == (name.start, name.end):
            return False
        group = group_of(mention.category)
        goes_on = mention.start == name.start and name.end - mention.end > _GOES_ON
        if goes_on and group == group_of(name.category):
            return True
        if group in _KINDS_OF_NAMES and _is_sure(mention):
            groups.add(group)
    return len(groups) > 1


def _touching(names: Sequence[RecognisedName], mention: Mention) -> Sequence[RecognisedName]:
    first = bisect_right(names, mention.start, key=lambda name: name.end)
    last = first
    while last < len(names) and names[last].start < mention.end:
        last += 1
    return names[first:last]


def _is_sure(mention: Mention) -> bool:
    return mention.concept_id is not None and mention.candidates[0].score >= _SURE_SCORE


def _of_kind(mention: Mention, name: RecognisedName, known: Collection[str]) -> Mention:
    """The mention read as the recogniser's kind: by a candidate of that kind, else by the kind alone.

    A concept that is a chemical to the vocabulary and a gene to the recogniser is kept: hormones are both. So is a sure
    or full one of a kind that the recogniser does not know, such as an exposure, and a virus that is read as its disease.
    """
    wanted, ours = group_of(name.category), group_of(mention.category)
    fitting = tuple(one for one in mention.candidates if group_of(one.category) == wanted)
    if wanted == ours and mention.concept_id is None:
        return replace(mention, candidates=fitting)
    is_told = _is_sure(mention) or _is_full_name(mention)
    is_virus = (ours, wanted) == (ORGANISM, DISORDER)
    if wanted == ours or ((ours not in known or is_virus) and is_told):
        return mention
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


def _is_full_name(mention: Mention) -> bool:
    """Whether a mention stands for a listed name of several words, which seldom means two things."""
    return (
        mention.concept_id is not None
        and " " in mention.normal_form
        and mention.candidates[0].score >= _LISTED_SCORE
    )


def _is_doubted(mention: Mention, known: Collection[str]) -> bool:
    group = group_of(mention.category)
    if mention.source != _VOCABULARY or group not in known:
        return False
    if mention.concept_id is None or mention.candidates[0].score < _LISTED_SCORE:
        return True
    return group in _AMBIGUOUS_SYMBOLS and is_symbol(mention.text)
