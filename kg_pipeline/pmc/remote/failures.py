"""How a service can fail as a whole, as opposed to one article that it does not have."""

from __future__ import annotations

from kg_pipeline.errors import StageError


class ServiceError(StageError):
    """A literature service failed."""


class ServiceUnavailable(ServiceError):
    """It cannot be reached, or every try ended in an answer that cannot be used.

    `is_malformed` tells that the last answer was XML, but not well-formed: that may be the fault of one article.
    """

    def __init__(self, message: str, *, is_malformed: bool = False) -> None:
        super().__init__(message)
        self.is_malformed = is_malformed


class ServiceRefused(ServiceError):
    """It understood the request and declines it; the same request would be declined again.

    `status` is the HTTP status, 413 also where an answer is larger than the bound.
    """

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


class ChangedFile(ServiceError):
    """A file is complete, but not the one that its metadata described: it has changed since they were read."""


class UnusableAnswer(Exception):
    """Raised by the reader of an answer to have the whole request repeated; never leaves the package.

    `wait` is the least number of seconds to wait before that.
    """

    def __init__(self, reason: str, *, wait: float = 0.0, is_malformed: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait = wait
        self.is_malformed = is_malformed
