"""Methods of retrieval run over built multi-hop questions: answers, scores, verification and tables."""
