"""From PubMed Central article files to text: sources, raw store, JATS parser, stages."""
