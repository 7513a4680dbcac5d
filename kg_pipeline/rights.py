"""What a corpus keeps of an article in its graph, by the licence class of the article.

    [lupus.rights]
    non_commercial = "text"
    unknown = "edges"

A graph version is made to be copied and published, so by default it holds the text only of articles whose licence lets
anybody pass it on, and of the others the sentences that state a relation, as one quotes.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, model_serializer

Level = Literal["text", "quote", "edges", "skip"]
#: What each level means, for people.
MEANINGS: dict[Level, str] = {
    "text": "text and quotes are kept",
    "quote": "quotes are kept, the text is not",
    "edges": "relations are kept with their places, no sentence is",
    "skip": "the article is left out",
}


class RightsPolicy(BaseModel):
    """One level for each licence class; written in manifests as one line of text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    redistributable: Level = "text"
    non_commercial: Level = "quote"
    mining_only: Level = "quote"
    unknown: Level = "quote"

    def level(self, license_class: str) -> Level:
        """What is kept of an article of that class; a class that is not known counts as `unknown`."""
        level: Level = getattr(self, license_class, self.unknown)
        return level

    @model_serializer
    def _as_text(self) -> str:
        return " ".join(f"{name}={getattr(self, name)}" for name in type(self).model_fields)

    @classmethod
    def parse(cls, text: str) -> Self:
        """The policy that a manifest records. Graphs that were made elsewhere record none and keep everything."""
        if not text:
            return cls(redistributable="text", non_commercial="text", mining_only="text", unknown="text")
        return cls.model_validate(dict(part.split("=", 1) for part in text.split()))
