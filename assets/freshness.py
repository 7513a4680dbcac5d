"""How old a current graph may get. A corpus that is refreshed weekly has one of last week; a day late is worth a look.

Dagster judges an asset by the newest of its partitions, so its policy tells when nothing was built at all. The check
tells which corpora are late: once a day where `follow_changes` is on, and whenever somebody executes it.
"""

import time
from collections.abc import Mapping
from datetime import timedelta

import dagster as dg

from assets.partitions import CORPUS

_LATE = timedelta(days=8)
POLICY = dg.FreshnessPolicy.time_window(fail_window=timedelta(days=15), warn_window=_LATE)
_DAILY: dg.AutomationCondition[dg.AssetCheckKey] = dg.AutomationCondition.cron_tick_passed("0 6 * * *", "UTC")
_GRAPH = dg.AssetKey("current_graph")


@dg.asset_check(asset=_GRAPH, automation_condition=_DAILY)
def graphs_of_all_corpora_are_recent(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
    """No corpus that was built has a graph older than eight days."""
    ages = _ages(context.instance)
    late = {corpus: age for corpus, age in ages.items() if age > _LATE}
    told = ", ".join(f"{corpus} ({age.days} days)" for corpus, age in sorted(late.items()))
    return dg.AssetCheckResult(
        passed=not late,
        severity=dg.AssetCheckSeverity.WARN,
        description=f"The graphs of these corpora are late: {told}. Is their schedule on, and did their last run succeed?"
        if late
        else f"None of {len(ages)} built corpora has a graph older than {_LATE.days} days.",
        metadata={f"days_{corpus}": round(age / timedelta(days=1), 1) for corpus, age in ages.items()},
    )


def _ages(instance: dg.DagsterInstance) -> Mapping[str, timedelta]:
    """How long ago the current graph of each corpus was set; none of those that never were built."""
    now, ages = time.time(), {}
    for corpus in CORPUS.get_partition_keys():
        wanted = dg.AssetRecordsFilter(asset_key=_GRAPH, asset_partitions=[corpus])
        for record in instance.fetch_materializations(wanted, limit=1).records:
            ages[corpus] = timedelta(seconds=now - record.timestamp)
    return ages
