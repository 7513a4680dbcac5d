"""Relations over entities: what the texts assert, and what follows from it under typed, bounded rules."""
