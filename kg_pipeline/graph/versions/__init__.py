"""The versions of a corpus: where they lie, which is current, whether they are whole, how two differ."""
