"""Names that the graph has for a word that it has not: what a short form may stand for, other spellings, near meanings."""

from __future__ import annotations

from rapidfuzz import fuzz

from kg_pipeline.graph.reader import Entity, GraphReader
from kg_pipeline.llm.embeddings import Embedder
from retrieval.questions.question import Question
from retrieval.words.terms import STOP_WORDS, tokenise

_COMPARED = 100  # entities near the question, and as many near the word
_SHOWN = 3
_SPELLING = 80.0
_MEANING = 0.7  # cosine of a word and a name
_SHORT_FORM = (2, 6)  # letters of a word that may be one
_LETTERS_EACH = 4  # of a name of one word that a letter of its short form stands for, at least
_ALIASES = 10


def near_names(reader: GraphReader, embedder: Embedder, question: Question, word: str) -> list[str]:
    """At most three names of entities for a word of a question that no text has: short forms first, then the nearest."""
    vector = embedder.embed([word])[0]
    near = {hit.id: hit.score for hit in reader.nearest("entity", vector, _COMPARED)}
    about = [hit.id for hit in reader.nearest("entity", question.vector, _COMPARED)]
    linked = {entity.entity_id for link in question.links for entity in link.entities}
    ids = sorted({*near, *about} - linked)
    ranked = sorted(
        ((rank, entity.name) for entity in reader.entities(ids) if (rank := _rank(word, entity, near)) > 0),
        key=lambda row: (-row[0], row[1]),
    )
    return list(dict.fromkeys(name for _, name in ranked))[:_SHOWN]


def _rank(word: str, entity: Entity, near: dict[str, float]) -> float:
    """How near an entity is to a word: above 1 if one of its names is written like it or shortened to it, 0 if it is not near."""
    names = (entity.name, *entity.aliases[:_ALIASES])
    if any(shortens(word, name) for name in names):
        return 2.0
    spelling = max(fuzz.ratio(word.lower(), name.lower()) for name in names)
    if spelling >= _SPELLING:
        return 1.0 + spelling / 100
    cosine = near.get(entity.entity_id, 0.0)
    return round(cosine, 6) if cosine >= _MEANING else 0.0


def shortens(word: str, name: str) -> bool:
    """Whether a word has the initials of a name, or is made of letters of a name of one word.

    >>> shortens("CRS", "cytokine release syndrome"), shortens("hcq", "hydroxychloroquine"), shortens("hcq", "heparin")
    (True, True, False)
    """
    letters = word.lower()
    if not letters.isalpha() or not _SHORT_FORM[0] <= len(letters) <= _SHORT_FORM[1]:
        return False
    parts = [token.text for token in tokenise(name) if token.text not in STOP_WORDS]
    if len(parts) > 1:
        return "".join(part[0] for part in parts) == letters
    if not parts or len(letters) < _SHORT_FORM[0] + 1 or len(parts[0]) < _LETTERS_EACH * len(letters):
        return False
    rest = iter(parts[0])
    return parts[0][0] == letters[0] and all(letter in rest for letter in letters)
