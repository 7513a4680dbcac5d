"""How faithful and how fast articles are read: `python benchmarks/parsing.py [SHARED] [OUTPUT]`.

Five measures, printed and written as JSON: what of CRAFT's text and annotations is in the text that the parser
makes; precision and recall of sentence borders on CRAFT, beside those of spaCy's rules; articles a second of processor
time beside those of pubmed_parser, if that is installed, in turns on the same articles, both asked for metadata,
paragraphs, captions and tables, for which pubmed_parser has four functions that each read the file anew; articles a
second by the clock of what a user starts, the stage `documents` over all cores and pubmed_parser in its one process (only
a quiet machine gives these); and the memory that an article takes as it grows. SHARED is the folder of test data
(default: KG_SHARED, then ../shared).
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from kg_pipeline.corpora import CorpusSpec, shard_keys
from kg_pipeline.datasets import Datasets
from kg_pipeline.evaluation.craft import CraftArticle, borders_found, read_craft, survival
from kg_pipeline.files import write_text
from kg_pipeline.pmc.jats.parser import Found, parse_article, read_articles
from kg_pipeline.pmc.stage import list_articles
from kg_pipeline.schema import UNREAD_SECTIONS
from kg_pipeline.settings import load_settings
from kg_pipeline.stages import fetch_shard, parse_shard, run_here
from kg_pipeline.text.sentences import load_splitter
from kg_pipeline.text.stage import chunk_document, load_tokenise
from kg_pipeline.workers import ProcessWorkers

_FULL_STOPS = Path(__file__).with_name("craft_full_stops.json")
_ROUNDS = 5
_GROWTH = (1, 4, 16)  # megabytes of one article


def main(arguments: list[str]) -> None:
    """Run all measures that have their data."""
    if arguments[:1] == ["--memory"]:
        _print_memory(int(arguments[1]))
        return
    shared = Path(arguments[0] if arguments else os.environ.get("KG_SHARED", "../shared"))
    output = Path(arguments[1]) if len(arguments) > 1 else Path("bench-parsing.json")
    report = {
        "craft": dict(_craft(shared / "data" / "craft")),
        "sentences": _sentences(shared / "data" / "craft"),
        "speed": _speed(shared / "data" / "pmc_jats" / "pool.tar.xz"),
        "by the clock": _by_the_clock(shared / "data" / "pmc_jats" / "pool.tar.xz"),
        "memory": [_memory(size) for size in _GROWTH],
    }
    write_text(output, json.dumps(report, indent=1) + "\n")
    print(json.dumps(report, indent=1))


def _craft(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "dev", _survival(read_craft(folder / "dev", folder / "index.tsv"))
    with _unpacked(folder / "train.tar.xz") as train:
        yield "train", _survival(read_craft(train, folder / "index.tsv"))


def _survival(articles: Iterator[CraftArticle]) -> dict[str, Any]:
    results = [survival(gold, parse_article(gold.xml), UNREAD_SECTIONS) for gold in articles]
    annotations = sum(result.annotations for result in results)
    lost = sum(len(result.lost) for result in results)
    not_read = sum(result.not_read for result in results)
    characters = sum(result.characters for result in results)
    return {
        "articles": len(results),
        "annotations": annotations,
        "kept with right offsets, per cent": round(100 * (1 - lost / annotations), 2),
        "of these in sections that are no evidence, per cent": round(100 * not_read / annotations, 2),
        "gold text found, per cent": round(100 * sum(r.characters_kept for r in results) / characters, 2),
    }


def _sentences(folder: Path) -> dict[str, dict[str, Any]]:
    import spacy

    splitter = load_splitter()
    rules = spacy.blank("en")
    rules.add_pipe("sentencizer")
    articles = list(read_craft(folder / "dev", folder / "index.tsv"))
    return {
        splitter.name: _borders(articles, lambda text: {start for start, _ in splitter.split(text)}),
        "spaCy sentencizer": _borders(articles, lambda text: {one.start_char for one in rules(text).sents}),
    }


def _borders(articles: list[CraftArticle], split: Callable[[str], set[int]]) -> dict[str, Any]:
    inside = json.loads(_FULL_STOPS.read_text(encoding="utf-8"))["articles"]
    right = wrong = missed = split_annotations = 0
    for gold in articles:
        starts = split(gold.text)
        found = borders_found(gold.text, starts, frozenset(inside.get(gold.pmid, ())))
        right, wrong, missed = right + found.right, wrong + found.wrong, missed + found.missed
        split_annotations += sum(
            any(start < border < end for border in starts)
            for one in gold.annotations
            for start, end in one.spans
        )
    return {
        "borders": right + missed,
        "precision, per cent": round(100 * right / (right + wrong), 2),
        "recall, per cent": round(100 * right / (right + missed), 2),
        "F1, per cent": round(200 * right / (2 * right + wrong + missed), 2),
        "annotations cut by a border": split_annotations,
    }


def _speed(pool: Path) -> dict[str, Any]:
    with _unpacked(pool) as folder:
        paths = sorted(folder.iterdir())
        articles = [
            entry.data
            for path in paths
            for entry in read_articles(path.read_bytes())
            if isinstance(entry, Found)
        ]
        theirs = _pubmed_parser()
        read_whole = sum(map(theirs, map(str, paths))) if theirs is not None else 0
        ours_seconds, their_seconds = [], []
        for _ in range(_ROUNDS):
            ours_seconds.append(_processor_time(lambda: [parse_article(data) and None for data in articles]))
            if theirs is not None:
                their_seconds.append(_processor_time(lambda: [theirs(str(path)) for path in paths]))
    report: dict[str, Any] = {
        "articles": len(articles),
        "megabytes": round(sum(map(len, articles)) / 1e6, 1),
        "articles a second of one core": round(len(articles) / min(ours_seconds), 1),
    }
    if not their_seconds:
        return report | {"pubmed_parser": "not installed; pip install pubmed_parser to compare"}
    ratios = [other / own for own, other in zip(ours_seconds, their_seconds, strict=True)]
    return report | {
        "pubmed_parser": importlib.metadata.version("pubmed_parser"),
        "pubmed_parser, articles a second of one core": round(len(paths) / min(their_seconds), 1),
        "times as fast, median of pairs": round(statistics.median(ratios), 2),
        "pubmed_parser, articles of which all four functions came back": read_whole,
        "times as many articles read a second": round(statistics.median(ratios) * len(paths) / read_whole, 2),
    }


def _by_the_clock(pool: Path) -> dict[str, Any]:
    """Of the stage as a build runs it: from the stored articles to written tables, in processes that are there already."""
    with _unpacked(pool) as folder, tempfile.TemporaryDirectory() as home:
        settings = load_settings({"KG_HOME": home})
        spec = CorpusSpec(name="pool", source=str(folder))
        list_articles(Datasets.of(settings), spec, settings)
        shards = shard_keys(settings.shards)
        with ProcessWorkers(len(os.sched_getaffinity(0))) as workers:
            list(workers.map(partial(run_here, fetch_shard, spec, settings), shards))
            started = time.perf_counter()
            reports = list(workers.map(partial(run_here, parse_shard, spec, settings), shards))
            seconds = time.perf_counter() - started
        read = sum(one.articles for one in reports)
        theirs, paths = _pubmed_parser(), sorted(folder.iterdir())
        report: dict[str, Any] = {
            "processes": len(os.sched_getaffinity(0)),
            "stage documents, articles a second": round(read / seconds, 1),
        }
        if theirs is None:
            return report
        started = time.perf_counter()
        for path in paths:
            theirs(str(path))
        their_seconds = time.perf_counter() - started
    return report | {
        "pubmed_parser in one process, articles a second": round(len(paths) / their_seconds, 1),
        "times as fast": round((read / seconds) / (len(paths) / their_seconds), 2),
    }


def _pubmed_parser() -> Callable[[str], bool] | None:
    """What pubmed_parser needs to give metadata, paragraphs, captions and tables; whether all of it came.

    A function that raises gives nothing of the article, but its time counts: the year is looked for late, for one.
    """
    if importlib.util.find_spec("pubmed_parser") is None:
        return None
    import pubmed_parser  # type: ignore[import-not-found]

    parts: list[Callable[[str], object]] = [
        pubmed_parser.parse_pubmed_xml,
        lambda path: pubmed_parser.parse_pubmed_paragraph(path, all_paragraph=True),
        pubmed_parser.parse_pubmed_caption,
        lambda path: pubmed_parser.parse_pubmed_table(path, return_xml=False),
    ]

    def read(path: str) -> bool:
        came = 0
        for part in parts:
            with contextlib.suppress(Exception):
                part(path)
                came += 1
        return came == len(parts)

    return read


def _processor_time(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _memory(megabytes: int) -> dict[str, Any]:
    """Measured in a process of its own, because the peak of a process never falls."""
    command = [sys.executable, __file__, "--memory", str(megabytes)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    measured: dict[str, Any] = json.loads(result.stdout)
    return measured


def _print_memory(megabytes: int) -> None:
    sentence = (
        "Zinc lowered the level of IL-6 (Fig. 2) in 12 of 40 mice. It rose to 3. The rest did not change. "
    )
    paragraph = f"<p>{sentence * 8}</p>"
    section = f"<sec><title>Results</title>{paragraph * 40}</sec>"
    data = f"<article><front/><body>{section * (megabytes * 1_000_000 // len(section))}</body></article>".encode()
    splitter, tokenise = load_splitter(), load_tokenise()
    before = _peak()
    article = parse_article(data)
    after_parsing = _peak()
    document = {
        "article_id": "PMC1",
        "text": article.text,
        "sections": [
            {"path": s.path, "kind": s.kind, "start": s.start, "end": s.end} for s in article.sections
        ],
        "paragraphs": [
            {"kind": p.kind, "section": p.section, "start": p.start, "end": p.end} for p in article.paragraphs
        ],
    }
    seconds = _processor_time(
        lambda: chunk_document(document, splitter=splitter, tokenise=tokenise, budget=220, overlap=1)
    )
    print(
        json.dumps(
            {
                "article, MB": round(len(data) / 1e6, 1),
                "parsing adds, MB": round(after_parsing - before),
                "chunking adds, MB": round(_peak() - after_parsing),
                "chunking, processor seconds": round(seconds, 1),
            }
        )
    )


def _peak() -> float:
    """Largest resident size of this process so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextlib.contextmanager
def _unpacked(archive: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(archive) as members:
            members.extractall(folder, filter="data")
        yield Path(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
