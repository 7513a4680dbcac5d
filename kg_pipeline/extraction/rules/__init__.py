"""Triples by patterns over parses, each with a trigger word."""
