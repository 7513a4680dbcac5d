"""SIF for Cytoscape: `graph.sif` (head, predicate, tail) and `graph_nodes.tsv` with names to load as a node table.

Carried: which entities a predicate joins. Not carried: evidence, articles, polarity, kind and confidence of relations,
text, chunks, merges, vectors. So that nothing untrue is drawn, denied relations are left out, and so are inferred ones.
"""

from __future__ import annotations

from pathlib import Path

from kg_pipeline.graph.exchange import cells
from kg_pipeline.graph.exchange.files import writing
from kg_pipeline.graph.exchange.source import ExportSource


def write(source: ExportSource, folder: Path) -> list[Path]:
    """Write both files; their paths."""
    names = ("graph.sif", "graph_nodes.tsv")
    with writing(folder, names) as (graph, nodes):
        for edge in source.edges():
            if edge.kind == "asserted" and not edge.negated:
                graph.write(f"{edge.head_id}\t{edge.predicate}\t{edge.tail_id}\n")
        nodes.write("name\tlabel\tcategory\tsynonyms\n")
        for node in source.nodes():
            row = (node.entity_id, cells.encode(node.name), node.category, cells.encode_list(node.aliases))
            nodes.write("\t".join(row) + "\n")
    return [folder / name for name in names]
