"""Every error the product raises on purpose.

Each message says what happened, to what, and what to do next; the command line prints it as it is.

Our exception hierarchy::

    KgError
      + SettingsError          a setting or environment variable cannot be used
      + CorpusError            corpora.toml, a corpus name or a source folder cannot be used
      + ArticleError           one article cannot be used; becomes a status row, never ends a stage
      |   + NotJatsError       the bytes are not a JATS article
      |   + MalformedError     the bytes are not well-formed or exceed a bound
      + ModelError             a model file or package is missing, or is not the one pinned
      + LlmError               the language model endpoint failed
      |   + LlmUnavailable     it cannot be reached, or the circuit breaker is open
      |   + LlmRefused         it answered, but not with what was asked
      |   + BudgetExhausted    the token or cost budget is spent
      + DiskFullError          the disk that holds the workspace is full
      + QuestionError          a question cannot be asked (it is empty)
      + DatasetError           a stage table is missing, damaged or of another schema
      + ObjectStoreError       the object store that machines share cannot be used
      |   + CorpusBusy         another machine builds the corpus in it
      + GraphError             a graph version cannot be built or read
      |   + NoGraphError       nothing is materialised yet
      |   + CorruptGraphError  a file of the version does not match its manifest
      |   + StoreUnavailable   the Neo4j server cannot be reached, or is held up by somebody else
      + BenchmarkFileError     a benchmark's file is not in the format that it is read as
      + StageError             a stage as a whole cannot go on (for example nothing usable in the corpus)
          + ServiceError       a literature service (PMC, Europe PMC) failed
              + ServiceUnavailable   it cannot be reached, or no answer of it can be used
              + ServiceRefused       it understood the request and declines it
"""

from __future__ import annotations


class KgError(Exception):
    """Base of all errors of this package; catch it to handle anything the product reports."""


class SettingsError(KgError):
    """A setting or environment variable cannot be used."""


class CorpusError(KgError):
    """The corpora file, a corpus name or a source folder cannot be used."""


class ArticleError(KgError):
    """One article cannot be used; stages turn it into a status row."""


class NotJatsError(ArticleError):
    """The bytes are not a JATS article (a PDF, HTML, another XML vocabulary)."""


class MalformedError(ArticleError):
    """The bytes are not well-formed XML or exceed a size bound."""


class ModelError(KgError):
    """A model file or package is missing, or is not the one that is pinned."""


class LlmError(KgError):
    """The language model endpoint failed."""


class LlmUnavailable(LlmError):
    """The endpoint cannot be reached, or the circuit breaker is open."""


class LlmRefused(LlmError):
    """The endpoint answered, but not with what was asked for."""


class BudgetExhausted(LlmError):
    """The token or cost budget is spent; nothing more is sent."""


class DiskFullError(KgError):
    """The disk that holds the workspace is full."""

    def __init__(self, folder: object) -> None:
        super().__init__(
            f"The disk that holds {folder} is full. Free some space and run the same command again; "
            "what was finished is kept."
        )


class QuestionError(KgError, ValueError):
    """A question cannot be asked as it is."""


class DatasetError(KgError):
    """A stage table is missing, damaged or of another schema."""


class ObjectStoreError(KgError):
    """The object store that machines share cannot be reached, or refuses."""


class CorpusBusy(ObjectStoreError):
    """Another machine builds the corpus in the same object store."""


class GraphError(KgError):
    """A graph version cannot be built or read."""


class NoGraphError(GraphError):
    """No graph version of the corpus is materialised yet."""


class CorruptGraphError(GraphError):
    """A file of a graph version does not match its manifest."""


class StoreUnavailable(GraphError):
    """The Neo4j server cannot be reached or refuses the credentials."""


class StageError(KgError):
    """A stage as a whole cannot go on."""


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

    # The defaults let an error that crosses processes be made again from its message.
    def __init__(self, message: str, *, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class BenchmarkFileError(KgError):
    """A benchmark's file is not in the format that it is read as."""
