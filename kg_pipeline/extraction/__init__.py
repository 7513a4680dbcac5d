"""Mentions and triples: what a text names and what it states."""
