"""Word lists written as running text, so that a list of hundreds of words stays readable."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text, split at white space."""
    return frozenset(text.split())
