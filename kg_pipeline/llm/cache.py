"""Answers of a language model on disk, so that no request is paid for twice, and what was learnt of endpoints.

One SQLite file in write-ahead mode: several processes may use it at once, and an answer that was stored survives
a killed process. Every entry carries its checksum; one that does not match is dropped, and asked again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from filelock import FileLock

from kg_pipeline.errors import LlmError
from kg_pipeline.files import temporary_sibling
from kg_pipeline.fingerprint import digest

_BUSY_SECONDS = 60
_TABLES = """
CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL, checksum TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS endpoints (name TEXT PRIMARY KEY, dialect TEXT NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """What the endpoint said to one request."""

    text: str
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True)
class AnswerCache:
    """The cache in `folder`. Holds no open file, so it may be shared by threads, event loops and forked processes."""

    folder: Path
    _file: Path = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_file", self.folder / "answers.sqlite")

    def get(self, key: str) -> StoredAnswer | None:
        """The answer to the request with that digest; None where there is none that is whole."""
        with self._open() as connection:
            row = connection.execute("SELECT answer, checksum FROM answers WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        try:
            if digest(key, row[0]) != row[1]:
                raise ValueError
            return StoredAnswer(**json.loads(row[0]))
        except (ValueError, TypeError):
            self.evict(key)
            return None

    def put(self, key: str, answer: StoredAnswer) -> None:
        """Store an answer; it is on disk when this returns."""
        text = json.dumps(asdict(answer), sort_keys=True)
        with self._open() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", (key, text, digest(key, text))
            )

    def evict(self, key: str) -> None:
        """Forget an answer."""
        with self._open() as connection:
            connection.execute("DELETE FROM answers WHERE key = ?", (key,))

    def dialect(self, endpoint: str) -> str | None:
        """What was learnt of an endpoint, as it was stored."""
        with self._open() as connection:
            row = connection.execute("SELECT dialect FROM endpoints WHERE name = ?", (endpoint,)).fetchone()
        return None if row is None else str(row[0])

    def learn(self, endpoint: str, dialect: str) -> None:
        """Remember what was learnt of an endpoint."""
        with self._open() as connection:
            connection.execute("INSERT OR REPLACE INTO endpoints VALUES (?, ?)", (endpoint, dialect))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with closing(self._connect()) as connection, connection:
                yield connection
        except (sqlite3.Error, OSError) as error:
            raise LlmError(
                f"The cache of language model answers, {self._file}, cannot be used: {error}. "
                "Check that its folder is writable and on a local disk with free space."
            ) from error

    def _connect(self) -> sqlite3.Connection:
        try:
            return self._prepare()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            # Not a database any more. Its answers are lost; the broken file is kept beside for a look.
            self._file.rename(temporary_sibling(self._file))
            for suffix in ("-wal", "-shm"):
                self._file.with_name(self._file.name + suffix).unlink(missing_ok=True)
            return self._prepare()

    def _prepare(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._file, timeout=_BUSY_SECONDS)
        try:
            # SQLite does not wait for another process that switches a new file to WAL: it says "locked" at once.
            with FileLock(self.folder / "answers.lock", timeout=_BUSY_SECONDS):
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(_TABLES)
            connection.execute("PRAGMA synchronous = FULL")
        except BaseException:
            connection.close()
            raise
        return connection
