"""Retrieval by personalised PageRank."""
