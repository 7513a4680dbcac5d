"""The `kg` command: thin; every command calls the package or `retrieval` and shows the result."""
