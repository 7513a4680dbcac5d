"""An answer-determining pattern found in a graph: slots, the hops between them, and what fills them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from retrieval.evaluation.biomedhop.patterns import Family, Reading


@dataclass(frozen=True, slots=True)
class Slot:
    """A place of a pattern; `entity` is its number where the question names it, None where it is hidden."""

    type_name: str
    entity: int | None


@dataclass(frozen=True, slots=True)
class Hop:
    """A step of a pattern, in the order a question tells it; `source` and `target` are slots."""

    source: int
    reading: Reading
    target: int


@dataclass(frozen=True, slots=True)
class Witness:
    """One way in which an answer satisfies the pattern: an entity for each slot, and for each hop the edges that say so."""

    entities: tuple[int, ...]
    edges: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Motif:
    """A pattern with its answers, in the order of their numbers, and a witness for each."""

    family: Family
    pattern: str
    slots: tuple[Slot, ...]
    hops: tuple[Hop, ...]
    answer_slot: int
    answers: tuple[int, ...]
    witnesses: tuple[Witness, ...]

    @property
    def answer_type(self) -> str:
        """Type of the answer."""
        return self.slots[self.answer_slot].type_name

    @property
    def exposed(self) -> tuple[int, ...]:
        """Numbers of the entities that the question names."""
        return tuple(slot.entity for slot in self.slots if slot.entity is not None)

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two motifs the same question."""
        return self.family, frozenset(self.exposed), self.answers

    def hidden(self) -> Iterator[int]:
        """Slots that are neither named nor the answer."""
        for number, slot in enumerate(self.slots):
            if slot.entity is None and number != self.answer_slot:
                yield number
