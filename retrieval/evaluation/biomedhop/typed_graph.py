"""The relations of a graph version as arrays: what patterns are looked for in.

Denied statements are left out. Edges that are stated without a hedge are `firm`: questions are built of them alone. The
others (hedged, inferred, of an adjective) only count where an answer must be the only one, since a reader of the graph
would find them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kg_pipeline.graph import layout
from kg_pipeline.vocabulary.names.variants import normal_key
from kg_pipeline.vocabulary.predicates import PREDICATES

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
PREDICATE_CODES: dict[str, int] = {name: code for code, name in enumerate(PREDICATES)}
_TAXONOMIC = "subclass_of"
_ADJECTIVE = r"^\p{Ll}{4,}(?:ic|ed|ory|ive|ous)$"
_LOCAL = "LOCAL:"  # ids of what no vocabulary knows, whose type a recogniser guessed


@dataclass(frozen=True)
class TypedGraph:
    """Entities by number, in the order of their ids, and edges as parallel arrays, in the order of relation ids."""

    entities: pa.Table  # entity_id, name, category, aliases
    relation_ids: pa.ChunkedArray
    head: npt.NDArray[np.int32]
    tail: npt.NDArray[np.int32]
    predicate: npt.NDArray[np.int8]
    firm: Mask

    @classmethod
    def open(cls, folder: Path, *, least_sentences: int = 1) -> TypedGraph:
        """The graph of a version directory, whichever way it was made; raises `CorruptGraphError` for a damaged one.

        An edge that fewer than `least_sentences` state is not firm.
        """
        entities = layout.open_table(folder, "entities").select(["entity_id", "name", "category", "aliases"])
        names = ["relation_id", "kind", "head_id", "predicate", "tail_id", "negated", "speculative"]
        relations = layout.open_table(folder, "relations").select(names)
        evidence = layout.open_table(folder, "evidence").select(["relation_id", "head_text", "tail_text"])
        graph = cls.of(entities, relations.filter(pc.invert(relations.column("negated"))), evidence)
        if least_sentences <= 1:
            return graph
        return replace(graph, firm=graph.firm & _stated_by(graph.relation_ids, evidence, least_sentences))

    @classmethod
    def of(cls, entities: pa.Table, relations: pa.Table, evidence: pa.Table | None = None) -> TypedGraph:
        """The graph of two tables sorted by id, the relations without denied ones, and of how their evidence writes the ends."""
        ids = entities.column("entity_id")
        head, tail = (
            pc.index_in(relations.column(name), value_set=ids).to_numpy().astype(np.int32)
            for name in ("head_id", "tail_id")
        )
        codes = pc.index_in(relations.column("predicate"), value_set=pa.array(list(PREDICATE_CODES)))
        stated = pc.equal(relations.column("kind"), "asserted").to_numpy()
        hedged = relations.column("speculative").to_numpy()
        loose = (
            _only_of_adjectives(relations, evidence) if evidence is not None else np.zeros(len(hedged), bool)
        )
        return cls(
            entities=entities,
            relation_ids=relations.column("relation_id"),
            head=head,
            tail=tail,
            predicate=codes.to_numpy().astype(np.int8),
            firm=stated & ~hedged & ~loose & (head != tail),
        )

    @property
    def size(self) -> int:
        """Number of entities."""
        return int(self.entities.num_rows)

    @cached_property
    def ids(self) -> list[str]:
        """Entity ids by number."""
        found: list[str] = self.entities.column("entity_id").to_pylist()
        return found

    @cached_property
    def names(self) -> list[str]:
        """Names by number."""
        found: list[str] = self.entities.column("name").to_pylist()
        return found

    @cached_property
    def name_lengths(self) -> Ints:
        """Characters of each name."""
        lengths: Ints = pc.utf8_length(self.entities.column("name")).to_numpy().astype(np.int64)
        return lengths

    @cached_property
    def firm_degree(self) -> Ints:
        """How many firm edges an entity has."""
        ends = np.concatenate([self.head[self.firm], self.tail[self.firm]])
        found: Ints = np.bincount(ends, minlength=self.size)
        return found

    @cached_property
    def is_thing(self) -> Mask:
        """Whether the name may be that of a thing; extraction can take an adjective for one ("metastatic", "combined")."""
        adjective = pc.match_substring_regex(self.entities.column("name"), _ADJECTIVE)
        found: Mask = pc.invert(adjective).to_numpy()
        return found

    @cached_property
    def is_known(self) -> Mask:
        """Whether a vocabulary knows the entity and with it its type."""
        found: Mask = pc.invert(pc.starts_with(self.entities.column("entity_id"), _LOCAL)).to_numpy()
        return found

    def members(self, categories: Iterable[str]) -> Mask:
        """Entities of some Biolink categories, given without prefix."""
        wanted = pa.array([f"biolink:{name}" for name in categories])
        found: Mask = pc.is_in(self.entities.column("category"), value_set=wanted).to_numpy()
        return found & self.is_thing

    def category(self, number: int) -> str:
        """Category of an entity."""
        return str(self.entities.column("category")[number])

    def accepted(self, number: int) -> tuple[str, ...]:
        """Name, aliases and identifier of an entity, each once: what a right answer may say."""
        aliases: Sequence[Any] = self.entities.column("aliases")[number].as_py() or ()
        names: dict[str, str] = {}
        for name in (self.names[number], *aliases, self.ids[number]):
            names.setdefault(normal_key(name), name)
        return tuple(names.values())

    def relation_id(self, edge: int) -> str:
        """Id of the relation of an edge."""
        return str(self.relation_ids[edge])

    @cached_property
    def kin(self) -> dict[int, frozenset[int]]:
        """Classes and subclasses of an entity, one step up or down: too near to it to be a wrong answer."""
        found = {number: set(others) for number, others in self.kinds.items()}
        for number, others in self.kinds.items():
            for other in others:
                found.setdefault(other, set()).add(number)
        return {number: frozenset(others) for number, others in found.items()}

    @cached_property
    def kinds(self) -> dict[int, frozenset[int]]:
        """What is a kind of an entity: one step down by its edges, or by a name that only puts words before its name.

        A graph of literature holds few edges between "lung metastasis" and "metastasis".
        """
        rows = np.flatnonzero(self.predicate == PREDICATE_CODES[_TAXONOMIC])
        found: dict[int, set[int]] = {}
        for one, other in zip(self.head[rows].tolist(), self.tail[rows].tolist(), strict=True):
            found.setdefault(other, set()).add(one)
        words = [tuple(name.lower().split()) for name in self.names]
        categories = self.entities.column("category").to_pylist()
        by_name = {(categories[number], name): number for number, name in enumerate(words)}
        for number, name in enumerate(words):
            for start in range(1, len(name)):
                other = by_name.get((categories[number], name[start:]))
                if other is not None:
                    found.setdefault(other, set()).add(number)
        return {number: frozenset(others) for number, others in found.items()}

    def are_related(self, some: Ints, others: Ints) -> Mask:
        """Whether an edge in either direction joins each of `some` with each of `others`, as a table."""
        first, second = np.meshgrid(some, others, indexing="ij")
        wanted = np.minimum(first, second) * self.size + np.maximum(first, second)
        at = np.minimum(np.searchsorted(self._pairs, wanted), max(len(self._pairs) - 1, 0))
        found: Mask = self._pairs[at] == wanted if len(self._pairs) else np.zeros(wanted.shape, bool)
        return found

    @cached_property
    def _pairs(self) -> Ints:
        head, tail = self.head.astype(np.int64), self.tail.astype(np.int64)
        found: Ints = np.unique(np.minimum(head, tail) * self.size + np.maximum(head, tail))
        return found


def _stated_by(relation_ids: pa.ChunkedArray, evidence: pa.Table, least: int) -> Mask:
    """Relations that so many sentences state, or more."""
    counts = evidence.group_by("relation_id").aggregate([([], "count_all")])
    enough = counts.filter(pc.greater_equal(counts.column("count_all"), least)).column("relation_id")
    found: Mask = pc.is_in(relation_ids, value_set=enough.combine_chunks()).to_numpy()
    return found


def _only_of_adjectives(relations: pa.Table, evidence: pa.Table) -> Mask:
    """Relations that every sentence states of an adjective: "metastatic prostate cancer" says nothing of metastasis."""
    ends = [
        pc.match_substring_regex(evidence.column(name), _ADJECTIVE) for name in ("head_text", "tail_text")
    ]
    is_loose = pc.fill_null(pc.or_(*ends), False)
    ids, told = relations.column("relation_id"), evidence.column("relation_id")
    loose = pc.is_in(ids, value_set=told.filter(is_loose).combine_chunks())
    stated = pc.is_in(ids, value_set=told.filter(pc.invert(is_loose)).combine_chunks())
    found: Mask = pc.and_not(loose, stated).to_numpy()
    return found
