"""`kg bench build-multihop`: questions from a graph version, after BioMedHop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from kg_pipeline.cli.bench.output import names_of, open_console


def build_multihop(
    corpus: Annotated[
        str, typer.Argument(help="A corpus whose graph is built or imported.", metavar="CORPUS")
    ],
    items: Annotated[
        int, typer.Option(min=1, help="Questions wanted; fewer come of a graph that has too few.")
    ] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed and version give the same questions.")] = 0,
    version: Annotated[str, typer.Option(help="Id of a version, or latest.")] = "latest",
    patterns: Annotated[
        Path | None, typer.Option(help="Patterns in TOML; by default those of the paper.")
    ] = None,
    passages: Annotated[
        int, typer.Option(min=0, help="Sentences searched for a hop, besides those that edges cite.")
    ] = 1,
    sentences: Annotated[
        int, typer.Option(min=1, help="Sentences that must state each relation a question is built of.")
    ] = 1,
    web: Annotated[
        str,
        typer.Option(
            help="Search services for a further source of evidence, by commas: europe-pmc, clinical-trials. The searches are kept in OUTPUT/web and replayed from there."
        ),
    ] = "",
    output: Annotated[Path, typer.Option(help="Folder for items.jsonl and the datasheet.")] = Path(
        "bench-items"
    ),
) -> None:
    """Make multi-hop questions with gold paths, wrong options and evidence from a graph; no language model."""
    from kg_pipeline.files import write_text
    from kg_pipeline.graph.versions.store import VersionStore
    from kg_pipeline.settings import load_settings
    from kg_pipeline.text.sentences import load_splitter
    from retrieval.evaluation.biomedhop.build import BuildSettings, build_items
    from retrieval.evaluation.biomedhop.datasheet import make_datasheet, render_datasheet
    from retrieval.evaluation.biomedhop.items import write_items
    from retrieval.evaluation.biomedhop.patterns import load_patterns
    from retrieval.evaluation.biomedhop.web_evidence import search_web

    console = open_console()
    settings = load_settings()
    chosen = BuildSettings(items=items, seed=seed, passages_a_hop=passages, least_sentences=sentences)
    known = load_patterns(patterns)
    store = VersionStore.of(settings)
    folder = store.folder(corpus, store.resolve(corpus, version))
    reader = store.open(corpus, version)
    try:
        with console.status("Looking for questions …"):
            splitter = load_splitter(settings.sentence_model).split if passages else None
            built = build_items(folder, reader, splitter, chosen, known)
            if web:
                built.items = search_web(built.items, names_of(web), output / "web")
        sheet = make_datasheet(built, chosen, known, reader)
    finally:
        reader.close()
    output.mkdir(parents=True, exist_ok=True)
    write_items(output / "items.jsonl", built.items)
    write_text(output / "datasheet.json", json.dumps(sheet, indent=1, ensure_ascii=False) + "\n")
    write_text(output / "datasheet.md", render_datasheet(sheet))
    for family, row in sheet["families"].items():
        console.print(f"{family}: {row['built']} of {row['wanted']} wanted", markup=False)
    console.print(
        f"{len(built.items)} items: {output / 'items.jsonl'}, about them: {output / 'datasheet.md'}",
        markup=False,
    )
    if sheet["short"]:
        console.print(
            f"The graph holds too few motifs with a single or closed answer for {', '.join(sheet['short'])}; other families "
            "took over their share where they could. The datasheet says which patterns have none.",
            markup=False,
        )
