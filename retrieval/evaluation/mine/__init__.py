"""MINE, the benchmark of KGGen: how many of an essay's facts can be found again in a graph that was made of it."""
