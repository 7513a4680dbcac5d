"""A version directory that is read through memory maps."""
