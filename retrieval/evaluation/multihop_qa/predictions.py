"""What an answer says to a built question: an option, an entity, a number.

A method that names the things that answer (`Answer.items`) or an option is taken at its word. Of other answers, the
prediction is read from the text: the option that it alone names; the first entity of the type asked for that the question
does not name; the number that it gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kg_pipeline.graph.reader import GraphReader
from retrieval.answer import Answer
from retrieval.evaluation.biomedhop.items import Item
from retrieval.evaluation.biomedhop.patterns import Patterns
from retrieval.evaluation.metrics import chosen_option, extract_count
from retrieval.evaluation.wording import entity_keys, without_marks
from retrieval.words.terms import find_name, name_keys, tokenise


@dataclass(frozen=True, slots=True)
class Prediction:
    """What was understood, as text, and in the form that its metric takes."""

    text: str = ""
    option: int | None = None
    count: int | None = None


def predict_option(answer: Answer, options: Sequence[str]) -> Prediction:
    """The option that an answer chooses; none where it names several or none."""
    if not answer.answered:
        return Prediction()
    index = chosen_option(answer.option, options) if answer.option else None
    if index is None:
        tokens = tokenise(without_marks(answer.text))
        named = [n for n, option in enumerate(options) if find_name(tokens, name_keys([option]))]
        index = named[0] if len(named) == 1 else None
    return Prediction(options[index], option=index) if index is not None else Prediction()


def predict_entity(answer: Answer, item: Item, patterns: Patterns, reader: GraphReader) -> Prediction:
    """The entity that an answer names first; empty where it names none of the type."""
    if not answer.answered:
        return Prediction()
    if answer.items:
        return Prediction(answer.items[0])
    categories = {f"biolink:{name}" for name in patterns.types[item.answer_type].categories}
    asked = {entity.entity_id for entity in item.exposed}
    mentioned = reader.entities_of([citation.chunk_id for citation in answer.citations])
    ids = dict.fromkeys([*answer.graph.entities, *(e for row in mentioned.values() for e in row)])
    fitting = [
        entity
        for entity in reader.entities(list(ids))
        if entity.category in categories and entity.entity_id not in asked
    ]
    tokens = tokenise(without_marks(answer.text))
    places = [
        (at[0], -at[1], entity.name) for entity in fitting if (at := find_name(tokens, entity_keys(entity)))
    ]
    return Prediction(min(places)[2]) if places else Prediction()


def predict_count(answer: Answer) -> Prediction:
    """How many an answer counts."""
    if not answer.answered:
        return Prediction()
    count = len(answer.items) if answer.items else extract_count(without_marks(answer.text))
    return Prediction("" if count is None else str(count), count=count)
