"""The vocabulary: concepts and their names, spelling variants, look-up and matching, and the closed set of predicates."""
