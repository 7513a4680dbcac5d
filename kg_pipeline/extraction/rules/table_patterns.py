"""Rows of tables that state a relation by the heading of a column: "Belimumab: Target BAFF".

A row reaches the text as one sentence: "Table 1, Belimumab: Class Monoclonal antibody; Target BAFF." (the label of
the table, the row's own heading, then each column's heading and cell). Only a cell that is a name, in a
column whose heading is a role, of a row that is headed by a name, states something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kg_pipeline.extraction.grounding.triples import MentionSpan
from kg_pipeline.extraction.lexicon.inflection import singular
from kg_pipeline.extraction.lexicon.predicate_lexicon import ROLE_NOUNS, Meaning
from kg_pipeline.extraction.syntax.sentence_parser import Sentence
from kg_pipeline.vocabulary.categories import CHEMICAL, group_of
from kg_pipeline.vocabulary.domains import fits

#: Roles that mean the same as the heading of a column as they do in a sentence.
_HEADINGS: dict[str, Meaning] = {
    noun: ROLE_NOUNS[noun]
    for noun in (
        "activator", "agonist", "antagonist", "biomarker", "blocker", "complication", "inhibitor", "ligand",
        "manifestation", "marker", "metabolite", "precursor", "substrate", "symptom", "target",
    )
    if noun in ROLE_NOUNS
}  # fmt: skip
#: Confidence of a cell; the stage lowers it further for all that comes from a table.
CONFIDENCE = 0.7
_ROW = re.compile(r"(?:Supplementary )?tab(?:le|\.)? ?[\w.-]*, (?P<heading>[^:;]+): ", re.IGNORECASE)
_CELL = re.compile(r"[^;]+")
#: An entry of a list of abbreviations: "PKA, protein kinase A;", "ST: starvation therapy;".
_ENTRY = re.compile(r"(?:^|[;:.] )[A-Z0-9][\w+/-]{0,8}[A-Z0-9]\w?\s?[:,=] ")
_FEWEST_ENTRIES = 3
_DOUBT = re.compile(
    r"\b(candidate|possible|potential|putative|proposed|predicted|suggested)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell states of the row's heading."""

    head: MentionSpan
    tail: MentionSpan
    predicate: str
    predicate_text: str
    speculative: bool


def is_row(text: str) -> bool:
    """Whether the sentence is a row of a table."""
    return _ROW.match(text) is not None


def is_glossary(text: str) -> bool:
    """Whether the sentence lists abbreviations, as below a table: what stands in a name is no statement."""
    return text.count(";") >= _FEWEST_ENTRIES - 1 and len(_ENTRY.findall(text)) >= _FEWEST_ENTRIES


def cells(sentence: Sentence) -> Iterator[Cell]:
    """What the cells of a row state, in order."""
    row = _ROW.match(sentence.text)
    if row is None:
        return
    named = _filling(sentence, row.start("heading"), row.end("heading"))
    if named is None or named.start - sentence.start != row.start("heading"):
        return
    for cell in _CELL.finditer(sentence.text, row.end()):
        end = cell.start() + len(cell.group().rstrip(" ."))
        held = _filling(sentence, cell.start(), end)
        if held is None:
            continue
        heading = sentence.text[cell.start() : held.start - sentence.start].strip()
        meaning = _HEADINGS.get(singular(heading.split()[-1])) if heading else None
        if meaning is None:
            continue
        head, tail = (named, held) if meaning.inverted else (held, named)
        # The "target" of a tumour is not what the tumour targets, but what drugs against it do.
        is_means = meaning.predicate != "targets" or group_of(head.category) == CHEMICAL
        if is_means and fits(meaning.predicate, head.category, tail.category):
            yield Cell(head, tail, meaning.predicate, heading, _DOUBT.search(heading) is not None)


def _filling(sentence: Sentence, start: int, end: int) -> MentionSpan | None:
    """The longest mention that reaches up to `end` from within the span."""
    inside = [
        mention
        for mention in sentence.mentions
        if mention.end - sentence.start == end and mention.start - sentence.start >= start
    ]
    return min(inside, key=lambda mention: mention.start, default=None)
