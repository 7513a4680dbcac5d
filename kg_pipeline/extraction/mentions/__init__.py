"""What a text names: spans, kinds and concepts."""
