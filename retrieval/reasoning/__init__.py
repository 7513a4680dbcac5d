"""From evidence to a draft of an answer, with a language model or without."""
