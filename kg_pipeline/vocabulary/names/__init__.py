"""Names as they are written: folded, varied, taken apart, and the words that make them up."""
