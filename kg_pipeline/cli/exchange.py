"""Commands that pass graphs to and from other tools, and that keep or remove versions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from kg_pipeline.cli.readable import readable_versions
from kg_pipeline.corpora import add_corpus, load_corpora
from kg_pipeline.errors import CorpusError, GraphError, SettingsError, StoreUnavailable
from kg_pipeline.graph.exchange.export import export_version
from kg_pipeline.graph.exchange.formats import LEFT_OUT
from kg_pipeline.graph.exchange.importing import EMBEDDED, import_graph
from kg_pipeline.graph.exchange.source import ANY_LICENSE, QUOTABLE, ExportSource
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.graph.versions.verify import verify_version
from kg_pipeline.settings import Neo4jSettings, load_settings

_QUOTABLE = {"licensed": QUOTABLE, "all": ANY_LICENSE, "none": frozenset()}
_SHOWN = 5
Word = TypeVar("Word", bound=str)


def export_graph(console: Console, corpus: str, version: str, target: str, output: Path, quotes: str) -> None:
    """Write a version in another tool's format and say what was written and what was held back."""
    quotable = _QUOTABLE[_choice("--quotes", quotes, _QUOTABLE)]
    settings = load_settings()
    store = readable_versions(settings, corpus)
    folder = store.folder(corpus, store.resolve(corpus, version))
    for path in export_version(folder, target, output, quotable=quotable):
        console.print(str(path), markup=False)
    console.print(f"{target} leaves out: {LEFT_OUT[target]}.", markup=False)
    withheld = ExportSource(folder, quotable).n_withheld
    if withheld:
        reason = "as asked" if quotes == "none" else "since their articles' licences do not allow it"
        console.print(f"{withheld} quotes were left out, {reason}; their articles are cited.")


def import_files(console: Console, name: str, paths: Sequence[Path], embed: str) -> None:
    """Import a graph, make it the current version of its corpus, and say what became of its rows."""
    settings = load_settings()
    chosen = _choice("--embed", embed, EMBEDDED)
    is_known = name in load_corpora(settings.corpora_file)
    if is_known and VersionStore.of(settings).current(name) is None:
        raise CorpusError(
            f"Corpus {name!r} is to be built from articles. Choose another name for the import."
        )
    report = import_graph(name, paths, settings, embed=chosen)
    if not is_known:
        add_corpus(settings.corpora_file, name, paths[0])
    VersionStore.of(settings).publish(name, report.manifest.version)
    counts = report.manifest.counts
    console.print(
        f"Imported {counts['entities']} entities, {counts['relations']} relations and {counts['evidence']} evidence rows "
        f"as version {report.manifest.version} of {name}."
    )
    told = {
        f"relations have no sentence; their knowledge source stands for it ({report.records})": report.records,
        f"ends are described by no node ({report.unnamed})": report.unnamed,
        f"rows lack an id or an end and were left out ({report.skipped})": report.skipped,
    }
    for sentence in (sentence for sentence, count in told.items() if count):
        console.print(f"Some {sentence}.")
    if report.unmapped:
        shown = ", ".join(f"{word} ({count})" for word, count in list(report.unmapped.items())[:_SHOWN])
        console.print(f"Predicates read as related_to, with their own words kept: {shown}.", markup=False)
    if settings.neo4j is not None:
        folder = VersionStore.of(settings).folder(name, report.manifest.version)
        _load(console, settings.neo4j, folder, "The graph was imported and can be asked")


def _load(console: Console, server: Neo4jSettings, folder: Path, done: str) -> None:
    """Load the version into Neo4j; the directory is current by then, which `done` says, whatever becomes of this."""
    from kg_pipeline.graph.neo4j import load_version

    try:
        counts = load_version(server, folder)
    except (GraphError, StoreUnavailable) as error:
        raise type(error)(f"{done}; it is not in Neo4j. {error} The same command loads it.") from error
    console.print(
        f"Neo4j at {server.uri} holds this version: {counts['entities']} entities, {counts['relations']} relations."
    )


def collect(console: Console, corpus: str, keep: int) -> None:
    """Remove old versions, here and in Neo4j where one is set, and say which."""
    settings = load_settings()
    store = readable_versions(settings, corpus)
    gone = store.gc(corpus, keep=keep)
    console.print(f"Removed {', '.join(gone)}." if gone else "Nothing to remove.")
    if settings.neo4j is not None:
        from kg_pipeline.graph.neo4j import drop_version, loaded_versions

        kept = {info.version for info in store.versions(corpus)}
        loaded = loaded_versions(settings.neo4j, corpus)
        old = [version for version, state in loaded.items() if state != "current" and version not in kept]
        for version in old:
            drop_version(settings.neo4j, corpus, version)
        if old:
            console.print(f"Removed from Neo4j: {', '.join(old)}.")


def publish(console: Console, corpus: str, version: str) -> None:
    """Make a version that verifies the current one, here and in Neo4j where one is set.

    Raises
    ------
    GraphError
        If there is no such version, or it is damaged.

    """
    settings = load_settings()
    store = readable_versions(settings, corpus)
    resolved = store.resolve(corpus, version)
    folder = store.folder(corpus, resolved)
    faults = verify_version(folder)
    if faults:
        raise GraphError(f"Version {resolved} of {corpus} is damaged and was not published: {faults[0]}.")
    before = store.current(corpus)
    if before == resolved:
        console.print(f"Version {resolved} of {corpus} is the one that is read already.")
    else:
        store.publish(corpus, resolved)
        console.print(
            f"Version {resolved} of {corpus} is read from now on, in place of {before}. The next build publishes what it "
            f"makes; `kg pin {corpus} {resolved}` keeps this one from `kg gc`."
        )
    if settings.neo4j is not None:
        _load(console, settings.neo4j, folder, f"Version {resolved} is the one that is read")


def pin(console: Console, corpus: str, version: str) -> None:
    """Keep a version from being removed."""
    store = readable_versions(load_settings(), corpus)
    resolved = store.resolve(corpus, version)
    store.pin(corpus, resolved)
    console.print(f"Version {resolved} of {corpus} is kept until it is unpinned.")


def unpin(console: Console, corpus: str, version: str) -> None:
    """Let a version be removed again."""
    store = readable_versions(load_settings(), corpus)
    resolved = store.resolve(corpus, version)
    store.unpin(corpus, resolved)
    console.print(f"Version {resolved} of {corpus} is no longer pinned.")


def _choice(option: str, value: str, known: Iterable[Word]) -> Word:
    for word in known:
        if word == value:
            return word
    raise SettingsError(f"{option} {value!r} is not known. There are: {', '.join(known)}.")
