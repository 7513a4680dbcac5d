"""Naive retrieval: the passages nearest to the question, an answer from them alone, and how sure it is.

The text pipeline that the router of the INSES paper (section 3.6) tries first. Without a language model the answer is
composed of sentences of the passages and the confidence is measured on them.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from pydantic import Field

from kg_pipeline.errors import LlmRefused
from retrieval.answer import Answer
from retrieval.evidence import EvidenceState, Passage, Retrieved, Step, titles_of
from retrieval.methods.context import Context
from retrieval.methods.inquiry import Inquiry
from retrieval.passages.sentences import Sentence, rank_sentences
from retrieval.questions.question import Question
from retrieval.questions.shape import read_shape
from retrieval.reasoning.abstain import hopeless, unsupported
from retrieval.reasoning.asker import Asker, asker_of
from retrieval.reasoning.cited import Synthesis, list_offers, read_cited
from retrieval.reasoning.offers import Offer
from retrieval.reasoning.reasoner import Draft
from retrieval.reasoning.weaving import quoted_answer, states_type
from retrieval.trace import Trace, TraceStep

_OFFERED = 24
_SURE_COSINE = 0.6  # of a sentence that is as near to a question as a restatement of it
_TYPED = 0.75  # where a thing of a type is asked for, or what one thing does, which a relation of the graph says more surely than a sentence
_INCOMPLETE = 0.5  # factor where a step of the question is not shown, or its yes or no is not said


@dataclass(frozen=True, slots=True)
class NaiveSettings:
    """`chunks` passages with at least `threshold` cosine to the question, of which at most `quotes` sentences are told."""

    chunks: int = 5
    threshold: float = 0.2
    quotes: int = 3

    def __post_init__(self) -> None:
        if self.chunks < 1 or self.quotes < 1:
            raise ValueError(f"chunks and quotes must be positive, not {self}.")


class Assessed(Synthesis):
    """Reply to the naive prompt."""

    confidence: float = Field(default=0.0)


class Naive:
    """The method `naive`: one search, one call."""

    name = "naive"

    def __init__(self, settings: NaiveSettings | None = None) -> None:
        self.settings = settings or NaiveSettings()

    async def answer(self, question: str, context: Context) -> Answer:
        """Answer a question from the passages nearest to it."""
        inquiry = await Inquiry.open(question, context, self.name)
        asked = inquiry.question
        with inquiry.stage("search"):
            found = await asyncio.to_thread(nearest_passages, context, asked, self.settings)
        evidence = EvidenceState()
        evidence.add([Step(asked.text, "", found)])
        draft, confidence = Draft(reason=hopeless(asked, evidence, context.abstention)), 0.0
        if not draft.reason:
            inquiry.calls += 1
            with inquiry.stage("reasoning"):
                draft, confidence = await self._draft(asked, evidence, context)
        step = TraceStep(
            "confidence",
            f"{len(found.passages)} passages",
            draft.reason or "answered from passages",
            confidence,
        )
        trace = Trace(steps=(step,), stopped="one search")
        answer = await inquiry.finish(draft, evidence, trace, confidence=confidence)
        return answer if answer.answered else replace(answer, confidence=0.0)

    async def _draft(
        self, question: Question, evidence: EvidenceState, context: Context
    ) -> tuple[Draft, float]:
        passages = evidence.best_passages(self.settings.chunks)
        ranked = await asyncio.to_thread(
            rank_sentences,
            question,
            passages,
            context.embedder,
            context.split,
            _OFFERED,
            titles_of(evidence.documents.values()),
        )
        asker = asker_of(context.reasoner)
        if asker is None:
            return text_draft(question, ranked, context, self.settings.quotes)
        try:
            return await _asked(question, ranked, context, asker)
        except LlmRefused as error:
            draft, confidence = text_draft(question, ranked, context, self.settings.quotes)
            return replace(draft, notes=(f"answer failed, quotes instead: {error}",)), confidence


def nearest_passages(context: Context, question: Question, settings: NaiveSettings) -> Retrieved:
    """The passages of a vector search and nothing else of the graph."""
    hits = context.reader.nearest("chunk", question.vector, settings.chunks, threshold=settings.threshold)
    scores = {hit.id: hit.score for hit in hits}
    passages = tuple(Passage(chunk, scores[chunk.chunk_id]) for chunk in context.reader.chunks(list(scores)))
    articles = list(dict.fromkeys(passage.chunk.article_id for passage in passages))
    return Retrieved(
        query=question.text,
        documents=tuple(context.reader.documents(articles)),
        passages=passages,
        entities=(),
        relations=(),
        quotes={},
        truncated=False,
        text="\n".join(passage.chunk.text for passage in passages),
    )


def text_draft(
    question: Question, ranked: list[Sentence], context: Context, quotes: int
) -> tuple[Draft, float]:
    """An answer of quoted sentences that bear on the question, alone or together, and the confidence in it."""
    shape = read_shape(question)
    if shape.answer is not None and question.kind != "yes_no":
        ranked = [row for row in ranked if states_type(context.reader, question, shape, row.quote)]
    draft = quoted_answer(question, ranked[:quotes], ranked, context.abstention)
    told = {quote.key for sentence in draft.sentences for quote in sentence.quotes}
    used = [row for row in ranked if row.quote.key in told]
    return draft, text_confidence(question, used) if used else 0.0


def text_confidence(question: Question, rows: list[Sentence]) -> float:
    """In [0, 1]: how much of the question its best sentence covers, less where more is asked than they show.

    The mean of the share of entities, the share of other words, a word for the asked relation (where it can be told who
    acts and who is acted on), and nearness.
    """
    best = max(
        rows, key=lambda row: (len(row.links), row.terms, row.relates, row.cosine, -len(row.quote.text))
    )
    entities = len(best.links) / len(question.links) if question.links else 0.5
    nearness = min(max(best.cosine, 0.0) / _SURE_COSINE, 1.0)
    relates = best.relates and (question.role is None or (best.stated and best.role == question.role))
    confidence = 0.35 * entities + 0.25 * best.terms + 0.2 * relates + 0.2 * nearness
    shape = read_shape(question)
    if shape.is_nested or (shape.answer is not None and len(question.links) > 1):
        confidence *= _INCOMPLETE
    elif (shape.answer is not None and question.links) or (question.role and not relates):
        confidence *= _TYPED
    if question.kind == "yes_no":
        confidence *= _INCOMPLETE  # whether the sentences say yes or no is not read from them
    return round(confidence, 6)


async def _asked(
    question: Question, ranked: list[Sentence], context: Context, asker: Asker
) -> tuple[Draft, float]:
    """The answer of a language model over the numbered sentences, and its own confidence."""
    offers: list[Offer] = []
    room = asker.characters
    for row in ranked:
        room -= len(row.quote.text) + 40
        if room < 0:
            break
        offers.append(Offer(row.quote.text, (row.quote,)))
    if not offers:
        return Draft(reason="no sentence that was found can be cited", reasoner=asker.name), 0.0
    reply = await asker.ask(Assessed, "naive", f"Question: {question.text}\n\n{list_offers(offers)}", 800)
    cited = read_cited(reply.sentences, offers)
    if not reply.answerable or not cited.sentences:
        reason = "the language model found no answer in the passages"
        return Draft(reason=reason, reasoner=asker.name, dropped=cited.dropped), 0.0
    draft = Draft(
        sentences=cited.sentences,
        dropped=cited.dropped,
        verdict=None if question.kind != "yes_no" or reply.verdict == "none" else reply.verdict,
        support="sentences",
        reasoner=asker.name,
    )
    # A model words things its own way, so only the entities are demanded of its quotes.
    lenient = replace(context.abstention, terms=0.0, terms_without_entities=0.0)
    reason = unsupported(question, draft, (), lenient)
    if reason:
        return Draft(reason=reason, reasoner=asker.name), 0.0
    return draft, min(max(reply.confidence, 0.0), 1.0)
