"""A row of a small table, for tests of how tables are kept."""

ROW = {
    "article_id": "PMC1",
    "chunk_id": "PMC1:c0",
    "reason": "quote_not_found",
    "detail": "x",
    "extractor": "e",
}
