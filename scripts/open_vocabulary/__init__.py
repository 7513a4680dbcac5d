"""Readers of openly licensed vocabularies as two packages on PyPI carry them, and the rules that join them."""
