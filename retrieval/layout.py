"""Text forms of what was retrieved (section 2.2, "Result Aggregation and Formatting")."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from rapidfuzz import fuzz

from kg_pipeline.graph.reader import Document, Entity, Relation
from kg_pipeline.vocabulary.names.agreement import clause
from retrieval.evidence import Passage, Seed
from retrieval.words.terms import content_stems

_ALIASES_SHOWN = 3
_SHORTEST_WORD = 5  # letters of a word in small letters; an abbreviation has none
_SPELLING = 80.0  # similarity of two spellings of one word (anaemia, anemia)
#: Endings of adjectives that say which of its kind a thing is ("cytosolic DNA"), and adjectives that do not.
_ADJECTIVE = re.compile(r"(?<!\S)([A-Za-z][\w-]*(?:ic|al|ar|ary|oid|ous|ive))\s+$")
_UNTELLING_TEXT = """additional alternative basic beneficial central characteristic classic classical comprehensive critical crucial
    effective essential excessive extensive fundamental general ideal important individual intensive main massive necessary negative
    numerous original overall particular pivotal positive possible potential principal promising real regular respective serious
    several similar simple single special specific substantial successful temporary total typical usual various vital"""
_UNTELLING = frozenset(_UNTELLING_TEXT.split())


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
    head, tail = (names.get(key, key) for key in (relation.head_id, relation.tail_id))
    return clause(head, relation.predicate, tail)


def shown_name(name: str, mentions: Iterable[str]) -> str:
    """A name as an answer shows it: with the authors' word before it where they all use quite another one.

    "altruism (prosocial behaviour)" keeps apart what the article says and what the graph takes it for. Abbreviations and
    other spellings are the same name and are not shown.

    >>> shown_name("prosocial behaviour", ["altruism"])
    'altruism (prosocial behaviour)'
    """
    written = list(dict.fromkeys(mention for mention in mentions if mention))
    if written and all(_is_other_word(name, mention) for mention in written):
        return f"{written[0]} ({name})"
    return name


def specified(name: str, mentions: Iterable[tuple[str, str]]) -> str:
    """A name with the adjective that narrows it in every one of the sentences it was read from.

    `mentions` are pairs of a sentence and the authors' word in it.

    >>> specified("DNA", [("Cytosolic DNA activates cGAS.", "DNA")])
    'cytosolic DNA'
    """
    found = {_adjective(sentence, word) for sentence, word in mentions if word}
    adjective = found.pop() if len(found) == 1 else ""
    return f"{adjective} {name}" if adjective and adjective.lower() not in name.lower() else name


def _adjective(sentence: str, word: str) -> str:
    """The adjective directly before the first occurrence of a word; empty if none narrows it."""
    place = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", sentence)
    before = _ADJECTIVE.search(sentence[: place.start()]) if place else None
    if before is None or before.group(1).lower() in _UNTELLING:
        return ""
    first, rest = before.group(1)[0], before.group(1)[1:]
    return first.lower() + rest if rest.islower() else first + rest


def _is_other_word(name: str, mention: str) -> bool:
    telling = any(word.islower() and len(word) >= _SHORTEST_WORD for word in mention.split())
    shared = set(content_stems(name)) & set(content_stems(mention))
    return telling and not shared and fuzz.ratio(name.lower(), mention.lower()) < _SPELLING


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
