"""Text of documents: sentences, chunks and the abbreviations a text defines."""
