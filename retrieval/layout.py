"""Text forms of what was retrieved (section 2.2, "Result Aggregation and Formatting")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kg_pipeline.graph.reader import Document, Entity, Relation
from kg_pipeline.vocabulary.predicates import PREDICATES
from retrieval.evidence import Passage, Seed

_ALIASES_SHOWN = 3


def type_name(category: str) -> str:
    """A Biolink category without its prefix."""
    return category.rpartition(":")[2]


def entity_line(entity: Entity) -> str:
    """`Type: ID (description)`, the description being the name and the most frequent aliases."""
    aliases = [alias for alias in entity.aliases if alias.lower() != entity.name.lower()][:_ALIASES_SHOWN]
    return f"{type_name(entity.category)}: {entity.entity_id} ({'; '.join([entity.name, *aliases])})"


def relation_line(relation: Relation, names: Mapping[str, str]) -> str:
    """`Subject: ID RELATION Object: ID` with the names, and what keeps it from being a plain statement in brackets."""
    marks = [f"inferred: {relation.kind}"] if relation.kind != "asserted" else []
    marks += ["negated"] if relation.negated else []
    marks += ["suggested only"] if relation.speculative else []
    head, tail = (
        f"{key} ({names[key]})" if key in names else key for key in (relation.head_id, relation.tail_id)
    )
    line = f"Subject: {head} {relation.predicate.upper()} Object: {tail}"
    return f"{line} [{'; '.join(marks)}]" if marks else line


def statement(relation: Relation, names: Mapping[str, str]) -> str:
    """The relation as a clause, for example "UV radiation causes apoptosis"."""
    predicate = PREDICATES.get(relation.predicate)
    label = predicate.label if predicate else relation.predicate.replace("_", " ")
    return f"{names.get(relation.head_id, relation.head_id)} {label} {names.get(relation.tail_id, relation.tail_id)}"


def context_text(
    documents: Sequence[Document],
    passages: Iterable[Passage],
    entities: Sequence[Seed],
    relations: Sequence[Relation],
) -> str:
    """Chunks with their scores under their documents, then entities, then relations, asserted before inferred."""
    by_article: dict[str, list[Passage]] = {}
    for passage in passages:
        by_article.setdefault(passage.chunk.article_id, []).append(passage)
    lines: list[str] = []
    for document in documents:
        lines.append(f"Document: {document.article_id} ({document.title})")
        for passage in by_article.get(document.article_id, ()):
            chunk = passage.chunk
            lines.append(f"Chunk: {chunk.chunk_id} (score {passage.score:.3f}; {chunk.section_path})")
            lines.append(chunk.text)
    names = {seed.entity.entity_id: seed.entity.name for seed in entities}
    lines += [entity_line(seed.entity) for seed in entities]
    lines += [relation_line(relation, names) for relation in relations]
    return "\n".join(lines)
