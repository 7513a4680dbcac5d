"""Standardise what changed since the last time, and keep the rest: the result is that of standardising everything.

Rules look from one form at another only where both have a concept or a spelling key in common. So forms fall into groups
that share neither with each other, and a group of which no form is new, gone or counted otherwise stays as it was.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import polars as pl

from kg_pipeline.normalization.standardise import Cluster, Form, Standardised, cluster_of, standardise
from kg_pipeline.vocabulary.names.name_parts import spelling_keys

KEY = ["normal_form", "category", "concept_id"]
#: What standardisation is given of a form.
GIVEN = pl.Schema(
    {
        **dict.fromkeys(KEY, pl.String),
        "count": pl.UInt32,
        "evidence": pl.String,
        "score": pl.Float32,
        "is_open": pl.Boolean,
    }
)
#: What is remembered of a form: what was given, its spelling keys, and what became of it.
STATE = pl.Schema(
    [
        *GIVEN.items(),
        ("keys", pl.List(pl.String)),
        ("entity_id", pl.String),
        ("joined_to", pl.String),
        ("is_foreign", pl.Boolean),
        ("vetoes", pl.List(pl.String)),
    ]
)
_LEAST_SCORE = 0.01


def forms_of(given: pl.DataFrame) -> list[Form]:
    """The rows of a table of forms."""
    return [_form(row) for row in given.iter_rows(named=True)]


def standardise_again(given: pl.DataFrame, before: pl.DataFrame) -> tuple[Standardised, pl.DataFrame]:
    """Standardise forms, with what is remembered of the last time.

    Parameters
    ----------
    given
        All forms (`GIVEN`), one row each.
    before
        What to remember of the last time (`STATE`), or no rows.

    Returns
    -------
    tuple
        What `standardise` makes of all the forms, and what to remember of it.

    """
    columns = list(GIVEN)
    keyed = given.join(_keys(given, before), on="normal_form")
    gone = before.join(given, on=columns, how="anti")
    changed = pl.concat([given.join(before, on=columns, how="anti").select(KEY), gone.select(KEY)])
    every = pl.concat([each.select(*KEY, "keys") for each in (keyed, gone)])
    touched = _touching(every, changed)
    again = standardise(forms_of(given.join(touched, on=KEY, how="semi")))
    kept = before.join(given, on=columns, how="semi").join(touched, on=KEY, how="anti")
    clusters = sorted((*again.clusters, *_clusters(kept)), key=lambda cluster: cluster.entity_id)
    return Standardised(tuple(clusters)), pl.concat([kept, _state(again, keyed)]).sort(KEY)


def _form(row: dict[str, Any]) -> Form:
    score = min(1.0, max(row["score"], _LEAST_SCORE))
    name, category, concept_id = (row[column] for column in KEY)
    return Form(name, category, concept_id or None, row["count"], row["evidence"], score, row["is_open"])


def _keys(given: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Spelling keys of all names; those of known names are remembered."""
    known = before.select("normal_form", "keys").unique("normal_form")
    names = given.select("normal_form").unique().join(known, on="normal_form", how="anti").to_series()
    fresh = {"normal_form": names, "keys": [sorted(spelling_keys(name)) for name in names]}
    return pl.concat([known, pl.DataFrame(fresh, schema=known.schema)])


def _touching(every: pl.DataFrame, changed: pl.DataFrame) -> pl.DataFrame:
    """Forms that are changed, share a concept or a key with one that is, or with one that does, and so on."""
    # No key has a line break, so no concept is taken for one.
    concept = pl.when(pl.col("concept_id") != "").then(pl.concat_list(pl.format("\n{}", "concept_id")))
    nodes = pl.concat_list("keys", concept.otherwise(pl.lit([], dtype=pl.List(pl.String))))
    places = every.select(*KEY, node=nodes).explode("node").unique()
    found = changed.unique()
    while True:
        shared = places.join(found, on=KEY, how="semi").select("node").unique()
        more = places.join(shared, on="node", how="semi").select(KEY).unique()
        if more.height == found.height:
            return more
        found = more


def _clusters(state: pl.DataFrame) -> list[Cluster]:
    members: dict[str, list[Form]] = defaultdict(list)
    for row in state.iter_rows(named=True):
        form = replace(_form(row), joined_to=row["joined_to"], vetoes=tuple(row["vetoes"]))
        members[row["entity_id"]].append(
            replace(form, is_foreign=True, is_open=True) if row["is_foreign"] else form
        )
    return [cluster_of(entity_id, forms) for entity_id, forms in members.items()]


def _state(result: Standardised, keyed: pl.DataFrame) -> pl.DataFrame:
    found = pl.DataFrame(
        [
            (*form.key, cluster.entity_id, form.joined_to, form.is_foreign, list(form.vetoes))
            for cluster in result.clusters
            for form in cluster.forms
        ],
        schema={name: STATE[name] for name in (*KEY, "entity_id", "joined_to", "is_foreign", "vetoes")},
        orient="row",
    )
    return keyed.join(found, on=KEY).select(list(STATE))
