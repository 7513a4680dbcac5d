"""Relations that were found elsewhere (PubTator3, BioC, INDRA, tables), brought in as evidence and held to the text."""
