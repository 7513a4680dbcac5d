"""A trained model of relations between two entities that share a sentence or an abstract."""
