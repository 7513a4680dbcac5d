"""The concept of each mention of an article, once its span and its kind are settled.

Every mention is linked by `kg_pipeline.vocabulary.linking.links`, however it was found, so that a name has one concept whether
the vocabulary or the recogniser saw it. Only links to the same thing are taken; a mention that could be of several kinds
and that the recogniser did not see stays open.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from kg_pipeline.extraction.mentions.mention import MAX_CANDIDATES, Mention
from kg_pipeline.vocabulary.categories import group_of
from kg_pipeline.vocabulary.index.lookup import Candidate, Vocabulary
from kg_pipeline.vocabulary.linking.article_context import ArticleContext
from kg_pipeline.vocabulary.linking.links import Link, link, standard


class MentionLinker:
    """Links the mentions of one article; a name is linked once, or once a place where its words change their meaning."""

    def __init__(self, vocabulary: Vocabulary, context: ArticleContext) -> None:
        self._vocabulary, self._context = vocabulary, context
        self._known: dict[tuple[str, str, str | None, int], tuple[Link | None, tuple[Link, ...]]] = {}
        meanings = Counter(short for short, _ in {(one.short, one.long) for one in context.definitions})
        self._changing = frozenset(short for short, count in meanings.items() if count > 1)

    def linked(self, mention: Mention) -> Mention:
        """The mention with its concept, None where that is not clear, and a short form with what it stands for."""
        long = self._context.long_form(mention.text, mention.start)
        normal_form = mention.normal_form if long is None else long
        if mention.concept_id is None and len({group_of(one.category) for one in mention.candidates}) > 1:
            return replace(mention, normal_form=normal_form)
        best, links = self._links(mention, long)
        found = [one.candidate for one in (*([best] if best else []), *links)] + list(mention.candidates)
        candidates: dict[str, Candidate] = {}
        for one in found:
            candidates.setdefault(one.concept_id, one)
        return replace(
            mention,
            normal_form=normal_form,
            category=_category(mention.category, best.candidate) if best else mention.category,
            concept_id=best.candidate.concept_id if best else None,
            candidates=tuple(candidates.values())[:MAX_CANDIDATES],
        )

    def _links(self, mention: Mention, long: str | None) -> tuple[Link | None, tuple[Link, ...]]:
        place = 0 if self._changing.isdisjoint(mention.text.split()) else mention.start
        key = (mention.text, mention.category, long, place)
        if key not in self._known:
            links = link(mention.text, mention.category, self._vocabulary, self._context, mention.start)
            best = standard(links, self._vocabulary, self._context.supported)
            self._known[key] = best, tuple(one for one in links if one.is_same)
        return self._known[key]


def _category(found: str, concept: Candidate) -> str:
    """The category of the concept where it is of the kind that was found, so that a concept has one category."""
    return concept.category if group_of(concept.category) == group_of(found) else found
