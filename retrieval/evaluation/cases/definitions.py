"""Case studies as data: questions, the conditions they are asked under, and what the paper reports; read from TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kg_pipeline.errors import BenchmarkFileError

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
    """A corpus to answer from, with the search that fills it and how many articles at most; none for a model alone."""

    id: str
    corpus: str
    query: tuple[str, ...]
    articles: int = Field(default=0, ge=0)
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


def corpora_toml(studies: Sequence[Study]) -> str:
    """The corpora of some studies as sections of a corpora file, each once."""
    sections = []
    for condition in {
        one.corpus: one for study in studies for one in study.conditions if one.corpus
    }.values():
        queries = ", ".join(f'"{query}"' for query in condition.query)
        lines = [f"[{condition.corpus}]", f"query = [{queries}]", f"max_articles = {condition.articles}"]
        sections.append("\n".join([*lines, 'license = ["redistributable"]', ""]))
    return "\n".join(sections)


def published(study: str, condition: str, depth: int) -> Mapping[str, float]:
    """What the paper reports of a study under a condition at a depth; empty where it reports nothing."""
    # Table 4 is of the study's own articles at two depths, table 5 of a condition.
    of_depth = PUBLISHED.get(f"{study}, depth {depth}", {}) if condition == "exp-1" else {}
    return PUBLISHED.get(f"{study}, {condition}", of_depth)
