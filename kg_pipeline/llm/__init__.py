"""Language models and embeddings behind OpenAI-compatible endpoints or local files."""
