"""Answers of passages that are about what a question asks, where no relation of the graph and no single sentence answers.

Most questions about an article are not about a relation between two entities ("is early extubation safe after cardiac
surgery?"). Neighbouring passages of one article address such a question if they are near it and mention most of what it
is about. What they do not mention must be a matter of wording: a question whose vector comes nearer to the passages once
a word is left out asks about that word, and the passages are silent on it. That tells a question about this article
from one that differs by the drug or the disease.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kg_pipeline.graph.reader import GraphReader
from kg_pipeline.llm.embeddings import Embedder
from retrieval.evidence import Passage, Quote
from retrieval.passages.reporting import states_aim, worth
from retrieval.passages.sentences import Splitter, passage_quotes
from retrieval.questions.mention import Mentioned, Reading
from retrieval.questions.question import Question

_COMPARED = 10  # sentences whose vectors are computed
_WINDOWS = 3  # that are looked at closely
_SHARE = 0.5  # weight of what is mentioned beside cosines
_SEVERAL = 2  # things asked about
_FALL = 0.3  # how much worse than the best a further sentence may be


@dataclass(frozen=True, slots=True)
class TopicSettings:
    """When passages address a question; measured on questions about abstracts, foreign ones, and ones with a name exchanged."""

    things: int = (
        3  # names and words that a question must have to be recognised by them; of two, both are demanded
    )
    cosine: float = 0.5  # of the nearest passage to the question, at least
    share: float = 0.4  # of what is asked, that the passages must mention
    nearness: float = 0.88  # cosine of the nearest passage and half of the share mentioned, together
    gap: float = (
        0.15  # by which the nearest passage of an article that stands out is nearer than any other article's
    )
    nearness_outstanding: float = 0.8  # demanded of such an article
    sure: float = 0.6  # cosine demanded where a question has two things only
    rise_of_name: float = (
        0.03  # of the cosine, when a name that the passages lack is left out of the question
    )
    rise_of_word: float = 0.05  # or words side by side
    tried: int = 6  # such names and words at most
    reach: int = 1500  # characters between passages of an article that are read together
    passages: int = 24  # taken from the vector search
    quotes: int = 3
    finding: float = (
        0.9  # score from which findings are told alone: cosine, half the share mentioned, and their worth
    )

    def __post_init__(self) -> None:
        if self.things < 2 or self.quotes < 1 or self.passages < 1:
            raise ValueError(f"things must be at least 2, quotes and passages positive, not {self}.")


@dataclass(frozen=True, slots=True)
class Window:
    """Neighbouring passages of one article, the nearest first, with what they mention of the question."""

    passages: tuple[Passage, ...]
    cosine: float
    mentioned: Mentioned
    gap: (
        float  # how much nearer it is than the passages of every other article; 0 where no other was compared
    )

    @property
    def nearness(self) -> float:
        """Cosine and share in one number."""
        return self.cosine + _SHARE * self.mentioned.share


def windows(question: Question, passages: Sequence[Passage], settings: TopicSettings) -> list[Window]:
    """Windows that may address the question, best first, as far as can be told without a vector."""
    by_article: dict[str, list[Passage]] = {}
    for passage in sorted(passages, key=lambda passage: (-passage.score, passage.chunk.chunk_id)):
        by_article.setdefault(passage.chunk.article_id, []).append(passage)
    nearest = [group[0].score for group in by_article.values()]  # descending, as the passages are
    second = nearest[1] if len(nearest) > 1 else nearest[0] if nearest else 0.0
    found = []
    for group in by_article.values():
        best = group[0]
        if best.score < settings.cosine:
            continue
        near = tuple(passage for passage in group if _distance(passage, best) <= settings.reach)
        reading = Reading([passage.chunk.text for passage in near])
        if any(not reading.has_name(name) for name in question.unknown_names):
            continue
        window = Window(near, best.score, reading.mentions(question), max(best.score - second, 0.0))
        if _is_about(question, window, settings):
            found.append(window)
    return sorted(found, key=lambda window: -round(window.nearness, 9))[:_WINDOWS]


def _is_about(question: Question, window: Window, settings: TopicSettings) -> bool:
    things = len(question.links) + len(question.terms)
    if things < settings.things:
        whole = things > 1 and not window.mentioned.missing and (question.terms or not question.predicates)
        return bool(whole) and window.cosine >= settings.sure
    stands_out = window.gap >= settings.gap and window.nearness >= settings.nearness_outstanding
    return window.mentioned.share >= settings.share and (stands_out or window.nearness >= settings.nearness)


def _distance(one: Passage, other: Passage) -> int:
    """Characters between two passages of an article; negative where they overlap."""
    return max(one.chunk.start, other.chunk.start) - min(one.chunk.end, other.chunk.end)


@dataclass(frozen=True, slots=True)
class Topical:
    """Finds the window that addresses a question, and the sentences of it that answer best."""

    reader: GraphReader
    embedder: Embedder
    split: Splitter
    settings: TopicSettings = field(default_factory=TopicSettings)

    def quotes(self, question: Question) -> list[Quote]:
        """Sentences that answer the question, best first; none where no passages address it."""
        settings = self.settings
        hits = self.reader.nearest("chunk", question.vector, settings.passages, threshold=settings.cosine / 2)
        scores = {hit.id: hit.score for hit in hits}
        passages = [Passage(chunk, scores[chunk.chunk_id]) for chunk in self.reader.chunks(list(scores))]
        for window in windows(question, passages, settings):
            if not self._is_silent(question, window):
                return self._best(question, window)
        return []

    def _is_silent(self, question: Question, window: Window) -> bool:
        """Whether the passages say nothing of something that the question is about."""
        names = {link.text for link in question.links}
        missing = _phrases(question.text, window.mentioned.missing)[: self.settings.tried]
        if not missing:
            return False
        ids = [passage.chunk.chunk_id for passage in window.passages]
        vectors = self.embedder.embed([_without(question.text, phrase) for phrase in missing])
        for phrase, vector in zip(missing, vectors, strict=True):
            rise = max(self.reader.similarities("chunk", ids, vector)) - window.cosine
            if rise > (self.settings.rise_of_name if phrase in names else self.settings.rise_of_word):
                return True
        return False

    def _best(self, question: Question, window: Window) -> list[Quote]:
        """The sentences nearest to the question, findings before aims and methods."""
        alone = len(question.links) + len(question.terms) < self.settings.things  # all of it in one sentence
        distinct: dict[tuple[str, int, int], tuple[float, Quote]] = {}
        whole: set[tuple[str, int, int]] = set()
        for passage in window.passages:
            for quote in passage_quotes(passage, self.split):
                mentioned = Reading([quote.text]).mentions(question)
                distinct[quote.key] = (_SHARE * mentioned.share + worth(quote), quote)
                whole |= set() if mentioned.missing else {quote.key}
        if alone and (whole or window.gap < self.settings.gap):
            distinct = {key: row for key, row in distinct.items() if key in whole}
        distinct = _naming_most(question, distinct)
        rows = sorted(distinct.values(), key=lambda row: (-row[0], row[1].key))[:_COMPARED]
        if not rows:
            return []
        vectors = self.embedder.embed([quote.text for _, quote in rows])
        scored = [
            (round(weight + float(vector @ question.vector), 6), quote)
            for (weight, quote), vector in zip(rows, vectors, strict=True)
        ]
        scored.sort(key=lambda row: (-row[0], row[1].key))
        findings = [row for row in scored if worth(row[1]) > 0]
        if findings and findings[0][0] >= self.settings.finding:
            scored = findings
        return [quote for score, quote in scored if score >= scored[0][0] - _FALL][: self.settings.quotes]


def _naming_most(
    question: Question, rows: Mapping[tuple[str, int, int], tuple[float, Quote]]
) -> dict[tuple[str, int, int], tuple[float, Quote]]:
    """Those that name all the things asked about, if any finding does; what is said of one of them alone is beside the point."""
    if len(question.links) < _SEVERAL:
        return dict(rows)
    whole = {
        key: row
        for key, row in rows.items()
        if not states_aim(row[1]) and all(map(Reading([row[1].text]).has_link, question.links))
    }
    return whole or dict(rows)


def _phrases(text: str, missing: Sequence[str]) -> list[str]:
    """Missing words as the question has them, words side by side ("artificial neural network") as one."""
    places: list[tuple[int, int]] = []
    for word in missing:
        start = text.find(word)
        if start >= 0:
            places.append((start, start + len(word)))
    phrases: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if phrases and text[phrases[-1][1] : start].strip(" -") == "":
            phrases[-1] = (phrases[-1][0], max(end, phrases[-1][1]))
        else:
            phrases.append((start, end))
    return [text[start:end] for start, end in phrases]


def _without(text: str, words: str) -> str:
    return " ".join(text.replace(words, " ").split())
