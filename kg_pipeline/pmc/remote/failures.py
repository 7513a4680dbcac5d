"""Failures that `pmc.remote` handles itself and that never leave it."""

from __future__ import annotations

from kg_pipeline.errors import ServiceError


class ChangedFile(ServiceError):
    """A file is complete, but not the one that its metadata described: it has changed since they were read."""


class UnusableAnswer(Exception):
    """Raised by the reader of an answer to have the whole request repeated.

    `wait` is the least number of seconds to wait before that.
    """

    def __init__(self, reason: str, *, wait: float = 0.0, is_malformed: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait = wait
        self.is_malformed = is_malformed
