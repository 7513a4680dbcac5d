"""Multi-source evidence exploration (Algorithms 2, 3 and 5): rounds of documents, paths and web into one memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from kg_pipeline.graph.reader import Entity
from retrieval.evidence import EvidenceState, Passage, Quote, Retrieved, Seed, Step, titles_of
from retrieval.methods.bioweave.documents import hop_queries, retrieve
from retrieval.methods.bioweave.plan import Plan
from retrieval.methods.bioweave.settings import BioWeaveSettings, SourceName
from retrieval.methods.bioweave.units import Memory, hop_unit, sentence_unit
from retrieval.methods.context import Context
from retrieval.passages.sentences import Sentence, rank_sentences
from retrieval.paths.coverage import covered_links
from retrieval.paths.hop_finder import PASSAGES, HopFinder
from retrieval.paths.hops import Hop
from retrieval.paths.typed_paths import Explorer, TypedPath
from retrieval.questions.description import Description, read_description
from retrieval.reasoning.described import described_answers
from retrieval.reasoning.typed_answers import TypedAnswer, find_answers
from retrieval.trace import TraceStep
from retrieval.web import Channel, WebUnavailable

_WIDER = 3  # times as many passages and relations are looked through for a missing hop
_SENTENCES = 12
_BESIDE = 12  # hops from a name of the question that are taken into the pool though no answer leads over them
_PAIR_PATHS = 3
_BRIDGE = 2  # steps between two names where a sentence may stand in for a relation
_WEB_CONFIDENCE = 0.4
_WEB_QUERIES = 2


@dataclass(slots=True)
class Exploration:
    """What one question has found so far."""

    plan: Plan
    context: Context
    settings: BioWeaveSettings
    channels: Sequence[Channel] = ()
    memory: Memory = field(default_factory=Memory)
    finder: HopFinder = field(init=False)
    explorer: Explorer = field(init=False)  # paths of the question over what was found
    answers: list[TypedAnswer] = field(default_factory=list)
    description: Description | None = None  # of the question, which the answers satisfy
    paths: list[TypedPath] = field(default_factory=list)  # between two names of the question
    sentences: list[Sentence] = field(default_factory=list)
    steps: list[TraceStep] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.finder = self._finder(1)
        self.explorer = Explorer(self.plan.question, self.plan.shape, self.finder, self.settings.paths)

    @property
    def required(self) -> frozenset[str]:
        """Keys of the hops that answers lead over."""
        hops = [hop for answer in self.answers for hop in answer.hops]
        return frozenset(hop.key for hop in [*hops, *(hop for path in self.paths for hop in path.hops)])

    def _finder(self, times: int) -> HopFinder:
        return HopFinder(
            self.context.reader,
            self.context.split,
            per_node=times * self.settings.paths.per_node,
            per_entity=times * PASSAGES,
            use_graph="kg" in self.plan.sources,
            use_text="doc" in self.plan.sources and self.settings.converts_text,
        )

    def search(self, missing: Sequence[str] = ()) -> None:
        """A round without the web: documents, then paths over relations and sentences, then units."""
        if missing:
            read, reached = list(self.finder.passages), self.finder.entities
            self.finder = self._finder(_WIDER)
            # Paths of the round before lead over them, whatever the passages name.
            self.finder.entities |= reached
            self.finder.add_passages(read)
            self.explorer = replace(self.explorer, finder=self.finder)
        if "doc" in self.plan.sources:
            found = [*self.paths, *(path for answer in self.answers[:1] for path in answer.paths)]
            queries = hop_queries(self.plan, found, self.finder, missing)[: self.settings.queries]
            stops = [self.finder.entities[e] for path in found for e in path.entity_ids]
            links = self.plan.question.links
            chunks = retrieve(self.context, queries, self.settings.documents, links, stops)
            self.finder.add_passages(chunks)
            self.steps += [TraceStep("query", query, "documents") for query in queries]
            self._rank(chunks)
        self.expand()

    async def search_web(self, missing: Sequence[str]) -> None:
        """Targeted queries to each channel; what cannot be reached is noted and gone without."""
        question = self.plan.question
        names = " ".join(link.text for link in question.links)
        queries = list(dict.fromkeys([*missing, names or question.text]))[:_WEB_QUERIES]
        for channel in self.channels:
            for query in queries:
                try:
                    records = await channel.search(query, self.settings.web_units)
                except WebUnavailable as error:
                    self.notes.append(str(error))
                    continue
                self.steps.append(TraceStep("query", query, f"{channel.name}, {len(records)} records"))
                hops = self.memory.add_web(records, self._known(), self.context.split, _WEB_CONFIDENCE)
                self.finder.add(hops)
        self.expand()

    def _known(self) -> list[Entity]:
        linked = {e.entity_id: e for link in self.plan.question.links for e in link.entities}
        return list((dict(self.finder.entities) | linked).values())

    def _rank(self, chunk_ids: Sequence[str]) -> None:
        question = self.plan.question
        scores = self.context.reader.similarities("chunk", chunk_ids, question.vector)
        passages = [
            Passage(self.finder.passages[chunk_id].chunk, score)
            for chunk_id, score in zip(chunk_ids, scores, strict=True)
            if chunk_id in self.finder.passages
        ]
        self.finder.passages |= {passage.chunk.chunk_id: passage for passage in passages}
        articles = sorted({passage.chunk.article_id for passage in passages})
        titles = titles_of(self.context.reader.documents(articles))
        self.sentences = rank_sentences(
            question, passages, self.context.embedder, self.context.split, _SENTENCES, titles
        )

    def expand(self) -> None:
        """ExpandTypedPaths over everything found so far, and the units that come of it."""
        question, shape = self.plan.question, self.plan.shape
        self.answers, self.paths = [], []
        if question.kind != "yes_no" and shape.answer is not None:
            self.answers = self._described() or find_answers(self.explorer, limit=self.settings.listed)
        ends = [link for i, link in enumerate(question.links) if i not in shape.setting]
        if not self.answers and len(ends) > 1:
            near = replace(self.explorer, settings=replace(self.settings.paths, max_depth=_BRIDGE))
            self.paths = near.to_entities(ends[0].ids, ends[1].ids, limit=_PAIR_PATHS)
        entities = self.finder.entities
        hops = [hop for answer in self.answers for hop in answer.hops]
        hops += [hop for path in self.paths for hop in path.hops]
        for around in self.finder.around(sorted(question.entity_ids)).values():
            hops += around[:_BESIDE]
        self.memory.add(hop_unit(hop, entities) for hop in hops)
        links = question.links
        self.memory.add(
            sentence_unit(row, (frozenset(links[i].ids) for i in sorted(row.links)), row.terms)
            for row in self.sentences
        )
        self.steps += [_path_step(self.finder, answer) for answer in self.answers[:_PAIR_PATHS]]

    def _described(self) -> list[TypedAnswer]:
        """What a question told in several sentences describes."""
        told = read_description(self.plan.question)
        if told is None:
            return []
        found = described_answers(self.explorer, self.finder, told, limit=self.settings.listed)
        self.description = told if found else None
        return found

    def missing_hops(self, quotes: Iterable[Quote]) -> list[str]:
        """BacktraceMissingHop: for each name of the question that nothing found speaks of, or else for each name, a query."""
        question, shape = self.plan.question, self.plan.shape
        covered = covered_links(question, (), quotes)
        cues = " ".join(cue.word for cue in shape.cues if cue.predicates)
        wanted = shape.answer.word if shape.answer else ""
        open_links = [link for i, link in enumerate(question.links) if i not in covered]
        found = [f"{link.text} {cues} {wanted}" for link in open_links or question.links]
        return [" ".join(query.split()) for query in found]

    def evidence(self, unit_keys: Iterable[str]) -> EvidenceState:
        """The refined evidence graph as the rest of retrieval reads it: relations, their sentences, passages."""
        reader, question = self.context.reader, self.plan.question
        units = [self.memory.units[key] for key in unit_keys if key in self.memory.units]
        facts = [unit.hop.fact for unit in units if unit.hop is not None and unit.hop.fact is not None]
        parts = {p.relation.relation_id: p for fact in facts for p in (fact, *fact.asserted())}
        cited = {quote.chunk_id for unit in units for quote in unit.quotes}
        known = dict(self.finder.passages)
        ranked = sorted({*cited, *(row.quote.chunk_id for row in self.sentences)})
        missing = reader.chunks([key for key in ranked if key not in known])
        passages = [known[key] for key in ranked if key in known] + [Passage(c, 0.0) for c in missing]
        passages += [Passage(chunk, 0.0) for chunk in self.memory.chunks.values()]
        ids = sorted({e for unit in units for e in unit.entity_ids} & set(self.finder.entities))
        nearness = reader.similarities("entity", ids, question.vector)
        articles = list(dict.fromkeys(passage.chunk.article_id for passage in passages))
        documents = [*reader.documents(articles), *self.memory.documents.values()]
        state = EvidenceState()
        found = Retrieved(
            query=question.text,
            documents=tuple(documents),
            passages=tuple(passages),
            entities=tuple(
                Seed(self.finder.entities[e], near, 0) for e, near in zip(ids, nearness, strict=True)
            ),
            relations=tuple(part.relation for part in parts.values()),
            quotes={key: part.quotes for key, part in parts.items() if part.quotes},
            truncated=False,
            text="\n".join(unit.text for unit in units),
        )
        state.add([Step(question.text, "", found)])
        return state


def _path_step(finder: HopFinder, answer: TypedAnswer) -> TraceStep:
    path = answer.paths[0]
    names = " - ".join(finder.entities[entity_id].name for entity_id in path.entity_ids)
    sources = ", ".join(sorted({_source(hop) for hop in answer.hops}))
    return TraceStep("path", names, sources, round(answer.score, 6))


def _source(hop: Hop) -> SourceName:
    return "kg" if hop.fact is not None else "web" if hop.source == "web" else "doc"
