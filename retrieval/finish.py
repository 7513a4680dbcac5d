"""From a draft to an answer: verification, numbering of citations, the evidence graph, the text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from kg_pipeline.graph.reader import Document
from retrieval.answer import (
    NO_INFORMATION,
    Answer,
    AnswerSentence,
    AnswerUsage,
    Checks,
    Citation,
    Contradiction,
    EvidenceEdge,
    EvidenceGraph,
    InferredClaim,
    Premise,
    Trace,
    join_sentences,
)
from retrieval.context import Context
from retrieval.evidence import EvidenceState, Quote
from retrieval.facts import Fact
from retrieval.question import Question
from retrieval.reasoner import Draft, DraftSentence
from retrieval.sentences import passage_quotes
from retrieval.terms import asks_what_is_denied, is_negated
from retrieval.verify import verify


@dataclass(slots=True)
class _Numbering:
    """Citation numbers in the order of first use."""

    numbers: dict[tuple[str, int, int], int] = field(default_factory=dict)
    quotes: list[Quote] = field(default_factory=list)

    def cite(self, quotes: Iterable[Quote]) -> tuple[int, ...]:
        cited = []
        for quote in quotes:
            if quote.key not in self.numbers:
                self.quotes.append(quote)
                self.numbers[quote.key] = len(self.quotes)
            cited.append(self.numbers[quote.key])
        return tuple(dict.fromkeys(cited))

    def known(self, quotes: Iterable[Quote]) -> tuple[int, ...]:
        """Numbers of those quotes that the answer cites."""
        return tuple(dict.fromkeys(self.numbers[quote.key] for quote in quotes if quote.key in self.numbers))


def finish(
    question: Question,
    draft: Draft,
    evidence: EvidenceState,
    context: Context,
    *,
    method: str,
    trace: Trace,
    usage: AnswerUsage,
    seconds: float,
    confidence: float | None = None,
    items: tuple[str, ...] = (),
    option: str | None = None,
) -> Answer:
    """The verified answer; unanswered if the draft gives a reason or no sentence of it survives verification."""
    kept, checks = ([], Checks()) if draft.reason else _verified(question, draft, evidence, context)
    reason = draft.reason
    if not reason and not any(sentence.kind != "contradiction" for sentence in kept):
        reason = "no sentence of the draft is supported by the evidence it cites"
    notes = (*trace.notes, *draft.notes)
    trace = replace(trace, reason=reason, notes=notes)
    manifest = context.reader.manifest
    shared = {
        "question": question.text,
        "method": method,
        "reasoner": draft.reasoner or context.reasoner.name,
        "corpus": manifest.corpus,
        "version": manifest.version,
        "trace": trace,
        "checks": checks,
        "usage": usage,
        "confidence": confidence,
        "seconds": seconds,
    }
    if reason:
        return Answer(text=NO_INFORMATION, answered=False, sentences=(), citations=(), verdict=None, **shared)  # type: ignore[arg-type]
    numbering = _Numbering()
    sentences = tuple(AnswerSentence(s.text, numbering.cite(s.quotes), s.kind) for s in kept)
    facts = [fact for fact in draft.facts if _is_cited(fact, numbering)]
    return Answer(
        text=join_sentences(sentences),
        answered=True,
        sentences=sentences,
        citations=_citations(numbering.quotes, evidence, context),
        verdict=draft.verdict,
        contradictions=_contradictions(draft, numbering),
        inferred=tuple(_inferred(fact, numbering) for fact in facts if fact.relation.kind != "asserted"),
        graph=_graph(facts, numbering),
        items=items,
        option=option,
        **shared,  # type: ignore[arg-type]
    )


def _verified(
    question: Question, draft: Draft, evidence: EvidenceState, context: Context
) -> tuple[list[DraftSentence], Checks]:
    """Verify against everything that was retrieved: quotes of relations, sentences of passages, quotes of the draft's facts."""
    offered = [quote for quotes in evidence.quotes.values() for quote in quotes]
    offered += [quote for fact in draft.facts for part in (fact, *fact.asserted()) for quote in part.quotes]
    offered += [
        quote for passage in evidence.passages.values() for quote in passage_quotes(passage, context.split)
    ]
    cited = [quote for sentence in draft.sentences for quote in sentence.quotes]
    entities = [entity for link in question.links for entity in link.entities]
    entities += [seed.entity for seed in evidence.entities.values()]
    entities += [
        entity
        for fact in draft.facts
        for part in (fact, *fact.asserted())
        for entity in (part.head, part.tail)
    ]
    distinct = {entity.entity_id: entity for entity in entities}
    # Quotes of relations come first, so that a sentence that is both keeps the names of its relation's ends.
    pool = {quote.key: quote for quote in [*cited, *reversed(offered)]}
    kept, checks = verify(
        context.reader, draft.sentences, pool.values(), distinct.values(), context.verification
    )
    if not asks_what_is_denied(question.text):
        return kept, checks
    # What is inferred is never a denial; its "not stated in any article" only looks like one.
    denying = [s for s in kept if s.kind != "inference" and is_negated(s.text)]
    return denying, replace(checks, removed=checks.removed + len(kept) - len(denying))


def _citations(quotes: list[Quote], evidence: EvidenceState, context: Context) -> tuple[Citation, ...]:
    missing = sorted({quote.article_id for quote in quotes} - set(evidence.documents))
    documents: dict[str, Document] = evidence.documents | {
        d.article_id: d for d in context.reader.documents(missing)
    }
    return tuple(
        Citation(
            number=number,
            article_id=quote.article_id,
            title=documents[quote.article_id].title if quote.article_id in documents else "",
            section_path=quote.section_path,
            chunk_id=quote.chunk_id,
            start=quote.start,
            end=quote.end,
            quote=quote.text,
            kind="relation" if quote.relation_id else "passage",
        )
        for number, quote in enumerate(quotes, 1)
    )


def _is_cited(fact: Fact, numbering: _Numbering) -> bool:
    return any(numbering.known(part.quotes) for part in fact.asserted())


def _contradictions(draft: Draft, numbering: _Numbering) -> tuple[Contradiction, ...]:
    found = []
    for conflict in draft.conflicts:
        stated, opposed = numbering.known(conflict.stated.quotes), numbering.known(conflict.opposed.quotes)
        if stated and opposed:
            fact = conflict.stated
            found.append(
                Contradiction(
                    fact.head.name, fact.relation.predicate, fact.tail.name, stated, opposed, conflict.reason
                )
            )
    return tuple(found)


def _inferred(fact: Fact, numbering: _Numbering) -> InferredClaim:
    relation = fact.relation
    premises = tuple(Premise(part.clause(), numbering.known(part.quotes)) for part in fact.asserted())
    return InferredClaim(
        relation.relation_id,
        relation.kind,
        relation.rule,
        fact.clause(),
        float(relation.confidence),
        premises,
    )


def _graph(facts: Iterable[Fact], numbering: _Numbering) -> EvidenceGraph:
    names: dict[str, str] = {}
    edges: dict[str, EvidenceEdge] = {}
    for fact in facts:
        for part in (fact, *fact.asserted()):
            names |= part.names
            relation = part.relation
            edges[relation.relation_id] = EvidenceEdge(
                relation_id=relation.relation_id,
                head_id=relation.head_id,
                predicate=relation.predicate,
                tail_id=relation.tail_id,
                kind=relation.kind,
                negated=relation.negated,
                citations=numbering.known(part.quotes),
            )
    return EvidenceGraph(dict(sorted(names.items())), tuple(edges.values()))
