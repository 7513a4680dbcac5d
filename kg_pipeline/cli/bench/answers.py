"""`kg bench case-study` and `kg bench boundaries`: answers in prose, and knowing when to give none."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from kg_pipeline.cli.bench.inputs import default_data
from kg_pipeline.cli.bench.output import names_of, open_console, per_cent, skip, write_report
from kg_pipeline.errors import SettingsError

_DEPTHS = "1,3"
_CONDITION = ("study", "condition", "depth", "corpus", "expects", "answered", "articles cited")


def case_study(
    study: Annotated[str, typer.Option(help="lupus-uv or sclc; all by default.")] = "",
    studies: Annotated[
        Path | None, typer.Option(help="Studies in TOML; by default those of the paper.")
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            help="Answer a condition from another corpus: exp-1=demo, or of one study: sclc/exp-1=lung. May be repeated."
        ),
    ] = None,
    depth: Annotated[str, typer.Option(help="Maximum depths of eGoT, by commas.")] = _DEPTHS,
    judge: Annotated[
        str, typer.Option(help="MODEL or MODEL@URL, for faithfulness, precision and relevance.")
    ] = "",
    against: Annotated[
        str,
        typer.Option(
            help="A method or ablation (egot-no-thoughts) to compare eGoT's answers with, by the judge."
        ),
    ] = "",
    show_corpora: Annotated[
        bool, typer.Option(help="Print the corpora of the conditions for a corpora.toml, and stop.")
    ] = False,
    output: Annotated[Path, typer.Option(help="Where the JSON report goes.")] = Path("bench-case-study.json"),
) -> None:
    """The paper's case studies: core, alternative and unrelated articles, no retrieval; depth 1 against 3."""
    from kg_pipeline.llm.budget import metered
    from kg_pipeline.settings import load_settings
    from retrieval.evaluation.cases.definitions import corpora_toml, load_studies
    from retrieval.evaluation.cases.measuring import METRICS
    from retrieval.evaluation.cases.study import run_studies

    known = load_studies(studies)
    chosen = [one for one in known if study in ("", one.id)]
    if not chosen:
        raise SettingsError(f"There is no study {study!r}; use one of {', '.join(one.id for one in known)}.")
    if show_corpora:
        typer.echo(corpora_toml(chosen), nl=False)
        return
    names = dict(part.split("=", 1) for part in corpus or () if "=" in part)
    if len(names) != len(corpus or ()):
        raise SettingsError("--corpus takes a condition and a corpus: exp-1=demo.")
    if not all(part.strip().isdigit() and int(part) > 0 for part in depth.split(",")):
        raise SettingsError(f"--depth {depth!r} must be numbers from 1, by commas.")
    depths = [int(part) for part in depth.split(",")]
    console = open_console()
    with console.status("Asking …") as status, metered() as used:
        rows, skipped, report = run_studies(
            chosen,
            load_settings(),
            depths=depths,
            corpora=names,
            judge=judge,
            against=against,
            say=lambda what: status.update(f"Asking: {what}"),
        )
    table = Table(
        title=f"Case studies, answered by {report['answering']}, judged by {judge or 'nobody'}; per cent with 95 % intervals"
    )
    for name in (*_CONDITION, *(name.replace("_", " ") for name in METRICS), "calls", "tokens", "s"):
        table.add_column(name)
    if against:
        table.add_column(f"wins over {against}")
    for row in rows:
        shown = [per_cent(row.scores[name]) for name in METRICS]
        shown += [f"{row.calls:.1f}", f"{row.tokens:.0f}", f"{row.seconds:.2f}"]
        if against:
            shown.append(", ".join(f"{name} {share.mean:.0%}" for name, share in row.wins.items()))
        answered = f"{row.answered.mean:.0%} of {row.questions}"
        table.add_row(
            row.study,
            row.condition,
            str(row.depth),
            row.corpus,
            row.expects,
            answered,
            f"{row.articles:.1f}",
            *shown,
        )
    table.add_section()
    for label, figures in report["published"].items():
        told = [f"{100 * figures[name]:.0f}" if name in figures else "-" for name in METRICS]
        table.add_row(f"published: {label}", *[""] * (len(_CONDITION) - 1), *told)
    console.print(table)
    for reason in skipped:
        console.print(f"Skipped: {reason}", markup=False)
    write_report(console, output, report, used)


def boundaries(
    data: Annotated[
        Path | None,
        typer.Option(
            help="PQA-L of PubMedQA. Default: data/qa/pubmedqa/dev_500.json of KG_SHARED or ../shared."
        ),
    ] = None,
    methods: Annotated[str, typer.Option(help="Methods, by commas.")] = "auto,egot,naive",
    size: Annotated[int, typer.Option(min=1, help="Abstracts of the corpus, and foreign questions.")] = 60,
    output: Annotated[Path, typer.Option(help="Where the JSON report goes.")] = Path("bench-boundaries.json"),
) -> None:
    """Are questions of a corpus answered from it, and foreign ones refused? PubMedQA's abstracts and questions."""
    from kg_pipeline.llm.budget import metered
    from kg_pipeline.settings import load_settings
    from retrieval.evaluation.quality.boundaries import read_pubmedqa, run_boundaries

    console = open_console()
    path = data or default_data("qa", "pubmedqa", "dev_500.json")
    if not path.exists():
        skip(console, f"there is no {path}; name the file with --data.")
        return
    named = names_of(methods)
    with console.status("Asking …"), metered() as used:
        rows, report = run_boundaries(read_pubmedqa(path), load_settings(), named, size=size)
    table = Table(
        title=f"{report['own']} own and {report['foreign']} foreign questions, per cent with 95 % intervals; "
        f"always yes would be right in {100 * report['yes']:.1f}"
    )
    for name in (
        "method",
        "own answered",
        "of these from its own abstract",
        "foreign refused",
        "verdict right",
        "macro F1",
        "verdicts",
    ):
        table.add_column(name)
    for row in rows:
        cells = [per_cent(part) for part in (row.answered, row.own_abstract, row.refused, row.right)]
        cells.append(f"{100 * row.macro_f1:.1f}")
        told = "; ".join(
            f"{right}: " + ", ".join(f"{given} {count}" for given, count in sorted(counts.items()))
            for right, counts in sorted(row.decisions.items())
        )
        table.add_row(row.method, *cells, told)
    console.print(table)
    write_report(console, output, report, used)
