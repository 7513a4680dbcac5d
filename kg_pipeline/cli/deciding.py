"""`kg merge`, `kg unmerge` and `kg decisions`: a person's word on which names are one entity, and taking it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from kg_pipeline.cli.questions import CorpusName
from kg_pipeline.cli.tables import add_plain_row, folded_table, table_console

if TYPE_CHECKING:
    from pathlib import Path

    from kg_pipeline.normalization.decisions import Pair, Verdict

FirstName = Annotated[str, typer.Argument(help="A name as `kg merges` lists it.", metavar="NAME_A")]
SecondName = Annotated[str, typer.Argument(help="Another one.", metavar="NAME_B")]
Ahead = Annotated[
    bool, typer.Option("--ahead", help="Decide about a name that no article of the corpus has yet.")
]
_SAID = {"merge": "one entity", "apart": "not one entity"}
#: Names that resemble a misspelt one: how many are offered, and how alike they must be, in per cent.
_OFFERED, _LEAST_ALIKE = 3, 70


def merge(corpus: CorpusName, name_a: FirstName, name_b: SecondName, ahead: Ahead = False) -> None:
    """Decide that two names are one entity; every later build respects it."""
    _decide(corpus, "merge", (name_a, name_b), is_ahead=ahead)


def unmerge(corpus: CorpusName, name_a: FirstName, name_b: SecondName, ahead: Ahead = False) -> None:
    """Decide that two names are not one entity; every later build respects it."""
    _decide(corpus, "apart", (name_a, name_b), is_ahead=ahead)


def decisions(
    corpus: CorpusName,
    forget: Annotated[
        tuple[str, str] | None,
        typer.Option(
            help="Take back the decision about these two names.", metavar="NAME_A NAME_B", show_default=False
        ),
    ] = None,
) -> None:
    """List what `kg merge` and `kg unmerge` decided about a corpus, or take a decision back."""
    home = _home_of(corpus)
    if forget is None:
        _show(table_console(), home, corpus)
    else:
        _forget(Console(highlight=False, soft_wrap=True), home, corpus, forget)


def _home_of(corpus: str) -> Path:
    from kg_pipeline.cli.readable import corpus_of_articles
    from kg_pipeline.settings import load_settings

    settings = load_settings()
    corpus_of_articles(settings, corpus)
    return settings.home


def _decide(corpus: str, verdict: Verdict, names: tuple[str, str], *, is_ahead: bool) -> None:
    from kg_pipeline.errors import CorpusError
    from kg_pipeline.normalization.decisions import decide, decisions_file, pair_of

    home = _home_of(corpus)
    pair = pair_of(*names)
    known = _names(corpus)
    missing = [one for one in pair if one not in known]
    if missing and not is_ahead:
        raise CorpusError(_unknown(corpus, missing, known))
    console = Console(highlight=False, soft_wrap=True)
    said = f"{pair[0]} | {pair[1]}: {_SAID[verdict]}"
    decided = decide(home, corpus, verdict, pair)
    if decided == "known":
        console.print(f"{said}, as decided before.", markup=False)
        return
    replaced = " (in place of the opposite, decided before)" if decided == "replaced" else ""
    console.print(
        f"{said}{replaced}, kept in {decisions_file(home)}. `kg build {corpus}` carries it out; "
        f"`kg decisions {corpus}` lists and takes back.",
        markup=False,
    )
    if missing:
        console.print(
            f"No mention in {corpus} is called {' nor '.join(missing)} now; the decision waits for it.",
            markup=False,
        )


def _unknown(corpus: str, missing: list[str], known: set[str]) -> str:
    from rapidfuzz import fuzz, process, utils

    if not known:
        return (
            f"{corpus} has no names yet. Run `kg build {corpus}` first, or add --ahead to decide beforehand."
        )
    parts = []
    for name in missing:
        near = process.extract(
            name,
            sorted(known),
            scorer=fuzz.ratio,
            processor=utils.default_process,
            limit=_OFFERED,
            score_cutoff=_LEAST_ALIKE,
        )
        offered = ", ".join(repr(one) for one, _, _ in near)
        parts.append(f"{name!r}" + (f" (did you mean {offered}?)" if offered else ""))
    return (
        f"No mention in {corpus} is called {' nor '.join(parts)}. `kg merges {corpus} --name …` finds names by their "
        "letters; add --ahead to decide about a name that is yet to come."
    )


def _show(console: Console, home: Path, corpus: str) -> None:
    from kg_pipeline.normalization.decisions import decisions_file, read_decisions

    known = read_decisions(home, corpus)
    if not known:
        console.print(f"Nothing is decided about names of {corpus}.", markup=False)
        return
    names = _names(corpus)
    table = folded_table("name", "and", "are", "in the corpus", title=f"Decisions about names of {corpus}")
    for verdict, pairs in (("merge", known.merged), ("apart", known.apart)):
        for pair in sorted(pairs):
            missing = [one for one in pair if one not in names]
            state = f"waits for {' and '.join(missing)}" if missing else "both"
            add_plain_row(table, *pair, _SAID[verdict], state)
    console.print(table)
    console.print(
        f"Kept in {decisions_file(home)}; `kg decisions {corpus} --forget NAME_A NAME_B` takes one back.",
        markup=False,
        soft_wrap=True,
    )


def _forget(console: Console, home: Path, corpus: str, names: tuple[str, str]) -> None:
    from kg_pipeline.errors import CorpusError
    from kg_pipeline.normalization.decisions import forget, pair_of, read_decisions

    pair: Pair = pair_of(*names)
    if not forget(home, corpus, pair):
        known = read_decisions(home, corpus)
        decided = sorted(" | ".join(one) for one in known.merged | known.apart)
        listed = f"Decided are: {'; '.join(decided)}." if decided else "Nothing is decided about its names."
        raise CorpusError(f"{corpus} has no decision about {pair[0]} | {pair[1]}. {listed}")
    console.print(
        f"{pair[0]} | {pair[1]}: left to the rules again. `kg build {corpus}` carries it out.", markup=False
    )


def _names(corpus: str) -> set[str]:
    """Names of mentions of the corpus, as written and as standardised; none before its first build."""
    import polars as pl

    from kg_pipeline.datasets import Datasets
    from kg_pipeline.settings import load_settings

    datasets = Datasets.of(load_settings())
    return {
        " ".join(name.split())
        for dataset in ("mentions", "triple_mentions")
        for shard in datasets.shards(dataset, corpus)
        for name in datasets.read_or_empty(dataset, corpus, shard)
        .select(pl.concat([pl.col("text"), pl.col("normal_form")]).unique().alias("name"))
        .to_series()
    }
