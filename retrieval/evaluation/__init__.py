"""Measuring retrieval: benchmarks, metrics and judges."""
