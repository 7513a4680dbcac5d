"""The patterns that questions are built from, read from `patterns.toml` or from a file of the same format."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from kg_pipeline.errors import BenchmarkFileError
from kg_pipeline.vocabulary.predicates import PREDICATES

Family = Literal["entity_pair", "intersection", "path", "count"]
FAMILIES: tuple[Family, ...] = ("entity_pair", "intersection", "path", "count")
PATH_LENGTH = 5  # entities of a metapath
ANSWER_AT = 2  # position of the hidden answer in a metapath


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to take a step: a predicate, and whether the step's source is its head."""

    predicate: str
    is_forward: bool

    @property
    def label(self) -> str:
        """The verb, read from the source of the step."""
        found = PREDICATES[self.predicate]
        return found.label if self.is_forward else found.inverse_label

    @property
    def reversed(self) -> Reading:
        """The same, read from the target."""
        is_symmetric = PREDICATES[self.predicate].symmetric
        return Reading(self.predicate, is_forward=is_symmetric or not self.is_forward)


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class EntityType(_Strict):
    """A type of the paper: the word a question uses and the Biolink categories (without prefix) that stand for it."""

    word: str
    plural: str = ""
    categories: tuple[str, ...] = Field(min_length=1)

    @property
    def many(self) -> str:
        """The word for several."""
        return self.plural or f"{self.word}s"


class Step(_Strict):
    """Predicates that may connect two types; see the head of `patterns.toml`."""

    forward: tuple[str, ...] = ()
    backward: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _known(self) -> Step:
        unknown = sorted({*self.forward, *self.backward} - set(PREDICATES))
        if unknown or not (self.forward or self.backward):
            raise ValueError(f"needs predicates of the closed set, not {unknown or 'none at all'}")
        return self

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """Each way once; a symmetric predicate is read forward only and matches edges of both directions."""
        symmetric = {name for name in (*self.forward, *self.backward) if PREDICATES[name].symmetric}
        forward = [Reading(name, is_forward=True) for name in self.forward]
        backward = [Reading(name, is_forward=name in symmetric) for name in self.backward]
        return tuple(dict.fromkeys([*forward, *backward]))


class Pair(_Strict):
    """An entity pair type: two anchors of one type and the neighbour they share."""

    id: str
    anchor: str
    answer: str
    step: str
    source: Literal["anchor", "answer"] = Field(alias="from")
    share: float = Field(gt=0)  # per cent of the family


class CluePattern(_Strict):
    """Types of the three clues of an intersection."""

    types: tuple[str, str, str]

    @property
    def id(self) -> str:
        """Name of the pattern."""
        return "+".join(name.lower() for name in self.types)


class ClueStep(_Strict):
    """How a clue is connected with the answer."""

    step: str
    source: Literal["clue", "answer"] = Field(alias="from")


class Clues(_Strict):
    """Intersection Reasoning: the type of the answer, a step for each type of clue, and the patterns."""

    answer: str
    steps: Mapping[str, ClueStep]
    patterns: tuple[CluePattern, ...]


class Metapath(_Strict):
    """A typed path of five entities; the middle one is the answer."""

    id: str
    types: tuple[str, str, str, str, str]
    steps: tuple[str, str, str, str]
    exposed: tuple[int, ...]

    @model_validator(mode="after")
    def _hidden(self) -> Metapath:
        if ANSWER_AT in self.exposed or not {0, PATH_LENGTH - 1} <= set(self.exposed):
            raise ValueError("must expose both ends and hide the middle")
        return self


class Patterns(_Strict):
    """All patterns, with the paper's shares."""

    format: Literal[1]
    families: Mapping[Family, int]
    types: Mapping[str, EntityType]
    steps: Mapping[str, Step]
    pairs: tuple[Pair, ...]
    clues: Clues
    metapaths: tuple[Metapath, ...]

    @model_validator(mode="after")
    def _named(self) -> Patterns:
        types = {name for pair in self.pairs for name in (pair.anchor, pair.answer)}
        types |= {name for path in self.metapaths for name in path.types}
        types |= {self.clues.answer, *self.clues.steps}
        steps = {pair.step for pair in self.pairs} | {clue.step for clue in self.clues.steps.values()}
        steps |= {name for path in self.metapaths for name in path.steps}
        clue_types = {name for pattern in self.clues.patterns for name in pattern.types}
        missing = sorted(
            (types - set(self.types)) | (steps - set(self.steps)) | (clue_types - set(self.clues.steps))
        )
        if missing:
            raise ValueError(f"names types or steps that it does not describe: {', '.join(missing)}")
        return self

    @cached_property
    def family_shares(self) -> dict[Family, float]:
        """Share of each family in the paper."""
        total = sum(self.families.values())
        return {family: self.families[family] / total for family in FAMILIES}


def load_patterns(path: Path | None = None) -> Patterns:
    """The published patterns, or those of a file.

    Raises
    ------
    BenchmarkFileError
        If the file is no TOML or does not describe patterns.

    """
    resource = files("retrieval.evaluation.biomedhop").joinpath("patterns.toml")
    try:
        data: dict[str, Any] = tomllib.loads((resource if path is None else path).read_text(encoding="utf-8"))
        return Patterns.model_validate(data)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise BenchmarkFileError(
            f"{path or resource} does not describe patterns of questions: {error}. Compare it with the patterns.toml of the package."
        ) from error
