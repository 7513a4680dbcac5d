"""Names of the vocabulary that resemble one it lacks: typing errors, another order of words, similar words; guarded.

Cosines of trigrams propose (`kg_pipeline.vocabulary.index.name_grams`), guards and a comparison word by word dispose: what one
name has and the other lacks must be pairs of words that begin alike, so that neither `brain abnormalities` is found by
`skin abnormalities` nor `mepivacaine` by `bupivacaine`. What is found is offered and never a ground for a merge: even the
very same words in another order may say the opposite (graft-versus-host, host-versus-graft), where no rule tells how they
were moved, as those of `kg_pipeline.vocabulary.linking.rewrites` do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from rapidfuzz.distance import OSA, Prefix

from kg_pipeline.vocabulary.categories import CHEMICAL, GENE, group_of
from kg_pipeline.vocabulary.guards.vetoes import GUARDS, Named, head_nouns
from kg_pipeline.vocabulary.index.lookup import Vocabulary
from kg_pipeline.vocabulary.index.name_grams import LEAST
from kg_pipeline.vocabulary.names.guard_words import QUALIFIERS
from kg_pipeline.vocabulary.names.symbols import is_symbol
from kg_pipeline.vocabulary.names.variants import normal_key, singular_word

TYPING_ERROR, SAME_WORDS, SIMILAR_NAME = "typing error", "same words", "similar name"
#: The least cosine of similar names. On annotated names that no other rule finds, half of those below are wrong.
LEAST_COSINE = 0.78
#: What the score of the concept is lowered by.
_TYPING_COST, _ORDER_COST, _SIMILAR_COST = 0.25, 0.05, 0.2
#: Shorter names are not corrected, shorter words not compared: too many are one letter apart.
_LONG_NAME, _LONG_WORD = 9, 5
#: Words of one stem (menstrual, menstruation): they share so many first letters, and so much of the longer one.
_STEM, _STEM_SHARE = 5, 0.6
_ENZYME, _DISEASE = "ase", "disease"
_BY = r"\s(?:by|with|to|on|from)\s"
_OWED = r"(?:induced|associated|related|mediated|dependent|driven|derived|linked)"
#: Pregnancy of "pregnancy-induced hypertension" and "hypertension induced by pregnancy", the same in any order of words.
_AGENT = re.compile(rf"(\w+)[-\u2010\u2011\s]{_OWED}\b(?!{_BY})|\b{_OWED}{_BY}(\w+)")


@dataclass(frozen=True, slots=True)
class Resemblance:
    """A name of the vocabulary that resembles the one asked for, by which rule, and what that costs its concepts."""

    form: str
    rule: str
    cost: float


def resembling(name: str, category: str, vocabulary: Vocabulary) -> list[Resemblance]:
    """Names that resemble a name of that category and that no guard objects to, the nearest first.

    A name with one typing error hides those that are merely similar.
    """
    if len(name) < _LONG_NAME or is_symbol(name):
        return []
    if group_of(category) != GENE:
        mistyped = [form for form in vocabulary.near(name) if _is_allowed(name, form, category)]
        if mistyped:
            return [Resemblance(form, TYPING_ERROR, _TYPING_COST) for form in mistyped]
    found = []
    # Asked for more than is wanted, the index reads more of its lists and misses fewer of the nearest names.
    for form, cosine in vocabulary.similar(name, LEAST):
        if cosine < LEAST_COSINE or not _is_allowed(name, form, category):
            continue
        first, second = _left_over(name, form)
        if not first and not second:
            if _agents(name) == _agents(form):
                found.append(Resemblance(form, SAME_WORDS, _ORDER_COST))
        elif _pair_up(first, second, _alike if group_of(category) in (CHEMICAL, GENE) else _of_one_stem):
            found.append(Resemblance(form, SIMILAR_NAME, round(_SIMILAR_COST + 1 - cosine, 4)))
    return sorted(found, key=lambda one: (one.cost, one.form))


def _is_allowed(name: str, form: str, category: str) -> bool:
    """Whether no guard objects; a head noun with a typing error (athritis) is no other head noun."""
    if _is_enzyme(name) != _is_enzyme(form):
        return False
    is_mistyped = _pair_up(*_left_over(name, form), _alike)
    guards = [guard for guard in GUARDS if not (is_mistyped and guard is head_nouns)]
    return all(guard(Named(name, category), Named(form, category)) is None for guard in guards)


def _is_enzyme(name: str) -> bool:
    """Whether a name ends like that of an enzyme: asparaginase is no typing error of asparaginate."""
    return name.lower().rstrip("s").endswith(_ENZYME) and not name.lower().rstrip("s").endswith(_DISEASE)


def _left_over(name: str, form: str) -> tuple[Counter[str], Counter[str]]:
    """Words that only the one has, and those that only the other has, prepositions left aside."""
    first, second = _words(name), _words(form)
    return first - second, second - first


def _agents(name: str) -> list[str]:
    return sorted(before or after for before, after in _AGENT.findall(name.lower()))


def _words(name: str) -> Counter[str]:
    return Counter(singular_word(word) for word in normal_key(name.replace(",", " ")).split()) - Counter(
        dict.fromkeys(QUALIFIERS, len(name))
    )


def _pair_up(first: Counter[str], second: Counter[str], resemble: Callable[[str, str], bool]) -> bool:
    """Whether every word of the one has a word of its own in the other that resembles it."""
    left = sorted(second.elements())
    for word in sorted(first.elements()):
        partner = next((other for other in left if resemble(word, other)), None)
        if partner is None:
            return False
        left.remove(partner)
    return not left


def _alike(word: str, other: str) -> bool:
    """Whether there is one typing error, behind the first letter of words that are long enough."""
    if not word.isalpha() or not other.isalpha() or min(len(word), len(other)) < _LONG_WORD:
        return False
    return word[0] == other[0] and OSA.distance(word, other, score_cutoff=1) <= 1


def _of_one_stem(word: str, other: str) -> bool:
    """The same, or one stem, which ordinary words share; names of drugs and genes share one too often."""
    shared = Prefix.similarity(word, other)
    is_stem = shared >= max(_STEM, _STEM_SHARE * max(len(word), len(other)))
    return _alike(word, other) or (is_stem and word.isalpha() and other.isalpha())
