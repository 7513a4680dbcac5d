"""CSV files for `neo4j-admin database import full`: the fastest way to a first load of tens of millions of relations.

Carried: entities, articles, evidence and relations, with the labels and types that a load over Bolt gives them; `import.sh`
holds the command. Not carried: chunks, vectors and indexes, so `retrieval` cannot read the result; load the version
over Bolt for that.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from kg_pipeline.graph.exchange.files import writing
from kg_pipeline.graph.exchange.records import Edge
from kg_pipeline.graph.exchange.source import ExportSource
from kg_pipeline.vocabulary.predicates import relationship_type

#: Between values of a list; a control character that no text of ours should hold, and is dropped where one does.
_ARRAY = "\x1f"
_FILES = (
    "entities.csv",
    "documents.csv",
    "evidence.csv",
    "relations.csv",
    "supports.csv",
    "cited.csv",
    "import.sh",
)
_ENTITIES = (
    "entity_id:ID(Entity)",
    "name",
    "category",
    "aliases:string[]",
    "n_mentions:int",
    "n_articles:int",
    ":LABEL",
)
_DOCUMENTS = (
    "article_id:ID(Document)",
    "title",
    "journal",
    "year:int",
    "doi",
    "pmid",
    "license_class",
    ":LABEL",
)
_EVIDENCE = (
    "evidence_id:ID(Evidence)",
    "quote",
    "section_path",
    "start:int",
    "end:int",
    "head_text",
    "tail_text",
    "predicate_text",
    "extractor",
    "confidence:float",
    "relation_id",
    ":LABEL",
)
_RELATIONS = (
    ":START_ID(Entity)",
    ":END_ID(Entity)",
    ":TYPE",
    "relation_id",
    "kind",
    "negated:boolean",
    "speculative:boolean",
    "confidence:float",
    "premises:string[]",
    "rule",
    "quotes:string[]",
    "publications:string[]",
)
_CITED = (":START_ID(Evidence)", ":END_ID(Document)", ":TYPE")
_SUPPORTS = (":START_ID(Evidence)", ":END_ID(Entity)", ":TYPE")
_COMMAND = """#!/bin/sh
# Run on the server's machine, in this folder, with the server stopped and the database empty.
exec neo4j-admin database import full "${1:-neo4j}" --array-delimiter=U+001F --multiline-fields=true \\
  --nodes=entities.csv --nodes=documents.csv --nodes=evidence.csv \\
  --relationships=relations.csv --relationships=supports.csv --relationships=cited.csv
"""


def write(source: ExportSource, folder: Path) -> list[Path]:
    """Write the files; their paths."""
    with writing(folder, _FILES) as (entities, documents, evidence, relations, supports, cited, command):
        _write_rows(
            entities,
            _ENTITIES,
            (
                (n.entity_id, n.name, n.category, _list(n.aliases), n.n_mentions, n.n_articles, "Entity")
                for n in source.nodes()
            ),
        )
        names = [column.partition(":")[0] for column in _DOCUMENTS[1:-1]]
        _write_rows(
            documents,
            _DOCUMENTS,
            ((a.article_id, *(a.fields.get(name) for name in names), "Document") for a in source.articles()),
        )
        writers = [
            _writer(stream, header)
            for stream, header in (
                (relations, _RELATIONS),
                (evidence, _EVIDENCE),
                (supports, _SUPPORTS),
                (cited, _CITED),
            )
        ]
        for edge in source.edges():
            writers[0].writerow(_relation(edge))
            for row, about, where in _evidence(edge):
                writers[1].writerow(row)
                writers[2].writerows(about)
                writers[3].writerow(where)
        command.write(_COMMAND)
    return [folder / name for name in _FILES]


def _relation(edge: Edge) -> tuple[Any, ...]:
    return (
        edge.head_id,
        edge.tail_id,
        relationship_type(edge.predicate),
        edge.relation_id,
        edge.kind,
        _flag(edge.negated),
        _flag(edge.speculative),
        edge.confidence,
        _list(edge.premises),
        edge.rule,
        _list([support.quote for support in edge.supports]),
        _list(edge.publications),
    )


def _evidence(edge: Edge) -> Iterator[tuple[tuple[Any, ...], list[tuple[str, ...]], tuple[str, ...]]]:
    for s in edge.supports:
        yield (
            (
                s.evidence_id,
                s.quote,
                s.section_path,
                s.start,
                s.end,
                s.head_text,
                s.tail_text,
                s.predicate_text,
                s.extractor,
                s.confidence,
                edge.relation_id,
                "Evidence",
            ),
            [(s.evidence_id, end, "ABOUT") for end in dict.fromkeys((edge.head_id, edge.tail_id))],
            (s.evidence_id, s.article_id, "CITES"),
        )


def _write_rows(stream: TextIO, header: Sequence[str], rows: Iterator[tuple[Any, ...]]) -> None:
    _writer(stream, header).writerows(rows)


def _writer(stream: TextIO, header: Sequence[str]) -> Any:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    return writer


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _list(values: Sequence[str]) -> str:
    return _ARRAY.join(value.replace(_ARRAY, "") for value in values)
