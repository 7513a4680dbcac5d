"""From a draft to an answer: verification, numbering of citations, the evidence graph, the text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from kg_pipeline.graph.reader import Document, GraphReader
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
    join_sentences,
)
from retrieval.answers.verify import verify
from retrieval.evidence import EvidenceState, Quote, stands_in
from retrieval.methods.context import Context
from retrieval.methods.missing import MISSES, miss_of, with_near_names
from retrieval.passages.sentences import Splitter, passage_quotes
from retrieval.paths.facts import Fact
from retrieval.questions.question import Question
from retrieval.reasoning.compose import distinct
from retrieval.reasoning.reasoner import Draft, DraftSentence
from retrieval.trace import Dropped, Trace
from retrieval.words.guard import addresses_reader

_UNSUPPORTED = "its quotes do not say it: words, numbers, a denial or the direction of an effect differ"
_ABSENT = "no article has the sentence that it cites"
_INSTRUCTS = "it gives its reader instructions and is never quoted"


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
    kept, checks, dropped = (
        ([], Checks(), ()) if draft.reason else _verified(question, draft, evidence, context)
    )
    reason = draft.reason
    if not reason and not any(sentence.kind != "contradiction" for sentence in kept):
        unmet = [gone.reason for gone in dropped if gone.reason in MISSES]
        reason = unmet[0] if unmet else "no sentence of the draft is supported by the evidence it cites"
    reason = with_near_names(reason, question, context) if reason else ""
    trace = replace(
        trace,
        reason=reason,
        notes=(*trace.notes, *draft.notes),
        dropped=(*draft.dropped, *dropped, *_instructions(evidence, context.split), *trace.dropped),
    )
    unusable = len(draft.dropped)
    checks = replace(checks, offered=checks.offered + unusable, removed=checks.removed + unusable)
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
    sentences = tuple(AnswerSentence(s.text, numbering.cite(s.quotes), s.kind) for s in _once(kept))
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
        items=items or draft.items,
        option=option,
        **shared,  # type: ignore[arg-type]
    )


def _once(sentences: Iterable[DraftSentence]) -> list[DraftSentence]:
    """Each sentence once: what an article says in its abstract and again in its text is cited from both."""
    told: dict[str, DraftSentence] = {}
    for item in sentences:
        known = told.setdefault(item.text, item)
        told[item.text] = replace(known, quotes=distinct([*known.quotes, *item.quotes]))
    return list(told.values())


def _verified(
    question: Question, draft: Draft, evidence: EvidenceState, context: Context
) -> tuple[list[DraftSentence], Checks, tuple[Dropped, ...]]:
    """Verify against everything that was retrieved: quotes of relations, sentences of passages, quotes of the draft's facts.

    Returns what is kept, the counts, and what is not kept with the reason.
    """
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
    by_id = {entity.entity_id: entity for entity in entities}
    # Quotes of relations come first, so that a sentence that is both keeps the names of its relation's ends.
    pool = {quote.key: quote for quote in [*cited, *reversed(offered)]}
    kept, checks = verify(
        context.reader, draft.sentences, pool.values(), by_id.values(), context.verification
    )
    dropped = _removed(draft.sentences, kept, context.reader)
    misses = {sentence.text: miss_of(question, draft, sentence, context.reader) for sentence in kept}
    telling = [sentence for sentence in kept if not misses[sentence.text]]
    beside = [Dropped("sentence", text, reason) for text, reason in misses.items() if reason]
    return telling, replace(checks, removed=checks.removed + len(beside)), (*dropped, *beside)


def _removed(
    drafted: Iterable[DraftSentence], kept: Iterable[DraftSentence], reader: GraphReader
) -> tuple[Dropped, ...]:
    """The drafted sentences that verification removed, and why."""
    texts = {sentence.text for sentence in kept}
    gone = [sentence for sentence in drafted if sentence.text not in texts]
    cited = sorted({quote.chunk_id for sentence in gone for quote in sentence.quotes})
    chunks = {chunk.chunk_id: chunk for chunk in reader.chunks(cited)}
    dropped = []
    for sentence in gone:
        stands = any(q.chunk_id in chunks and stands_in(q, chunks[q.chunk_id]) for q in sentence.quotes)
        dropped.append(Dropped("sentence", sentence.text, _UNSUPPORTED if stands else _ABSENT))
    return tuple(dropped)


def _instructions(evidence: EvidenceState, split: Splitter) -> tuple[Dropped, ...]:
    """Places of the sentences among what was read that give their reader instructions; they are never quoted."""
    places: dict[str, None] = {}
    for passage in evidence.passages.values():
        chunk = passage.chunk
        if not addresses_reader(chunk.text):
            continue
        for start, end in split(chunk.text):
            if addresses_reader(chunk.text[start:end]):
                places[f"{chunk.article_id} {chunk.start + start}-{chunk.start + end}"] = None
    return tuple(Dropped("instruction", place, _INSTRUCTS) for place in places)


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
        fact.rule,
        fact.clause(),
        float(relation.confidence),
        premises,
    )


def _graph(facts: Iterable[Fact], numbering: _Numbering) -> EvidenceGraph:
    names: dict[str, str] = {}
    edges: dict[str, EvidenceEdge] = {}
    for fact in facts:
        for part in (fact, *fact.asserted()):
            names |= {end.entity_id: end.name for end in (part.head, part.tail)}
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
