"""`kg merges`: which names became one entity and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from kg_pipeline.cli.questions import CorpusName
from kg_pipeline.cli.tables import add_plain_row, folded_table, print_json, table_console
from kg_pipeline.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from rich.console import Console

    from kg_pipeline.normalization.comparison import Comparison, Difference

_SHOWN, _SHOWN_DIFFERENCES = 50, 20


def merges(
    corpus: CorpusName,
    name: Annotated[str, typer.Option(help="Only entities with these letters in one of the names.")] = "",
    rule: Annotated[str, typer.Option(help="Only merges by this rule, such as spelling_variant.")] = "",
    limit: Annotated[
        int | None,
        typer.Option(min=1, help=f"Rows shown; {_SHOWN} in a table, all with --json.", show_default=False),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="Set the guarded rules beside the published ones (egot) instead."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the merges as JSON.")] = False,
) -> None:
    """List which names became one entity, by which rule, and on what evidence."""
    from kg_pipeline.cli.readable import corpus_of_articles
    from kg_pipeline.settings import load_settings

    settings = load_settings()
    corpus_of_articles(settings, corpus)
    console = table_console()
    if compare:
        if as_json or name or rule or limit:
            raise SettingsError(
                "--compare shows counts and the most mentioned names; give it no other option."
            )
        _show_comparison(console, corpus)
        return
    found = _chosen(corpus, name, rule)
    if as_json:
        print_json(found.head(limit or found.height).to_dicts())
    else:
        _show_merges(console, corpus, found, limit or _SHOWN)


def _chosen(corpus: str, name: str, rule: str) -> pl.DataFrame:
    import polars as pl

    from kg_pipeline.datasets import Datasets
    from kg_pipeline.settings import load_settings

    rows = Datasets.of(load_settings()).read("merges", corpus)
    if rule:
        known = sorted(rows["rule"].unique())
        rows = rows.filter(pl.col("rule") == rule)
        if rule not in known:
            raise SettingsError(f"No merge is by the rule {rule!r}; there are {', '.join(known) or 'none'}.")
    if name:
        columns = [pl.col(column).str.to_lowercase() for column in ("name_a", "name_b")]
        rows = rows.filter(pl.any_horizontal(c.str.contains(name.lower(), literal=True) for c in columns))
    score = pl.col("score").cast(pl.Float64).round(4)
    return rows.with_columns(score).sort("name_a", "name_b", "rule")


def _show_merges(console: Console, corpus: str, rows: pl.DataFrame, limit: int) -> None:
    table = folded_table("entity", "name", "why", title=f"Names of {corpus} that became one entity")
    for row in rows.head(limit).iter_rows(named=True):
        # The concept is often the evidence.
        told = dict.fromkeys((row["evidence"], row["entity_id"]))
        why = f"{row['rule']} {row['score']:.2f}, {' → '.join(told)}"
        add_plain_row(table, row["name_a"], row["name_b"], why)
    console.print(table)
    if rows.height > limit:
        console.print(f"{limit} of {rows.height} merges; see the others with --limit, --name or --rule.")


def _show_comparison(console: Console, corpus: str) -> None:
    from kg_pipeline.datasets import Datasets
    from kg_pipeline.normalization.comparison import compare
    from kg_pipeline.normalization.mention_source import corpus_forms
    from kg_pipeline.settings import load_settings

    found = compare(corpus_forms(Datasets.of(load_settings()), corpus))
    console.print(_counts(corpus, found))
    if found.objections:
        reasons = ", ".join(f"{reason} ({count})" for reason, count in found.objections.most_common())
        console.print(
            f"Why the guarded rules keep apart what the published ones join: {reasons}.", markup=False
        )
    console.print(_differences("Joined by the published rules only", found.only_egot, "why not"))
    console.print(
        _differences("Joined by the guarded rules only", found.only_guarded, "why the others do not")
    )


def _counts(corpus: str, found: Comparison) -> Table:
    table = Table(title=f"{found.forms} names of {corpus} by both settings")
    for column in ("", "guarded", "egot"):
        table.add_column(column, justify="left" if not column else "right")
    table.add_row("entities", str(found.guarded_entities), str(found.egot_entities))
    table.add_row("names joined by both", str(found.both), str(found.both))
    table.add_row("names joined by this one only", str(len(found.only_guarded)), str(len(found.only_egot)))
    return table


def _differences(title: str, differences: Sequence[Difference], why: str) -> Table:
    table = Table(title=f"{title}: {len(differences)}, the most mentioned")
    for column in ("name", "and", why, "mentions"):
        table.add_column(column, justify="right" if column == "mentions" else "left", overflow="fold")
    for one in differences[:_SHOWN_DIFFERENCES]:
        cells = (one.name, one.other, one.reason, str(one.mentions))
        add_plain_row(table, *cells)
    return table
