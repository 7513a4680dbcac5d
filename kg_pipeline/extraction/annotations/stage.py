"""Bring annotations to the articles of a corpus: files are read once, and each shard gets what speaks of its articles.

The dataset `annotations` is what the stage `triples` reads, wherever its workers are. It is made anew when a file, the
articles of the corpus or this code changed, and holds the same relations however the files are named and ordered.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import polars as pl

from kg_pipeline.corpora import shard_of
from kg_pipeline.datasets import empty_frame, table_from_rows
from kg_pipeline.errors import MalformedError
from kg_pipeline.extraction.annotations.files import annotation_files, read_file
from kg_pipeline.extraction.annotations.records import (
    NOT_IN_CORPUS,
    ArticleReference,
    BroughtRelation,
    Record,
    Unreadable,
)
from kg_pipeline.fingerprint import code_digest, digest, file_sha256, short_digest
from kg_pipeline.graph.assembly.sorted_runs import SortedRuns, in_step

if TYPE_CHECKING:
    from kg_pipeline.corpora import CorpusSpec
    from kg_pipeline.datasets import Datasets
    from kg_pipeline.settings import Settings

DATASET = "annotations"
_CODE = "kg_pipeline.extraction.annotations"
_RECORD = "annotations.json"
#: Relations that are Python objects at a time.
_AT_ONCE = 20_000
#: Reason of a relation whose identifiers name two articles of the corpus.
CONTRADICTORY = "contradictory_article"

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FileReport:
    """What a file gave: relations in all, those that go to an article, and the others by reason.

    `problem` says why the file was not read to its end, and is empty if it was; `examples` are places of records that
    cannot be read, the first for each reason.
    """

    name: str
    relations: int = 0
    placed: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    examples: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class BroughtReport:
    """What the files of a corpus gave; `distinct` relations are in the dataset, each once."""

    files: tuple[FileReport, ...] = ()
    distinct: int = 0

    @property
    def records(self) -> int:
        """Records of all files: relations that go to an article, and all that were left out."""
        return sum(file.placed for file in self.files) + sum(self.left_out.values())

    @property
    def repeated(self) -> int:
        """Relations that other records say in the same words."""
        return sum(file.placed for file in self.files) - self.distinct

    @property
    def left_out(self) -> dict[str, int]:
        """Records that no article got, by reason, most first."""
        total: Counter[str] = Counter()
        for file in self.files:
            total.update(file.left_out)
        return dict(sorted(total.items(), key=lambda item: (-item[1], item[0])))

    @property
    def problems(self) -> list[str]:
        """A sentence for each file that was not read to its end."""
        return [f"{file.name}: {file.problem}." for file in self.files if file.problem]


def annotations_digest(spec: CorpusSpec) -> str:
    """Digest of the content of the corpus' files; empty for a corpus without annotations.

    Raises
    ------
    CorpusError
        If one of them does not exist.

    """
    return digest(sorted(map(file_sha256, annotation_files(spec.annotations)))) if spec.annotations else ""


def bring_annotations(datasets: Datasets, spec: CorpusSpec, settings: Settings) -> BroughtReport | None:
    """Bring the dataset `annotations` up to date with the files and the documents; None for a corpus without.

    Files that cannot be read, and records without an article, are reported and nothing else: see `BroughtReport`.

    Raises
    ------
    CorpusError
        If a file or folder that the corpus names does not exist.

    """
    if not spec.annotations:
        return None
    paths = annotation_files(spec.annotations)
    articles = _articles(datasets, spec.name)
    shards = datasets.shards("documents", spec.name)
    key = digest(
        [(str(path), file_sha256(path)) for path in paths],
        sorted(articles.items()),
        shards,
        settings.shards,
        code_digest([_CODE]),
    )
    known = _read_record(datasets, spec.name)
    if known.get("key") == key and all(datasets.is_usable(DATASET, spec.name, shard) for shard in shards):
        return _report(known)
    # A run that is killed while it writes shards must not leave a record that vouches for them.
    datasets.delete_note(_RECORD, spec.name)
    with TemporaryDirectory(prefix="kg-annotations-") as scratch:
        runs = SortedRuns(Path(scratch), "shard")
        runs.add(empty_frame(DATASET).with_columns(shard=pl.lit("")))
        reports = [_read(path, articles, settings.shards, runs) for path in paths]
        distinct = _write(datasets, spec.name, shards, runs)
    report = BroughtReport(tuple(reports), distinct)
    told = json.dumps({"key": key, **asdict(report)}, ensure_ascii=False, indent=1)
    datasets.write_note(_RECORD, spec.name, told + "\n")
    return report


def last_report(datasets: Datasets, spec: CorpusSpec) -> BroughtReport | None:
    """What the files gave when they were read last; None for a corpus without annotations, or before it is built."""
    record = _read_record(datasets, spec.name) if spec.annotations else {}
    return _report(record) if record else None


def _articles(datasets: Datasets, corpus: str) -> dict[str, str]:
    """Articles of the corpus by every key that can name one."""
    columns = ("article_id", "pmcid", "pmid", "doi")
    rows = datasets.scan("documents", corpus).select(columns).sort("article_id").collect().iter_rows()
    found: dict[str, str] = {}
    for article_id, pmcid, pmid, doi in rows:
        reference = ArticleReference(pmcid or "", pmid or "", doi or "", article_id)
        for key in reference.keys:
            found.setdefault(key, article_id)
    return found


def _read(path: Path, articles: Mapping[str, str], shards: int, runs: SortedRuns) -> FileReport:
    """Add what a file says of the articles to `runs`."""
    left_out: Counter[str] = Counter()
    examples: dict[str, str] = {}
    relations = placed = 0
    problem = ""

    def named(article: ArticleReference) -> set[str]:
        return {articles[key] for key in article.keys if key in articles}

    def rows() -> Iterator[Row]:
        nonlocal relations, problem
        try:
            for record in read_file(path, lambda article: bool(named(article))):
                found = named(record.article) if isinstance(record, BroughtRelation) else set()
                reason = _reason(record, found)
                relations += isinstance(record, BroughtRelation) or reason == NOT_IN_CORPUS
                if isinstance(record, BroughtRelation) and not reason:
                    yield _row(found.pop(), record, path.name)
                    continue
                left_out[reason] += 1
                if reason != NOT_IN_CORPUS:
                    examples.setdefault(reason, record.record)
        except MalformedError as error:
            problem = str(error)

    coming = rows()
    while some := list(islice(coming, _AT_ONCE)):
        placed += len(some)
        frame = pl.DataFrame(table_from_rows(DATASET, some))
        runs.add(frame.with_columns(_shards(frame["article_id"], shards)))
    return FileReport(path.name, relations, placed, dict(sorted(left_out.items())), examples, problem)


def _reason(record: Record, articles: Collection[str]) -> str:
    """Why a record goes to none of the articles that it names, empty if it goes to one."""
    if isinstance(record, Unreadable):
        return record.reason
    if not articles:
        return NOT_IN_CORPUS
    return CONTRADICTORY if len(articles) > 1 else ""


def _shards(article_ids: pl.Series, shards: int) -> pl.Series:
    known = {article: shard_of(article, shards) for article in article_ids.unique()}
    return article_ids.replace_strict(known, return_dtype=pl.String).alias("shard")


def _row(article_id: str, relation: BroughtRelation, file: str) -> Row:
    content: Row = {"article_id": article_id}
    for name, end in (("head", relation.head), ("tail", relation.tail)):
        content |= {
            f"{name}_names": list(end.names),
            f"{name}_identifiers": list(end.identifiers),
            f"{name}_category": end.category,
        }
    content |= {
        "relation": relation.relation,
        "quotes": list(relation.quotes),
        "is_quoted": relation.is_quoted,
        "negated": relation.negated,
        "speculative": relation.speculative,
        "source": relation.source,
        "score": relation.score,
    }
    return {**content, "annotation_id": short_digest(content), "record": f"{file}, {relation.record}"}


def _write(datasets: Datasets, corpus: str, shards: Iterable[str], runs: SortedRuns) -> int:
    """Write every shard, also those without relations; how many relations there are, each counted once."""
    distinct = 0
    left = set(shards)
    for (part,) in in_step("shard", runs):
        for (shard,), rows in part.partition_by("shard", as_dict=True).items():
            if shard in left:
                left.discard(str(shard))
                ordered = rows.drop("shard").sort("article_id", "annotation_id", "record")
                once = ordered.unique("annotation_id", keep="first", maintain_order=True)
                distinct += once.height
                datasets.write(DATASET, corpus, once, str(shard))
    for shard in sorted(left):
        datasets.write(DATASET, corpus, empty_frame(DATASET), shard)
    return distinct


def _read_record(datasets: Datasets, corpus: str) -> dict[str, Any]:
    try:
        record = json.loads(datasets.note(_RECORD, corpus) or "{}")
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def _report(record: Mapping[str, Any]) -> BroughtReport:
    return BroughtReport(tuple(FileReport(**file) for file in record["files"]), int(record["distinct"]))
