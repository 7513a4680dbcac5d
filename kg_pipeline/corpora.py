"""Corpora: what each is made of, read from corpora.toml; and the shard an article belongs to.

    [lupus]
    title = "Lupus and ultraviolet light"
    query = "lupus erythematosus AND ultraviolet"   # or a list of queries; the syntax of PMC's search box
    license = ["redistributable"]                   # filters of a query: fields of `kg_pipeline.queries.PmcQuery`
    from_date = 2015-01-01

    [ours]
    source = "articles/ours"                        # or a folder or archive of JATS files, relative to this file
    annotations = ["pubtator", "indra.json.gz"]     # relations found elsewhere: files or folders, relative to this file
    rights = { unknown = "edges" }                  # what the graph keeps by licence class: see `kg_pipeline.rights`
    [ours.checks]
    max_hub_share = 0.3                             # thresholds of the graph's checks: fields of `GraphLimits`

The corpus `demo` ships with the package and is always there.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from kg_pipeline import files
from kg_pipeline.errors import CorpusError
from kg_pipeline.queries import PmcQuery
from kg_pipeline.rights import RightsPolicy

DEMO = "demo"
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PACKAGED = Path(__file__).parent / "demo" / "articles"
_QUERY_OPTIONS = tuple(name for name in PmcQuery.model_fields if name != "terms")


class GraphLimits(BaseModel):
    """Thresholds of the checks of a graph version (`kg_pipeline.graph.inspection.checks`); shares are between 0 and 1.

    They decide what is worth a look, not what a graph contains: the section `[NAME.checks]` of the corpora file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    min_asserted_relations: int = Field(default=1, ge=0)
    min_connected_share: float = Field(default=0.05, ge=0, le=1, description="entities that have a relation")
    max_unmentioned_share: float = Field(default=0.0, ge=0, le=1, description="entities in no article")
    max_orphan_chunk_share: float = Field(default=0.5, ge=0, le=1, description="chunks without an entity")
    max_hub_share: float = Field(default=0.5, ge=0, le=1, description="relations that touch a hub")
    max_inferred_ratio: float = Field(default=10.0, ge=0, description="inferred relations an asserted one")
    max_change_factor: float = Field(default=2.0, ge=1, description="relations against the parent version")
    min_top_kept: float = Field(
        default=0.5, ge=0, le=1, description="best-connected entities of the parent that still are"
    )
    max_unlicensed_share: float = Field(
        default=0.0, ge=0, le=1, description="articles of licences the corpus does not admit"
    )


