"""Relations of a BioC document, whether it came as JSON or as XML.

BioC leaves open how a relation names its ends. Known are: nodes that refer to annotations, as most corpora have them;
`role1` and `role2` (PubTator3), `entity1` and `entity2` (BioRED) or the types of the entities (BC5CDR) as infons, which
hold identifiers. Offsets count from the beginning of the document, in whatever unit its maker used
(`annotated_text.place`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from kg_pipeline.extraction.annotations.annotated_text import (
    AnnotatedMention,
    by_identifier,
    entity_of,
    place,
    stretches,
)
from kg_pipeline.extraction.annotations.identifiers import article_of, category_of, curie_of, curies, distinct
from kg_pipeline.extraction.annotations.records import (
    MOST_IDENTIFIERS,
    NOT_IN_CORPUS,
    BroughtEntity,
    BroughtRelation,
    Record,
    Unreadable,
    Wanted,
    clean,
    every_article,
)
from kg_pipeline.extraction.grounding.triples import NAMED_THING

Json: TypeAlias = Mapping[str, Any]

SOURCE = "BioC"
_TYPES = ("type", "relation type", "relation", "label")
#: Infons that hold the two ends, where a relation has no nodes that refer to annotations.
_ENDS = (("role1", "role2"), ("entity1", "entity2"), ("Chemical", "Disease"), ("subject", "object"))
_IDENTIFIERS = ("identifier", "identifiers", "normalized_id", "database_id", "id")
_FIRST_ROLES = ("1", "subject", "subj", "head", "agent", "cause", "source", "chemical")
_SECOND_ROLES = ("2", "object", "obj", "tail", "theme", "target", "effect", "gene", "disease")
_MOST_MENTIONS = 50_000


@dataclass(frozen=True, slots=True)
class _Marked:
    """The texts of a document, and its annotations by their id."""

    passages: tuple[str, ...]
    mentions: Mapping[str, AnnotatedMention]
    by_identifier: Mapping[str, Sequence[AnnotatedMention]]


def is_document(item: object) -> bool:
    """Whether a JSON value is a BioC document."""
    return isinstance(item, Mapping) and isinstance(item.get("passages"), list)


def read_document(document: Json, record: str, is_wanted: Wanted = every_article) -> Iterator[Record]:
    """Relations of a document in the shape of BioC JSON; `record` is where it stands in its file."""
    passages = [each for each in _list(document, "passages") if isinstance(each, Mapping)]
    relations = [
        *_list(document, "relations"),
        *(relation for part in _parts(passages) for relation in _list(part, "relations")),
    ]
    if not relations:
        return
    infons = [_infons(document), *(_infons(passage) for passage in passages[:1])]
    reference = article_of(
        *(f"PMC{_digits(each.get(key))}" for each in infons for key in ("article-id_pmc", "pmcid")),
        *(each.get(key) for each in infons for key in ("article-id_pmid", "article-id_doi")),
        document.get("pmcid"),
        document.get("pmid"),
    )
    # The id of a full text may be the digits of its PMCID, which look like a PubMed id.
    reference = reference or article_of(clean(document.get("id")).partition("|")[0])
    if not reference:
        yield Unreadable("no_article", record)
        return
    if not is_wanted(reference):
        yield from (Unreadable(NOT_IN_CORPUS, record) for _ in relations)
        return
    marked = _marked(passages)
    for number, relation in enumerate(relations):
        where = (
            f"{record}, relation {clean(relation.get('id')) or number}"
            if isinstance(relation, Mapping)
            else record
        )
        found = _relation(relation, marked) if isinstance(relation, Mapping) else None
        if found is None:
            yield Unreadable("malformed", where)
            continue
        kind, heads, tails, is_quoted = found
        if not (heads.entity.names or heads.entity.identifiers) or not (
            tails.entity.names or tails.entity.identifiers
        ):
            yield Unreadable("unknown_end", where)
            continue
        quotes = stretches(marked.passages, heads.mentions, tails.mentions)
        yield BroughtRelation(
            reference,
            heads.entity,
            tails.entity,
            kind,
            quotes=quotes,
            is_quoted=is_quoted,
            source=SOURCE,
            record=where,
            score=_score(_infons(relation).get("score")),
        )


@dataclass(frozen=True, slots=True)
class _End:
    mentions: tuple[AnnotatedMention, ...]
    entity: BroughtEntity


def _marked(passages: Sequence[Json]) -> _Marked:
    """Texts and annotations; sentences, where a passage has some, are texts of their own."""
    texts: list[str] = []
    mentions: dict[str, AnnotatedMention] = {}
    for number, part in enumerate(_parts(passages)):
        text = part.get("text")
        texts.append(text if isinstance(text, str) else "")
        first = part.get("offset")
        for annotation in _list(part, "annotations"):
            if isinstance(annotation, Mapping) and len(mentions) < _MOST_MENTIONS:
                mention = _mention(annotation, texts[-1], number, first if isinstance(first, int) else 0)
                mentions[clean(annotation.get("id"))] = mention
    return _Marked(tuple(texts), mentions, by_identifier(mentions.values()))


def _parts(passages: Iterable[Json]) -> Iterator[Json]:
    for passage in passages:
        yield passage
        yield from (each for each in _list(passage, "sentences") if isinstance(each, Mapping))


def _mention(annotation: Json, text: str, number: int, first: int) -> AnnotatedMention:
    infons = _infons(annotation)
    category = category_of(infons.get("type"))
    written = [clean(infons[key]) for key in _IDENTIFIERS if clean(infons.get(key))]
    # The annotators of NCBI before PubTator3 had an infon for each database: {"NCBI_Gene": "672"}.
    others = [curie_of(key, value) for key, value in infons.items()]
    name = annotation.get("text")
    locations = [each for each in _list(annotation, "locations") if isinstance(each, Mapping)]
    span = None
    if isinstance(name, str) and len(locations) == 1:
        start, length = locations[0].get("offset"), locations[0].get("length")
        if isinstance(start, int) and isinstance(length, int):
            span = place(text, start - first, start - first + length, name)
    parts = {part.strip() for raw in written for part in raw.replace("|", ",").replace(";", ",").split(",")}
    identifiers = (each for raw in written for each in curies(raw, category))
    return AnnotatedMention(
        clean(name),
        category,
        frozenset({*written, *parts} - {"", "-"}),
        distinct([*identifiers, *others], MOST_IDENTIFIERS),
        number,
        span,
    )


def _relation(relation: Json, marked: _Marked) -> tuple[str, _End, _End, bool] | None:
    """Type and ends of a relation, and whether its ends are two places; None if it has not two ends or no type."""
    infons = _infons(relation)
    kind = next((clean(infons[key]) for key in _TYPES if clean(infons.get(key))), "")
    if not kind:
        return None
    for first, second in _ENDS:
        if first in infons and second in infons:
            return kind, _named(infons[first], marked), _named(infons[second], marked), False
    nodes = [each for each in _list(relation, "nodes") if isinstance(each, Mapping)]
    referred = [(clean(node.get("role")), clean(node.get("refid"))) for node in nodes]
    if len(referred) != 2 or any(refid not in marked.mentions for _, refid in referred):
        return None
    if _rank(referred[0][0]) > _rank(referred[1][0]):
        referred.reverse()
    ends = [(marked.mentions[refid],) for _, refid in referred]
    head, tail = (_End(mentions, entity_of(mentions)) for mentions in ends)
    return kind, head, tail, all(end[0].span is not None for end in ends)


def _rank(role: str) -> int:
    """0 for a role that reads as the head, 2 for one that reads as the tail."""
    name = role.casefold()
    if name.endswith(_FIRST_ROLES[0]) or name in _FIRST_ROLES:
        return 0
    return 2 if name.endswith(_SECOND_ROLES[0]) or name in _SECOND_ROLES else 1


def _named(value: object, marked: _Marked) -> _End:
    """An end that is an identifier: a text such as `Gene|672` or `MESH:D003409`, or an object that has one."""
    kind, name = "", ""
    if isinstance(value, Mapping):
        kind, name = clean(value.get("type")), clean(value.get("name"))
        raw = next((clean(value[key]) for key in _IDENTIFIERS if clean(value.get(key))), "")
    else:
        raw = clean(value)
        before, bar, after = raw.partition("|")
        if bar and category_of(before) != NAMED_THING:
            kind, raw = before, after
    category = category_of(kind)
    mentions = tuple(marked.by_identifier.get(raw, ()))
    if not mentions:
        return _End((), BroughtEntity(distinct([name], 1), curies(raw, category), category))
    return _End(mentions, entity_of(mentions, curies(raw, category)))


def _score(value: object) -> float:
    try:
        score = float(clean(value) or 1.0)
    except ValueError:
        return 1.0
    return score if 0.0 < score <= 1.0 else 1.0


def _infons(part: Json) -> Json:
    infons = part.get("infons")
    return infons if isinstance(infons, Mapping) else {}


def _list(part: Json, name: str) -> list[Any]:
    value = part.get(name)
    return value if isinstance(value, list) else []


def _digits(value: object) -> str:
    return clean(value).upper().removeprefix("PMC")
