"""Whether the words around two anchors plainly deny what is said of them.

A guard for what a language model claims, on the surface of the text: it is only ever used to flag a claim as
negated, never to clear the flag. The offline extractor reads scope from a parse instead.
"""

from __future__ import annotations

import re

from kg_pipeline.extraction.lexicon.predicate_words import denies

Span = tuple[int, int]

_BUT_NOT = r"\b(?:but|though|yet|and) not\b"
#: "Aspirin, but not ibuprofen, inhibits": the aside denies something else.
_ASIDE = re.compile(rf"(?:,\s*|\(){_BUT_NOT}[^,;)]*[,)]|\bnot only\b")
_CLAUSE = re.compile(r";|\b(?:but|whereas|while|although|though|however)\b(?! not\b)", re.IGNORECASE)
_EXCLUDED = re.compile(
    rf"(?:{_BUT_NOT}|\brather than|\bunlike|\binstead of)\s+(?:\w+\s+){{0,2}}$", re.IGNORECASE
)
_NO_LINK = re.compile(
    r"\b(?:no|not any|without|lack of|absence of|neither)\s+(?:[\w-]+\s+){0,3}?"
    r"(?:associations?|correlations?|relationships?|relations?|links?|effects?|evidence|interactions?|impact|influence|"
    r"changes?|differences?|role|increases?|decreases?|reductions?)\b[^.;,]{0,60}$",
    re.IGNORECASE,
)


def is_denied(sentence: str, first: Span, second: Span) -> bool:
    """Whether `sentence` denies a relation between the words at `first` and at `second`, in either order."""
    (start, end), (other_start, _) = sorted((first, second))
    before, between = sentence[:start], sentence[end:other_start]
    if _EXCLUDED.search(before) or _NO_LINK.search(before):
        return True
    clause = _CLAUSE.split(_ASIDE.sub(" ", between))[-1]
    return denies(clause) or bool(_EXCLUDED.search(between))
