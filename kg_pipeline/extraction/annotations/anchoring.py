"""Which mention of a stretch of text an end of a brought-in relation is.

The words decide: what the source says stands there has to stand there. Identifiers choose between mentions that carry
the name, and between the concepts that our own vocabulary has for one; only where a source gives no name that is in the
text do they find the mention alone. A wrong identifier therefore joins nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kg_pipeline.extraction.annotations.records import BroughtEntity
from kg_pipeline.extraction.annotations.references import CrossReferences
from kg_pipeline.extraction.grounding.anchors import ChunkAnchors, MentionSpan, Span, keys_of
from kg_pipeline.extraction.grounding.quotes import find_name, fold
from kg_pipeline.text.abbreviations import Definition
from kg_pipeline.vocabulary.categories import compatible


@dataclass(frozen=True, slots=True)
class Choice:
    """A concept that a mention may be, as the vocabulary offers it."""

    concept_id: str
    category: str


_fold = lru_cache(maxsize=65_536)(fold)
_keys = lru_cache(maxsize=65_536)(keys_of)


def _start(mention: MentionSpan) -> int:
    return mention.start


@dataclass(frozen=True, slots=True)
class Anchoring:
    """What anchors are looked for in; mentions in document order.

    `choices` are of mentions whose concept is open, by the mention's id.
    """

    article_id: str
    document_text: str
    mentions: tuple[MentionSpan, ...]
    definitions: tuple[Definition, ...]
    choices: Mapping[str, Sequence[Choice]]
    references: CrossReferences

    def find(self, entity: BroughtEntity, place: Span) -> list[MentionSpan]:
        """Mentions at the place that the entity can be: those that its identifiers agree with, else those of its name.

        An open mention comes back with its concept where the identifiers choose one of those it may be.
        """
        start, end = place
        first = bisect_left(self.mentions, start, key=_start)
        last = bisect_left(self.mentions, end, lo=first, key=_start)
        inside = [each for each in self.mentions[first:last] if each.end <= end]
        chunk = ChunkAnchors(self.article_id, self.document_text, start, end, self.definitions)
        concepts = self.references.concepts(entity.identifiers)
        category = entity.category.removeprefix("biolink:")
        for name in entity.names:
            named = [
                self._chosen(mention, concepts)
                for mention in chunk.find(name, category, inside)
                if compatible(mention.category, entity.category)
            ]
            if named:
                agreeing = [mention for mention in named if mention.concept_id in concepts]
                return agreeing or named
        chosen = [self._chosen(mention, concepts) for mention in inside]
        return [mention for mention in chosen if mention.concept_id in concepts]

    def places(self, entity: BroughtEntity) -> list[int]:
        """Offsets, in order, at which `find` may have something; looks through the text once and not sentence by sentence."""
        names = set(entity.names)
        folded = {_fold(name) for name in names}
        for definition in self.definitions:
            if definition.short in names:
                names.add(definition.long)
            elif _fold(definition.long) in folded:
                names.add(definition.short)
        keys = {key for name in names for key in _keys(name)}
        concepts = self.references.concepts(entity.identifiers)
        known = [
            mention.start
            for mention in self.mentions
            if (_keys(mention.text) | _keys(mention.normal_form)) & keys
            or self._chosen(mention, concepts).concept_id in concepts
        ]
        written = [start for name in sorted(names) for start, _ in find_name(self.document_text, name)]
        return sorted({*known, *written})

    def _chosen(self, mention: MentionSpan, concepts: frozenset[str]) -> MentionSpan:
        if mention.concept_id is not None:
            return mention
        fitting = [each for each in self.choices.get(mention.mention_id, ()) if each.concept_id in concepts]
        if len({each.concept_id for each in fitting}) != 1:
            return mention
        return replace(mention, concept_id=fitting[0].concept_id, category=fitting[0].category)
