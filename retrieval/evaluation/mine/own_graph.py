"""Our own graph of the essays: written as articles for `kg build`, and read back as triples by essay."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from kg_pipeline.graph import layout
from kg_pipeline.graph.reader import GraphReader
from retrieval.evaluation.mine.reading import Essay
from retrieval.evaluation.triple_graph import Triple

_FIRST = 99_000_000  # PMCIDs that no article has
_EVIDENCE = ["article_id", "relation_id", "predicate_text"]


def write_articles(essays: Sequence[Essay], folder: Path) -> None:
    """Write each essay as a JATS article of one section."""
    folder.mkdir(parents=True, exist_ok=True)
    for essay in essays:
        paragraphs = [part.strip() for part in essay.text.split("\n\n") if part.strip()]
        body = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs)
        (folder / f"{article_id(essay.number)}.xml").write_text(
            "<article><front><article-meta>"
            f'<article-id pub-id-type="pmcid">{article_id(essay.number)}</article-id>'
            f"<title-group><article-title>{escape(essay.topic)}</article-title></title-group>"
            "</article-meta></front><body><sec><title>Essay</title>"
            f"{body}</sec></body></article>\n",
            encoding="utf-8",
        )


def article_id(number: int) -> str:
    """PMCID that an essay stands under."""
    return f"PMC{_FIRST + number}"


def read_triples(folder: Path, reader: GraphReader, essays: Sequence[Essay]) -> dict[int, tuple[Triple, ...]]:
    """Stated triples by essay, in the authors' verbs, from a version directory that `reader` reads.

    An essay without triples has an empty graph, which finds none of its facts.
    """
    numbers = {article_id(essay.number): essay.number for essay in essays}
    found: dict[int, list[Triple]] = {essay.number: [] for essay in essays}
    rows = [
        row
        for row in layout.open_table(folder, "evidence").select(_EVIDENCE).to_pylist()
        if row["article_id"] in numbers
    ]
    relations = {r.relation_id: r for r in reader.relations(sorted({row["relation_id"] for row in rows}))}
    ends = sorted({end for r in relations.values() for end in (r.head_id, r.tail_id)})
    names = {entity.entity_id: entity.name for entity in reader.entities(ends)}
    for row in rows:
        relation = relations[row["relation_id"]]
        verb = f"not {row['predicate_text']}" if relation.negated else row["predicate_text"]
        found[numbers[row["article_id"]]].append((names[relation.head_id], verb, names[relation.tail_id]))
    return {number: tuple(triples) for number, triples in found.items()}
