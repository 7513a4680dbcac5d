"""How sure a relation is, from who read it in which articles.

The belief is one in the manner of INDRA (Gyori et al. 2017, doi:10.15252/msb.20177651): a reader makes random errors,
which more *independent* articles cure, and systematic ones, which they do not. With c_a the confidence of the surest
triple that reader r has of the relation in article a, and s_r the reader's systematic error::

    belief = 1 - prod over r of (s_r + (1 - s_r) * prod over a of e_a)        e_a = 1 - c_a / (1 - s_r), at least 0

Confidences are calibrated (`extraction.relation_model.calibration`), so both kinds of errors are in them. The random
error e_a is what the systematic one leaves of it: the belief of one triple alone is its confidence, up to 1 - s_r.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from kg_pipeline.inference.relation_rows import DECIMALS

#: Systematic error of each reader, by the part of its name before a colon: what remains of its wrong kinds however
#: many articles say so. INDRA's prior for all readers is 0.05. Of 98 triples of the rules drawn from full texts and
#: read by hand 13 were wrong, half of them of kinds that come back with their words; two neighbouring sentences say less
#: than one; and of what others found and rows of tables say, no gold tells.
SYSTEMATIC_ERROR = {
    "offline": 0.05, "model": 0.05, "neighbours": 0.2, "table": 0.15, "llm": 0.05, "annotation": 0.1,
}  # fmt: skip
_UNKNOWN_READER_ERROR = 0.2
#: Decimals of a logarithm; sums of them are rounded so that the order of addition does not show.
_LOG_DECIMALS = 9
#: Least random error: a relation that one article states is never certain, whatever its reader says.
_LEAST_ERROR = 0.001
#: No number of articles makes certain, and no reader is so unsure that a relation is no relation.
_LEAST_BELIEF = 10.0**-DECIMALS


def beliefs(evidence: pl.DataFrame, key: Sequence[str]) -> pl.DataFrame:
    """Belief of each relation as `confidence`, beside the columns of its key.

    `evidence` has the key, `extractor`, `article_id` and `confidence`.
    """
    error = pl.col("reader").replace_strict(
        SYSTEMATIC_ERROR, default=_UNKNOWN_READER_ERROR, return_dtype=pl.Float64
    )
    random = (1 - pl.col("confidence").cast(pl.Float64) / (1 - error)).clip(_LEAST_ERROR, 1.0)
    by_article = (
        evidence.lazy()
        .with_columns(reader=pl.col("extractor").str.split(":").list.first())
        .group_by(*key, "reader", "article_id")
        .agg(random.log().min().alias("doubt"))
    )
    by_reader = by_article.group_by(*key, "reader").agg(pl.col("doubt").sum().round(_LOG_DECIMALS))
    wrong = by_reader.with_columns(
        wrong=(error + (1 - error) * pl.col("doubt").exp()).log().round(_LOG_DECIMALS)
    )
    sure = (1 - pl.col("wrong").sum().exp()).round(DECIMALS).clip(_LEAST_BELIEF, 1 - _LEAST_BELIEF)
    belief = wrong.group_by(key).agg(sure.alias("confidence"))
    return belief.collect()
