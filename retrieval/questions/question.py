"""Reading a question: its kind, the graph entities it names, the relation it asks for and its other content words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from kg_pipeline.graph.reader import GraphReader, Vector
from kg_pipeline.vocabulary.predicates import PREDICATES
from retrieval.questions.links import Link, link_entities
from retrieval.questions.wording import asides, is_set_in_capitals, joined_compounds, places, spelled_out
from retrieval.words import cues
from retrieval.words.quantity import Quantity, asked_quantity
from retrieval.words.terms import Token, coverage, is_negated, singular, stem, tokenise

_AUXILIARIES = frozenset(
    ["is", "are", "was", "were", "does", "do", "did", "can", "could", "may", "might", "has", "have"]
)
_TYPE_AND_NAME = 2  # links; of more the first may be a stop on the way to what is asked for
_TITLE_CASE = 0.5  # share of capitalised words from which capitals are a style and no sign of a name


@dataclass(frozen=True, slots=True)
class Question:
    """A question as retrieval understands it."""

    text: str
    vector: Vector
    kind: cues.QuestionKind
    links: tuple[Link, ...]
    terms: tuple[str, ...]  # stems of content words that name no entity and no relation
    asides: frozenset[str]  # those of them without which the question would ask the same
    unknown_names: tuple[
        str, ...
    ]  # words written like a name (capitals, digits) that the graph has no entity for
    foreign: tuple[str, ...]  # content words that no passage of the graph has
    predicates: frozenset[str]  # asked relation; empty: any
    sign: int  # direction of the asked effect, 0 where none
    categories: frozenset[str]  # Biolink types asked for, without prefix
    passive: bool  # "is X caused by Y": the first entity is the object
    negated: bool
    role: cues.Role | None  # what the only entity of a question does in the asked relation
    quantity: Quantity | None  # a number that is asked for

    @property
    def focus(self) -> int | None:
        """Which of three or more links is in the fewest articles: what is said without it is said of anything."""
        if len(self.links) <= _TYPE_AND_NAME:
            return None
        spread = [max(entity.n_articles for entity in link.entities) for link in self.links]
        return spread.index(min(spread))

    def coverage(self, stems: Collection[str]) -> float:
        """Which fraction of its other content words is among the stems; what may be left out counts only where it is there."""
        return coverage((term for term in self.terms if term in stems or term not in self.asides), stems)

    @property
    def entity_ids(self) -> frozenset[str]:
        """All linked entities."""
        return frozenset(entity_id for link in self.links for entity_id in link.ids)


def read_question(reader: GraphReader, text: str, vector: Vector, embed_name: cues.EmbedName) -> Question:
    """Read a question against one graph version.

    `embed_name` gives the unit vector of a short text; it is asked for words that look misspelt, and for the question
    without each word that names nothing.
    """
    tokens = tokenise(text)
    linked = link_entities(reader, text, tokens, embed_name)
    linked = replace(linked, links=_without_owners(tokens, linked.links))
    words = [stem(token.text) for token in tokens]
    asked, links = _asked(tokens, words, linked.links)

    def is_known(word: str) -> bool:
        return bool(reader.search_text("chunk", word, 1) or reader.search_text("entity", word, 1))

    said = spelled_out(text, tokens) | asked.places
    rest = joined_compounds([token for token in linked.rest if token.start not in said], is_known)
    capitals_tell = not _is_title_case(text, tokens)
    are_capitals = is_set_in_capitals(text, tokens)
    where = places(tokens)
    names = [token for token in rest if not are_capitals and _is_name(text, token, tokens[0], capitals_tell)]
    others = [token for token in rest if token not in names and not token.is_number]
    # Where nothing is named, the words are all that is asked.
    beside = asides(text, others, len(tokens), vector, embed_name) if links else frozenset[int]()
    plain = dict.fromkeys(token.text for token in rest if not token.is_number and token.start not in beside)
    # What a name says ("CAR-T cell therapy") is not what is asked of it.
    unnamed = [
        "" if any(link.start <= token.start < link.end for link in linked.links) else word
        for token, word in zip(tokens, words, strict=True)
    ]
    acting = ["" if token.text in cues.ACTED_ON else word for token, word in zip(tokens, words, strict=True)]
    effects = cues.asked_predicates([act and word for act, word in zip(acting, unnamed, strict=True)])
    if not effects:
        acting, effects = words, cues.asked_predicates(unnamed)
    # What suppresses the release of X lowers X.
    predicates = (cues.kin_of(effects) if acting != words else effects) | asked.predicates
    passive = cues.is_passive(text)
    return Question(
        text=text,
        vector=vector,
        kind=cues.question_kind(text),
        links=links,
        terms=tuple(
            dict.fromkeys(stem(token.text) for token in rest if not token.is_number or not token.hyphened)
        ),
        asides=frozenset(stem(token.text) for token in others if token.start in beside),
        unknown_names=tuple(
            dict.fromkeys(_surface(text, token) for token in names if token.start not in where)
        ),
        foreign=tuple(
            word for word in plain if not is_known(word) and not is_known(_written_together(tokens, word))
        ),
        predicates=predicates,
        sign=_common_sign(predicates),
        categories=asked.categories,
        passive=passive,
        negated=is_negated(text),
        role=_role(links, tokens, acting, passive) if predicates else None,
        quantity=asked_quantity(text),
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the words for the thing asked for say; they name nothing, and no evidence has to repeat them."""

    places: frozenset[int]  # starts of the words
    categories: frozenset[str]
    predicates: frozenset[str]


