"""`kg bench graph-quality`: MINE on published graphs and on one's own."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from kg_pipeline.cli.bench.inputs import default_data
from kg_pipeline.cli.bench.output import open_console, per_cent, points, skip, write_report

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retrieval.evaluation.mine.scoring import MineRow


def graph_quality(
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of MINE. Default: data/qa/mine_kggen of KG_SHARED or of ../shared."),
    ] = None,
    essays: Annotated[int, typer.Option(min=1, help="How many essays, from the first.")] = 70,
    corpus: Annotated[
        str, typer.Option(help="A corpus built from the essays (see --articles), to be scored too.")
    ] = "",
    articles: Annotated[
        Path | None,
        typer.Option(help="Write the essays there as articles for `kg build NAME --source …`, and stop."),
    ] = None,
    judge: Annotated[str, typer.Option(help="`words` (no model), or MODEL or MODEL@URL.")] = "words",
    output: Annotated[Path, typer.Option(help="Where the JSON report goes.")] = Path(
        "bench-graph-quality.json"
    ),
) -> None:
    """How many facts of an essay are found again in the graphs of KGGen, GraphRAG, OpenIE and one's own."""
    from kg_pipeline.graph.versions.store import VersionStore
    from kg_pipeline.llm.budget import metered
    from kg_pipeline.llm.embeddings import load_embedder
    from kg_pipeline.settings import load_settings
    from retrieval.evaluation.judges import open_model
    from retrieval.evaluation.mine.entailment import Entailment, LlmEntailment, WordEntailment
    from retrieval.evaluation.mine.own_graph import read_triples, write_articles
    from retrieval.evaluation.mine.reading import read_mine
    from retrieval.evaluation.mine.scoring import run_mine
    from retrieval.evaluation.trial import try_judge
    from retrieval.evaluation.verification import require_independent
    from retrieval.methods.context import CachedEmbedder

    console = open_console()
    folder = data or default_data("qa", "mine_kggen")
    if not (folder / "essays.json").exists():
        skip(console, f"the folder {folder} holds no essays.json; name the benchmark's folder with --data.")
        return
    mine = read_mine(folder)
    chosen = mine.essays[:essays]
    if articles is not None:
        write_articles(chosen, articles)
        console.print(f"{len(chosen)} articles. Build them: kg build mine --source {articles}", markup=False)
        return
    settings = load_settings()
    entailment: Entailment = WordEntailment()
    tried = {}
    if judge != "words":
        chat = open_model(judge, settings)
        entailment = LlmEntailment(chat)
        with console.status("Trying the judge …"):
            tried = {entailment.name: try_judge(chat, "entailment")}
    graphs: dict[str, Any] = dict(mine.graphs)
    if corpus:
        store = VersionStore.of(settings)
        version = store.resolve(corpus)
        with closing(store.open(corpus, version)) as reader:
            require_independent(entailment.name, "", reader.manifest)
            graphs[f"{corpus} {version}"] = read_triples(store.folder(corpus, version), reader, chosen)
    embedder = CachedEmbedder(load_embedder(settings))
    with console.status("Retrieving facts …"), metered() as used:
        rows, report = run_mine(mine, graphs, embedder, entailment, chosen)
    report["judge_trial"] = tried
    console.print(_table(rows, report))
    write_report(console, output, report, used)


def _table(rows: list[MineRow], report: dict[str, Any]) -> Table:
    table = Table(title=f"Facts found again, per cent with 95 % intervals; judge: {report['judge']}")
    for name in ("graph", "retriever", "essays", "facts found", "published", "gain", "triples", "statements"):
        table.add_column(name)
    for system, found in report["published_verdicts"].items():
        kappa = found["agreement"]["kappa"]
        agreed = (
            f"the judge on the same: {100 * found['judge']:.1f}, agreement {found['agreement']['share']:.0%}"
        )
        agreed += "" if kappa is None else f", kappa {kappa:.2f}"
        anchor = f"{report['published_per_cent'][system]:.2f}"
        table.add_row(
            system, "published contexts and verdicts", "", f"{100 * found['model']:.1f} ({agreed})", anchor
        )
    table.add_section()
    for row in rows:
        figures = (_gain(row, report["inses_gains_points"]), f"{row.triples:.0f}", f"{row.context:.0f}")
        table.add_row(row.graph, row.retriever, str(row.essays), per_cent(row.score), "", *figures)
    return table


def _gain(row: MineRow, published: Mapping[str, float]) -> str:
    """Points over the published retriever, with those that the INSES paper gained."""
    if row.gain is None:
        return ""
    gain = points(row.gain)
    return f"{gain}; INSES {published[row.graph]:+.1f}" if row.graph in published else gain
