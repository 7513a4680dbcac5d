"""Parameters of BioWeave. The paper names them (Table 6) and gives no numbers; these are ours, unless a line says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from retrieval.paths.typed_paths import PathSettings

SourceName = Literal["kg", "doc", "web"]
_PRIORS: Mapping[SourceName, float] = MappingProxyType({"kg": 1.0, "doc": 0.8, "web": 0.5})
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class BioWeaveSettings:
    """Weights and budgets; each group of weights sums to 1."""

    sources: frozenset[SourceName] = frozenset({"kg", "doc"})  # the source condition S_q may not leave
    paths: PathSettings = field(default_factory=PathSettings)  # D_max and the beam of the path expansion
    pool: int = 40  # W_1, units kept by relevance
    verified: int = 16  # W_2, units handed to the selector
    selected: int = 8  # K, units the answer is made of
    documents: int = 12  # W_doc, passages
    web_units: int = 6  # W_web
    queries: int = 6  # hop queries of one round
    semantic: float = 0.6  # lambda_sem
    entity: float = 0.4  # lambda_ent
    priors: Mapping[SourceName, float] = field(default_factory=lambda: _PRIORS)  # rho
    prior_weight: float = 0.3  # alpha_prior
    support_weight: float = 0.3  # alpha_sup
    graph_weight: float = 0.4  # alpha_kg
    relevance: float = 0.5  # beta, of relevance against verification
    support_cosine: float = 0.6  # gamma, from which units of two sources say the same
    support_cap: int = 2  # W_src
    rounds: int = 2  # of retrieval: the first, and one more for a missing hop
    listed: int = 200  # answers counted at most
    converts_text: bool = True  # False, for ablation: sentences are read, but relate no entities on paths

    def __post_init__(self) -> None:
        groups = (
            (self.semantic, self.entity),
            (self.prior_weight, self.support_weight, self.graph_weight),
        )
        for weights in groups:
            if min(weights) < 0 or abs(sum(weights) - 1) > _TOLERANCE:
                raise ValueError(f"Weights must not be negative and must sum to 1, not {weights}.")
        if not 0 <= self.relevance <= 1:
            raise ValueError(f"relevance must be in [0, 1], not {self.relevance}.")
        if not self.sources or not self.sources <= set(_PRIORS):
            raise ValueError(f"sources must be some of kg, doc and web, not {sorted(self.sources)}.")
        if not self.pool >= self.verified >= self.selected >= 1 or self.rounds < 1:
            raise ValueError(f"pool >= verified >= selected >= 1 and rounds >= 1 must hold, not {self}.")
