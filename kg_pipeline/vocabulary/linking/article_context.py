"""What an article says about the names in it: what its short forms mean, its species, and what it names in full."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kg_pipeline.text.abbreviations import Definition
from kg_pipeline.text.definitions import DefinitionIndex
from kg_pipeline.vocabulary.index.lookup import Match, Vocabulary
from kg_pipeline.vocabulary.linking.readings import ACCEPTED_SCORE
from kg_pipeline.vocabulary.linking.taxa import DISTANT_MODELS, Taxa, taxa_of
from kg_pipeline.vocabulary.names.symbols import is_symbol


@dataclass(frozen=True, slots=True)
class ArticleContext:
    """What is known of an article; `supported` are the concepts that it names in full, so that their symbols mean them."""

    definitions: Sequence[Definition]
    glossary: Mapping[str, str]
    taxa: Taxa
    supported: frozenset[str]
    _index: DefinitionIndex = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_index", DefinitionIndex(self.definitions))

    def long_form(self, short: str, position: int) -> str | None:
        """What a short form stands for at a position; None where the article does not say."""
        found = self._index.at(short, position)
        return found.long if found else self.glossary.get(short)

    def across_vertebrates(self) -> ArticleContext:
        """The same article with its genes read by their names alone, unless it is about yeast, flies, worms or plants.

        CTLA-4 of mice and of patients is one entity of a graph, as long as it is not written as the gene of the mouse;
        in an article about yeast the same letters are another gene.
        """
        main = self.taxa.main
        distant = main in DISTANT_MODELS and 2 * self.taxa.taxa.count(main) > len(self.taxa.taxa)
        return replace(self, taxa=Taxa((0,), (main,)) if main and distant else NO_TAXA)


NO_TAXA = Taxa((), ())
EMPTY_CONTEXT = ArticleContext((), {}, NO_TAXA, frozenset())


def article_context(
    text: str,
    definitions: Sequence[Definition],
    glossary: Mapping[str, str],
    vocabulary: Vocabulary,
    named: Collection[str] = (),
) -> ArticleContext:
    """Context of an article; `named` are concepts that it is known to name in full, besides those of its long forms."""
    long_forms = sorted({definition.long for definition in definitions} | set(glossary.values()))
    supported = {c.concept_id for long in long_forms for c in vocabulary.lookup(long)[:1]}
    return ArticleContext(definitions, glossary, taxa_of(text), frozenset(supported | set(named)))


def named_in_full(text: str, matches: Iterable[Match]) -> frozenset[str]:
    """Concepts that a text names by more than a symbol."""
    return frozenset(
        candidate.concept_id
        for match in matches
        if not is_symbol(text[match.start : match.end])
        for candidate in match.candidates
        if candidate.score >= ACCEPTED_SCORE
    )
