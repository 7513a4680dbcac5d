"""What is measured of the answers to a study's questions under one condition."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean

from kg_pipeline.graph.reader import GraphReader
from retrieval.answer import Answer
from retrieval.evaluation.cases.definitions import Condition, Study
from retrieval.evaluation.intervals import Interval, bootstrap
from retrieval.evaluation.quality.answers import assess, attribution
from retrieval.reasoning.llm_reasoner import Chat

METRICS = ("faithfulness", "context_precision", "context_relevance", "attribution")
#: Passages of a search that a judge is shown, best first.
_CONTEXTS = 20


@dataclass(frozen=True, slots=True)
class Given:
    """An answer, and the contexts that it is judged by."""

    answer: Answer
    contexts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A study under a condition at a depth: means over its questions; None where nothing could be judged."""

    study: str
    condition: str
    depth: int
    corpus: str
    expects: str
    questions: int
    answered: Interval
    articles: float  # cited, of an answer
    scores: Mapping[str, Interval | None]
    unusable: Mapping[str, int]  # answers that the judge gave no usable verdict on, by metric
    wins: Mapping[
        str, Interval
    ]  # of eGoT over the method it is compared with, by criterion; empty without one
    calls: float  # of a question, as the next two are
    tokens: float
    seconds: float


def retrieved(answer: Answer, reader: GraphReader) -> tuple[str, ...]:
    """What a judge must know of an answer's search: the passages that it read, those of the best thoughts first.

    An answer without thoughts, or over articles whose text may not be stored, has its quotes.
    """
    explored = [thought for thought in answer.trace.thoughts if thought.status == "explored"]
    explored.sort(key=lambda thought: (thought.depth, -thought.score))
    ids = dict.fromkeys(chunk for thought in explored for chunk in thought.chunks)
    texts = [chunk.text for chunk in reader.chunks(list(ids)[:_CONTEXTS]) if chunk.text]
    return tuple(texts) or tuple(citation.quote for citation in answer.citations)


def measure(
    study: Study,
    condition: Condition,
    corpus: str,
    depth: int,
    given: Sequence[Given],
    judge: Chat | None,
    wins: Mapping[str, Interval],
) -> CaseRow:
    """The row of some answers, in the order of the study's questions."""
    answers = [one.answer for one in given]
    found: dict[str, list[float]] = {name: [] for name in METRICS}
    unusable: Counter[str] = Counter()
    for question, one in zip(study.questions, given, strict=True):
        if not one.answer.answered:
            continue
        if judge is None:
            values = {"attribution": attribution(one.answer)}
        else:
            values = asdict(asyncio.run(assess(question.text, one.answer, judge, contexts=one.contexts)))
        for name, value in values.items():
            if value is not None:
                found[name].append(value)
            elif one.answer.sentences:
                unusable[name] += 1
    articles = [len({c.article_id for c in answer.citations}) for answer in answers if answer.answered]
    return CaseRow(
        study=study.id,
        condition=condition.id,
        depth=depth,
        corpus=corpus,
        expects=condition.expects,
        questions=len(answers),
        answered=bootstrap([float(answer.answered) for answer in answers]),
        articles=fmean(articles) if articles else 0.0,
        unusable=dict(sorted(unusable.items())),
        scores={name: bootstrap(values) if values else None for name, values in found.items()},
        wins=wins,
        calls=fmean(answer.usage.calls for answer in answers),
        tokens=fmean(a.usage.prompt_tokens + a.usage.completion_tokens for a in answers),
        seconds=fmean(answer.seconds for answer in answers),
    )
