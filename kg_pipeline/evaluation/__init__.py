"""Measures of the pipeline's own stages against annotated corpora: entities and relations."""
