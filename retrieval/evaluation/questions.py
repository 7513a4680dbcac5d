"""Questions with their answers and gold passages, whichever benchmark they come from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from kg_pipeline.fingerprint import digest

Half = Literal["tune", "test"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a benchmark's corpus."""

    passage_id: str
    title: str
    text: str

    @property
    def titled(self) -> str:
        """Title and text, as they are searched: many passages name their subject in the title only."""
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class QaQuestion:
    """A question; `answers` are all accepted ones, the canonical one first."""

    question_id: str
    text: str
    answers: tuple[str, ...]
    gold: frozenset[str]  # ids of the passages that must be read to answer
    kind: str  # the benchmark's own type: "2hop", "bridge", "comparison", …

    @property
    def half(self) -> Half:
        """Fixed split by hash of the id, so that what is tuned on one half can be reported on the other."""
        return "tune" if int(digest("half", self.question_id)[:8], 16) % 2 == 0 else "test"


@dataclass(frozen=True, slots=True)
class QaBenchmark:
    """Passages, each once and in the order first met, and questions about them."""

    passages: tuple[Passage, ...]
    questions: tuple[QaQuestion, ...]


def passage_id(title: str, text: str) -> str:
    """Stable id of a passage; benchmarks repeat titles for different texts."""
    return digest("passage", title, text)[:16]


def make_passage(title: str, text: str) -> Passage:
    """A passage with its id."""
    return Passage(passage_id(title, text), title, text)


def distinct(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """Each passage once, in the order first met."""
    return tuple({passage.passage_id: passage for passage in reversed(list(passages))}.values())[::-1]
