"""The look-up index: names to concepts, memory-mapped, safe for many readers.

A vocabulary is a folder made by `kg_pipeline.vocabulary.index.build`: a trie from folded names to places
among all names (`name_keys`); a trie of the names as they are written (`concept_names`); `concepts.arrow`, the concept
columns sorted by identifier, names by their number in that trie, without the preferred name, which is the first of them;
`orthologs.arrow`, which gene of another species corresponds to a gene; and the index of similar names (`name_grams`),
numbered as the keys of the first trie. All open by memory map, so opening costs no more than a few
file operations and processes share the pages.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from kg_pipeline.errors import ModelError
from kg_pipeline.vocabulary.categories import DISORDER, group_of, priority
from kg_pipeline.vocabulary.index.concept_names import ConceptNames
from kg_pipeline.vocabulary.index.name_grams import NameGrams
from kg_pipeline.vocabulary.index.name_keys import NameKeys
from kg_pipeline.vocabulary.matcher import TrieKeys, find_spans
from kg_pipeline.vocabulary.names.symbols import case_cost, case_form, is_symbol
from kg_pipeline.vocabulary.names.typing_errors import one_edit
from kg_pipeline.vocabulary.names.variants import normal_key, variants
from kg_pipeline.vocabulary.names.words import words

CONCEPTS_FILE = "concepts.arrow"
ORTHOLOGS_FILE = "orthologs.arrow"

#: How far a source can be trusted with its preferred name, and with its other names.
_TRUST: dict[str, tuple[float, float]] = {
    "KG": (1.0, 0.97),
    "HGNC": (1.0, 0.8),
    "FPLX": (0.98, 0.95),
    "MONDO": (1.0, 0.88),
    "DOID": (0.97, 0.86),
    "UMLS": (1.0, 0.9),
    "MESH": (0.96, 0.88),
    # Names that are filed under a heading and are none of its synonyms, each a concept of its own.
    "FILED": (0.88, 0.86),
    "CHEBI": (0.95, 0.88),
    "GO": (0.9, 0.78),
    # Symbols of model organisms: below the human gene where both are written alike, above it in their own case.
    "MGI": (0.92, 0.75),
    "RGD": (0.85, 0.7),
}
#: Sources of genes of other species than ours; in running text their symbols must not be mere letters (Kit, Was).
_FOREIGN = ("MGI:", "RGD:")
_DEFAULT_TRUST = (0.9, 0.8)
#: Behind the source: how many names after the preferred one our own supplement gives.
_REVIEWED = "+KG"
_REVIEWED_TRUST = 0.98
#: The approved name of a gene, which stands second in its names, is as good as a synonym of a curated vocabulary.
_GENE_NAME_TRUST = 0.9
_DERIVED_COST = 0.02
_SYMBOL_COST = 0.05
#: Synonyms of at most this many letters and no capitals inside are words rather than names, but for these.
_WORD_ALIAS = 4
_SHORT_NAMES = words(
    "flu acne gout rash coma pain itch cyst boil mole scar ache wart clot tic tics stye yaws sars"
)


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept of the vocabulary; `names` has the preferred name first, `parents` are its is-a parents."""

    concept_id: str
    name: str
    category: str
    names: tuple[str, ...]
    parents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A concept that a name may stand for, with how well it fits, in (0, 1]."""

    concept_id: str
    name: str
    category: str
    score: float


@dataclass(frozen=True, slots=True)
class Match:
    """A name found in a text: `text[start:end]`, and what it may stand for, best first."""

    start: int
    end: int
    candidates: tuple[Candidate, ...]


class Vocabulary:
    """An opened vocabulary. `digest` names its content and the code that folded it."""

    def __init__(self, folder: Path) -> None:
        self.digest = folder.name
        try:
            self._names = NameKeys(folder)
            table = _mapped(folder / CONCEPTS_FILE)
            orthologs = _mapped(folder / ORTHOLOGS_FILE)
            self._written = ConceptNames(folder, _columns(table)["names"])
            self._grams = NameGrams(folder, self._names.key)
        except (OSError, EOFError, RuntimeError, ValueError, pa.ArrowInvalid) as error:
            raise ModelError(
                f"The vocabulary index {folder} cannot be opened ({error}). Delete the folder; the next build makes it again."
            ) from error
        self._columns: dict[str, Any] = _columns(table)
        self._count: int = table.num_rows
        self._orthologs = _columns(orthologs)
        # Bound to the instance, so that a closed vocabulary takes its caches along.
        self._read = lru_cache(maxsize=65_536)(self._candidates)
        self._keys = TrieKeys(self._names)

    def __len__(self) -> int:
        return self._count

    def lookup(self, name: str) -> list[Candidate]:
        """Concepts that have this name or a variant of its spelling, best first; equal scores by category, then id."""
        best: dict[str, Candidate] = {}
        for form in sorted(variants(name), key=lambda form: (form != name, form)):
            cost = 0.0 if form == name else _DERIVED_COST
            for candidate in self._read(normal_key(form), form):
                score = max(round(candidate.score - cost, 4), 0.01)
                known = best.get(candidate.concept_id)
                if known is None or known.score < score:
                    best[candidate.concept_id] = Candidate(
                        candidate.concept_id, candidate.name, candidate.category, score
                    )
        return _ranked(best)

    def near(self, name: str) -> list[str]:
        """Names of the vocabulary that differ from this one by one typing error, as look-up keys, in order."""
        return [key for key in one_edit(normal_key(name)) if key in self._names]

    def similar(self, name: str, least: float) -> list[tuple[str, float]]:
        """Names whose trigrams have a cosine of at least `least` with those of this one, and the cosine, nearest first."""
        found: dict[str, float] = {}
        for number, cosine in self._grams.similar(normal_key(name), least):
            for place in self._names.written(number):
                found.setdefault(self._written.at(place), cosine)
        return list(found.items())

    def match(self, text: str) -> list[Match]:
        """Names in a text: longest first from the left, on token borders, not overlapping."""
        return [
            Match(start, end, candidates)
            for start, end, candidates in find_spans(text, self._keys, self._recognise)
        ]

    def ortholog(self, concept_id: str, taxon: str) -> str | None:
        """The gene of a taxon (NCBITaxon:10090) that corresponds to a human gene, where the vocabulary knows one."""
        genes = self._orthologs["concept_id"]
        at = bisect_left(range(len(genes)), concept_id, key=lambda row: str(genes[row].as_py()))
        while at < len(genes) and genes[at].as_py() == concept_id:
            if self._orthologs["taxon"][at].as_py() == taxon:
                return str(self._orthologs["ortholog"][at].as_py())
            at += 1
        return None

    def concept(self, concept_id: str) -> Concept | None:
        """The concept of that identifier."""
        row = self._row(concept_id)
        if row is None:
            return None
        names = self._written.of(row)
        category, parents = (self._columns[name][row].as_py() for name in ("category", "parents"))
        return Concept(concept_id, names[0], category, names, tuple(parents))

    def is_a(self, child: str, ancestor: str, max_depth: int = 12) -> bool:
        """Whether `ancestor` is reached from `child` over at most `max_depth` is-a steps; a concept is not its own."""
        seen, queue = {child}, deque([(child, 0)])
        while queue:
            current, depth = queue.popleft()
            row = self._row(current)
            if row is None or depth >= max_depth:
                continue
            for parent in self._columns["parents"][row].as_py():
                if parent == ancestor:
                    return True
                if parent not in seen:
                    seen.add(parent)
                    queue.append((parent, depth + 1))
        return False

    def _row(self, concept_id: str) -> int | None:
        ids = self._columns["concept_id"]
        at = bisect_left(range(self._count), concept_id, key=lambda row: str(ids[row].as_py()))
        return at if at < self._count and ids[at].as_py() == concept_id else None

    def _recognise(self, key: str, surface: str) -> tuple[Candidate, ...]:
        """What a surface in running text may stand for; a gene of another species needs more than letters."""
        found = self._read(key, surface)
        if surface.isalpha():
            return tuple(c for c in found if not c.concept_id.startswith(_FOREIGN))
        return found

    def _candidates(self, key: str, surface: str) -> tuple[Candidate, ...]:
        best: dict[str, Candidate] = {}
        columns = self._columns
        for place, derived in self._names.places(key):
            row, position = self._written.row_and_position(place)
            name = self._written.at(place)
            cost = case_cost(name, surface)
            # Symbols of rodents are told from those of humans, and from words, by nothing but their case.
            if columns["concept_id"][row].as_py().startswith(_FOREIGN) and case_form(name) != case_form(
                surface
            ):
                continue
            if cost is None or (
                position > 0 and _is_word_alias(name, surface, columns["category"][row].as_py())
            ):
                continue
            score = round(
                _trust(columns["source"][row].as_py(), position, name) - cost - derived * _DERIVED_COST, 4
            )
            concept_id: str = columns["concept_id"][row].as_py()
            known = best.get(concept_id)
            if score > 0 and (known is None or known.score < score):
                category = columns["category"][row].as_py()
                best[concept_id] = Candidate(concept_id, self._written.preferred(row), category, score)
        return tuple(_ranked(best))


def open_vocabulary(path: Path) -> Vocabulary:
    """Open a vocabulary folder by memory map.

    Raises
    ------
    ModelError
        If the folder is missing or damaged.

    """
    return Vocabulary(path)


def _mapped(path: Path) -> Any:
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


def _columns(table: Any) -> dict[str, Any]:
    """Columns as they lie in the file; `combine_chunks` would copy them into the memory of each process."""
    columns = {name: table.column(name) for name in table.column_names}
    return {
        name: column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        for name, column in columns.items()
    }


def _is_word_alias(name: str, surface: str, category: str) -> bool:
    """Whether a short synonym of a gene or disease is written like a word (das, por, hi, Char): far more often one."""
    if len(name) > _WORD_ALIAS or not name.isalpha() or is_symbol(name) or name.lower() in _SHORT_NAMES:
        return False
    return (category == "biolink:Gene" or group_of(category) == DISORDER) and not surface.isupper()


def _trust(source: str, position: int, name: str) -> float:
    source, _, reviewed = source.partition(_REVIEWED)
    if 0 < position <= int(reviewed or 0):
        return _REVIEWED_TRUST
    preferred, other = _TRUST.get(source, _DEFAULT_TRUST)
    if position == 0:
        return preferred
    if source == "HGNC" and position == 1:
        return _GENE_NAME_TRUST
    return other - (_SYMBOL_COST if source in ("MESH", "CHEBI", "GO", "MONDO") and is_symbol(name) else 0.0)


def _ranked(best: dict[str, Candidate]) -> list[Candidate]:
    return sorted(best.values(), key=lambda c: (-c.score, priority(c.category), c.concept_id))
