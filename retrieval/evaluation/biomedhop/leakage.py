"""Whether a question gives its answer away in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from retrieval.words.terms import find_name, name_keys, tokenise

_SHORTEST = 3  # letters and digits from which a name in another one counts


def leaks(question: str, exposed: Sequence[str], answers: Iterable[Sequence[str]]) -> bool:
    """Whether the question holds a name of an answer, or a name in the question is a part of an answer's name.

    Parameters
    ----------
    question
        The stem, without options.
    exposed
        Names that the question gives.
    answers
        Accepted names of each answer, the canonical one first.

    """
    tokens = tokenise(question)
    parts = name_keys(name for name in exposed if sum(map(str.isalnum, name)) >= _SHORTEST)
    for names in answers:
        if find_name(tokens, name_keys(names)) or find_name(tokenise(names[0]), parts):
            return True
    return False
