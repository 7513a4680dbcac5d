"""The `triples` stage: articles in, rows out; what it costs with a language model."""