class CorpusSpec(BaseModel):
    """One corpus and every setting that decides what its graph contains.

    Its articles come from exactly one of `source`, a folder or archive, and `query`, a search of PubMed Central.
    Both only find the articles, so they are no part of what is hashed into a graph version; neither is where
    `annotations` lie: what is in them is.
    `standardization` and `inference` choose between our guarded rules and the published eGoT rules.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    title: str = ""
    source: str = ""
    query: PmcQuery | None = Field(default=None, exclude=True)
    annotations: tuple[str, ...] = Field(
        default=(), exclude=True, description="files and folders of relations that were found elsewhere"
    )
    chunk_tokens: int = Field(
        default=220, ge=32, le=480, description="upper bound of a chunk, in embedding-model tokens"
    )
    chunk_overlap: int = Field(default=1, ge=0, le=8, description="sentences that neighbouring chunks share")
    extraction: Literal["auto", "offline", "llm"] = "auto"
    standardization: Literal["guarded", "egot"] = "guarded"
    adjudicated_pairs: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description="pairs of names that the guarded rules leave open and a language model is asked about; 0: none",
    )
    inference: Literal["typed", "egot"] = "typed"
    max_inferred_per_node: int = Field(default=20, ge=0)
    max_inferred: int = Field(default=200_000, ge=0)
    hub_degree: int = Field(
        default=200, ge=2, description="nodes of a higher degree are not composed through"
    )
    include_appendices: bool = False
    rights: RightsPolicy = Field(
        default=RightsPolicy(), description="what the graph keeps of an article, by licence class"
    )
    checks: GraphLimits = Field(default=GraphLimits(), exclude=True)

    @model_validator(mode="after")
    def _check_origin(self) -> Self:
        if self.source and self.query is not None:
            raise ValueError("it has a source and a query; keep one of them")
        if not self.source and self.query is None:
            raise ValueError("it has no articles; add source = a folder or archive, or query = a search")
        return self

    @property
    def source_path(self) -> Path:
        """Folder or archive of a corpus that has one."""
        return Path(self.source)

    @property
    def origin(self) -> str:
        """Where its articles come from, in a few words."""
        return self.source if self.query is None else f"PMC: {' | '.join(self.query.terms)}"

    def options(self) -> dict[str, object]:
        """Every option that a build or a listing depends on, the query among them, as JSON."""
        query = self.query.model_dump(mode="json") if self.query else None
        return {**self.model_dump(mode="json"), "query": query, "annotations": list(self.annotations)}


_TABLES: dict[str, type[BaseModel]] = {"rights": RightsPolicy, "checks": GraphLimits}  # tables of options


def shard_of(article_id: str, shards: int) -> str:
    """Two digits; stable across corpora, processes and machines."""
    value = int.from_bytes(hashlib.sha256(article_id.encode()).digest()[:8])
    return f"{value % shards:02d}"


def shard_keys(shards: int) -> list[str]:
    """All shard names, sorted."""
    return [f"{number:02d}" for number in range(shards)]


def load_corpora(path: Path) -> dict[str, CorpusSpec]:
    """Every corpus by name, sorted: those of the file (none if it is absent) and the packaged demo corpus.

    Raises
    ------
    CorpusError
        If the file is not TOML, a name is not a slug, or an option is unknown or has a value that cannot be used.

    """
    specs = {
        DEMO: CorpusSpec(
            name=DEMO, title="Sample articles: UV and lupus; small cell lung cancer", source=str(_PACKAGED)
        )
    }
    try:
        content = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return specs
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise CorpusError(
            f"{path} cannot be read ({why}). Check KG_HOME and KG_CORPORA, or mend the file."
        ) from None
    try:
        sections = tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        raise CorpusError(
            f"{path} is not valid TOML: {error}. Mend that line and run the command again."
        ) from None
    for name, options in sections.items():
        specs[name] = _spec(path, name, options)
    return dict(sorted(specs.items()))


def find_corpus(path: Path, name: str) -> CorpusSpec:
    """The corpus of that name, or a CorpusError that lists those there are."""
    corpora = load_corpora(path)
    if name not in corpora:
        known = ", ".join(corpora)
        raise CorpusError(
            f"There is no corpus named {name!r}. Known: {known}. "
            f"Add one with `kg build {name} --source FOLDER`, or as a [{name}] section of {path}"
            f"{'' if path.exists() else ' (there is no such file yet)'} "
            'with source = "FOLDER" or query = "WORDS".'
        )
    return corpora[name]


def check_readable(path: Path, name: str, has_versions: Callable[[str], bool]) -> None:
    """Make sure that the name is of a corpus, or of one that the file does not know (any more) and that has versions.

    Raises
    ------
    CorpusError
        If it is neither.

    """
    if not (_SLUG.fullmatch(name) and has_versions(name)):
        find_corpus(path, name)


def add_corpus(path: Path, name: str, source: Path) -> CorpusSpec:
    """The corpus of that name, added to the end of the file if it is new; its source must be the same if it is not."""
    corpora = load_corpora(path)
    absolute = source.expanduser().absolute()
    if name in corpora:
        known = corpora[name]
        if known.query is not None or known.source_path.resolve() != absolute.resolve():
            raise CorpusError(
                f"Corpus {name!r} already reads {known.origin}; this build names {absolute}. "
                f"Choose another name, or change its source in {path}."
            )
        return known
    if not absolute.exists():
        raise CorpusError(
            f"{source} does not exist. Give a folder (or .tar, .tar.gz, .tar.xz, .zip) of JATS XML files."
        )
    spec = _spec(path, name, {"source": str(absolute)})
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    separator = "\n" if before and not before.endswith("\n\n") else ""
    files.write_text(
        path, f"{before}{separator}[{name}]\nsource = {json.dumps(str(absolute), ensure_ascii=False)}\n"
    )
    return spec


def _spec(path: Path, name: str, options: object) -> CorpusSpec:
    if name == DEMO:
        raise CorpusError(
            f"{path}: the name {DEMO!r} belongs to the packaged sample corpus; rename the section."
        )
    if not _SLUG.fullmatch(name):
        raise CorpusError(
            f"{path}: {name!r} cannot name a corpus; use lower-case letters, digits and single hyphens."
        )
    if not isinstance(options, dict):
        raise CorpusError(
            f"{path}: {name} = … stands outside of a section; write [{name}] and its options below."
        )
    try:
        spec = CorpusSpec.model_validate({**_with_query(options), "name": name})
    except ValidationError as error:
        raise CorpusError(f"{path}, section [{name}]: {_explain(error)}") from None
    found = {"annotations": tuple(_beside(path, name) for name in spec.annotations)}
    if spec.query is None:
        return spec.model_copy(update={**found, "source": _beside(path, spec.source)})
    return spec.model_copy(update=found)


def _beside(path: Path, name: str) -> str:
    """A path of the corpora file, which is relative to it."""
    return str(path.parent / Path(name).expanduser())


def _with_query(options: dict[str, object]) -> dict[str, object]:
    """The options of a section with those of its query put together; filters without a query stay unknown options."""
    if "query" not in options:
        return options
    terms = options["query"]
    filters = {name: options[name] for name in _QUERY_OPTIONS if name in options}
    others = {name: value for name, value in options.items() if name not in _QUERY_OPTIONS}
    return {**others, "query": {**filters, "terms": [terms] if isinstance(terms, str) else terms}}


def _explain(error: ValidationError) -> str:
    parts = []
    for problem in error.errors(include_url=False):
        place = [str(part) for part in problem["loc"]]
        # The file has the filters of a query beside it, and its terms as the query itself.
        if place[:2] == ["query", "terms"]:
            place = ["query", *place[2:]]
        elif place[:1] == ["query"] and len(place) > 1:
            place = place[1:]
        option = ".".join(place)
        if problem["type"] == "value_error":
            parts.append(f"{option + ': ' if option else ''}{problem['ctx']['error']}")
        elif problem["type"] == "extra_forbidden" and option in _QUERY_OPTIONS:
            parts.append(f"{option!r} is a filter of a query, and there is no query")
        elif problem["type"] == "extra_forbidden":
            parts.append(f"{option!r} is not an option ({_options_beside(place)})")
        elif problem["type"].startswith("date_"):
            parts.append(
                f"{option} = {problem['input']!r} is no date; write it as 2015-01-31, without quotes"
            )
        else:
            parts.append(f"{option} = {problem['input']!r}: {problem['msg'].lower()}")
    return "; ".join(parts) + "."


def _options_beside(place: list[str]) -> str:
    """The options there are where an unknown one stands."""
    if len(place) > 1 and place[0] in _TABLES:
        return f"there are: {', '.join(sorted(_TABLES[place[0]].model_fields))}"
    known = ", ".join(sorted(CorpusSpec.model_fields.keys() - {"name"}))
    return f"there are: {known}; for a query: {', '.join(_QUERY_OPTIONS)}"
