"""`kg bench multihop-qa`: methods and ablations over built questions, beside the published figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from kg_pipeline.cli.bench.output import names_of, open_console, per_cent, points, write_report
from kg_pipeline.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retrieval.evaluation.biomedhop.patterns import Family
    from retrieval.evaluation.multihop_qa.benchmark import QaRun, QaSettings, Row
    from retrieval.evaluation.multihop_qa.summary import FamilyScores

_METHODS = "naive,egot,inses,bioweave,ppr,auto"


def multihop_qa(
    items: Annotated[Path, typer.Argument(help="items.jsonl of `kg bench build-multihop`.", metavar="ITEMS")],
    methods: Annotated[
        str,
        typer.Option(
            help="Methods and ablations (egot-no-thoughts, inses-no-similarity, bioweave-no-conversion, …), by commas; `ablations` for all of those beside their full systems."
        ),
    ] = _METHODS,
    sample: Annotated[int, typer.Option(min=1, help="Questions, as many of each family as can be.")] = 200,
    seed: Annotated[int, typer.Option(help="Of the sample, the thinning and the intervals.")] = 0,
    conditions: Annotated[
        str,
        typer.Option(
            help="Sources shown, by commas: none, kg, doc, kg+doc; with items built with --web (only BioWeave reads it): web, kg+web, doc+web, hybrid."
        ),
    ] = "kg+doc",
    completeness: Annotated[
        str, typer.Option(help="Per cent of the relations that are kept, by commas: 0,30,50,80,100.")
    ] = "100",
    judge: Annotated[
        list[str] | None,
        typer.Option(help="`rules`, MODEL or MODEL@URL; twice or more for their agreement."),
    ] = None,
    corpus: Annotated[str, typer.Option(help="Answer from this corpus instead of the items' own.")] = "",
    output: Annotated[Path, typer.Option(help="Where the JSON report goes.")] = Path(
        "bench-multihop-qa.json"
    ),
) -> None:
    """Answer built questions with each method: MCQ, open and count accuracy, sources, overlap with the gold paths, cost."""
    from retrieval.evaluation.biomedhop.items import CONDITIONS
    from retrieval.evaluation.methods import names_or_ablations
    from retrieval.evaluation.multihop_qa.benchmark import QaSettings

    shown = {
        name: condition for name in names_of(conditions) for condition in CONDITIONS if condition == name
    }
    if set(shown) != set(names_of(conditions)) or not shown:
        raise SettingsError(
            f"--conditions {conditions!r} names no sources; use some of {', '.join(CONDITIONS)}."
        )
    chosen = QaSettings(
        methods=names_or_ablations(names_of(methods)),
        sample=sample,
        seed=seed,
        conditions=tuple(shown.values()),
        completeness=_shares(completeness),
        judges=tuple(judge or ()),
    )
    journal = output.with_name(f"{output.stem}.answers.jsonl")
    answer_items(items, chosen, corpus=corpus, journal=journal, output=output)
    journal.unlink(missing_ok=True)


def answer_items(items: Path, chosen: QaSettings, *, corpus: str, journal: Path, output: Path) -> None:
    """Answer items, print the tables and write the report; answers that `journal` has are not asked for again."""
    from kg_pipeline.llm.budget import metered
    from kg_pipeline.settings import load_settings
    from retrieval.evaluation.multihop_qa.benchmark import run_benchmark

    console = open_console()
    output.parent.mkdir(parents=True, exist_ok=True)
    with console.status("Asking …") as status, metered() as used:
        run = run_benchmark(
            items,
            load_settings(),
            chosen,
            corpus=corpus,
            journal=journal,
            say=lambda what: status.update(f"Asking: {what}"),
        )
    console.print(_table(run))
    console.print(_details(run))
    if run.ablations:
        console.print(_ablations(run))
    write_report(console, output, run.report, used)


def _shares(text: str) -> tuple[float, ...]:
    try:
        shares = tuple(float(part) / 100 for part in names_of(text))
    except ValueError:
        shares = ()
    if not shares or not all(0 <= share <= 1 for share in shares):
        raise SettingsError(f"--completeness {text!r} must be per cents from 0 to 100, by commas.")
    return shares


def _table(run: QaRun) -> Table:
    from retrieval.evaluation.multihop_qa import published

    table = Table(
        title=f"{len(run.items)} questions answered by {run.report['answering']}, per cent with 95 % bootstrap intervals",
        caption=f"Published: {published.SETTING}. Overall is the mean of the families that there are questions of.",
    )
    table.add_column("method")
    table.add_column("sources, relations")
    for name in published.COLUMNS:
        table.add_column(name, justify="right")
    for row in run.rows:
        table.add_row(row.method, f"{row.condition}, {row.completeness:.0%}", *_cells(row))
    table.add_section()
    for name, figures in published.MAIN.items():
        table.add_row(f"published: {name}", "", *(f"{figure:.1f}" for figure in figures))
    return table


def _cells(row: Row) -> list[str]:
    found = row.summary.families
    cells = []
    scores: FamilyScores | None
    for scores in (found.get("entity_pair"), found.get("intersection"), found.get("path")):
        cells += [per_cent(scores.mcq if scores else None), per_cent(scores.open if scores else None)]
    count = found.get("count")
    return [*cells, per_cent(count.average if count else None), per_cent(row.summary.overall)]


def _details(run: QaRun) -> Table:
    """What answers rest on, and what they take."""
    table = Table(
        title="Of right answers: sources and full overlap with the gold path; of all: cost a question"
    )
    for name in (
        "method",
        "sources, relations",
        "answered",
        "answer read",
        "gold path read",
        "passages read",
        "sources",
        "overlap = 1",
        "calls",
        "tokens",
        "s",
        "judged",
    ):
        table.add_column(name)
    for row in run.rows:
        summary = row.summary
        table.add_row(
            row.method,
            f"{row.condition}, {row.completeness:.0%}",
            f"{summary.answered:.0%}",
            f"{summary.answer_read:.0%}",
            f"{summary.path_read:.0%}",
            f"{summary.passages_read:.0f}",
            _joined(summary.sources),
            "; ".join(
                f"{family} {bins.get('1', 0.0):.0%}" for family, bins in summary.overlap.items() if bins
            ),
            f"{summary.calls:.1f}",
            f"{summary.tokens:.0f}",
            f"{summary.seconds:.2f}",
            _verified(row),
        )
    return table


def _ablations(run: QaRun) -> Table:
    """Systems without a part of theirs, beside what the papers measured."""
    from retrieval.evaluation.multihop_qa import published

    table = Table(
        title="What a part is worth: the full system less the one without it, in points. "
        "Published: BioWeave tables 8 and 9; eGoT wins over No-GoT (table 1); INSES section 4.6"
    )
    heads = (
        *("MCQ", "open", "CountEx", "loss", "gold path read", "loss of it", "answer read", "loss of it"),
        *("same answers", "tokens", "calls", "published"),
    )
    for name in ("system", "sources, relations", *heads):
        table.add_column(name)
    for row in run.ablations:
        is_full = row.method == row.full
        if is_full:
            table.add_section()
        table.add_row(
            row.method,
            f"{row.condition}, {row.completeness:.0%}",
            *map(per_cent, (row.mcq, row.open, row.count)),
            "" if is_full else points(row.loss),
            *(
                cell
                for name, share in row.read.items()
                for cell in (per_cent(share), "" if is_full else points(row.read_losses[name]))
            ),
            "" if is_full else f"{row.same:.0%}",
            f"{row.tokens:.0f}",
            f"{row.calls:.1f}",
            published.ablation_note(row.method),
        )
    return table


def _joined(sources: Mapping[Family, Mapping[str, float]]) -> str:
    return "; ".join(
        f"{family}: " + ", ".join(f"{label} {share:.0%}" for label, share in shares.items())
        for family, shares in sources.items()
        if shares
    )


def _verified(row: Row) -> str:
    parts = []
    for judge, table in row.verification.items():
        for family, means in table["families"].items():
            parts.append(
                f"{judge} {family}: "
                + ", ".join(
                    f"{name} {means[name]['mean']:.0%}" for name in ("answer", "evidence", "reasoning")
                )
            )
    return "; ".join(parts)
