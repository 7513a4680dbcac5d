"""What starts runs by itself: a weekly refresh a corpus, watched folders, the corpora file, and what follows them.

All of it is off until it is switched on in the interface. `follow_changes` makes the later stages follow; the others
only list articles anew, which is where every build begins.
"""

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import dagster as dg

from assets.literature import article_index
from assets.partitions import corpora_of_articles
from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.errors import CorpusError
from kg_pipeline.fingerprint import short_digest
from kg_pipeline.pmc.source_state import changed_sources
from kg_pipeline.settings import Settings, load_settings

#: Monday, three in the morning, when nobody waits for the services that are asked.
WEEKLY = "0 3 * * 1"
_SECONDS_BETWEEN_LOOKS = 30

list_articles_job = dg.define_asset_job(
    "list_articles",
    selection=[article_index],
    description="List the articles of a corpus anew: what is new, changed, withdrawn or retracted.",
)


def refresh_schedule(corpus: str) -> dg.ScheduleDefinition:
    """The weekly refresh of one corpus."""

    def request(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
        return _listing_of(corpus, f"{corpus}:{context.scheduled_execution_time:%Y-%m-%dT%H:%M}", "schedule")

    return dg.ScheduleDefinition(
        name=f"refresh_{corpus.replace('-', '_')}_weekly",
        job=list_articles_job,
        cron_schedule=WEEKLY,
        execution_timezone="UTC",
        execution_fn=request,
        description=f"Ask what changed in corpus {corpus}; with follow_changes on, the graph follows.",
    )


def _listing_of(corpus: str, run_key: str, cause: str) -> dg.RunRequest:
    return dg.RunRequest(run_key=run_key, partition_key=corpus, tags={"kg/corpus": corpus, "kg/cause": cause})


@dg.sensor(
    job=list_articles_job,
    minimum_interval_seconds=_SECONDS_BETWEEN_LOOKS,
    description="List a corpus anew when its folder, archive or annotations changed and have settled.",
)
def source_folders(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """List a corpus anew when its folder, archive or annotations changed and have settled."""
    seen = _cursor(context)
    watched = {key: path for spec in _known_corpora(load_settings()).values() for key, path in _files(spec)}
    changed, growing = changed_sources(watched, seen, time.time())
    corpora = sorted({key.partition(" ")[0] for key in changed})
    return _outcome(
        [
            _listing_of(name, f"{name}:{short_digest(sorted(changed.items()))}", "source_folders")
            for name in corpora
        ],
        {**seen, **changed},
        f"Files still arrive in: {', '.join(growing)}." if growing else "",
    )


@dg.sensor(
    job=list_articles_job,
    minimum_interval_seconds=_SECONDS_BETWEEN_LOOKS,
    description="List a corpus anew when it is new in the corpora file, or an option of it changed.",
)
def corpora_file(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """List a corpus anew when it is new in the corpora file, or an option of it changed."""
    seen = _cursor(context)
    settings = load_settings()
    try:
        known, written = _known_corpora(settings), corpora_of_articles(settings)
    except CorpusError as error:
        return dg.SensorResult(skip_reason=str(error), cursor=json.dumps(seen, sort_keys=True))
    digests = {name: short_digest(spec.options()) for name, spec in known.items()}
    changed = [name for name, now in digests.items() if seen.get(name) != now]
    unloaded = sorted(written.keys() - known.keys())
    return _outcome(
        [_listing_of(name, f"{name}:{digests[name]}", "corpora_file") for name in changed],
        digests,
        f"Reload the code location to see: {', '.join(unloaded)}." if unloaded else "",
    )


def _files(spec: CorpusSpec) -> Iterator[tuple[str, Path]]:
    """What is watched of a corpus by a key that begins with its name, which has no blank."""
    if spec.query is None:
        yield spec.name, spec.source_path
    for path in spec.annotations:
        yield f"{spec.name} {path}", Path(path)


def _cursor(context: dg.SensorEvaluationContext) -> dict[str, str]:
    return json.loads(context.cursor) if context.cursor else {}


def _outcome(requests: list[dg.RunRequest], seen: Mapping[str, str], waiting_for: str) -> dg.SensorResult:
    cursor = json.dumps(seen, sort_keys=True)
    if requests:
        return dg.SensorResult(run_requests=requests, cursor=cursor)
    return dg.SensorResult(skip_reason=waiting_for or "Nothing changed.", cursor=cursor)


def _known_corpora(settings: Settings) -> dict[str, CorpusSpec]:
    """Corpora that are written in the file and were so when the code location was loaded."""
    assert article_index.partitions_def is not None
    loaded = set(article_index.partitions_def.get_partition_keys())
    return {name: spec for name, spec in corpora_of_articles(settings).items() if name in loaded}


_FOLLOWING = dg.AutomationCondition.eager() & dg.AutomationCondition.all_deps_blocking_checks_passed()


def following(spec: dg.AssetSpec) -> dg.AssetSpec:
    """The asset with the condition that `follow_changes` looks at, unless it begins a build."""
    begins = spec.key == article_index.key
    return spec if begins else spec.replace_attributes(automation_condition=_FOLLOWING)


follow_changes = dg.AutomationConditionSensorDefinition(
    "follow_changes",
    target=dg.AssetSelection.all(),
    description="Bring every stage up to date after the one before it, unless a blocking check failed.",
    run_tags={"kg/cause": "follow_changes"},
)


def refresh_schedules(settings: Settings) -> list[dg.ScheduleDefinition]:
    """One schedule a corpus."""
    return [refresh_schedule(name) for name in corpora_of_articles(settings)]


def sensors() -> list[dg.SensorDefinition]:
    """Everything that watches."""
    return [source_folders, corpora_file, follow_changes]
