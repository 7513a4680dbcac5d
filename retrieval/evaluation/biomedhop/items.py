"""The items of a built benchmark, one JSON object a line, and what they hold; the schema has a version.

`gold` is the answer-determining graph, hop by hop, with the relations that state each edge. `evidence` are units of all
sources; a source condition shows a part of them and changes nothing else (sections 4.3 and D.2).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from kg_pipeline.errors import BenchmarkFileError
from kg_pipeline.files import replacing
from retrieval.evaluation.biomedhop.patterns import Family
from retrieval.evaluation.biomedhop.rendering import LETTERS, render_options

SCHEMA: Literal["biomedhop-items/1"] = "biomedhop-items/1"
Source = Literal["kg", "doc", "web"]
Condition = Literal["none", "kg", "doc", "web", "kg+doc", "kg+web", "doc+web", "hybrid"]
#: Sources that each condition exposes.
CONDITIONS: dict[Condition, frozenset[Source]] = {
    "none": frozenset(),
    "kg": frozenset({"kg"}),
    "doc": frozenset({"doc"}),
    "web": frozenset({"web"}),
    "kg+doc": frozenset({"kg", "doc"}),
    "kg+web": frozenset({"kg", "web"}),
    "doc+web": frozenset({"doc", "web"}),
    "hybrid": frozenset({"kg", "doc", "web"}),
}


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ItemEntity(_Record):
    """An entity of the graph; `accepted` are all names and ids that a right answer may say."""

    entity_id: str
    name: str
    category: str
    type: str  # of the paper
    accepted: tuple[str, ...] = ()


class GoldEdge(_Record):
    """An edge of the gold graph, read from source to target, for the answer it belongs to."""

    hop: int  # from 1
    answer_id: str
    source_id: str
    target_id: str
    phrase: str
    predicate: str
    relation_ids: tuple[str, ...]


class HopQuery(_Record):
    """A query for one hop, or for a chain of several."""

    kind: Literal["hop", "chain"]
    hops: tuple[int, ...]
    text: str


class EvidenceUnit(_Record):
    """A witness of a hop: an edge of the graph, a sentence of an article, or a record of the web."""

    source: Source
    hop: int
    text: str
    entity_ids: tuple[str, ...]
    mentions: tuple[str, ...]  # as the text writes them
    phrase: str
    query: str  # that found it; empty for what the edge itself cites
    prior: float  # of the source
    score: float | None  # confidence of the provenance, where the source gives one
    relation_id: str = ""
    article_id: str = ""
    chunk_id: str = ""
    start: int = 0
    end: int = 0
    address: str = ""
    retrieved: str = ""


class Item(_Record):
    """A question with its answer, its gold graph and its evidence."""

    schema_version: Literal["biomedhop-items/1"] = SCHEMA
    item_id: str
    family: Family
    pattern: str
    corpus: str
    graph_version: str
    stem: str
    answer_type: str
    answers: tuple[ItemEntity, ...]
    exposed: tuple[ItemEntity, ...]
    hidden: tuple[ItemEntity, ...]  # on the way to the answers
    options: tuple[str, ...] = ()
    correct: str = ""  # letter of the right option
    gold: tuple[GoldEdge, ...]
    queries: tuple[HopQuery, ...]
    evidence: tuple[EvidenceUnit, ...] = ()

    @property
    def count(self) -> int:
        """Number of answers."""
        return len(self.answers)

    @property
    def multiple_choice(self) -> str:
        """The question with its options."""
        return render_options(self.stem, self.options)

    @property
    def correct_index(self) -> int:
        """Position of the right option."""
        return LETTERS.index(self.correct)

    def exposed_evidence(self, condition: Condition) -> tuple[EvidenceUnit, ...]:
        """The evidence that a source condition shows."""
        return tuple(unit for unit in self.evidence if unit.source in CONDITIONS[condition])


def write_items(path: Path, items: Iterable[Item]) -> int:
    """Write items as JSON lines, all or nothing; returns how many."""
    count = 0
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        for item in items:
            file.write(item.model_dump_json() + "\n")
            count += 1
    return count


def read_items(path: Path) -> Iterator[Item]:
    """Items of a file.

    Raises
    ------
    BenchmarkFileError
        If the file cannot be read or a line is no item of this version of the schema.

    """
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                yield _item(path, number, line)
    except (OSError, UnicodeDecodeError) as error:
        raise BenchmarkFileError(
            f"{path} cannot be read ({error}). Build items with `kg bench build-multihop CORPUS`."
        ) from error


def _item(path: Path, number: int, line: str) -> Item:
    try:
        found = json.loads(line)
        version = found.get("schema_version") if isinstance(found, dict) else None
        if version != SCHEMA:
            raise BenchmarkFileError(
                f"{path}, line {number}: this program reads {SCHEMA}, not {version}. Build the items anew with `kg bench build-multihop`."
            )
        return Item.model_validate_json(line)
    except (json.JSONDecodeError, ValidationError) as error:
        raise BenchmarkFileError(f"{path}, line {number} is no item: {error}.") from error
