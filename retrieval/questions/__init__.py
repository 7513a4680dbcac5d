"""Reading a question: what it names and what it asks for."""
