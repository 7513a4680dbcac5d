"""Build the items of a benchmark from a graph version: quotas by the paper's shares, seeded picks, validation, evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from kg_pipeline.fingerprint import short_digest
from kg_pipeline.graph.reader import GraphReader
from retrieval.evaluation.biomedhop.clarity import unclear
from retrieval.evaluation.biomedhop.distractors import Distractors
from retrieval.evaluation.biomedhop.evidence import DocumentSearch, attach
from retrieval.evaluation.biomedhop.items import GoldEdge, Item, ItemEntity
from retrieval.evaluation.biomedhop.leakage import leaks
from retrieval.evaluation.biomedhop.motifs import Motif, Witness
from retrieval.evaluation.biomedhop.paths import find_paths
from retrieval.evaluation.biomedhop.patterns import FAMILIES, Family, Patterns, load_patterns
from retrieval.evaluation.biomedhop.queries import hop_queries
from retrieval.evaluation.biomedhop.rendering import LETTERS, render_stem
from retrieval.evaluation.biomedhop.stars import find_intersections, find_pairs
from retrieval.evaluation.biomedhop.steps import StepTables
from retrieval.evaluation.biomedhop.typed_graph import TypedGraph
from retrieval.passages.sentences import Splitter

Find = Callable[[np.random.Generator, int, Mapping[Family, int]], Iterator[Motif]]
Finders = Mapping[str, tuple[float, Find]]  # by pattern, with its share
_BATCH = 500  # items whose evidence is read at once
_ANSWERS = 3  # items of a family with the same answers, however few items there are
_ANSWER_SHARE = 0.05
_ROUNDS = 3  # of giving to others what a family could not fill


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """How many items, and how they are picked."""

    items: int = 1000
    seed: int = 0
    tries_an_item: int = 40
    least_tries: int = 2000  # of one pattern
    passages_a_hop: int = 1  # found by text search besides the sentences that edges cite
    least_sentences: int = 1  # that state an edge; the paper's graphs are curated, and count none


@dataclass(slots=True)
class Built:
    """Items with what became of the motifs that were found."""

    items: list[Item] = field(default_factory=list)
    wanted: dict[Family, int] = field(default_factory=dict)  # by the paper's shares
    rejected: Counter[str] = field(default_factory=Counter)
    motifs: Counter[tuple[Family, str]] = field(default_factory=Counter)  # met, by family and pattern


@dataclass(slots=True)
class _Work:
    """State of a build."""

    graph: TypedGraph
    patterns: Patterns
    tables: StepTables
    distractors: Distractors
    settings: BuildSettings
    corpus: str
    version: str
    built: Built = field(default_factory=Built)
    seen: set[tuple[object, ...]] = field(default_factory=set)
    counts: Counter[Family] = field(default_factory=Counter)
    answers: Counter[tuple[Family, tuple[int, ...]]] = field(default_factory=Counter)
    targets: dict[Family, int] = field(default_factory=dict)  # wanted, and what others have left over


def build_items(
    folder: Path,
    reader: GraphReader,
    split: Splitter | None,
    settings: BuildSettings,
    patterns: Patterns | None = None,
) -> Built:
    """Build items from a version directory that `reader` reads; the same version, patterns and settings give the same items.

    Patterns that a graph has too few motifs for leave their share to the others of their family, and families to the other
    families: a sparse graph has few closed sets to count.

    Raises
    ------
    CorruptGraphError
        If the directory is damaged.

    """
    graph = TypedGraph.open(folder, least_sentences=settings.least_sentences)
    patterns = patterns or load_patterns()
    tables = StepTables(graph, patterns)
    manifest = reader.manifest
    distractors = Distractors(tables, reader)
    work = _Work(graph, patterns, tables, distractors, settings, manifest.corpus, manifest.version)
    for family in FAMILIES:
        work.built.wanted[family] = round(settings.items * patterns.family_shares[family])
    work.targets = dict(work.built.wanted)
    groups: list[tuple[Sequence[Family], Finders]] = [
        (("entity_pair",), _pair_finders(work)),
        (("intersection",), _clue_finders(work)),
        (("path", "count"), _path_finders(work)),
    ]
    for families, finders in groups:
        _fill(work, families, finders, number=0)
    _share_out(work, groups)
    search = DocumentSearch(reader, split, settings.passages_a_hop)
    items = work.built.items
    for start in range(0, len(items), _BATCH):
        items[start : start + _BATCH] = attach(items[start : start + _BATCH], reader, search)
    items.sort(key=lambda item: (FAMILIES.index(item.family), item.pattern, item.item_id))
    return work.built


def _pair_finders(work: _Work) -> Finders:
    def finder(number: int) -> Find:
        pair = work.patterns.pairs[number]
        return lambda source, tries, _: find_pairs(work.tables, pair, source, tries)

    return {pair.id: (pair.share, finder(number)) for number, pair in enumerate(work.patterns.pairs)}


def _clue_finders(work: _Work) -> Finders:
    def finder(number: int) -> Find:
        pattern = work.patterns.clues.patterns[number]
        return lambda source, tries, _: find_intersections(work.tables, pattern, source, tries)

    found = work.patterns.clues.patterns
    return {pattern.id: (1.0, finder(number)) for number, pattern in enumerate(found)}


def _path_finders(work: _Work) -> Finders:
    def finder(number: int) -> Find:
        metapath = work.patterns.metapaths[number]
        return lambda source, tries, quotas: find_paths(work.tables, metapath, source, tries, quotas)

    return {path.id: (1.0, finder(number)) for number, path in enumerate(work.patterns.metapaths)}


def _share_out(work: _Work, groups: Sequence[tuple[Sequence[Family], Finders]]) -> None:
    """Give what some families could not fill to those that had enough, by the paper's shares, while they find more."""
    shares = work.patterns.family_shares
    for number in range(1, _ROUNDS + 1):
        missing = sum(work.built.wanted.values()) - len(work.built.items)
        able = [family for family in FAMILIES if work.counts[family] >= work.targets[family] > 0]
        if missing <= 0 or not able:
            return
        whole = sum(shares[family] for family in able)
        left = missing
        for family in FAMILIES:
            extra = min(int(np.ceil(missing * shares[family] / whole)), left) if family in able else 0
            work.targets[family] = work.counts[family] + extra
            left -= extra
        for families, finders in groups:
            _fill(work, families, finders, number=number)


