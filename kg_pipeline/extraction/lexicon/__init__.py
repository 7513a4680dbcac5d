"""Words that state a relation, their forms, and the closed set they map to."""
