"""The formats of an export, and what each of them cannot carry; each format's module says it at length."""

from __future__ import annotations

_ALWAYS = "articles' text beyond the quotes, chunks, merges, vectors"

LEFT_OUT = {
    "kgx-tsv": f"{_ALWAYS}; offsets count in the quotes",
    "kgx-jsonl": f"{_ALWAYS}; offsets count in the quotes",
    "graphml": f"{_ALWAYS}; articles' bibliography; characters that XML forbids",
    "jsonld": f"{_ALWAYS}; articles' bibliography; counts of mentions",
    "neo4j-csv": f"{_ALWAYS}; indexes, so `retrieval` cannot read the result",
    "sif": f"{_ALWAYS}; evidence, articles, confidence; inferred and denied relations",
    "parquet": "adjacency arrays and text indexes, which follow from the tables; text, quotes and vectors of articles that may not be quoted",
    "html": f"{_ALWAYS}; it is a page to look at, not to import",
}


def describe() -> str:
    """A sentence a format, for the command's help."""
    return "\n\n".join(f"{name} leaves out: {what}." for name, what in LEFT_OUT.items())
