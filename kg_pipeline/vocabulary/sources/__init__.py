"""Vocabularies of the user's own, read into the one concept table: UMLS, a table, a knowledge base of scispaCy."""
