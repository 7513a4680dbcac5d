"""Whether the words between two anchors plainly say that the second does to the first what was claimed of the first.

A guard for what a language model claims, on the surface of the text: "aspirin inhibits COX-1" is no quote for COX-1
inhibiting aspirin. Only a bare active verb between the two is plain enough; whatever else stands there is left to the
model.
"""

from __future__ import annotations

import re
from functools import cache

from kg_pipeline.extraction.lexicon.predicate_lexicon import OBJECT, Meaning, verb_meanings
from kg_pipeline.vocabulary.predicates import PREDICATES

Span = tuple[int, int]

_ADVERBS = r"(?:(?:also|thus|then|\w+ly)\s+)*"
_DETERMINERS = r"(?:\s+(?:the|a|an|its|their|both|human|murine))*"


def is_turned_round(sentence: str, predicate: str, head: Span, tail: Span) -> bool:
    """Whether `sentence` says with an active verb of the predicate that the words at `tail` do it to those at `head`."""
    if tail[1] > head[0]:
        return False
    return _active(predicate).fullmatch(sentence[tail[1] : head[0]]) is not None


@cache
def _active(predicate: str) -> re.Pattern[str]:
    """What joins an agent to what it acts on; nothing does where either may come first.

    Only verbs whose subject is the head and whose object is the tail: a whole "contains" its part.
    """
    known = PREDICATES[predicate]
    words = [word for word in known.words if not known.symmetric and _acts_on_object(word, predicate)]
    forms = "|".join(_third_person(re.escape(word)) for word in words) or "(?!)"
    return re.compile(rf",?\s+(?:(?:which|that)\s+)?{_ADVERBS}(?:{forms}){_DETERMINERS}\s+", re.IGNORECASE)


def _acts_on_object(word: str, predicate: str) -> bool:
    return verb_meanings().get(word.replace("-", ""), {}).get(OBJECT) == Meaning(predicate)


def _third_person(verb: str) -> str:
    return f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", verb) else f"{verb}e?s"
