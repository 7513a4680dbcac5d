"""Our checks as Dagster declares and shows them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

import dagster as dg

from assets.partitions import CORPUS
from kg_pipeline.checks import Outcome


def check_spec(
    asset: str,
    name: str,
    check: Callable[..., Outcome],
    *,
    blocking: bool = True,
    partitions: dg.PartitionsDefinition | None = None,
) -> dg.AssetCheckSpec:
    """Declaration of a check, described by what the function that makes it says it does.

    With `partitions`, those of the asset, it is told for each of them; else the last one stands for all. (Runs over a range
    of shards have no one partition to tell it for.)
    """
    description = (inspect.getdoc(check) or "").split("\n\n")[0]
    return dg.AssetCheckSpec(
        name, asset=asset, blocking=blocking, description=description, partitions_def=partitions
    )


def corpus_check_spec(
    asset: str, name: str, check: Callable[..., Outcome], *, blocking: bool = True
) -> dg.AssetCheckSpec:
    """Declaration of a check of an asset whose runs are of one corpus each: what fails in one holds up no other."""
    return check_spec(asset, name, check, blocking=blocking, partitions=CORPUS)


def check_results(checks: Mapping[str, Outcome]) -> list[dg.AssetCheckResult]:
    """Outcomes of our checks as Dagster shows them."""
    return [
        dg.AssetCheckResult(
            check_name=name,
            passed=outcome.passed,
            description=outcome.sentence,
            severity=dg.AssetCheckSeverity.ERROR if outcome.is_error else dg.AssetCheckSeverity.WARN,
            metadata=dict(outcome.figures),
        )
        for name, outcome in checks.items()
    ]
