"""Find the words of a chunk that carry a name: mentions that are known, or else the words themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kg_pipeline.extraction.grounding.quotes import find_name, fold
from kg_pipeline.text.abbreviations import Definition
from kg_pipeline.text.definitions import definition_at

Span = tuple[int, int]

NAMED_THING = "biolink:NamedThing"
#: Biolink categories that a model may give to an entity; anything else becomes `NAMED_THING`.
CATEGORIES = (
    "AnatomicalEntity",
    "Behavior",
    "BiologicalProcess",
    "Cell",
    "CellLine",
    "CellularComponent",
    "ChemicalEntity",
    "Disease",
    "Drug",
    "EnvironmentalExposure",
    "Food",
    "Gene",
    "GeneFamily",
    "MacromolecularComplex",
    "MicroRNA",
    "MolecularActivity",
    "NamedThing",
    "OrganismTaxon",
    "Pathway",
    "PhenotypicFeature",
    "Procedure",
    "Protein",
    "SequenceVariant",
    "SmallMolecule",
)


@dataclass(frozen=True, slots=True)
class MentionSpan:
    """A mention of the article; offsets are code points into the document's text."""

    mention_id: str
    start: int
    end: int
    text: str
    normal_form: str
    category: str
    concept_id: str | None


def biolink_category(name: str) -> str:
    """`biolink:Disease` for `Disease` or `biolink:disease`; `NAMED_THING` for what is not in `CATEGORIES`."""
    return _BY_KEY.get(name.strip().removeprefix("biolink:").replace(" ", "").casefold(), NAMED_THING)


_BY_KEY = {name.casefold(): f"biolink:{name}" for name in CATEGORIES}


@dataclass(frozen=True, slots=True)
class ChunkAnchors:
    """Where names stand in one chunk, `document_text[start:end]`."""

    article_id: str
    document_text: str
    start: int
    end: int
    definitions: tuple[Definition, ...]

    def find(self, name: str, category: str, mentions: Sequence[MentionSpan]) -> list[MentionSpan]:
        """Mentions that carry the name; failing that, new ones where it stands in the text."""
        names = self._names(name)
        wanted = {key for each in names for key in keys_of(each)}
        known = [
            mention
            for mention in mentions
            if (keys_of(mention.text) | keys_of(mention.normal_form)) & wanted
            and self._speaks_of(mention.start, mention.end)
        ]
        if known:
            return known
        chunk_text = self.document_text[self.start : self.end]
        for each in names:
            spans = [(start + self.start, end + self.start) for start, end in find_name(chunk_text, each)]
            # Inside a longer mention the words speak of something else: "insulin" in "insulin resistance".
            free = [span for span in spans if not any(_within(span, mention) for mention in mentions)]
            new = [self._mention(span, category) for span in free if self._speaks_of(*span)]
            if new:
                return new
        return []

    def _names(self, name: str) -> list[str]:
        """The name, then its long and short forms."""
        bare = name.strip()
        longs = {fold(d.long): d.long for d in self.definitions if d.short == bare}
        if len(longs) > 1:
            return [bare]  # the article uses it for two things; only the surface can tell
        shorts = [d.short for d in self.definitions if fold(d.long) == fold(bare)]
        return list(dict.fromkeys([bare, *longs.values(), *shorts]))

    def _mention(self, span: Span, category: str) -> MentionSpan:
        start, end = span
        text = self.document_text[start:end]
        definition = definition_at(self.definitions, text, start)
        return MentionSpan(
            mention_id=f"{self.article_id}:{start}-{end}",
            start=start,
            end=end,
            text=text,
            normal_form=definition.long if definition else text,
            category=biolink_category(category),
            concept_id=None,
        )

    def _speaks_of(self, start: int, end: int) -> bool:
        """Whether the words around do not turn the name into its opposite: "X-independent", "anti-X", "non-X"."""
        before = self.document_text[max(0, start - 6) : start]
        after = self.document_text[end : end + 16]
        return not _TURNED_BEFORE.search(before) and not _TURNED_AFTER.match(after)


_TURNED_BEFORE = re.compile(r"(?<![^\W_])(?:anti|non|pro)[-‐‑–\s]?$", re.IGNORECASE)
_TURNED_AFTER = re.compile(
    r"[-‐‑–](?:independent|free|insensitive|unrelated|naive|naïve)\b| independent\b(?! of)", re.I
)


def keys_of(name: str) -> frozenset[str]:
    """Folded form, and that of the singular."""
    key = fold(name)
    if len(key) > 4 and key.endswith("s") and not key.endswith(("ss", "is", "us")):
        return frozenset({key, key[:-1]})
    return frozenset({key}) - {""}


def _within(span: Span, mention: MentionSpan) -> bool:
    return mention.start <= span[0] and span[1] <= mention.end and (mention.start, mention.end) != span
