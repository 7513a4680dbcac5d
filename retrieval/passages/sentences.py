"""The sentences of retrieved passages that bear on a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kg_pipeline.graph.reader import Vector
from kg_pipeline.llm.embeddings import Embedder
from kg_pipeline.vocabulary.predicates import PREDICATES
from retrieval.evidence import Passage, Quote
from retrieval.passages.reporting import states_aim
from retrieval.questions.question import Question
from retrieval.questions.shape import read_shape
from retrieval.words.cues import HARM_STEMS, Role, is_passive, link_role
from retrieval.words.guard import addresses_reader
from retrieval.words.terms import (
    RELATION_STEMS,
    STOP_WORDS,
    Name,
    Token,
    content_stems,
    find_name,
    stem,
    tokenise,
)

Splitter = Callable[[str], Sequence[tuple[int, int]]]

_DENIALS = frozenset(
    {"not", "no", "without", "never", "cannot", "neither", "nor", "fail", "failed", "fails", "rather", "t"}
)
_DENIED = 3  # words before a word of relation, in which a denial is of it
#: Nouns and adjectives with the stem of a verb of relation ("the activity of X" activates nothing).
_NO_VERBS = frozenset({"active", "activities", "activity", "product", "products"})
_BESIDE = 4  # tokens between a name and the verb that it is subject or object of
_SHORTEST = 4  # tokens; less is a heading or a label
_LONGEST = 700  # characters; more is a table or a failed split
_EMBEDDED = 24
_TITLE = "Title"  # section of the title of an article
#: The mark of a sentence with the numbers of what it cites behind it.
_CITED_END = re.compile(r"(?:[^\W\d]|[)\]%])[.?!][)\]\"'”’]*[\s\d,;–⁰¹²³⁴-⁹-]*$")
_LABEL = re.compile(
    r"(?:(?:table|fig(?:ure)?|box)\b)?[\s.:–—-]*(?:[A-Z]?\d+(?:\.\d+)*[A-Za-z]?)?[\s.:–—|-]*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with what it covers of the question."""

    quote: Quote
    links: frozenset[
        int
    ]  # which links of the question it names, or only the title of its article where they say where
    words: frozenset[str]  # which of the question's other content words it has
    terms: float  # and which fraction of them, as `Question.coverage` counts
    relates: bool  # has a word for the asked relation, or for any where none is asked
    stated: bool  # and that word stands beside the only name of the question
    role: Role | None  # what the only entity of the question does in the sentence, where that can be told
    passage_cosine: float
    cosine: float
    score: float


def rank_sentences(
    question: Question,
    passages: Iterable[Passage],
    embedder: Embedder,
    split: Splitter,
    limit: int,
    titles: Mapping[str, str],
) -> list[Sentence]:
    """Best sentences first; the cosine to the question is computed for the lexically best only.

    Where a question only says where ("in small cell lung cancer"), a sentence of an article whose title names that is
    about it: no sentence of such an article repeats what it is about. `titles` are those of the articles, by id.
    """
    names = [link.names for link in question.links]
    where = read_shape(question).where
    rows: dict[tuple[str, int, int], Sentence] = {}
    placed: dict[str, frozenset[int]] = {}
    for passage in passages:
        article_id = passage.chunk.article_id
        if article_id not in placed:
            title = tokenise(titles.get(article_id, ""))
            placed[article_id] = frozenset(n for n in where if find_name(title, names[n]))
        for quote in passage_quotes(passage, split):
            row = _assess(question, names, quote, passage.score)
            told = row.links | placed[article_id] if row.links else row.links
            rows.setdefault(quote.key, replace(row, links=told))
    ranked = sorted(rows.values(), key=lambda row: (-row.score, row.quote.key))[:_EMBEDDED]
    if not ranked:
        return []
    vectors = embedder.embed([row.quote.text for row in ranked])
    scored = [_with_cosine(row, vectors[i], question.vector) for i, row in enumerate(ranked)]
    return sorted(scored, key=lambda row: (-row.score, row.quote.key))[:limit]


def passage_quotes(passage: Passage, split: Splitter) -> list[Quote]:
    """Sentences of a passage that report something, with offsets into the article."""
    chunk = passage.chunk
    quotes = []
    for start, end in split(chunk.text):
        text = chunk.text[start:end]
        if (
            len(text) <= _LONGEST
            and len(tokenise(text)) >= _SHORTEST
            and not text.rstrip().endswith("?")
            and not addresses_reader(text)
            and not is_heading(text, chunk.section_path)
        ):
            quotes.append(
                Quote(
                    chunk.article_id,
                    chunk.chunk_id,
                    chunk.section_path,
                    chunk.start + start,
                    chunk.start + end,
                    text,
                )
            )
    # The title of an article reports something only where it states a finding.
    return [quote for quote in quotes if quote.section_path != _TITLE or not states_aim(quote)]


