"""The shape of a model's answer about a chunk, strict in what is asked for and generous in what is read.

The JSON Schema that goes to the endpoint names every field and closes the sets of predicates and categories. What
comes back from endpoints that do not enforce it is read item by item: other usual names of the fields are
understood, and an item that cannot be read is put aside in `invalid` instead of spoiling the others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    StringConstraints,
    ValidationError,
    model_validator,
)

from kg_pipeline.extraction.grounding.triples import CATEGORIES
from kg_pipeline.vocabulary.predicates import PREDICATES

_LONGEST_RAW = 500  # characters of an unreadable item that are kept


def _flag(value: Any) -> Any:
    """An absent flag is not set; "not stated" and the like are left for the validation to refuse."""
    return False if value is None or value == "" else value


def _word(value: Any) -> Any:
    return "" if value is None else value


_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_Category = Annotated[str, BeforeValidator(_word), Field(json_schema_extra={"enum": list(CATEGORIES)})]
_Flag = Annotated[bool, BeforeValidator(_flag)]


class TripleItem(BaseModel):
    """One relation as the model states it; the quote comes first, so that it is written before the claim."""

    model_config = ConfigDict(coerce_numbers_to_str=True, extra="ignore")

    quote: Annotated[str, BeforeValidator(_word)] = Field(
        "", validation_alias=AliasChoices("quote", "evidence", "sentence", "source_text", "context")
    )
    head: _Name = Field(validation_alias=AliasChoices("head", "subject", "source", "s", "h", "entity1"))
    head_category: _Category = Field(
        "", validation_alias=AliasChoices("head_category", "head_type", "subject_type")
    )
    predicate: _Name = Field(
        validation_alias=AliasChoices("predicate", "relation", "relationship", "p", "r", "rel"),
        json_schema_extra={"enum": list(PREDICATES)},
    )
    tail: _Name = Field(validation_alias=AliasChoices("tail", "object", "target", "o", "t", "entity2"))
    tail_category: _Category = Field(
        "", validation_alias=AliasChoices("tail_category", "tail_type", "object_type")
    )
    negated: _Flag = False
    speculative: _Flag = False


class TripleAnswer(BaseModel):
    """The answer about one chunk."""

    triples: list[TripleItem]
    _invalid: tuple[str, ...] = PrivateAttr(default=())

    @property
    def invalid(self) -> tuple[str, ...]:
        """Items that could not be read, as they came."""
        return self._invalid

    @model_validator(mode="wrap")
    @classmethod
    def _item_by_item(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(value, Mapping) or not isinstance(value.get("triples"), list):
            return handler(value)
        readable: list[TripleItem] = []
        invalid: list[str] = []
        for item in value["triples"]:
            try:
                readable.append(TripleItem.model_validate(_as_mapping(item)))
            except ValidationError:
                invalid.append(json.dumps(item, ensure_ascii=False, default=str)[:_LONGEST_RAW])
        answer = handler({"triples": readable})
        answer._invalid = tuple(invalid)
        return answer


def _as_mapping(item: Any) -> Any:
    """`["aspirin", "inhibits", "COX-1"]` as the item it abbreviates."""
    if isinstance(item, list) and len(item) in (3, 4):
        return dict(zip(("head", "predicate", "tail", "quote"), item, strict=False))
    return item
