"""`kg doctor`: what is installed, which models and endpoints are used, what is missing and the command for it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata

import httpx
from rich.console import Console
from rich.markup import escape

from kg_pipeline.cli.tables import folded_table
from kg_pipeline.corpora import load_corpora
from kg_pipeline.errors import KgError
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.object_store import open_store
from kg_pipeline.settings import Settings, usable_settings

_PACKAGES = ("dagster", "spacy", "scispacy", "openai", "neo4j", "pyarrow", "polars", "biopython")
_FREE_SPACE = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; `fix` is what to run or set when it is not well."""

    subject: str
    state: str
    is_well: bool = True
    fix: str = ""


def run(console: Console) -> bool:
    """Print the report; false if something that the product needs is missing, or a setting cannot be used."""
    settings, wrong = usable_settings()
    probes: list[Callable[[Settings], Finding]] = [
        _python,
        *(_package(name) for name in _PACKAGES),
        _home,
        _store,
        _corpora,
        _parser,
        _sentences,
        _embeddings,
        _entities,
        _vocabulary,
        _pmc,
        _llm,
        _neo4j,
    ]
    findings = [
        Finding(
            f"setting {name}", reason, is_well=False, fix="correct or unset it; the rest is shown without it"
        )
        for name, reason in wrong.items()
    ]
    findings.extend(_explained(probe, settings) for probe in probes)
    table = folded_table("", "what", "state", "what to do", whole=("",))
    for finding in findings:
        mark = "[green]ok[/]" if finding.is_well else "[red]no[/]"
        table.add_row(mark, *(escape(cell) for cell in (finding.subject, finding.state, finding.fix)))
    console.print(table)
    return all(finding.is_well for finding in findings)


def _explained(probe: Callable[[Settings], Finding], settings: Settings) -> Finding:
    try:
        return probe(settings)
    except KgError as error:
        return Finding(_subject(probe), str(error), is_well=False)
    except OSError as error:
        if not error.filename:
            raise
        fix = f"check that you may write to {settings.home}, or set KG_HOME to another folder"
        return Finding(_subject(probe), f"{error.filename}: {error.strerror}", is_well=False, fix=fix)


def _subject(probe: Callable[[Settings], Finding]) -> str:
    return getattr(probe, "__name__", "check").strip("_")


def _python(_: Settings) -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    well = (3, 11) <= sys.version_info[:2] < (3, 13)
    return Finding("Python", version, well, "" if well else "use Python 3.11 or 3.12")


def _package(name: str) -> Callable[[Settings], Finding]:
    def probe(_: Settings) -> Finding:
        try:
            return Finding(f"package {name}", metadata.version(name))
        except metadata.PackageNotFoundError:
            return Finding(f"package {name}", "not installed", is_well=False, fix="make install")

    return probe


def _home(settings: Settings) -> Finding:
    existing = next(folder for folder in (settings.home, *settings.home.parents) if folder.exists())
    free = shutil.disk_usage(existing).free
    well = free > _FREE_SPACE
    state = f"{settings.home} ({free / 1e9:.0f} GB free)"
    return Finding(
        "workspace", state, well, "" if well else "free some space, or set KG_HOME to another disk"
    )


def _store(settings: Settings) -> Finding:
    store = open_store(settings.store)
    if store is None:
        return Finding("object store", "none: tables stay in the workspace", fix="to share one: set KG_STORE")
    if not store.is_there():
        return Finding(
            "object store",
            f"{store.address}: no such bucket or folder",
            is_well=False,
            fix="make it, or correct KG_STORE",
        )
    return Finding("object store", store.address)


def _corpora(settings: Settings) -> Finding:
    corpora = load_corpora(settings.corpora_file)
    store = VersionStore.of(settings)
    listed = ", ".join(f"{name} ({store.current(name) or 'not built'})" for name in corpora)
    return Finding("corpora", listed)


def _parser(settings: Settings) -> Finding:
    from kg_pipeline.extraction.syntax.sentence_parser import load_parser

    load_parser(settings.spacy_model)
    return Finding("parser", settings.spacy_model)


def _sentences(settings: Settings) -> Finding:
    from kg_pipeline.text.sentences import load_splitter

    load_splitter(settings.sentence_model)
    return Finding("sentence splitter", settings.sentence_model)


def _embeddings(settings: Settings) -> Finding:
    from kg_pipeline.llm.embeddings import load_embedder

    return Finding("embeddings", load_embedder(settings).name)


def _entities(settings: Settings) -> Finding:
    from kg_pipeline.extraction.mentions.ner.choice import NONE, OWN, chosen_recogniser

    chosen_recogniser(settings.entity_model)
    told = {
        OWN: "own: the recogniser that comes with the package, and the vocabulary",
        NONE: "none: the vocabulary alone",
    }
    return Finding("names of entities", told.get(settings.entity_model, settings.entity_model))


def _vocabulary(settings: Settings) -> Finding:
    from kg_pipeline.vocabulary.index.build import build_vocabulary
    from kg_pipeline.vocabulary.index.lookup import open_vocabulary

    index = open_vocabulary(build_vocabulary(settings))
    return Finding("vocabulary", f"{len(index)} concepts")


def _pmc(settings: Settings) -> Finding:
    pmc = settings.pmc
    rate = "10" if pmc.api_key.get_secret_value() else "3"
    state = f"search by {pmc.search} ({rate} requests a second), articles from {pmc.articles}"
    is_known = bool(pmc.email.get_secret_value())
    return Finding(
        "PubMed Central", state, fix="" if is_known else "to query it: set KG_PMC_EMAIL, as NCBI asks"
    )


def _llm(settings: Settings) -> Finding:
    if settings.llm is None:
        return Finding(
            "language model",
            "none: offline extraction and extractive answers",
            fix="to use one: set KG_LLM_BASE_URL, KG_LLM_MODEL and KG_LLM_API_KEY",
        )
    llm = settings.llm
    try:
        response = httpx.get(
            f"{llm.base_url.rstrip('/')}/models",
            headers={"Authorization": f"Bearer {llm.api_key.get_secret_value()}"},
            timeout=5,
        )
    except httpx.HTTPError as error:
        return Finding(
            "language model",
            f"{llm.base_url}: {type(error).__name__}",
            is_well=False,
            fix="check KG_LLM_BASE_URL, or start the server",
        )
    if response.status_code >= httpx.codes.BAD_REQUEST:
        return Finding(
            "language model",
            f"{llm.base_url}: HTTP {response.status_code}",
            is_well=False,
            fix="check KG_LLM_BASE_URL and KG_LLM_API_KEY",
        )
    return Finding("language model", f"{llm.model} at {llm.base_url}")


def _neo4j(settings: Settings) -> Finding:
    if settings.neo4j is None:
        return Finding(
            "Neo4j",
            "none: the graph directory is used",
            fix="to use it: set KG_NEO4J_URI, KG_NEO4J_USER and KG_NEO4J_PASSWORD",
        )
    from kg_pipeline.graph.neo4j import ping

    return Finding("Neo4j", ping(settings.neo4j))
