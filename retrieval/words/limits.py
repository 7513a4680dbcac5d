"""What a sentence leaves out of what it says, and what a question asks beyond whether something holds."""

from __future__ import annotations

import re

from retrieval.words.terms import content_stems

#: An exception, up to the end of its clause: "except in women", "in rats but not in mice".
_LEFT_OUT = re.compile(
    r"\b(?:except(?:ing)?|excluding|other\s+than|apart\s+from|not\s+(?:in|for|among|during)|nor\s+in|unless)\b([^,.;:()]*)",
    re.IGNORECASE,
)
_COMPARES = re.compile(r"\bthan\b", re.IGNORECASE)


def leaves_out(sentence: str, question: str) -> bool:
    """Whether a sentence makes an exception of something that the question asks about.

    >>> leaves_out("Statins help, except in children.", "Do statins help children?")
    True
    >>> leaves_out("Statins help, except in children.", "Do statins help women?")
    False
    """
    asked = set(content_stems(question))
    return any(asked.intersection(content_stems(match[1])) for match in _LEFT_OUT.finditer(sentence))


def compares(question: str) -> bool:
    """Whether a question asks for more than whether something holds: "does X raise Y more than Z?"."""
    return _COMPARES.search(question) is not None
