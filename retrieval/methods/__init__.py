"""The methods of answering, each a class with `name` and `answer`."""
