"""What a page keeps for the next one: its figures, and what each benchmark was made with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kg_pipeline.fingerprint import short_digest
from retrieval.evaluation.page.figures import figures_of

Report = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Last:
    """The page before: values by `Figure.key`, and what benchmarks were made with by their names."""

    figures: Mapping[str, float] = field(default_factory=dict)
    made_with: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def with_reports(self, reports: Mapping[str, Report]) -> Last:
        """What is kept after some benchmarks ran again; those that did not keep what they had."""
        figures = dict(self.figures)
        for name, report in reports.items():
            # A figure that a benchmark no longer gives must not be compared with one day.
            figures = {key: value for key, value in figures.items() if not key.startswith(f"{name} / ")}
            figures |= {figure.key: figure.value for figure in figures_of(name, report)}
        made = {name: made_with(report) for name, report in reports.items()}
        return Last(figures, {**self.made_with, **made})

    def differs(self, name: str, report: Report) -> list[str]:
        """What a benchmark is made with now and was not then; empty too where it has not run before."""
        before, now = self.made_with.get(name, {}), made_with(report)
        return [what for what in now if before and before.get(what) != now[what]]

    def to_json(self) -> str:
        """The text of the file that `read_last` reads."""
        kept = {"figures": dict(self.figures), "made_with": {k: dict(v) for k, v in self.made_with.items()}}
        return json.dumps(kept, indent=1, ensure_ascii=False) + "\n"


def read_last(path: Path) -> Last:
    """The page before, as its file tells; empty where there is none that can be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        figures = {str(key): float(value) for key, value in found["figures"].items()}
        made = {
            str(name): {str(k): str(v) for k, v in row.items()} for name, row in found["made_with"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Last()
    return Last(figures, made)


def made_with(report: Report) -> dict[str, str]:
    """What decides the figures of a report besides the code: graph, models, settings, versions, questions, machine."""
    parts = {
        "graph": report.get("graph", {}).get("version", ""),
        "answering": report.get("answering", ""),
        "judge": report.get("judge", ""),
        "settings": json.dumps(report.get("settings", {}), sort_keys=True),
        "versions": json.dumps(report.get("versions", {}), sort_keys=True),
        "questions": short_digest(*_questions(report)),
        "machine": report.get("hardware", {}).get("cpu", ""),
    }
    return {name: str(value) for name, value in parts.items()}


def _questions(report: Report) -> list[str]:
    """Ids of the questions of a report, as far as it has them."""
    outcomes = [one for row in report.get("rows", ()) for one in row.get("outcomes", ())]
    asked = [f"{one.get('study')} {one.get('question')}" for one in report.get("answers", ())]
    return sorted({*(str(one.get("item_id") or one.get("question_id")) for one in outcomes), *asked})
