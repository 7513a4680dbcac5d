"""Small hand-made corpora in the stage datasets, versions made from them, and both stores over one version."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from kg_pipeline.cli.app import app
from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets, table_from_rows
from kg_pipeline.fingerprint import short_digest
from kg_pipeline.graph.assembly.assemble import assemble_version
from kg_pipeline.graph.assembly.embed import build_embeddings
from kg_pipeline.graph.neo4j import load_version, local_server, open_reader
from kg_pipeline.graph.reader import GraphReader, Manifest
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.schema import EMBEDDING_DIMENSIONS
from kg_pipeline.settings import Neo4jSettings, Settings

Statement = tuple[str, str, str]
Articles = dict[str, list[Statement]]


class HashingEmbedder:
    """Sums one pseudo-random vector a word: equal words give close vectors; counts the texts it was asked for."""

    def __init__(self, name: str = "hashing") -> None:
        self.name = name
        self.dimensions = EMBEDDING_DIMENSIONS
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        return np.stack([self._one(text) for text in texts])

    def _one(self, text: str) -> np.ndarray:
        total = np.zeros(self.dimensions)
        for word in text.lower().split():
            seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
            total += np.random.default_rng(seed).standard_normal(self.dimensions)
        return (total / np.linalg.norm(total)).astype(np.float32)


@dataclass(frozen=True)
class Workplace:
    """Datasets, settings and versions under one folder, and a writer of tiny corpora."""

    settings: Settings
    embedder: HashingEmbedder = field(default_factory=HashingEmbedder)

    @property
    def datasets(self) -> Datasets:
        return Datasets(self.settings.datasets)

    @property
    def store(self) -> VersionStore:
        return VersionStore(self.settings.graphs)

    def spec(self, corpus: str = "tiny", **options: Any) -> CorpusSpec:
        return CorpusSpec.model_validate({"name": corpus, "source": "articles", **options})

    def write(
        self,
        articles: Articles,
        *,
        corpus: str = "tiny",
        confidence: dict[Statement, float] | None = None,
        inferred: Sequence[tuple[str, Statement, float, Sequence[Statement]]] = (),
        retracted: Sequence[str] = (),
    ) -> None:
        """Each statement becomes a sentence; neighbouring chunks share one sentence."""
        write_corpus(self.datasets, corpus, articles, confidence or {}, inferred, retracted)
        build_embeddings(self.datasets, self.spec(corpus), self.settings, embedder=self.embedder)

    def assemble(self, corpus: str = "tiny", **options: Any) -> Manifest:
        return assemble_version(self.datasets, self.spec(corpus, **options), self.settings)

    def folder(self, manifest: Manifest) -> Path:
        return self.store.folder(manifest.corpus, manifest.version)

    def build(self, articles: Articles, **options: Any) -> Path:
        self.write(articles, **options)
        return self.folder(self.assemble(options.get("corpus", "tiny")))


def entity_id(name: str) -> str:
    return f"E:{name}"


def relation_id(kind: str, statement: Statement) -> str:
    return short_digest(kind, *statement)


def write_corpus(
    datasets: Datasets,
    corpus: str,
    articles: Articles,
    confidence: dict[Statement, float],
    inferred,
    retracted,
) -> None:
    rows: dict[str, list[dict[str, Any]]] = {
        name: []
        for name in (
            "documents",
            "chunks",
            "mentions",
            "entity_mentions",
            "evidence",
            "relations",
            "articles",
        )
    }
    spoken: dict[Statement, list[str]] = {}
    mentioned: dict[str, list[str]] = {}
    for article, statements in sorted(articles.items()):
        sentences = [f"{head} {predicate} {tail}." for head, predicate, tail in statements]
        starts = np.cumsum([0, *(len(sentence) + 1 for sentence in sentences)]).tolist()
        text = "\n".join(sentences)
        rows["documents"].append(_document(article, text))
        rows["articles"].append(_article(article, "retracted" if article in retracted else "ok"))
        for ordinal in range(max(len(sentences) - 1, 1)):
            last = min(ordinal + 1, len(sentences) - 1)
            start, end = starts[ordinal], starts[last] + len(sentences[last])
            rows["chunks"].append(_chunk(article, ordinal, start, end, text))
        for number, (statement, sentence) in enumerate(zip(statements, sentences, strict=True)):
            head, predicate, tail = statement
            start = starts[number]
            end = start + len(sentence)
            for name, at in ((head, start), (tail, end - 1 - len(tail))):
                mention = f"{article}:{at}-{at + len(name)}"
                rows["mentions"].append(_mention(article, mention, at, name))
                rows["entity_mentions"].append(
                    {"article_id": article, "mention_id": mention, "entity_id": entity_id(name)}
                )
                mentioned.setdefault(name, []).append(article)
            spoken.setdefault(statement, []).append(article)
            chunk = f"{article}:c{min(number, max(len(sentences) - 2, 0))}"
            rows["evidence"].append(
                {
                    "evidence_id": short_digest(article, number),
                    "relation_id": relation_id("asserted", statement),
                    "article_id": article,
                    "chunk_id": chunk,
                    "section_path": "Results",
                    "start": start,
                    "end": end,
                    "quote": sentence,
                    "head_text": head,
                    "tail_text": tail,
                    "predicate_text": predicate,
                    "extractor": "offline",
                    "confidence": 0.5 + number % 4 / 8,
                }
            )
    entities = [
        {
            "entity_id": entity_id(name),
            "name": name,
            "category": "biolink:Gene",
            "aliases": [name, f"{name} protein", f"the {name}"],
            "n_mentions": len(places),
            "n_articles": len(set(places)),
        }
        for name, places in sorted(mentioned.items())
    ]
    for statement, places in sorted(spoken.items()):
        rows["relations"].append(
            _relation(
                "asserted", statement, confidence.get(statement, 0.75), len(set(places)), len(places), []
            )
        )
    by_kind: dict[str, list[dict[str, Any]]] = {"transitive": [], "lexical": [], "community": []}
    for kind, statement, sure, premises in inferred:
        ids = [relation_id("asserted" if p in spoken else kind, p) for p in premises]
        by_kind[kind].append(_relation(kind, statement, sure, 0, 0, ids))
    merges = [
        {
            "entity_id": e["entity_id"],
            "name_a": e["name"],
            "name_b": alias,
            "rule": "spelling_variant",
            "score": 1.0,
            "evidence": "",
        }
        for e in entities
        for alias in e["aliases"][1:]
    ]
    for name in ("documents", "chunks", "mentions", "articles"):
        # Shards in which the order of articles differs from that of ids.
        shards = {
            article: f"{len(article) % 3}{int(short_digest(article)[0], 16) % 2}" for article in articles
        }
        folder = datasets.root / corpus / name
        for old in folder.glob("*.parquet") if folder.is_dir() else ():
            old.unlink()
        for shard in sorted(set(shards.values())):
            part = [row for row in rows[name] if shards[row["article_id"]] == shard]
            datasets.write(name, corpus, table_from_rows(name, part), shard)
    for name, table in (
        ("entity_mentions", rows["entity_mentions"]),
        ("evidence", rows["evidence"]),
        ("relations", rows["relations"]),
        ("entities", entities),
        ("merges", merges),
        *((f"{kind}_relations", by_kind[kind]) for kind in by_kind),
    ):
        datasets.write(name, corpus, table_from_rows(name, table))


def _document(article: str, text: str) -> dict[str, Any]:
    return {
        "article_id": article,
        "version": 1,
        "pmcid": article,
        "pmid": None,
        "doi": f"10.1/{article}",
        "title": f"About {article}",
        "journal": "Journal",
        "year": None if article.endswith("0") else 2020,
        "article_type": "research-article",
        "language": "en",
        "license_class": "redistributable",
        "text": text,
        "sections": [],
        "paragraphs": [],
        "glossary": [],
        "tables": [],
        "formulas": 0,
    }


def _article(article: str, status: str) -> dict[str, Any]:
    return {
        "article_id": article,
        "version": 1,
        "source_ref": article,
        "content_sha256": "",
        "status": status,
        "reason": "",
        "article_type": "research-article",
        "license": "",
        "license_class": "redistributable",
    }


def _chunk(article: str, ordinal: int, start: int, end: int, text: str) -> dict[str, Any]:
    return {
        "article_id": article,
        "chunk_id": f"{article}:c{ordinal}",
        "ordinal": ordinal,
        "section_path": "Results",
        "section_kind": "body",
        "start": start,
        "end": end,
        "text": text[start:end],
        "n_tokens": 10,
        "sentences": [{"start": start, "end": end}],
    }


def _mention(article: str, mention: str, start: int, name: str) -> dict[str, Any]:
    return {
        "article_id": article,
        "mention_id": mention,
        "start": start,
        "end": start + len(name),
        "text": name,
        "normal_form": name,
        "category": "biolink:Gene",
        "concept_id": None,
        "candidates": [],
        "source": "vocabulary",
    }


def _relation(
    kind: str, statement: Statement, sure: float, articles: int, evidence: int, premises: list[str]
) -> dict[str, Any]:
    head, predicate, tail = statement
    return {
        "relation_id": relation_id(kind, statement),
        "kind": kind,
        "head_id": entity_id(head),
        "predicate": predicate,
        "tail_id": entity_id(tail),
        "negated": False,
        "speculative": predicate == "related_to",
        "confidence": sure,
        "n_articles": articles,
        "n_evidence": evidence,
        "premises": premises,
        "rule": "" if kind == "asserted" else f"{kind}_rule",
    }


@pytest.fixture(autouse=True)
def _without_fsync(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flushing to disk is most of the time of a tiny build; the crash test runs in processes of its own, which do."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    return Workplace(Settings.model_validate({"home": tmp_path, "corpora_file": tmp_path / "corpora.toml"}))


@pytest.fixture
def kg(workplace, monkeypatch):
    """Run a `kg` command in the workplace; what it printed, with every run of blanks as one."""
    monkeypatch.setenv("KG_HOME", str(workplace.settings.home))
    workplace.settings.corpora_file.write_text('[tiny]\nsource = "."\n')

    def run(*arguments):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == 0, result.output
        return " ".join(result.output.split())

    return run


@pytest.fixture(scope="session")
def cytokines() -> Articles:
    """Three articles; the second and third repeat a statement of the first."""
    return {
        "PMC10": [("TNF", "increases", "IL6"), ("IL6", "increases", "CRP"), ("IL6", "binds", "IL6R")],
        "PMC20": [("TNF", "increases", "IL6"), ("tocilizumab", "inhibits", "IL6R"), ("TNF", "binds", "TNF")],
        "PMC35": [("TNF", "increases", "IL6"), ("CRP", "biomarker_of", "sepsis")],
    }


@pytest.fixture(scope="session")
def inferred() -> list[tuple[str, Statement, float, list[Statement]]]:
    first, second = ("TNF", "increases", "IL6"), ("IL6", "increases", "CRP")
    through = ("TNF", "increases", "CRP")
    return [
        ("transitive", through, 0.5, [first, second]),
        ("lexical", ("IL6", "related_to", "IL6R"), 0.625, []),
        ("community", ("TNF", "related_to", "sepsis"), 0.25, []),
    ]


@pytest.fixture(scope="session")
def random_articles() -> Articles:
    """A graph with hubs, parallel edges, self-loops and a small taxonomy; the same in every run."""
    source = random.Random(7)
    names = [f"gene{number:02d}" for number in range(40)]
    predicates = ("increases", "inhibits", "binds", "associated_with", "subclass_of", "related_to")
    articles: Articles = {}
    for number in range(30):
        chosen: dict[Statement, None] = {}
        for _ in range(10):
            head = source.choice(names[: source.choice((3, 40))])
            chosen[head, source.choice(predicates), source.choice(names)] = None
        articles[f"PMC{number:03d}"] = list(chosen)
    return articles


@pytest.fixture(scope="session")
def versions(
    tmp_path_factory: pytest.TempPathFactory, cytokines: Articles, inferred, random_articles: Articles
) -> Workplace:
    """Published versions of the corpora `cytokines` and `random-net`, shared by the tests that only read."""
    home = tmp_path_factory.mktemp("versions")
    place = Workplace(Settings.model_validate({"home": home, "corpora_file": home / "corpora.toml"}))
    place.write(cytokines, corpus="cytokines", inferred=inferred)
    synonyms = [("E:IL6", "hybridoma growth factor"), ("E:CRP", "TNF"), ("E:gone", "nobody's protein")]
    columns = ("entity_id", "name")
    rows = [dict(zip(columns, row, strict=True)) for row in synonyms]
    place.datasets.write("synonyms", "cytokines", table_from_rows("synonyms", rows))
    source = random.Random(11)
    statements = sorted({s for listed in random_articles.values() for s in listed})
    sure = {statement: source.choice((0.25, 0.5, 0.625, 0.75, 1.0)) for statement in statements}
    guesses = [
        (source.choice(("transitive", "lexical", "community")), (a[0], "related_to", b[2]), 0.25, [a, b])
        for a, b in zip(statements[::3], statements[1::3], strict=False)
    ]
    unique = list({(kind, statement): (kind, statement, c, p) for kind, statement, c, p in guesses}.values())
    place.write(random_articles, corpus="random-net", confidence=sure, inferred=unique)
    for corpus in ("cytokines", "random-net"):
        place.store.publish(corpus, place.assemble(corpus).version)
    return place


@pytest.fixture(scope="session")
def neo4j_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jSettings]:
    """A real server, started once; skipped only where the programs to run it are missing."""
    if missing := local_server.missing_programs():
        pytest.skip(f"a local Neo4j needs {' and '.join(missing)}")
    server = local_server.start(tmp_path_factory.mktemp("neo4j"), password="long-enough", heap_megabytes=768)
    try:
        yield server.settings
    finally:
        server.stop()


@pytest.fixture(scope="session")
def neo4j_versions(neo4j_server: Neo4jSettings, versions: Workplace) -> Neo4jSettings:
    """The server with both shared corpora loaded."""
    for corpus in ("cytokines", "random-net"):
        current = versions.store.current(corpus)
        assert current is not None
        load_version(neo4j_server, versions.store.folder(corpus, current))
    return neo4j_server


Opener = Callable[[str], GraphReader]


@pytest.fixture(params=["snapshot", pytest.param("neo4j", marks=pytest.mark.integration)])
def open_graph(request: pytest.FixtureRequest, versions: Workplace) -> Iterator[Opener]:
    """Open a shared corpus in either store."""
    readers: list[GraphReader] = []

    def opener(corpus: str) -> GraphReader:
        if request.param == "snapshot":
            reader: GraphReader = versions.store.open(corpus)
        else:
            reader = open_reader(request.getfixturevalue("neo4j_versions"), corpus)
        readers.append(reader)
        return reader

    yield opener
    for reader in readers:
        reader.close()
