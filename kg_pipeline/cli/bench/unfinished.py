"""What a run of `kg bench all` has finished, kept in its folder until the page is written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kg_pipeline.files import write_text
from kg_pipeline.fingerprint import short_digest

#: Answers to questions of a benchmark that has not finished.
ANSWERS = "answers.jsonl"
_STATE = "unfinished.json"


class Unfinished:
    """A run that was stopped, if it was made with the same; or else a new one.

    Parameters
    ----------
    folder
        Where the page goes.
    made_with
        What decides the figures. What a run with anything else left behind counts for nothing.

    """

    def __init__(self, folder: Path, made_with: Sequence[Any]) -> None:
        self._state = folder / _STATE
        self._answers = folder / ANSWERS
        self._of = short_digest(*made_with)
        self.finished: list[str] = []
        try:
            told = json.loads(self._state.read_text(encoding="utf-8"))
            if told["of"] == self._of:
                self.finished = [str(name) for name in told["finished"]]
        except (OSError, ValueError, KeyError, TypeError):
            pass

    def finish(self, name: str) -> None:
        """Note that a benchmark has written its report."""
        self.finished.append(name)
        write_text(self._state, json.dumps({"of": self._of, "finished": self.finished}) + "\n")

    def end(self) -> None:
        """The page is written: nothing is left to go on with."""
        self._state.unlink(missing_ok=True)
        self._answers.unlink(missing_ok=True)
