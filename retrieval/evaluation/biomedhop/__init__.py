"""Multi-hop questions built from a typed graph, after the BioMedHop benchmark (section 4 and appendix D of its paper)."""
