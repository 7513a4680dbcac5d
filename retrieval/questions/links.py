"""Which words of a question name entities of the graph: exact names first, then parts of names and misspellings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from kg_pipeline.graph.reader import Entity, GraphReader
from retrieval.words import cues
from retrieval.words.name_guard import name_conflict
from retrieval.words.terms import (
    RELATION_VERBS,
    STOP_WORDS,
    Name,
    Token,
    find_name,
    name_key,
    name_keys,
    singular,
    stem,
    tokenise,
)

_LONGEST_NAME = 10  # tokens
_DESIGNATORS = frozenset({"A", "I"})  # stop words that end a name ("vitamin A", "topoisomerase I")
_NAMESAKES = 3  # entities kept for one ambiguous name
_EXTRA_TOKENS = 3  # a partial link may leave this many tokens of the name unsaid
_TYPO_RATIO = 90.0
_TYPO_LENGTH = 8
_TYPO_COSINE = 0.35
_TYPO_COMPARED = (
    30  # names; a misspelt one falls into other pieces, so that its vector may be far from the right one's
)
_NAMES_COMPARED = 40
_PASSAGES_COMPARED = 20
_REFERRING_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Link:
    """Words of the question and the entities they can stand for, best first."""

    text: str
    start: int
    end: int
    entities: tuple[Entity, ...]
    exact: bool  # a name or alias; otherwise part of a name or a misspelling of it

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the entities."""
        return tuple(entity.entity_id for entity in self.entities)

    @property
    def names(self) -> tuple[Name, ...]:
        """Keys of every way to write the entities, and of the question's words."""
        return name_keys(
            [
                self.text,
                *(
                    name
                    for entity in self.entities
                    for name in (entity.name, *entity.aliases[:_NAMES_COMPARED])
                ),
            ]
        )


@dataclass(frozen=True, slots=True)
class Linked:
    """The links of a text, in its order, and the content words that are part of none."""

    links: tuple[Link, ...]
    rest: tuple[Token, ...]


def link_entities(
    reader: GraphReader, text: str, tokens: Sequence[Token], embed_name: cues.EmbedName
) -> Linked:
    """Link a text to the entities it names; `embed_name` is asked only for words that look misspelt."""
    links, taken = _exact_links(reader, text, tokens)
    _absorb(links, tokens, taken)
    loose = [i for i in range(len(tokens)) if not taken[i] and _is_content(tokens[i])]
    links += _partial_links(reader, text, tokens, loose, taken, embed_name)
    return Linked(tuple(_distinct(links)), tuple(tokens[i] for i in loose if not taken[i]))


def _distinct(links: list[Link]) -> list[Link]:
    """Links in the order of the question; words that add nothing to another link's entities ("UV light") are one with it."""
    kept: list[Link] = []
    for link in sorted(links, key=lambda link: (not link.exact, link.start)):
        if not any(
            set(link.ids) <= set(other.ids) or (not link.exact and set(link.ids) & set(other.ids))
            for other in kept
        ):
            kept.append(link)
    return sorted(kept, key=lambda link: link.start)


def _is_content(token: Token) -> bool:
    word = token.text
    return word not in STOP_WORDS and stem(word) not in cues.CUE_STEMS and (len(word) > 1 or token.is_number)


def _exact_links(reader: GraphReader, text: str, tokens: Sequence[Token]) -> tuple[list[Link], list[bool]]:
    """Longest names first, left to right; a name neither starts nor ends inside a word."""
    taken = [False] * len(tokens)
    links: list[Link] = []
    for width in range(min(_LONGEST_NAME, len(tokens)), 0, -1):
        for i in range(len(tokens) - width + 1):
            window = tokens[i : i + width]
            if any(taken[i : i + width]) or not _can_be_name(text, tokens, i, width):
                continue
            start, end = window[0].start, window[-1].end
            entities = _named(reader, text[start:end])
            if entities:
                links.append(Link(text[start:end], start, end, entities, exact=True))
                taken[i : i + width] = [True] * width
    return links, taken


def _absorb(links: Sequence[Link], tokens: Sequence[Token], taken: list[bool]) -> None:
    """Mark words beside a name that another name of the same entity has: "UV light", where "ultraviolet light" is one."""
    for link in links:
        words = {part for name in link.names for part in name}
        inside = [i for i, token in enumerate(tokens) if link.start <= token.start < link.end]
        for i in (inside[0] - 1, inside[-1] + 1):
            if 0 <= i < len(tokens) and _is_content(tokens[i]) and singular(tokens[i].text) in words:
                taken[i] = True


def _can_be_name(text: str, tokens: Sequence[Token], i: int, width: int) -> bool:
    first, last = tokens[i], tokens[i + width - 1]
    following = tokens[i + width] if i + width < len(tokens) else None
    if first.glued or (following and (following.glued or (following.hyphened and following.is_number))):
        return False
    named = last.hyphened or last.glued or (width > 1 and text[last.start : last.end] in _DESIGNATORS)
    if first.text in STOP_WORDS or (last.text in STOP_WORDS and not named):
        return False
    return width > 1 or (_is_content(first) and not first.is_number and not _is_verb(text, first))


