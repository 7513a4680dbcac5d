"""Confidences that hold: of triples that promise p, about a share p is right, given the right entities.

A pattern of the rules comes with a guess, and the models answer for all pairs and not for those that pass their
thresholds and that no other reader took before them. So what each reader promises is put on a scale of its own (Platt
1999): its logit times a slope, plus an offset. `scripts/calibrate_relations.py` finds both on BioRED's development
abstracts, which no model was trained on, and writes them to `data/calibration.json`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Literal

from kg_pipeline.extraction.rules.triples import OfflineTriple

Reader = Literal["rules", "model", "abstract", "neighbours"]

CALIBRATION_FILE = "calibration.json"
#: Confidences are kept this far from 0 and 1, where logits end.
_MARGIN = 0.001
_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Scale:
    """Slope and offset between the logits of what a reader promises and of what it holds; as it is without them."""

    slope: float = 1.0
    offset: float = 0.0

    def of(self, confidence: float) -> float:
        """The share of right ones among triples of this confidence."""
        return round(1 / (1 + math.exp(-self.slope * logit(confidence) - self.offset)), _DECIMALS)


def logit(confidence: float) -> float:
    """Logarithm of the odds of a confidence."""
    inside = min(max(confidence, _MARGIN), 1 - _MARGIN)
    return math.log(inside / (1 - inside))


def calibrated(reader: Reader, triples: Sequence[OfflineTriple]) -> list[OfflineTriple]:
    """Triples of a reader with confidences that hold."""
    scale = load_scales()[reader]
    return [replace(triple, confidence=scale.of(triple.confidence)) for triple in triples]


@cache
def load_scales() -> Mapping[str, Scale]:
    """The scale of each reader, read once a process."""
    text = (files("kg_pipeline.extraction.relation_model") / "data" / CALIBRATION_FILE).read_text("utf-8")
    return {reader: Scale(**scale) for reader, scale in json.loads(text).items()}
