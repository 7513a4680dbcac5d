"""Answers of a run that has not ended, one a line, so that a run that was killed goes on where it stopped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from pydantic import TypeAdapter

from retrieval.evaluation.multihop_qa.outcomes import Format, Outcome

_OUTCOME = TypeAdapter(Outcome)


class Journal:
    """The outcomes of one method over one graph as one condition shows it.

    Parameters
    ----------
    path
        A file that many of them share; made with the first outcome.
    of
        What they are outcomes of: everything that decides them. Lines of anything else are passed over, and so is a last
        line that was cut.

    """

    def __init__(self, path: Path, of: str) -> None:
        self._path = path
        self._of = of
        self._found = {(outcome.item_id, outcome.format): outcome for outcome in self._read()}

    def find(self, item_id: str, form: Format) -> Outcome | None:
        """The outcome of a question, if it was answered before."""
        return self._found.get((item_id, form))

    def keep(self, outcome: Outcome) -> None:
        """Write an outcome down at once."""
        row = asdict(outcome) | {"sources": sorted(outcome.sources)}
        with self._path.open("a", encoding="utf-8") as file:
            # The end of a line that was cut must not take this one with it.
            file.write("\n" + json.dumps({"of": self._of, "outcome": row}))

    def _read(self) -> Iterator[Outcome]:
        if not self._path.exists():
            return
        for line in self._path.read_text(encoding="utf-8", errors="replace").split("\n"):
            try:
                told = json.loads(line)
                if told["of"] == self._of:
                    yield _OUTCOME.validate_python(told["outcome"])
            except (ValueError, TypeError, KeyError, RecursionError):
                continue
