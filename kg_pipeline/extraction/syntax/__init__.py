"""Sentences as parses in which each mention is one noun."""
