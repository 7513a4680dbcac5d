"""Relations with their sentences, and the paths that lead over several of them."""
