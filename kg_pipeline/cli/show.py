"""Tables that commands print."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
from rich.console import Console
from rich.table import Table

from kg_pipeline.cli import brought_in
from kg_pipeline.cli.building import BuildResult
from kg_pipeline.cli.readable import corpus_of_articles, readable_versions
from kg_pipeline.cli.tables import add_plain_row, folded_table, print_json
from kg_pipeline.corpora import DEMO, CorpusSpec, find_corpus, load_corpora
from kg_pipeline.datasets import Datasets
from kg_pipeline.errors import CorruptGraphError
from kg_pipeline.graph import layout
from kg_pipeline.graph.inspection.checks import check_version
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.graph.versions.verify import verify_version
from kg_pipeline.pmc.query_index import listing_record
from kg_pipeline.rights import MEANINGS
from kg_pipeline.settings import load_settings

_COUNTS = ("documents", "chunks", "mentions", "triples", "entities", "merges")
_LISTED = ("articles", "article_index")
_TOLD = ("article_id", "status", "license_class", "reason", "source_ref")


def build_result(console: Console, result: BuildResult) -> None:
    """What a build made: articles by status, rows by stage, relations by kind, rejects by reason, seconds."""
    settings = load_settings()
    datasets = Datasets.of(settings)
    table = Table(title=f"Corpus {result.corpus}, version {result.manifest.version}", title_justify="left")
    table.add_column("what")
    table.add_column("rows", justify="right")
    table.add_column("of which")
    statuses = _counted(datasets, "articles", "status", result.corpus)
    table.add_row("articles", str(sum(statuses.values())), _listing(statuses))
    for name in _COUNTS:
        rows = int(datasets.scan(name, result.corpus).select(pl.len()).collect().item())
        table.add_row(name, str(rows), _detail(datasets, name, result.corpus))
    kinds = result.manifest.relations_by_kind
    table.add_row("relations", str(sum(kinds.values())), _listing(kinds))
    rejects = _counted(datasets, "rejects", "reason", result.corpus)
    table.add_row("rejected triples", str(sum(rejects.values())), _listing(rejects) or "none")
    if brought := brought_in.summary(datasets, find_corpus(settings.corpora_file, result.corpus)):
        table.add_row("brought-in records", *brought)
    console.print(table)
    if result.stage_seconds:
        times = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in result.stage_seconds.items())
        console.print(f"Seconds a stage: {times}.", highlight=False)
    if result.neo4j:
        console.print(f"Neo4j at {result.neo4j} holds this version.", highlight=False)
    extractor = (
        f"the language model {settings.llm.model}"
        if settings.llm
        else "the offline extractor (no language model is set)"
    )
    state = "Nothing changed" if result.unchanged else f"Built with {extractor}"
    console.print(
        f"{state}; {result.seconds:.1f} s in all. Current version: {result.manifest.version}.",
        highlight=False,
    )
    page = settings.explorers / result.corpus / "index.html"
    if page.is_file():
        console.print(f"Look at it in a browser: {page}", soft_wrap=True, markup=False, highlight=False)
    if find_corpus(settings.corpora_file, result.corpus).query is not None:
        asked = datetime.fromtimestamp(
            datasets.path("article_index", result.corpus).stat().st_mtime, tz=UTC
        ).strftime("%Y-%m-%d %H:%M UTC")
        console.print(
            f"PubMed Central was asked on {asked}; `kg refresh {result.corpus}` asks again.", highlight=False
        )
    for warning in listing_record(datasets, result.corpus)[1]:
        console.print(f"Note: {warning}.", markup=False, highlight=False)
    if set(statuses) - {"ok"}:
        console.print(f"Why articles are not ok: kg articles {result.corpus}", highlight=False)
    if result.manifest.pending_chunks:
        console.print(
            f"{result.manifest.pending_chunks} chunks have no answer of the language model yet; build again to ask for them.",
            highlight=False,
        )


def articles_as_json(corpus: str) -> None:
    """Every article of a corpus, as listed or, once it is built, as fetched and read."""
    settings = load_settings()
    corpus_of_articles(settings, corpus)
    datasets = Datasets.of(settings)
    made = next((name for name in _LISTED if datasets.shards(name, corpus)), _LISTED[-1])
    print_json(datasets.scan(made, corpus).select(_TOLD).sort("article_id").collect().to_dicts())


def articles(console: Console, corpus: str) -> None:
    """Every article that is not `ok` or was not read whole, with the reason; what the graph keeps of the others.

    Before the first build these are the articles as they were listed.
    """
    settings = load_settings()
    spec = corpus_of_articles(settings, corpus)
    rights = spec.rights
    datasets = Datasets.of(settings)
    made = next((name for name in _LISTED if datasets.shards(name, corpus)), None)
    if made is None:
        console.print(f"Corpus {corpus} is not built yet. Run: kg build {corpus}", highlight=False)
        return
    rows = datasets.scan(made, corpus).sort("status", "article_id").collect()
    columns = ("article", "status", "licence class", "reason", "source")
    table = folded_table(*columns, whole=("article", "status"))
    for row in rows.filter(pl.col("status") != "ok").select(_TOLD).iter_rows():
        add_plain_row(table, *row)
    console.print(table)
    reading = datasets.scan("documents.status", corpus).filter(pl.col("reason") != "").sort("article_id")
    lacking = reading.select("article_id", "reason").collect()
    if not lacking.is_empty():
        parts = folded_table("article", "what could not be read of it", whole=("article",))
        for article_id, reason in lacking.iter_rows():
            add_plain_row(parts, article_id, reason)
        console.print(parts)
    kept = folded_table("licence class", "ok articles", "policy", "what the graph keeps")
    classes = rows.filter(pl.col("status") == "ok").group_by("license_class").len().sort("license_class")
    for license_class, count in classes.iter_rows():
        level = rights.level(license_class)
        kept.add_row(license_class, str(count), level, MEANINGS[level])
    console.print(kept)
    brought_in.details(console, datasets, spec)
    console.print(
        f"{rows.filter(pl.col('status') == 'ok').height} of {rows.height} articles are ok.", highlight=False
    )
    if made == "article_index":
        console.print(f"They are listed and not fetched yet. Run: kg build {corpus}", highlight=False)
    elif VersionStore.of(settings).current(corpus) is None:
        console.print(f"No build of it has finished yet. Run: kg build {corpus}", highlight=False)


def corpora(console: Console) -> None:
    """Corpora with their source and current version; then those that have versions and are not in the file (any more)."""
    settings = load_settings()
    versions_of = VersionStore.of(settings)
    table = folded_table("corpus", "title", "source", "current version", whole=("corpus", "current version"))
    written = load_corpora(settings.corpora_file)
    for name, spec in written.items():
        source = "packaged sample articles" if name == DEMO else spec.origin
        if versions_of.is_imported(name):
            source = f"imported from {source}"
        table.add_row(name, spec.title, source, versions_of.current(name) or f"none: kg build {name}")
    for name in versions_of.corpora():
        if name not in written:
            table.add_row(name, "", "not in the corpora file", versions_of.current(name) or "none")
    console.print(table)
    console.print(f"Corpora file: {settings.corpora_file}", highlight=False, soft_wrap=True)


def versions(console: Console, corpus: str) -> None:
    """Versions of a corpus, newest first."""
    settings = load_settings()
    store = readable_versions(settings, corpus)
    table = folded_table("version", "made (UTC)", "holds", "", whole=("version", ""))
    listed = sorted(store.versions(corpus), key=lambda v: v.created, reverse=True)
    for version in listed:
        counts = version.manifest.counts
        made = datetime.fromtimestamp(version.created, tz=UTC).strftime("%Y-%m-%d %H:%M")
        told = {"articles": "documents", "entities": "entities", "relations": "relations"}
        holds = ", ".join(f"{counts.get(table, 0)} {name}" for name, table in told.items())
        marks = [
            mark for mark, is_so in (("current", version.is_current), ("pinned", version.is_pinned)) if is_so
        ]
        table.add_row(version.version, made, holds, ", ".join(marks))
    if listed:
        console.print(table)
    else:
        console.print(f"Corpus {corpus} has no version yet. Run: kg build {corpus}", highlight=False)


def verify(console: Console, corpus: str, version: str) -> None:
    """Check a version, say whether it holds, and what is worth a look in it.

    Raises
    ------
    CorruptGraphError
        If something does not hold.

    """
    settings = load_settings()
    store = readable_versions(settings, corpus)
    resolved = store.resolve(corpus, version)
    folder = store.folder(corpus, resolved)
    problems = verify_version(folder)
    if problems:
        details = "; ".join(str(problem) for problem in problems[:5])
        raise CorruptGraphError(
            f"Version {resolved} of {corpus} has {len(problems)} problems: {details}. Run: {layout.remade_by(folder)}"
        )
    console.print(f"Version {resolved} of {corpus} verifies.", highlight=False)
    table = folded_table("check", "", "what was found")
    parent = store.parent_folder(layout.read_manifest(folder))
    spec = load_corpora(settings.corpora_file).get(corpus, CorpusSpec(name=corpus, source="."))
    for name, outcome in check_version(folder, parent, spec).items():
        table.add_row(name.replace("_", " "), "ok" if outcome.passed else "look", outcome.sentence)
    console.print(table)


def _counted(datasets: Datasets, name: str, column: str, corpus: str) -> dict[str, int]:
    frame = datasets.scan(name, corpus).group_by(column).len().sort("len", column, descending=[True, False])
    return dict(frame.collect().iter_rows())


def _listing(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def _detail(datasets: Datasets, name: str, corpus: str) -> str:
    if name == "mentions":
        linked = datasets.scan(name, corpus).select(pl.col("concept_id").is_not_null().sum()).collect().item()
        return f"{linked} linked to the vocabulary"
    if name == "triples":
        flags = (
            datasets.scan(name, corpus)
            .select(pl.col("negated").sum(), pl.col("speculative").sum())
            .collect()
            .row(0)
        )
        return f"{flags[0]} negated, {flags[1]} speculative"
    if name == "merges":
        return _listing(_counted(datasets, name, "rule", corpus))
    return ""
