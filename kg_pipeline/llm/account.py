"""What runs have spent on a model, so that those that are under way at the same time keep to one budget together.

One SQLite file holds an entry for every request under way (the most that it can use) and one total for each budget. A
process that is killed leaves its entries behind: the endpoint may have answered and will charge for it, so they count
for as long as the budget does. Runs that overlap in time share a budget (`shared_run`); when the last of them has
ended, the next one starts from nothing.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from filelock import FileLock

from kg_pipeline.errors import LlmError

_BUSY_SECONDS = 60
_LONGEST_NAME = 100  # bytes; a name is a process id and a time in nanoseconds
_TABLES = """
CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, is_open INTEGER NOT NULL, tokens INTEGER NOT NULL,
    cost REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS entries_of_run ON entries (run, is_open);
"""


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens in and out, and their cost, of requests that were answered or are under way."""

    tokens: int
    cost: float


@dataclass(frozen=True, slots=True)
class Account:
    """The account of one budget in `file`. Holds no open file, so it may be shared by threads and forked processes."""

    file: Path
    run: str

    def reserve(self, wanted: Spent, *, most_tokens: int, most_cost: float) -> int | None:
        """Set aside the most that a request can use; the number of the entry, or `None` if it does not fit.

        A limit of 0 is none.
        """
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            spent = self._spent(connection)
            if most_tokens and spent.tokens + wanted.tokens > most_tokens:
                return None
            if most_cost and spent.cost + wanted.cost > most_cost:
                return None
            return self._insert(connection, wanted, is_open=True)

    def release(self, entry: int) -> None:
        """Give back what was set aside: the request has ended, and what it used is booked."""
        with self._open() as connection:
            connection.execute("DELETE FROM entries WHERE id = ?", (entry,))

    def book(self, used: Spent) -> None:
        """Add what a request has used."""
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            changed = connection.execute(
                "UPDATE entries SET tokens = tokens + ?, cost = cost + ? WHERE run = ? AND is_open = 0",
                (used.tokens, used.cost, self.run),
            )
            if not changed.rowcount:
                self._insert(connection, used, is_open=False)

    @property
    def spent(self) -> Spent:
        """What the run has used and set aside, in all its processes."""
        with self._open() as connection:
            return self._spent(connection)

    def _spent(self, connection: sqlite3.Connection) -> Spent:
        row = connection.execute(
            "SELECT coalesce(sum(tokens), 0), coalesce(sum(cost), 0) FROM entries WHERE run = ?", (self.run,)
        ).fetchone()
        return Spent(int(row[0]), float(row[1]))

    def _insert(self, connection: sqlite3.Connection, amount: Spent, *, is_open: bool) -> int | None:
        row = connection.execute(
            "INSERT INTO entries (run, is_open, tokens, cost) VALUES (?, ?, ?, ?)",
            (self.run, int(is_open), amount.tokens, amount.cost),
        )
        return row.lastrowid

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.file, timeout=_BUSY_SECONDS)) as connection:
                connection.execute("PRAGMA synchronous = FULL")
                connection.executescript(_TABLES)
                with connection:
                    yield connection
        except (sqlite3.Error, OSError) as error:
            raise LlmError(
                f"The account of what language models have cost, {self.file}, cannot be used: {error}. "
                "Check that its folder is writable and on a local disk with free space."
            ) from error


def open_account(folder: Path, run: str) -> Account:
    """The account of a run, or of this process where the run has no name, of the workspace whose cache that is."""
    return Account(folder / "llm" / "spending.sqlite", run or own_run())


@cache
def own_run() -> str:
    """A name for this process as a run of its own, the same whenever it is asked and in processes forked later."""
    return _new_name()


def _new_name() -> str:
    return f"{os.getpid()}-{time.time_ns()}"


def shared_run(folder: Path) -> str:
    """The name of the budget of all runs under way in `folder`, this process one of them until it ends.

    Every run holds a shared lock on one file. Who finds nobody else holding it begins a budget and writes its name
    there; who finds others takes theirs. The system gives up the locks of a process that is killed, so that nothing
    has to be cleaned up.

    Raises
    ------
    LlmError
        If the folder cannot be written.

    """
    return _joined(folder)[0]


@cache
def _joined(folder: Path) -> tuple[str, int]:
    """The name of the budget, and the open file whose lock says that this process is under way."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "joining.lock"):
            running = os.open(folder / "running", os.O_RDWR | os.O_CREAT, 0o644)
            if not _is_held_by_others(running):
                os.ftruncate(running, 0)
                os.pwrite(running, _new_name().encode(), 0)
            fcntl.flock(running, fcntl.LOCK_SH)
            return os.pread(running, _LONGEST_NAME, 0).decode(), running
    except OSError as error:
        raise LlmError(
            f"Who shares the budget of language models in {folder} cannot be told: {error}. "
            "Check that the folder is writable and on a local disk."
        ) from error


def _is_held_by_others(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False
