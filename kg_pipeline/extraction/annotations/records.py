"""What every format of brought-in annotations gives: relations of an article, each end with its names and identifiers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from kg_pipeline.extraction.grounding.triples import NAMED_THING

#: Bounds of what a record may hold, in characters or entries; the rest of a longer one is left out.
LONGEST_NAME = 300
LONGEST_QUOTE = 4_000
MOST_NAMES = 16
MOST_IDENTIFIERS = 8


@dataclass(frozen=True, slots=True)
class ArticleReference:
    """How a source names an article: any of its identifiers in the form by which articles are keyed, empty for none.

    `own` is an id of a corpus for articles that have no other (`FILE:…`).
    """

    pmcid: str = ""
    pmid: str = ""
    doi: str = ""
    own: str = ""

    def __bool__(self) -> bool:
        return bool(self.pmcid or self.pmid or self.doi or self.own)

    @property
    def keys(self) -> tuple[str, ...]:
        """One key for each identifier; DOIs are compared without regard to case."""
        found = (self.pmcid, self.pmid and f"PMID:{self.pmid}", self.doi and f"DOI:{self.doi.casefold()}")
        return tuple(key for key in (*found, self.own) if key)


@dataclass(frozen=True, slots=True)
class BroughtEntity:
    """One end of a relation.

    `names` are what the source says stands in the text, likeliest first, `identifiers` CURIEs, `category` a Biolink
    category.
    """

    names: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    category: str = NAMED_THING


@dataclass(frozen=True, slots=True)
class BroughtRelation:
    """A relation that a source says an article states.

    Parameters
    ----------
    article
        The article.
    head, tail
        Its ends, in the direction in which the source reads the relation.
    relation
        The source's word or type for it.
    quotes
        Words of the article that state it, or in which both ends are named; best first.
    is_quoted
        Whether one of the quotes has to be found. If not, they are places to look at first.
    negated, speculative
        What the source says of it.
    source
        Who found it, for example `PubTator3` or `INDRA/reach`.
    record
        Where it stands in its file.
    score
        The source's own confidence in (0, 1]; 1 where it gives none.

    """

    article: ArticleReference
    head: BroughtEntity
    tail: BroughtEntity
    relation: str
    quotes: tuple[str, ...] = ()
    is_quoted: bool = False
    negated: bool = False
    speculative: bool = False
    source: str = ""
    record: str = ""
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A record that cannot be read: the reason in one word, and where it stands in its file."""

    reason: str
    record: str


Record: TypeAlias = BroughtRelation | Unreadable
#: Whether relations of an article are wanted; readers leave out the others before they look into them.
Wanted: TypeAlias = Callable[[ArticleReference], bool]
#: Reason of a relation whose article is not wanted.
NOT_IN_CORPUS = "not_in_corpus"


def every_article(article: ArticleReference) -> bool:
    """Want relations of any article."""
    return bool(article)


def clean(value: object, longest: int = LONGEST_NAME) -> str:
    """A value of a file as one line of text, cut to a length; empty for what is no text."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(storable(str(value)[: 2 * longest]).split())[:longest].strip()


def storable(text: str) -> str:
    """The text with question marks for halves of surrogate pairs, which JSON may hold and no table can."""
    return text.encode("utf-8", errors="replace").decode()
