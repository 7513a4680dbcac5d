"""The package's own recogniser of entity names: linear-chain CRFs over lexicon, word and document features."""
