"""BioWeave: evidence of the graph, of its documents and of the web woven into one evidence graph, then verified."""
