"""Intelligent navigation and similarity-enhanced search (INSES)."""
