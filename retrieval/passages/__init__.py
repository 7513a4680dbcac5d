"""What retrieved passages say: their sentences, what these do, and how they bear on a question."""