def _asked(
    tokens: Sequence[Token], words: Sequence[str], links: tuple[Link, ...]
) -> tuple[_Asked, tuple[Link, ...]]:
    """The thing asked for, and the links without the name that stands for its type.

    "Which transcription factor activates X?" asks for one, though the graph may have an entity of that name.
    """
    places: set[int] = set()
    predicates: frozenset[str] = frozenset()
    categories: frozenset[str] = frozenset()
    found = cues.asked_type(words)
    if found is not None:
        at, categories = found
        if not any(link.start <= tokens[at].start < link.end for link in links):
            places.add(tokens[at].start)
        elif len(links) > 1 and links[0].end > tokens[at].start and _is_type_asked_for(tokens, links[0]):
            links = links[1:]
    whole = cues.whole_of(words)
    if whole is not None:
        places.add(tokens[whole].start)
        predicates = frozenset({"part_of"})
    if found is None and len(links) == _TYPE_AND_NAME and _is_type_asked_for(tokens, links[0]):
        kinds = (_kindred(entity.category.rpartition(":")[2]) for entity in links[0].entities)
        kindred = frozenset[str]().union(*kinds)
        if kindred:
            categories, links = kindred, links[1:]
    return _Asked(frozenset(places), categories, predicates), links


def _without_owners(tokens: Sequence[Token], links: tuple[Link, ...]) -> tuple[Link, ...]:
    """The links without those that only say of what a named thing is a part: "the breast cancer gene BRCA1" asks of BRCA1."""
    owners = {
        link.start
        for link, named in pairwise(links)
        if len(between := [t.text for t in tokens if link.end <= t.start < named.start]) == 1
        and singular(between[0]) in cues.CATEGORIES
    }
    return tuple(link for link in links if link.start not in owners)


def _is_type_asked_for(tokens: Sequence[Token], link: Link) -> bool:
    """Whether a name follows "which" or "what", and a verb follows it, or what it has ("which cytokine's release")."""
    before = [token for token in tokens if token.end <= link.start]
    after = [token for token in tokens if token.start >= link.end]
    return (
        len(before) == 1
        and before[0].text in {"which", "what"}
        and bool(after)
        and (
            after[0].text in _AUXILIARIES
            or bool(cues.predicates_of(stem(after[0].text)))
            or link.text.endswith(("'s", "’s"))
        )
    )


def _kindred(category: str) -> frozenset[str]:
    """Categories that instances of a class may have: a gene may be listed as its protein; none where no type is known."""
    groups = [frozenset(names) for names in cues.CATEGORIES.values() if category in names[:2]]
    return frozenset[str]().union(*groups)


def _role(
    links: Sequence[Link], tokens: Sequence[Token], words: Sequence[str], passive: bool
) -> cues.Role | None:
    if len(links) != 1:
        return None
    inside = [i for i, token in enumerate(tokens) if links[0].start <= token.start < links[0].end]
    return cues.link_role(words, inside[0], inside[-1] + 1, passive=passive)


def _common_sign(predicates: frozenset[str]) -> int:
    signs = {PREDICATES[name].sign for name in predicates}
    return signs.pop() if len(signs) == 1 else 0


def _written_together(tokens: Sequence[Token], word: str) -> str:
    """The letters and digits that a word is written together with: "circsnx5" of "circSnx5", which a text index has whole."""
    first = last = next((i for i, token in enumerate(tokens) if token.text == word), -1)
    if first < 0:
        return word  # two words that the corpus writes as one
    while tokens[first].glued:
        first -= 1
    while last + 1 < len(tokens) and tokens[last + 1].glued:
        last += 1
    return "".join(token.text for token in tokens[first : last + 1])


def _surface(text: str, token: Token) -> str:
    """The whole blank-separated word around a token, without punctuation at its ends."""
    start, end = token.start, token.end
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return text[start:end].strip(".,;:?!()[]\"'")


def _is_name(text: str, token: Token, first: Token, capitals_tell: bool) -> bool:
    """Whether a word is written as a name: inner capitals, digits, or a capital that does not open the question."""
    word = text[token.start : token.end]
    surface = _surface(text, token)
    if token.is_number:
        return any(letter.isalpha() for letter in surface)
    if word[1:] != word[1:].lower() or any(letter.isdigit() for letter in surface):
        return True
    return (
        capitals_tell
        and word[:1].isupper()
        and token.start != first.start
        and text[: token.start].rstrip()[-1:] not in "?.:"
    )


def _is_title_case(text: str, tokens: Sequence[Token]) -> bool:
    words = [text[token.start : token.end] for token in tokens[1:] if len(token.text) > 3]
    capitalised = sum(word[:1].isupper() and word[1:].islower() for word in words)
    return len(words) > 2 and capitalised >= _TITLE_CASE * len(words)