def is_heading(text: str, section_path: str) -> bool:
    """Whether a sentence is the title of its own section, figure or table, which announces what is to be shown there.

    The number before it ("5. ", "Table 2: ") may stand in the section's name only. Words that no mark ends are a title,
    too, save the title of the article.
    """
    said, section = text.strip(" ."), section_path.rpartition(" > ")[2].strip(" .")
    if section == _TITLE:
        return False
    names_section = bool(said) and section.endswith(said) and _LABEL.fullmatch(section.removesuffix(said))
    return bool(names_section) or (text.rstrip()[-1:].isalnum() and not _CITED_END.search(text))


def relation_stems(question: Question) -> frozenset[str]:
    """Stems that express the asked relation, or any relation where the question asks for none in particular."""
    if not question.predicates:
        return RELATION_STEMS
    named = frozenset(
        stem(word)
        for name in question.predicates
        for word in (*PREDICATES[name].words, *name.split("_"))
        if word not in STOP_WORDS  # the "of" of "part_of" relates nothing
    )
    # "Side effects" are told as toxicities and complications.
    return named if HARM_STEMS.isdisjoint(content_stems(question.text)) else named | HARM_STEMS


def _assess(
    question: Question, names: Sequence[Sequence[Name]], quote: Quote, passage_score: float
) -> Sentence:
    tokens = tokenise(quote.text)
    stems = content_stems(quote.text)
    places = [find_name(tokens, keys) for keys in names]
    links = frozenset(i for i, place in enumerate(places) if place)
    words = frozenset(question.terms).intersection(stems)
    terms = question.coverage(words)
    verbs = relation_stems(question)
    read = ["" if token.text in _NO_VERBS else stem(token.text) for token in tokens]
    related = not verbs.isdisjoint(read)
    if question.predicates and question.kind != "yes_no" and not question.negated:
        related = related and _affirms(tokens, read, verbs, next(filter(None, places), None))
    stated = related and any(
        place is not None
        and any(word in verbs for word in read[max(place[0] - _BESIDE, 0) : place[1] + _BESIDE])
        for place in places
    )
    score = (
        2.0 * len(links) / max(len(names), 1)
        + (terms if question.terms else 0.0)
        + 0.3 * related
        + (question.quantity is not None and question.quantity.is_in(quote.text))
        + 0.5 * passage_score
    )
    role = None
    if question.role and len(places) == 1 and places[0]:
        place = _acting(tokens, names[0], [at for at, word in enumerate(read) if word in verbs], places[0])
        role = link_role(read, *place, passive=is_passive(quote.text), verbs=verbs)
    return Sentence(quote, links, words, terms, related, stated, role, passage_score, 0.0, score)


def _acting(
    tokens: Sequence[Token], names: Sequence[Name], verbs: Sequence[int], first: tuple[int, int]
) -> tuple[int, int]:
    """Of the places of a name that nearest to a verb of the relation; it may stand in other clauses, too."""
    places, found = [first], find_name(tokens[first[1] :], names)
    while found:
        places.append((places[-1][1] + found[0], places[-1][1] + found[1]))
        found = find_name(tokens[places[-1][1] :], names)
    gaps = {
        place: min((max(place[0] - at, at - place[1] + 1) for at in verbs), default=0) for place in places
    }
    return min(places, key=lambda place: (gaps[place], place))


def _affirms(
    tokens: Sequence[Token], stems: Sequence[str], verbs: frozenset[str], place: tuple[int, int] | None
) -> bool:
    """Whether the word of the relation stands there undenied: "does not induce X" does not say what induces X.

    Of several words it is the one nearest to the name at `place` that counts.
    """
    # The T of "CAR-T therapy" is not that of "don't".
    words = ["" if token.hyphened and token.text == "t" else token.text for token in tokens]
    found = [at for at, word in enumerate(stems) if word in verbs]
    if place is not None:
        found = sorted(found, key=lambda at: (max(place[0] - at, at - place[1] + 1), at))[:1]
    return any(_DENIALS.isdisjoint(words[max(at - _DENIED, 0) : at]) for at in found)


def _with_cosine(row: Sentence, vector: Vector, question: Vector) -> Sentence:
    cosine = float(vector @ question)
    return replace(row, cosine=cosine, score=row.score + cosine)
