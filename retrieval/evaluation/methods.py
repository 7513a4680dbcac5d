"""Methods and their published ablations by name, as settings of the methods themselves.

eGoT without thoughts ("No-GoT" of its table 1), INSES without similarity, navigator or router (its section 4.6), BioWeave
without entity normalisation, conversion to evidence units, cross-source verification, or all verification (tables 8 and 9).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from kg_pipeline.graph.reader import GraphReader
from retrieval.answer import Answer, AnswerUsage
from retrieval.evaluation.readers_of_graphs import PlainNames
from retrieval.evidence import EvidenceState, Retrieved
from retrieval.methods.context import Context
from retrieval.methods.egot import Egot, EgotSettings
from retrieval.methods.inses.method import Inses
from retrieval.methods.inses.walk import InsesSettings
from retrieval.methods.registry import METHODS, Method, UnknownMethodError
from retrieval.methods.router import Router, RouterSettings
from retrieval.questions.question import Question
from retrieval.reasoning.reasoner import Draft, Reasoner

if TYPE_CHECKING:
    from retrieval.web import Channel

_SETUP_CALLS = 2  # of generation and scoring, which ask nobody where there are no thoughts


@dataclass(frozen=True, slots=True)
class _Thoughtless:
    """A reasoner whose only thought is the question."""

    reasoner: Reasoner

    @property
    def name(self) -> str:
        return self.reasoner.name

    async def generate(self, question: Question, evidence: EvidenceState, count: int) -> list[str]:
        return [question.text]

    async def evaluate(self, question: Question, thoughts: Sequence[str]) -> list[float]:
        return [1.0] * len(thoughts)

    async def summarise(self, question: Question, thought: str, retrieved: Retrieved) -> str:
        return await self.reasoner.summarise(question, thought, retrieved)

    async def synthesise(self, question: Question, evidence: EvidenceState) -> Draft:
        return await self.reasoner.synthesise(question, evidence)

    def usage(self) -> AnswerUsage:
        return self.reasoner.usage()

    def over(self, reader: GraphReader) -> Reasoner:
        return _Thoughtless(self.reasoner.over(reader))


class EgotWithoutThoughts:
    """eGoT whose search is one retrieval for the question itself."""

    name = "egot-no-thoughts"

    async def answer(self, question: str, context: Context) -> Answer:
        """Answer over the graph version of the context."""
        bare = replace(context, reasoner=_Thoughtless(context.reasoner))
        answer = await Egot(EgotSettings(depth=1)).answer(question, bare)
        usage = replace(answer.usage, calls=max(answer.usage.calls - _SETUP_CALLS, 0))
        return replace(answer, method=self.name, usage=usage)


@dataclass(frozen=True, slots=True)
class Renamed:
    """A method under another name, with the graph read in another way if `read` says so."""

    name: str
    method: Method
    has_plain_names: bool = False

    async def answer(self, question: str, context: Context) -> Answer:
        """Answer over the graph version of the context."""
        if self.has_plain_names:
            context = context.over(PlainNames(context.reader))
        return replace(await self.method.answer(question, context), method=self.name)


def _bioweave(name: str, *, has_plain_names: bool = False, **options: float | bool) -> Callable[[], Method]:
    def make() -> Method:
        from retrieval.methods.bioweave.method import BioWeave  # httpx loads only where it is used
        from retrieval.methods.bioweave.settings import BioWeaveSettings

        settings = replace(BioWeaveSettings(), **options)  # type: ignore[arg-type]
        return Renamed(name, BioWeave(settings), has_plain_names)

    return make


def _inses(name: str, **options: bool) -> Callable[[], Method]:
    """INSES under its router. "auto" gives counting and options to BioWeave, which would hide what INSES does."""

    def make() -> Method:
        router = Router(RouterSettings(countable=False), thorough=Inses(InsesSettings(**options)))
        return Renamed(name, router)

    return make


_INSES = "inses-router"
#: The published system of INSES, which its ablations are compared with: the router over passages and the walk.
SYSTEMS: Mapping[str, Callable[[], Method]] = MappingProxyType({_INSES: _inses(_INSES)})
#: Ablations by name.
ABLATIONS: Mapping[str, Callable[[], Method]] = MappingProxyType(
    {
        "egot-no-thoughts": EgotWithoutThoughts,
        "inses-no-similarity": _inses("inses-no-similarity", expand_similar=False),
        "inses-no-navigator": _inses("inses-no-navigator", navigate=False),
        "inses-no-router": lambda: Renamed("inses-no-router", Inses()),
        "bioweave-no-normalisation": _bioweave("bioweave-no-normalisation", has_plain_names=True),
        "bioweave-no-conversion": _bioweave("bioweave-no-conversion", converts_text=False),
        # Without the support of other sources, the weights of the prior and of the graph grow in proportion.
        "bioweave-no-verification": _bioweave(
            "bioweave-no-verification", support_weight=0.0, prior_weight=3 / 7, graph_weight=4 / 7
        ),
        "bioweave-relevance-only": _bioweave("bioweave-relevance-only", relevance=1.0),
    }
)
#: What each ablation is compared with.
FULL: Mapping[str, str] = MappingProxyType(
    {name: _INSES if name.startswith("inses") else name.partition("-")[0] for name in ABLATIONS}
)


def with_web(method: Method, channel: Channel) -> Method:
    """BioWeave, or an ablation of it, with the web as a further source; other methods cannot read the web."""
    from retrieval.methods.bioweave.method import BioWeave

    if isinstance(method, Renamed):
        return replace(method, method=with_web(method.method, channel))
    if isinstance(method, BioWeave):
        settings = replace(method.settings, sources=method.settings.sources | {"web"})
        return BioWeave(settings, (channel,))
    return method


def names_or_ablations(names: Sequence[str]) -> tuple[str, ...]:
    """The names, or every ablation after the systems they are compared with if the only name is `ablations`."""
    if list(names) != ["ablations"]:
        return tuple(names)
    return (*sorted({*FULL.values()}), *ABLATIONS)


def make_method(name: str) -> Method:
    """A method or an ablation by name.

    Raises
    ------
    UnknownMethodError
        If there is neither.

    """
    known = {**METHODS, **SYSTEMS, **ABLATIONS}
    if name not in known:
        raise UnknownMethodError(
            f"There is no method or ablation {name!r}; use some of {', '.join(sorted(known))}."
        )
    return known[name]()
