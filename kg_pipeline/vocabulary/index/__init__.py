"""The look-up index of the vocabularies that a workspace uses."""
