"""From PubMed Central articles to a versioned knowledge graph: the domain, in plain Python."""
