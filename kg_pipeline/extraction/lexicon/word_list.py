"""Word lists that stay readable: written as lines of text, used as sets."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The distinct words of a text."""
    return frozenset(text.split())
