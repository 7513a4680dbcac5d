"""The reasoner without a language model: thoughts from the question's entities, answers from quoted sentences."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, zip_longest

from kg_pipeline.graph.reader import GraphReader
from kg_pipeline.llm.embeddings import Embedder
from retrieval.answer import AnswerUsage
from retrieval.evidence import EvidenceState, Passage, Retrieved, titles_of
from retrieval.passages.sentences import Sentence, Splitter, rank_sentences
from retrieval.passages.topical import Topical
from retrieval.paths.chains import Chain, find_chains, is_titled
from retrieval.paths.facts import Fact, load_facts
from retrieval.paths.hop_finder import HopFinder
from retrieval.paths.typed_paths import TypedPath
from retrieval.questions.aspects import aspects
from retrieval.questions.question import Question
from retrieval.questions.shape import read_shape
from retrieval.reasoning.abstain import AbstentionSettings, unsupported
from retrieval.reasoning.compose import (
    best_quote,
    chain_sentences,
    conflict_sentence,
    find_conflicts,
    inference_sentence,
    quote_sentence,
    verdict_of,
)
from retrieval.reasoning.reasoner import Draft, DraftSentence, Support
from retrieval.reasoning.relevance import (
    answers,
    bears_on,
    contests,
    fits,
    focused,
    joins,
    leads_through,
    names_all,
    naming,
    rank_facts,
    told_by_action,
)
from retrieval.reasoning.reservations import reservation_sentences, told_elsewhere
from retrieval.reasoning.typed_answers import path_sentences
from retrieval.reasoning.weaving import (
    asks_for_other,
    bridges,
    distinct_chains,
    mentioned,
    placed_answer,
    quoted_answer,
    says_asked,
    states_type,
    stating,
    topical_answer,
    typed_answer,
    with_setting,
)
from retrieval.words.terms import content_stems, coverage

_PAIRS = 3
_PASSAGES = 20
_NEIGHBOURS = 100
_COMMON_CHUNKS = 100


@dataclass(frozen=True, slots=True)
class ExtractiveReasoner:
    """Composes answers only from sentences of the articles; deterministic."""

    reader: GraphReader
    embedder: Embedder
    split: Splitter
    max_hops: int = 4
    max_quotes: int = 6
    abstention: AbstentionSettings = field(default_factory=AbstentionSettings)

    @property
    def name(self) -> str:
        """Always `extractive`."""
        return "extractive"

    def usage(self) -> AnswerUsage:
        """Nothing is ever spent."""
        return AnswerUsage()

    def over(self, reader: GraphReader) -> ExtractiveReasoner:
        """The same reasoner looking things up in another reader."""
        return replace(self, reader=reader)

    async def generate(self, question: Question, evidence: EvidenceState, count: int) -> list[str]:
        """At first the question, its pairs of entities and its entities; later the entities that bridge them."""
        if not evidence.steps:
            names = [link.entities[0].name for link in question.links]
            pairs = [f"How is {one} related to {other}?" for one, other in combinations(names, 2)]
            singles = [
                f"{name} {' '.join(sorted(question.predicates))}".replace("_", " ").strip() for name in names
            ]
            thoughts = [question.text, *pairs[: max(count - 2, 1)], *singles]
        else:
            thoughts = await asyncio.to_thread(self._bridging, question, evidence)
        return list(dict.fromkeys(thoughts))[:count]

    def _bridging(self, question: Question, evidence: EvidenceState) -> list[str]:
        """Thoughts about entities found beside one entity of the question, asking for the way to another.

        The entities of the question take turns, so that a chain is looked for from both ends.
        """
        asked = question.entity_ids
        sides: list[list[str]] = []
        for number, link in enumerate(question.links):
            near: set[str] = set()
            for relation in evidence.relations.values():
                ends = {relation.head_id, relation.tail_id}
                if ends & set(link.ids):
                    near |= ends - asked
            known = [evidence.entities[entity_id] for entity_id in near if entity_id in evidence.entities]
            known.sort(key=lambda seed: (-seed.score, seed.entity.entity_id))
            other = question.links[number - 1].entities[0].name  # the only one asks about itself
            sides.append([f"How is {seed.entity.name} related to {other}?" for seed in known])
        turns = zip_longest(*sides)
        return [thought for turn in turns for thought in turn if thought]

    async def evaluate(self, question: Question, thoughts: Sequence[str]) -> list[float]:
        """Cosine to the question and share of the question's words, equally weighted."""
        wanted = content_stems(question.text)
        vectors = await asyncio.to_thread(self.embedder.embed, list(thoughts))
        near = [max(float(vector @ question.vector), 0.0) for vector in vectors]
        said = [coverage(wanted, content_stems(thought)) for thought in thoughts]
        return [min(1.0, 0.5 * one + 0.5 * other) for one, other in zip(near, said, strict=True)]

    async def summarise(self, question: Question, thought: str, retrieved: Retrieved) -> str:
        """The best relations found and the best sentence."""
        return await asyncio.to_thread(self._summary, question, retrieved)

    def _summary(self, question: Question, retrieved: Retrieved) -> str:
        facts = load_facts(self.reader, retrieved.relations[:3])
        sentences = rank_sentences(
            question, retrieved.passages[:3], self.embedder, self.split, 1, titles_of(retrieved.documents)
        )
        return " ".join([*(f"{fact.clause()}." for fact in facts), *(row.quote.text for row in sentences)])

    async def synthesise(self, question: Question, evidence: EvidenceState) -> Draft:
        """The answer by the question's shape: a pair of entities, one entity, or words only."""
        return await asyncio.to_thread(self.draft, question, evidence)

    def draft(self, question: Question, evidence: EvidenceState) -> Draft:
        """`synthesise` without a loop."""
        shape = read_shape(question)
        ranked = self.rank(question, evidence, 4 * self.max_quotes)
        pool = self._pool(question, evidence)
        if asks_for_other(question, shape):
            # What connects the names that the question has is no answer to what else there is.
            typed = typed_answer(question, shape, self.reader, self.split, self.abstention)
            rows = [row for row in ranked if states_type(self.reader, question, shape, row.quote)]
            quoted = typed or quoted_answer(question, rows[: self.max_quotes], rows, self.abstention)
            if not quoted.reason:
                return quoted
            placed = placed_answer(question, shape, self.reader, pool, self.abstention)
            return topical_answer(question, shape, self._topical) or placed or quoted
        if shape.answer is not None and question.kind != "yes_no":
            ranked = [row for row in ranked if states_type(self.reader, question, shape, row.quote)]
            if not question.predicates:  # a verb outside the closed set is asked for by its word
                pool = [fact for fact in pool if any(says_asked(shape, quote) for quote in fact.quotes)]
        support: Support
        chains: list[Chain] = []
        bridged: list[TypedPath] = []
        if len(question.links) >= 2:
            chains = self._chains(question)
            bridged = [] if chains else bridges(question, shape, self.reader, self.split)
            facts = rank_facts(
                question, focused(question, [fact for fact in pool if joins(fact, question.links)])
            )
            support = "direct" if facts else "chain" if chains or bridged else "sentences"
        else:
            read = told_by_action(question)
            facts = rank_facts(read, [fact for fact in pool if fits(fact, read, shape.answer)])
            support = "facts" if facts else "sentences"
        facts = naming(question, facts)
        shown = [fact for fact in facts if fact.is_citable and not is_titled(fact)][: self.max_quotes]
        if not shown and not chains and not bridged:
            support = "sentences"
        is_yes_no = question.kind == "yes_no"
        elsewhere = told_elsewhere(self.reader, question, shape, shown) if is_yes_no else []
        here = [fact for fact in shown if fact not in elsewhere]
        verdict = verdict_of(question, here, chains) or ("maybe" if elsewhere else None)
        conflicts = find_conflicts([*shown, *(fact for fact in pool if contests(fact, shown))])
        sentences = reservation_sentences(shown, question, elsewhere, verdict)
        sentences += self._sentences(question, shown, chains, ranked)
        if not shown:
            sentences += [item for path in bridged for item in path_sentences(path, question)]
        sentences += [conflict_sentence(conflict, question) for conflict in conflicts]
        used = [
            *shown,
            *(fact for chain in chains for fact in chain.facts),
            *(hop.fact for path in bridged for hop in path.hops if hop.fact is not None),
            *(f for c in conflicts for f in (c.stated, c.opposed)),
        ]
        draft = Draft(
            sentences=tuple({item.text: item for item in sentences}.values()),
            verdict=verdict,
            support=support,
            facts=tuple({fact.relation.relation_id: fact for fact in used}.values()),
            conflicts=tuple(conflicts),
            reasoner=self.name,
        )
        draft = with_setting(question, shape, draft, HopFinder(self.reader, self.split))
        titles = [document.title for document in self.reader.documents(draft.articles)]
        reason = unsupported(question, draft, ranked, self.abstention, titles)
        if not reason:
            return draft
        passage = quoted_answer(question, (), ranked, self.abstention)
        if not passage.reason:
            return passage
        typed = typed_answer(question, shape, self.reader, self.split, self.abstention)
        return (
            typed
            or topical_answer(question, shape, self._topical)
            or placed_answer(question, shape, self.reader, pool, self.abstention)
            or mentioned(question, ranked, self.abstention)
            or Draft(reason=reason, reasoner=self.name)
        )

    @property
    def _topical(self) -> Topical:
        return Topical(self.reader, self.embedder, self.split, self.abstention.topic)

    def rank(self, question: Question, evidence: EvidenceState, limit: int) -> list[Sentence]:
        """Sentences of the passages that bear on the question, best first."""
        passages = self._passages(question, evidence)
        titles = titles_of(self.reader.documents(sorted({p.chunk.article_id for p in passages})))
        return rank_sentences(question, passages, self.embedder, self.split, limit, titles)

    def _sentences(
        self,
        question: Question,
        facts: Sequence[Fact],
        chains: Sequence[Chain],
        ranked: Sequence[Sentence],
    ) -> list[DraftSentence]:
        """Stated facts, inferred facts, chains and free sentences."""
        sentences = [
            quote_sentence(best_quote(fact, question)) for fact in facts if fact.relation.kind == "asserted"
        ]
        for chain in chains:
            if len(chain) > 1:
                sentences += chain_sentences(chain, question)
        sentences += [
            inference_sentence(fact, question) for fact in facts if fact.relation.kind != "asserted"
        ]
        room = max(self.max_quotes - len(sentences), 1)
        best = [row for row in stating(ranked) if bears_on(question, row, self.abstention)]
        return [*sentences, *(quote_sentence(row.quote) for row in best[:room])]

    def _pool(self, question: Question, evidence: EvidenceState) -> list[Fact]:
        """Facts retrieved, and all facts around the question's entities up to the hub cap."""
        ids = sorted(question.entity_ids)
        near = self.reader.relations(self.reader.neighbours(ids, per_node=_NEIGHBOURS)) if ids else []
        relations = {relation.relation_id: relation for relation in [*evidence.relations.values(), *near]}
        return load_facts(self.reader, relations.values())

    def _passages(self, question: Question, evidence: EvidenceState) -> list[Passage]:
        """The best passages retrieved, and chunks that mention every entity of the question."""
        passages = {passage.chunk.chunk_id: passage for passage in evidence.best_passages(_PASSAGES)}
        if question.links:
            chunks_of = self.reader.chunks_of(sorted(question.entity_ids), per_entity=_COMMON_CHUNKS)
            about = [
                {chunk for entity_id in link.ids for chunk in chunks_of.get(entity_id, ())}
                for link in question.links
            ]
            # From the rarest, since of an entity in more passages than are asked for some are left out.
            rarest = sorted(min(about, key=len) - set(passages))
            mentioned = self.reader.entities_of(rarest)
            common = [c for c in rarest if names_all(question, mentioned.get(c, ()))]
            scores = self.reader.similarities("chunk", common, question.vector)
            best = sorted(zip(common, scores, strict=True), key=lambda pair: (-pair[1], pair[0]))[:_PASSAGES]
            near = dict(best)
            passages |= {c.chunk_id: Passage(c, near[c.chunk_id]) for c in self.reader.chunks(list(near))}
        return list(passages.values())

    def _chains(self, question: Question) -> list[Chain]:
        chains: list[Chain] = []
        ends = [link.ids for link in question.links]
        if question.kind != "yes_no":
            ends = [(*link.ids, *aspects(self.reader, link)) for link in question.links]
        for one, other in list(combinations(ends, 2))[:_PAIRS]:
            found = find_chains(self.reader, one, other, question.vector, max_hops=self.max_hops)
            chains += [chain for chain in found if answers(chain, question)]
        if len(question.links) >= 2:
            chains = [chain for chain in chains if leads_through(chain, question.categories)] or chains
        if question.kind == "how" and question.predicates:
            # How one thing brings about another: steps that act on the next one before steps that merely connect.
            chains.sort(key=lambda chain: not (chain.runs_forward and chain.sign))
        return distinct_chains(chains)[:_PAIRS]