def _is_verb(text: str, token: Token) -> bool:
    """Whether a lower-case word in -s is a verb of relation ("ASCL1 drives …"), which a noisy graph may have as a name."""
    word = text[token.start : token.end]
    return word.islower() and word.endswith("s") and token.start > 0 and stem(word) in RELATION_VERBS


def _named(reader: GraphReader, name: str) -> tuple[Entity, ...]:
    """Entities of this name or of its singular, most mentioned first."""
    ids = list(reader.find_entities(name))
    if not ids and name.endswith("s") and not name.endswith(("ss", "us", "is")) and len(name) > 4:
        ids = list(reader.find_entities(name[:-1])) or (
            list(reader.find_entities(name[:-3] + "y")) if name.endswith("ies") else []
        )
    if not ids:
        ids = [] if name.endswith("s") else list(reader.find_entities(name + "s")) if len(name) > 4 else []
    entities = sorted(reader.entities(ids), key=lambda entity: (-entity.n_mentions, entity.entity_id))
    return tuple(entities[:_NAMESAKES])


def _partial_links(
    reader: GraphReader,
    text: str,
    tokens: Sequence[Token],
    loose: Sequence[int],
    taken: list[bool],
    embed_name: cues.EmbedName,
) -> list[Link]:
    """Words that are part of an entity's name ("lupus" of "lupus erythematosus"), or one misspelt word of it."""
    links: list[Link] = []
    found: dict[str, tuple[Entity, ...]] = {}  # a long question says the same words many times
    for width in (3, 2, 1):
        for i in loose:
            if (
                i + width > len(tokens)
                or any(taken[i : i + width])
                or not all(j in loose for j in range(i, i + width))
            ):
                continue
            if not _can_be_name(text, tokens, i, width):
                continue
            start, end = tokens[i].start, tokens[i + width - 1].end
            words = text[start:end]
            if words not in found:
                found[words] = _referred(reader, words, _containing(reader, words))
                if not found[words] and width == 1:
                    found[words] = _misspelt(reader, words, embed_name)
            entities = found[words]
            if entities:
                links.append(Link(text[start:end], start, end, entities, exact=False))
                taken[i : i + width] = [True] * width
    return links


def _containing(reader: GraphReader, words: str) -> tuple[Entity, ...]:
    """Entities with a name that holds the words together and adds few others, no number, numeral or Greek letter among them."""
    wanted = name_key(words)
    if all(len(part) < 3 for part in wanted):
        return ()
    ranked: list[tuple[int, int, str, Entity]] = []
    for entity in reader.entities([hit.id for hit in reader.search_text("entity", words, 20)]):
        extra = [
            len(key) - len(wanted)
            for name in (entity.name, *entity.aliases[:_NAMES_COMPARED])
            if find_name(tokenise(name), [wanted])
            and len(key := name_key(name)) - len(wanted) <= _EXTRA_TOKENS
            and not name_conflict(words, name)
        ]
        if extra:
            ranked.append((min(extra), -entity.n_mentions, entity.entity_id, entity))
    ranked.sort(key=lambda row: row[:3])
    return tuple(row[3] for row in ranked[:_NAMESAKES])


def _referred(reader: GraphReader, words: str, entities: Sequence[Entity]) -> tuple[Entity, ...]:
    """Those entities that the words usually stand for: most passages with the words mention the entity.

    It tells "lupus" for lupus erythematosus from "care" for postoperative care.
    """
    if not entities:
        return ()
    chunks = [hit.id for hit in reader.search_text("chunk", words, _PASSAGES_COMPARED)]
    holding = [
        chunk.chunk_id
        for chunk in reader.chunks(chunks)
        if find_name(tokenise(chunk.text), [name_key(words)])
    ]
    mentioned = reader.entities_of(holding)
    return tuple(
        entity
        for entity in entities
        if holding
        and sum(entity.entity_id in mentioned.get(c, ()) for c in holding) >= _REFERRING_SHARE * len(holding)
    )


def _misspelt(reader: GraphReader, word: str, embed_name: cues.EmbedName) -> tuple[Entity, ...]:
    """The entity whose name differs from a long word by a letter or two, or by two letters that changed places.

    Opposites (hypo-, hyper-) are no misspellings.
    """
    if len(word) < _TYPO_LENGTH or not word.isalpha():
        return ()
    near = reader.nearest("entity", embed_name(word), _TYPO_COMPARED, threshold=_TYPO_COSINE)
    best: list[tuple[float, str, Entity]] = []
    for entity in reader.entities([hit.id for hit in near]):
        for name in (entity.name, *entity.aliases[:_NAMES_COMPARED]):
            ratio = fuzz.ratio(word.lower(), name.lower())
            if (
                (ratio >= _TYPO_RATIO or OSA.distance(word.lower(), name.lower()) == 1)
                and name[:1].lower() == word[:1].lower()
                and not name_conflict(word, name)
            ):
                best.append((-ratio, entity.entity_id, entity))
    best.sort(key=lambda row: row[:2])
    return (best[0][2],) if best else ()
