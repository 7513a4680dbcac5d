"""From the stage tables of a corpus to the directory of a version."""
