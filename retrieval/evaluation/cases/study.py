"""Case studies run: conditions by depth, each answer measured, with a judge where there is one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from kg_pipeline.errors import LlmRefused, NoGraphError, SettingsError
from kg_pipeline.llm.budget import metered
from kg_pipeline.settings import Settings
from kg_pipeline.text.sentences import load_splitter
from retrieval.answer import Answer, AnswerSentence, AnswerUsage
from retrieval.evaluation.cases.definitions import PUBLISHED, Condition, Study
from retrieval.evaluation.cases.measuring import CaseRow, Given, measure, retrieved
from retrieval.evaluation.intervals import RESAMPLES, Interval
from retrieval.evaluation.judges import doubts, open_model
from retrieval.evaluation.methods import make_method
from retrieval.evaluation.quality.pairwise import win_rates
from retrieval.evaluation.report import environment
from retrieval.evaluation.trial import Task, try_judge
from retrieval.evaluation.verification import require_independent
from retrieval.graph import open_graph
from retrieval.methods.egot import Egot, EgotSettings
from retrieval.reasoning.llm_reasoner import Chat

Say = Callable[[str], None]
_TOKENS = 600
_JUDGED: tuple[Task, ...] = ("faithfulness", "context_precision", "relevance")
_PAIRED: tuple[Task, ...] = ("pairwise",)  # asked only where methods are compared


@dataclass(slots=True)
class _Run:
    """What a run is made with and what came of it."""

    settings: Settings
    judge: Chat | None
    against: str
    say: Say
    rows: list[CaseRow] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    answers: list[dict[str, Any]] = field(default_factory=list)


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

    A language model without retrieval (exp-0) is judged by the passages that were retrieved for the same question from
    the study's own articles, at the greatest depth: there are no others that its claims could be held against.

    Parameters
    ----------
    studies
        What is asked.
    settings
        Where graphs live; a language model answers if there is one.
    depths
        Maximum depths of eGoT.
    corpora
        Other names of corpora, by condition ({"exp-1": "demo"}) or by study and condition ({"sclc/exp-1": "lung"}).
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
    doubt = doubts(judge, settings)
    tried = {}
    if chat is not None:
        say("trying the judge")
        tried = {f"llm:{chat.name}": try_judge(chat, *_JUDGED, *_PAIRED[: bool(against)])}
    run = _Run(settings, chat, against, say)
    for study in studies:
        _run_study(run, study, depths, corpora or {})
    report = {
        "benchmark": "case-study",
        "settings": {
            "studies": [study.id for study in studies],
            "depths": list(depths),
            "corpora": dict(corpora or {}),
        },
        "answering": answering,
        "judge": judge,
        "judge_trial": tried,
        "judge_doubts": [doubt] if doubt else [],
        "against": against,
        "rows": [asdict(row) for row in run.rows],
        "skipped": run.skipped,
        "answers": run.answers,
        "published": {name: dict(row) for name, row in PUBLISHED.items()},
        "bootstrap": {"seed": 0, "resamples": RESAMPLES, "level": 0.95},
        **environment(),
    }
    return run.rows, run.skipped, report


def _run_study(run: _Run, study: Study, depths: Sequence[int], corpora: Mapping[str, str]) -> None:
    """Run every condition of a study; those with a corpus first, whose passages a model alone is judged by."""
    contexts: list[tuple[str, ...]] = [()] * len(study.questions)
    chosen = [(one, _corpus(study, one, corpora)) for one in study.conditions]
    for condition, corpus in sorted(chosen, key=lambda pair: not pair[1]):
        if not corpus:
            _without_retrieval(run, study, condition, contexts)
            continue
        try:
            given = [_ask(run, study, condition, corpus, depth) for depth in sorted(depths)]
        except NoGraphError as error:
            run.skipped.append(f"{study.id}, {condition.id}: {error}")
            continue
        if condition.id == "exp-1":
            contexts = [one.contexts for one in given[-1]]
        for depth, answers in zip(sorted(depths), given, strict=True):
            wins = _compare(run, study, corpus, answers)
            run.rows.append(measure(study, condition, corpus, depth, answers, run.judge, wins))


def _corpus(study: Study, condition: Condition, corpora: Mapping[str, str]) -> str:
    """The corpus that a condition is answered from; empty for a model alone."""
    named = corpora.get(f"{study.id}/{condition.id}", corpora.get(condition.id, ""))
    return named or condition.corpus


def _ask(run: _Run, study: Study, condition: Condition, corpus: str, depth: int) -> list[Given]:
    """Answers to the questions of a study from a corpus."""
    run.say(f"{study.id}, {condition.id}, depth {depth}")
    with open_graph(corpus, settings=run.settings) as graph:
        if run.judge is not None:
            require_independent(f"llm:{run.judge.name}", graph.context.reasoner.name, graph.manifest)
        method = Egot(EgotSettings(depth=depth))
        answers = [graph.ask(question.text, method) for question in study.questions]
        given = [Given(answer, retrieved(answer, graph.reader)) for answer in answers]
    _keep(run, study, condition, depth, answers)
    return given


def _keep(run: _Run, study: Study, condition: Condition, depth: int, answers: Sequence[Answer]) -> None:
    for question, answer in zip(study.questions, answers, strict=True):
        run.answers.append(
            {
                "study": study.id,
                "condition": condition.id,
                "depth": depth,
                "question": question.id,
                "type": question.type,
                "text": answer.text,
                "articles": sorted({citation.article_id for citation in answer.citations}),
            }
        )


def _compare(run: _Run, study: Study, corpus: str, given: Sequence[Given]) -> dict[str, Interval]:
    """Win rates of given answers over those of another method; empty where nothing is compared."""
    if run.judge is None or not run.against:
        return {}
    questions = [question.text for question in study.questions]
    with open_graph(corpus, settings=run.settings) as graph:
        method = make_method(run.against)
        others = [graph.ask(question, method).text for question in questions]
    return asyncio.run(win_rates(questions, [one.answer.text for one in given], others, run.judge))


def _without_retrieval(
    run: _Run, study: Study, condition: Condition, contexts: Sequence[tuple[str, ...]]
) -> None:
    """A language model alone, if there is one."""
    if run.settings.llm is None:
        run.skipped.append(f"{study.id}, {condition.id}: needs a language model (KG_LLM_BASE_URL).")
        return
    run.say(f"{study.id}, {condition.id}")
    chat = open_model(run.settings.llm.model, run.settings)
    split = load_splitter(run.settings.sentence_model).split
    answers = []
    for question in study.questions:
        started = time.perf_counter()
        with metered() as used:
            text = asyncio.run(_unaided(question.text, chat))
        # No sentence cites anything, so that nothing of the answer can be traced.
        sentences = tuple(AnswerSentence(text[start:end], ()) for start, end in split(text))
        answers.append(
            Answer(
                question=question.text,
                text=text,
                answered=bool(text),
                sentences=sentences,
                citations=(),
                verdict=None,
                method="none",
                reasoner=f"llm:{chat.name}",
                corpus="",
                version="",
                usage=AnswerUsage(
                    calls=1,
                    cached_calls=used.usage.cached_calls,
                    prompt_tokens=used.usage.prompt_tokens,
                    completion_tokens=used.usage.completion_tokens,
                ),
                seconds=time.perf_counter() - started,
            )
        )
    _keep(run, study, condition, 0, answers)
    given = [Given(answer, known) for answer, known in zip(answers, contexts, strict=True)]
    run.rows.append(measure(study, condition, "", 0, given, run.judge, {}))


async def _unaided(question: str, chat: Chat) -> str:
    """What the language model says of itself; empty where it refuses."""
    try:
        reply = await chat.complete(
            [{"role": "user", "content": question}],
            schema=None,
            max_tokens=_TOKENS,
            purpose="bench-unaided",
        )
    except LlmRefused:
        return ""
    return str(reply.text).strip()
