"""What every source of articles offers, and what it may rely on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from kg_pipeline.pmc.remote.outcomes import Fetched, Listed, Wanted


class Keeper(Protocol):
    """Remembers what was fetched, so that nothing is fetched twice. Safe for threads."""

    def known(self, service: str, wanted: Wanted) -> Fetched | None:
        """The article as it was fetched before; None if it is not there, or is another version or file."""
        ...

    def keep(self, service: str, article: Fetched) -> Fetched:
        """Store the article before anything else is done with it; returns it."""
        ...


class ArticleService(Protocol):
    """Articles over HTTP. Both methods give one result for each id, in the order asked."""

    @property
    def name(self) -> str:
        """Short name, part of the keys under which articles are remembered."""
        ...

    def look_up(self, wanted: Sequence[Wanted]) -> Iterator[Listed]:
        """What there is, without the texts."""
        ...

    def fetch(self, wanted: Sequence[Wanted], keeper: Keeper) -> Iterator[Fetched]:
        """The texts. What `keeper` knows is not asked for again."""
        ...
