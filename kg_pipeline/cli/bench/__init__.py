"""`kg bench`: one module a benchmark, their output, and the page of all."""
