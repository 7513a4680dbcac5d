"""`kg bench relations`: extraction and inference of relations, measured on annotated corpora."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from kg_pipeline.cli.bench.inputs import default_data
from kg_pipeline.cli.bench.output import skip, write_report

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kg_pipeline.evaluation.inference_precision import InferencePrecision
    from kg_pipeline.evaluation.relation_calibration import Calibration
    from kg_pipeline.evaluation.relation_extraction import BioredFigures, Score

_NAMES = {
    "passage": "model, whole abstract",
    "rules": "rules (triples of a graph)",
    "model": "model of sentences (triples of a graph)",
    "abstract": "model of abstracts (triples of a graph)",
    "neighbours": "neighbouring sentences (triples of a graph)",
    "all": "all (triples of a graph)",
}


def bench_relations(
    gold: Annotated[
        Path | None,
        typer.Option(
            help="Folder with biored/SPLIT.PubTator and chemprot_scibert/SPLIT.jsonl. "
            "Default: data/gold of KG_SHARED or of ../shared."
        ),
    ] = None,
    split: Annotated[str, typer.Option(help="Which split to read: dev, train or test.")] = "dev",
    output: Annotated[Path, typer.Option(help="Where the JSON report goes.")] = Path("bench-relations.json"),
) -> None:
    """Relations of BioRED and ChemProt, given the entities and end to end; precision of each kind of inference."""
    from kg_pipeline.llm.budget import metered

    console = Console(highlight=False, soft_wrap=True)
    folder = gold or default_data("gold")
    files = {
        "biored": folder / "biored" / f"{split}.PubTator",
        "chemprot": folder / "chemprot_scibert" / f"{split}.jsonl",
    }
    if missing := [str(path) for path in files.values() if not path.is_file()]:
        skip(console, f"there is no {' and no '.join(missing)}; name the folder of the corpora with --gold.")
        return
    with console.status("Parsing (a minute or two) …"), metered() as used:
        report = _measure(console, files["biored"], files["chemprot"])
    write_report(console, output, {"split": split, **report}, used)


def _measure(console: Console, biored: Path, chemprot: Path) -> dict[str, Any]:
    from kg_pipeline.evaluation.entity_linking import References
    from kg_pipeline.evaluation.gold import read_chemprot, read_pubtator
    from kg_pipeline.evaluation.inference_precision import held_in_precision, hierarchy_precision
    from kg_pipeline.evaluation.relation_calibration import measure_calibration
    from kg_pipeline.evaluation.relation_extraction import read_triples, score_biored, score_chemprot
    from kg_pipeline.evaluation.relation_gold import read_articles
    from kg_pipeline.evaluation.relations_end_to_end import link_articles, score_end_to_end
    from kg_pipeline.extraction.mentions.ner.choice import chosen_recogniser
    from kg_pipeline.extraction.syntax.sentence_parser import load_parser
    from kg_pipeline.llm.embeddings import load_embedder
    from kg_pipeline.settings import load_settings
    from kg_pipeline.text.sentences import load_splitter
    from kg_pipeline.vocabulary.index.build import build_vocabulary
    from kg_pipeline.vocabulary.index.lookup import open_vocabulary
    from retrieval.evaluation.intervals import RESAMPLES
    from retrieval.evaluation.report import environment

    settings = load_settings()
    parser, splitter = load_parser(settings.spacy_model), load_splitter(settings.sentence_model)
    vocabulary = open_vocabulary(build_vocabulary(settings))
    articles = list(read_pubtator(biored))
    read = list(read_articles(articles, parser, splitter))
    triples = read_triples(read)
    given = score_biored(read, triples)
    console.print(_biored_table(given))
    calibration = measure_calibration(triples)
    console.print(_error_table(calibration))
    console.print(_reliability_table(calibration))
    labels = score_chemprot(list(read_chemprot(chemprot)), parser)
    console.print(_table("ChemProt, 13 labels (micro is accuracy)", "label", labels))
    recogniser = chosen_recogniser(settings.entity_model)
    own = score_end_to_end(link_articles(articles, splitter, vocabulary, recogniser), parser, References())
    console.print(
        _table(
            "BioRED end to end: own mentions and links, by cross-references",
            "relations read from",
            {_NAMES["passage"]: own["passage"], _NAMES["all"]: own["triples"]},
        )
    )
    # Inference was not trained, so the training split makes its graph larger and no figure better.
    known = {
        each.pmid: each
        for path in sorted({biored.with_name("train.PubTator"), biored})
        if path.is_file()
        for each in read_pubtator(path)
    }
    graph = [known[pmid] for pmid in sorted(known)]
    inferred = [*held_in_precision(graph, load_embedder(settings)), hierarchy_precision(graph, vocabulary)]
    console.print(_inference_table(inferred))
    return {
        "biored": {
            "pairs": {name: _figures(score) for name, score in given.pairs.items()},
            "typed": _figures(given.typed),
            "signs": {name: _figures(score) for name, score in given.signs.items()},
            "calibration": [asdict(each) for each in calibration],
        },
        "chemprot": {label: _figures(score) for label, score in labels.items()},
        "end_to_end": {name: _figures(score) for name, score in own.items()},
        "inference": [
            {**asdict(each), "precision": each.precision, "interval": each.interval} for each in inferred
        ],
        "settings": {
            "spacy_model": settings.spacy_model,
            "sentence_model": settings.sentence_model,
            "entity_model": settings.entity_model,
            "articles": len(articles),
        },
        "bootstrap": {
            "over": "articles; sentences for ChemProt",
            "seed": 0,
            "resamples": RESAMPLES,
            "level": 0.95,
        },
        **environment(),
    }


def _figures(score: Score) -> dict[str, float]:
    return {**asdict(score), "precision": score.precision, "recall": score.recall, "f1": score.f1}


def _biored_table(figures: BioredFigures) -> Table:
    rows = {_NAMES[name]: score for name, score in figures.pairs.items()}
    rows[f"{_NAMES['passage']}, type counted"] = figures.typed
    table = _table("BioRED with its entities, pairs of an abstract", "relations read from", rows)
    for name, score in figures.signs.items():
        table.add_row(
            f"sign right: {_NAMES[name]}", str(score.found), "", str(score.right), *_percent(score.precision)
        )
    return table


def _table(title: str, first: str, scores: Mapping[str, Score]) -> Table:
    table = Table(title=title)
    table.add_column(first)
    for column in ("found", "annotated", "right", "precision", "recall", "F1"):
        table.add_column(column, justify="right")
    for name, score in scores.items():
        counts = (score.found, score.gold, score.right)
        table.add_row(name, *map(str, counts), *_percent(score.precision, score.recall), _f1(score))
    return table


def _f1(score: Score) -> str:
    """F1 with its bootstrap interval over articles, or over sentences where each is an item of its own."""
    (f1,) = _percent(score.f1)
    if score.low is None or score.high is None:
        return f1
    return f"{f1} [{100 * score.low:.1f}, {100 * score.high:.1f}]"


def _error_table(calibration: Sequence[Calibration]) -> Table:
    """Expected calibration errors; what exact confidences would get by chance stands beside them."""
    table = Table(title="Calibration of confidences: expected error, in per cent")
    table.add_column("confidences of")
    for column in ("number", "observed", "as promised", "as shipped", "cross-fitted", "by chance"):
        table.add_column(column, justify="right")
    for each in calibration:
        errors = (
            each.promised.error,
            each.shipped.error,
            each.cross_fitted.error,
            each.cross_fitted.of_chance,
        )
        table.add_row(
            each.shipped.reader, str(each.shipped.triples), *_percent(each.shipped.observed, *errors)
        )
    return table


def _reliability_table(calibration: Sequence[Calibration]) -> Table:
    table = Table(title="Reliability of confidences, cross-fitted: promised and observed")
    for column in ("confidences of", "from", "to", "number", "promised", "observed"):
        table.add_column(column, justify="left" if column == "confidences of" else "right")
    for each in calibration:
        for row in each.cross_fitted.bins:
            cells = _percent(row.promised, row.observed)
            table.add_row(each.shipped.reader, f"{row.low:.2f}", f"{row.high:.2f}", str(row.triples), *cells)
    return table


def _inference_table(inferred: list[InferencePrecision]) -> Table:
    table = Table(title="Inference: pairs that were taken out and found again (a lower bound of precision)")
    for column in ("kind", "inferred", "judged", "right", "precision", "95 % interval", "by chance"):
        table.add_column(column, justify="left" if column == "kind" else "right")
    for each in inferred:
        counts = (each.inferred, each.judged, each.right)
        low, high = _percent(*each.interval)
        share, chance = _percent(each.precision)[0], f"{100 * each.chance:.2f}"
        table.add_row(each.kind, *map(str, counts), share, f"{low}–{high}", chance)
    return table


def _percent(*values: float) -> tuple[str, ...]:
    return tuple(f"{100 * value:.1f}" for value in values)
