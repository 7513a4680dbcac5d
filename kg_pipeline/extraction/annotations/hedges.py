"""Whether a sentence plainly only suggests what is said of two of its words.

A guard for relations whose source does not say so, on the surface of the text, as `grounding.denial` is: it only ever
sets the flag. The offline extractor reads scope from a parse instead.
"""

from __future__ import annotations

import re

Span = tuple[int, int]

_BEFORE = re.compile(
    r"\b(?:hypothesi[sz]\w*|whether|speculat\w+|propos(?:e|ed)|it is possible|possib(?:ly|ility)|"
    r"(?:aim(?:ed|s)?|sought|objective|purpose)\b[^.;]{0,40}\b(?:to|was|is))\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\b(?:may|might|could|possibl[ey]|potential(?:ly)?|putative|suspected|presumabl[ey]|perhaps)\b",
    re.IGNORECASE,
)


def is_suggested(sentence: str, first: Span, second: Span) -> bool:
    """Whether `sentence` only suggests a relation between the words at `first` and at `second`, in either order."""
    (start, end), (other, _) = sorted((first, second))
    return bool(_BEFORE.search(sentence[:start]) or _BETWEEN.search(sentence[end:other]))
