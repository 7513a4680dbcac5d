"""Triples by a language model: asking, and reading what it answers."""
