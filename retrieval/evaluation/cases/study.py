"""Case studies read from TOML and run: conditions by depth, each answer measured, with a judge where there is one."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kg_pipeline.errors import BenchmarkFileError, LlmRefused, NoGraphError, SettingsError
from kg_pipeline.settings import Settings
from retrieval.answer import Answer
from retrieval.evaluation.judges import open_model
from retrieval.evaluation.methods import make_method
from retrieval.evaluation.quality.answers import assess, attribution
from retrieval.evaluation.quality.pairwise import win_rates
from retrieval.evaluation.report import environment
from retrieval.evaluation.verification import require_independent
from retrieval.graph import open_graph
from retrieval.methods.egot import Egot, EgotSettings
from retrieval.reasoning.llm_reasoner import Chat

Say = Callable[[str], None]
_TOKENS = 600
_METRICS = ("faithfulness", "context_precision", "context_relevance", "attribution")
#: Tables 4 and 5 of the paper, with LLaMA-4 Scout over 1,046 articles on small cell lung cancer and 120 on lupus and UV.
PUBLISHED: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "sclc, depth 1": {"faithfulness": 0.80, "context_precision": 0.52, "context_relevance": 0.76},
        "sclc, depth 3": {"faithfulness": 0.90, "context_precision": 0.66, "context_relevance": 0.92},
        "lupus-uv, exp-1": {"faithfulness": 0.89, "context_precision": 0.71, "attribution": 1.0},
        "lupus-uv, exp-0": {"faithfulness": 0.52, "context_precision": 0.38, "attribution": 0.0},
    }
)


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CaseQuestion(_Strict):
    """A question and the type that the paper describes it by."""

    id: str
    type: str
    text: str


class Condition(_Strict):
    """A corpus to answer from; none for a language model alone."""

    id: str
    corpus: str
    query: tuple[str, ...]
    expects: Literal["answers", "refusals"]


class Study(_Strict):
    """Questions, and the conditions they are asked under."""

    id: str
    title: str
    conditions: tuple[Condition, ...]
    questions: tuple[CaseQuestion, ...] = Field(min_length=1)


class _File(_Strict):
    format: Literal[1]
    studies: tuple[Study, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A study under a condition at a depth: shares and means over its questions; None where nothing could be judged."""

    study: str
    condition: str
    depth: int
    corpus: str
    expects: str
    questions: int
    answered: float
    articles: float  # cited, of an answer
    scores: Mapping[str, float | None]
    wins: Mapping[str, float]  # of eGoT over the method it is compared with, by criterion; empty without one


def load_studies(path: Path | None = None) -> tuple[Study, ...]:
    """The studies of the package, or those of a file.

    Raises
    ------
    BenchmarkFileError
        If the file does not describe studies.

    """
    resource = files("retrieval.evaluation.cases").joinpath("studies.toml")
    try:
        text = (resource if path is None else path).read_text(encoding="utf-8")
        return _File.model_validate(tomllib.loads(text)).studies
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise BenchmarkFileError(
            f"{path or resource} does not describe case studies: {error}. Compare it with the studies.toml of the package."
        ) from error