def _fill(work: _Work, families: Sequence[Family], finders: Finders, *, number: int) -> None:
    """Fill the quotas of families: first each pattern its share, then whichever pattern still finds something."""
    total = sum(share for share, _ in finders.values())
    for is_last in (False, True):
        for pattern, (share, find) in finders.items():
            part = 1.0 if is_last else share / total
            quotas = {
                family: min(
                    int(np.ceil(work.targets[family] * part)),
                    work.targets[family] - work.counts[family],
                )
                for family in families
            }
            if any(quota > 0 for quota in quotas.values()):
                _take(work, pattern, find, quotas, number=2 * number + is_last)


def _take(work: _Work, pattern: str, find: Find, quotas: dict[Family, int], *, number: int) -> None:
    settings = work.settings
    # Seeded by the pattern's name, so that a pattern added to the file leaves the picks of the others alone.
    source = np.random.default_rng(
        [settings.seed, int(short_digest(*sorted(quotas), pattern, number), 16) % 2**32]
    )
    tries = max(settings.tries_an_item * max(sum(quotas.values()), 1), settings.least_tries)
    for motif in find(source, tries, quotas):
        work.built.motifs[motif.family, pattern] += 1
        if motif.key in work.seen:
            work.built.rejected["same question again"] += 1
            continue
        if work.answers[motif.family, motif.answers] >= _most(work, motif.family):
            work.built.rejected["the same answer too often"] += 1
            continue
        item = _item(work, motif, source)
        if item is None:
            continue
        work.seen.add(motif.key)
        work.built.items.append(item)
        work.counts[motif.family] += 1
        work.answers[motif.family, motif.answers] += 1
        quotas[motif.family] -= 1
        if all(quota <= 0 for quota in quotas.values()):
            return


def _most(work: _Work, family: Family) -> int:
    """How many items of a family may have one answer or one set of them, so that none is right by habit."""
    return max(_ANSWERS, int(np.ceil(_ANSWER_SHARE * work.targets[family])))


def _item(work: _Work, motif: Motif, source: np.random.Generator) -> Item | None:
    graph = work.graph
    stem = render_stem(motif, work.patterns, graph)
    answers = tuple(_entity(graph, number, motif.answer_type) for number in motif.answers)
    if why := unclear(motif, graph):
        work.built.rejected[why] += 1
        return None
    named = [graph.names[number] for number in motif.exposed]
    if leaks(stem, named, (answer.accepted for answer in answers)):
        work.built.rejected["the question gives the answer away"] += 1
        return None
    options: tuple[str, ...] = ()
    correct = ""
    if motif.family != "count":
        wrong = work.distractors.pick(motif, source)
        if wrong is None:
            work.built.rejected["too few distractors"] += 1
            return None
        at = int(source.integers(len(wrong) + 1))
        numbers = [*wrong[:at], motif.answers[0], *wrong[at:]]
        options, correct = tuple(graph.names[number] for number in numbers), LETTERS[at]
    exposed = tuple(
        _entity(graph, slot.entity, slot.type_name) for slot in motif.slots if slot.entity is not None
    )
    hidden = _hidden(graph, motif)
    gold = tuple(edge for witness in motif.witnesses for edge in _edges(graph, motif, witness))
    first = [edge for edge in gold if edge.answer_id == answers[0].entity_id]
    return Item(
        item_id=short_digest(work.version, motif.family, motif.pattern, stem),
        family=motif.family,
        pattern=motif.pattern,
        corpus=work.corpus,
        graph_version=work.version,
        stem=stem,
        answer_type=motif.answer_type,
        answers=answers,
        exposed=exposed,
        hidden=hidden,
        options=options,
        correct=correct,
        gold=gold,
        queries=hop_queries(first, (*exposed, *hidden, *answers)),
    )


def _hidden(graph: TypedGraph, motif: Motif) -> tuple[ItemEntity, ...]:
    """Entities on the way to the answers, each once."""
    found: dict[int, str] = {}
    for witness in motif.witnesses:
        for slot in motif.hidden():
            found.setdefault(witness.entities[slot], motif.slots[slot].type_name)
    return tuple(_entity(graph, number, found[number]) for number in sorted(found))


def _edges(graph: TypedGraph, motif: Motif, witness: Witness) -> Iterator[GoldEdge]:
    answer = graph.ids[witness.entities[motif.answer_slot]]
    for number, (hop, edges) in enumerate(zip(motif.hops, witness.edges, strict=True), 1):
        yield GoldEdge(
            hop=number,
            answer_id=answer,
            source_id=graph.ids[witness.entities[hop.source]],
            target_id=graph.ids[witness.entities[hop.target]],
            phrase=hop.reading.label,
            predicate=hop.reading.predicate,
            relation_ids=tuple(graph.relation_id(edge) for edge in edges),
        )


def _entity(graph: TypedGraph, number: int, type_name: str) -> ItemEntity:
    return ItemEntity(
        entity_id=graph.ids[number],
        name=graph.names[number],
        category=graph.category(number),
        type=type_name,
        accepted=graph.accepted(number),
    )
