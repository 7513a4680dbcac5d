"""Walks over a graph, the same for every store."""