def run_studies(
    studies: Sequence[Study],
    settings: Settings,
    *,
    depths: Sequence[int] = (1, 3),
    corpora: Mapping[str, str] | None = None,
    judge: str = "",
    against: str = "",
    say: Say = lambda _: None,
) -> tuple[list[CaseRow], list[str], dict[str, Any]]:
    """Run studies; the rows, what was skipped with the reason, and the report with every answer.

    Parameters
    ----------
    studies
        What is asked.
    settings
        Where graphs live; a language model answers if there is one.
    depths
        Maximum depths of eGoT.
    corpora
        Other names of corpora, by condition: {"exp-1": "demo"}.
    judge
        `MODEL` or `MODEL@URL`; without one only what needs no judge is measured.
    against
        A method or an ablation whose answers the judge compares with those of eGoT; needs a judge.
    say
        Told what is being run.

    Raises
    ------
    SettingsError
        If the judge is the answering model, or has no endpoint, or is missing where methods are compared.

    """
    if against and not judge:
        raise SettingsError("Comparing with --against needs a judge: name a model with --judge.")
    chat = open_model(judge, settings) if judge else None
    answering = f"llm:{settings.llm.model}" if settings.llm else "extractive"
    if chat is not None:
        require_independent(f"llm:{chat.name}", answering)
    rows: list[CaseRow] = []
    skipped: list[str] = []
    answers: list[dict[str, Any]] = []
    for study in studies:
        for condition in study.conditions:
            corpus = (corpora or {}).get(condition.id, condition.corpus)
            for depth in depths if corpus else (0,):
                say(f"{study.id}, {condition.id}, depth {depth}")
                try:
                    given = _ask(study, corpus, depth, settings, chat)
                except NoGraphError as error:
                    skipped.append(f"{study.id}, {condition.id}: {error}")
                    break
                if given is None:
                    skipped.append(f"{study.id}, {condition.id}: needs a language model (KG_LLM_BASE_URL).")
                    break
                wins: dict[str, float] = {}
                if chat is not None and against and corpus:
                    wins = _compare(study, corpus, given, against, settings, chat)
                rows.append(_row(study, condition, corpus, depth, given, chat, wins))
                answers += [
                    {
                        "study": study.id,
                        "condition": condition.id,
                        "depth": depth,
                        "question": q.id,
                        "text": a.text,
                    }
                    for q, a in zip(study.questions, given, strict=True)
                ]
    report = {
        "benchmark": "case-study",
        "settings": {
            "studies": [study.id for study in studies],
            "depths": list(depths),
            "corpora": dict(corpora or {}),
        },
        "answering": answering,
        "judge": judge,
        "against": against,
        "rows": [asdict(row) for row in rows],
        "skipped": skipped,
        "answers": answers,
        "published": {name: dict(row) for name, row in PUBLISHED.items()},
        **environment(),
    }
    return rows, skipped, report


def _ask(
    study: Study, corpus: str, depth: int, settings: Settings, judge: Chat | None
) -> list[Answer] | None:
    """Answers to the questions of a study; None if there is nothing that could answer without a corpus."""
    if not corpus:
        return None if settings.llm is None else asyncio.run(_unaided(study, settings))
    with open_graph(corpus, settings=settings) as graph:
        if judge is not None:
            require_independent(f"llm:{judge.name}", graph.context.reasoner.name, graph.manifest)
        method = Egot(EgotSettings(depth=depth))
        return [graph.ask(question.text, method) for question in study.questions]


def _compare(
    study: Study, corpus: str, given: Sequence[Answer], against: str, settings: Settings, chat: Chat
) -> dict[str, float]:
    """Win rates of given answers over those of another method."""
    questions = [question.text for question in study.questions]
    with open_graph(corpus, settings=settings) as graph:
        method = make_method(against)
        others = [graph.ask(question, method).text for question in questions]
    return asyncio.run(win_rates(questions, [answer.text for answer in given], others, chat))


async def _unaided(study: Study, settings: Settings) -> list[Answer]:
    """What the language model says of itself, as answers without sentences that could cite anything."""
    if settings.llm is None:
        return []
    chat = open_model(settings.llm.model, settings)
    answers = []
    for question in study.questions:
        try:
            reply = await chat.complete(
                [{"role": "user", "content": question.text}],
                schema=None,
                max_tokens=_TOKENS,
                purpose="bench-unaided",
            )
            text = str(reply.text)
        except LlmRefused:
            text = ""
        answers.append(
            Answer(
                question=question.text,
                text=text,
                answered=bool(text),
                sentences=(),
                citations=(),
                verdict=None,
                method="none",
                reasoner=f"llm:{chat.name}",
                corpus="",
                version="",
            )
        )
    return answers


def _row(
    study: Study,
    condition: Condition,
    corpus: str,
    depth: int,
    answers: Sequence[Answer],
    chat: Chat | None,
    wins: Mapping[str, float],
) -> CaseRow:
    given = [answer for answer in answers if answer.answered]
    found: dict[str, list[float]] = {name: [] for name in _METRICS}
    for question, answer in zip(study.questions, answers, strict=True):
        if not answer.answered:
            continue
        if chat is None:
            values = {"attribution": attribution(answer)}
        else:
            values = asdict(asyncio.run(assess(question.text, answer, chat)))
        for name, value in values.items():
            if value is not None:
                found[name].append(value)
    articles = [len({citation.article_id for citation in answer.citations}) for answer in given]
    return CaseRow(
        study=study.id,
        condition=condition.id,
        depth=depth,
        corpus=corpus,
        expects=condition.expects,
        questions=len(answers),
        answered=len(given) / len(answers),
        articles=fmean(articles) if articles else 0.0,
        scores={name: fmean(values) if values else None for name, values in found.items()},
        wins=wins,
    )
