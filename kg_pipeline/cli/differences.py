"""`kg diff`: what is new, gone or different between two versions of a graph, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table

from kg_pipeline.cli.readable import readable_versions
from kg_pipeline.errors import NoGraphError, SettingsError
from kg_pipeline.graph.reader import Relation
from kg_pipeline.graph.snapshot.reader import SnapshotReader
from kg_pipeline.graph.versions.diff import TableDiff, VersionDiff, diff_versions
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.settings import load_settings
from kg_pipeline.vocabulary.names.agreement import clause

_Describe = Callable[[Sequence[str]], Iterator[str]]


def show(
    console: Console,
    corpus: str,
    before: str | None,
    after: str,
    since: datetime | None,
    about: str,
    limit: int,
) -> None:
    """Compare two versions and tell the numbers, then the first `limit` of each kind of change.

    Raises
    ------
    SettingsError
        If both an earlier version and a date are given.
    NoGraphError
        If there is no earlier version to compare with.

    """
    settings = load_settings()
    store = readable_versions(settings, corpus)
    later = store.resolve(corpus, after)
    earlier = _earlier(store, corpus, later, before, since)
    folder = None if earlier is None else store.folder(corpus, earlier)
    change = diff_versions(folder, store.folder(corpus, later), about=about)
    old = None if folder is None else SnapshotReader(folder)
    new = SnapshotReader(store.folder(corpus, later))
    told = f" about {about!r}" if about else ""
    start = earlier or f"nothing (no version is older than {since:%Y-%m-%d})"
    console.print(f"From {start} to {later} of {corpus}{told}:", markup=False)
    console.print(_counts(change))
    _articles(console, old, new, change.subjects["articles"], limit)
    _relations(console, old, new, change.subjects["relations"], limit)


def _earlier(
    store: VersionStore, corpus: str, later: str, before: str | None, since: datetime | None
) -> str | None:
    """The version to compare with; None for nothing at all."""
    if since is not None:
        if before is not None:
            raise SettingsError("Give an earlier version or --since, not both.")
        found = store.made_before(corpus, since.replace(tzinfo=UTC).timestamp())
        return None if found is None else store.resolve(corpus, found)
    if before is not None:
        return store.resolve(corpus, before)
    listed = store.versions(corpus)
    place = next(number for number, info in enumerate(listed) if info.version == later)
    if place == 0:
        which = "only one there is" if len(listed) == 1 else "oldest there is"
        raise NoGraphError(
            f"Version {later} of {corpus} is the {which}, so there is nothing before it. Name a date to see all that is in it: "
            f"kg diff {corpus} --since 2026-01-31"
        )
    parent = listed[place].manifest.parent
    return store.resolve(
        corpus, next((v.version for v in listed if v.version == parent), listed[place - 1].version)
    )


def _counts(change: VersionDiff) -> Table:
    table = Table("what", "added", "removed", "changed")
    for name, counts in change.counts().items():
        table.add_row(name, *(str(counts[key]) for key in ("added", "removed", "changed")))
    return table


def _articles(
    console: Console, old: SnapshotReader | None, new: SnapshotReader, change: TableDiff, limit: int
) -> None:
    def described(reader: SnapshotReader) -> _Describe:
        def lines(ids: Sequence[str]) -> Iterator[str]:
            for document in reader.documents(ids):
                year = "" if document.year is None else f" ({document.year})"
                yield f"{document.article_id} {document.title}{year}"

        return lines

    _list(console, "New articles", change.added, described(new), limit)
    if old is not None:
        _list(console, "Articles that are gone", change.removed, described(old), limit)
        _list(console, "Articles that changed", change.changed, described(new), limit)


def _relations(
    console: Console, old: SnapshotReader | None, new: SnapshotReader, change: TableDiff, limit: int
) -> None:
    """Relations in words, those stated by most articles first, each new one with the sentence that states it best."""
    added = _best_first(new, change.added)
    _list(console, "New relations", added, lambda ids: _statements(new, ids), limit)
    if old is not None:
        gone = _best_first(old, change.removed)
        _list(console, "Relations that are gone", gone, lambda ids: _statements(old, ids), limit)
        changed = _best_first(new, change.changed)
        _list(console, "Relations that changed", changed, lambda ids: _changes(old, new, ids), limit)


def _best_first(reader: SnapshotReader, ids: Sequence[str]) -> list[str]:
    relations = reader.relations(ids)
    relations.sort(key=lambda r: (r.kind != "asserted", -r.n_articles, -r.confidence, r.relation_id))
    return [relation.relation_id for relation in relations]


def _statements(reader: SnapshotReader, ids: Sequence[str]) -> Iterator[str]:
    evidence = {item.relation_id: item for item in reader.evidence(ids, per_relation=1)}
    for relation in reader.relations(ids):
        if relation.relation_id in evidence:
            item = evidence[relation.relation_id]
            support = f'{_articles_of(relation)}, {item.article_id}: "{item.quote}"'
        else:
            n_premises = len(relation.premises)
            support = f"{relation.kind}, inferred{f' from {n_premises} relations' if n_premises else ''}"
        yield f"{_words(reader, relation)} ({support})"


def _changes(old: SnapshotReader, new: SnapshotReader, ids: Sequence[str]) -> Iterator[str]:
    for before, after in zip(old.relations(ids), new.relations(ids), strict=True):
        parts = []
        if before.n_articles != after.n_articles:
            parts.append(f"{_articles_of(before)}, now {after.n_articles}")
        if before.confidence != after.confidence:
            told = (n for n in (2, 3, 4) if round(before.confidence, n) != round(after.confidence, n))
            digits = next(told, 5)
            parts.append(f"confidence {before.confidence:.{digits}f}, now {after.confidence:.{digits}f}")
        yield f"{_words(new, after)} ({'; '.join(parts) or 'other evidence'})"


def _words(reader: SnapshotReader, relation: Relation) -> str:
    head, tail = (reader.entities([id_])[0].name for id_ in (relation.head_id, relation.tail_id))
    flags = [name for name in ("negated", "speculative") if getattr(relation, name)]
    flagged = f" [{', '.join(flags)}]" if flags else ""
    return f"{clause(head, relation.predicate, tail)}{flagged}"


def _articles_of(relation: Relation) -> str:
    return f"{relation.n_articles} article{'' if relation.n_articles == 1 else 's'}"


def _list(console: Console, title: str, ids: Sequence[str], describe: _Describe, limit: int) -> None:
    if not ids or limit < 1:
        return
    console.print(f"{title} ({len(ids)}):")
    for line in describe(ids[:limit]):
        console.print(f"  {line}", markup=False)
    if len(ids) > limit:
        console.print(f"  … and {len(ids) - limit} more; --limit shows more.", markup=False)
