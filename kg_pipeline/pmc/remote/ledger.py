"""Which articles were fetched, and which content in the store they are: survives a kill at any moment."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from kg_pipeline.errors import DatasetError
from kg_pipeline.pmc.raw import ArticleStore
from kg_pipeline.pmc.remote.articles import KEPT
from kg_pipeline.pmc.remote.outcomes import Fetched, Wanted

_NAME = "fetched.sqlite"
_COLUMNS = "status, reason, content_sha256, md5, article_type, license, license_class, source_ref"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS fetched (
    service TEXT NOT NULL,
    pmcid TEXT NOT NULL,
    version INTEGER NOT NULL,  -- 0 where the service tells none
    status TEXT NOT NULL,
    reason TEXT NOT NULL,
    content_sha256 TEXT NOT NULL,
    md5 TEXT NOT NULL,
    article_type TEXT NOT NULL,
    license TEXT NOT NULL,
    license_class TEXT NOT NULL,
    source_ref TEXT NOT NULL,
    PRIMARY KEY (service, pmcid, version)
) WITHOUT ROWID
"""
_BUSY_SECONDS = 60.0


class FetchLedger:
    """A `Keeper` over an `ArticleStore` and a small SQLite file; safe for threads and processes.

    The content is stored before the row that names it is written, so a row never promises too much. Only articles
    with content are remembered: what was missing or failed is asked for again the next time.
    """

    def __init__(self, folder: Path, store: ArticleStore) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / _NAME
        self._store = store
        self._lock = threading.Lock()
        try:
            self._database = sqlite3.connect(
                self._path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.execute(_SCHEMA)
        except sqlite3.Error as error:
            raise self._damaged(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    def known(self, service: str, wanted: Wanted) -> Fetched | None:
        """See `Keeper`; without a version, the newest one that is there."""
        query = f"SELECT version, {_COLUMNS} FROM fetched WHERE service = ? AND pmcid = ?"  # noqa: S608
        values: tuple[str | int, ...] = (service, wanted.pmcid)
        if wanted.version is not None:
            query, values = f"{query} AND version = ?", (*values, wanted.version)
        row = self._execute(f"{query} ORDER BY version DESC LIMIT 1", values)
        if row is None:
            return None
        version = int(row[0])
        status, reason, sha256, md5, article_type, license_text, license_class, source_ref = map(str, row[1:])
        if (wanted.md5 and wanted.md5 != md5) or not self._store.has(sha256):
            return None
        try:
            content = self._store.get(sha256)
        except DatasetError:
            self._store.discard(sha256)  # damaged: fetched anew
            return None
        return Fetched(
            wanted.pmcid,
            version or None,
            status,
            reason,
            content,
            sha256,
            md5,
            article_type,
            license_text,
            license_class,
            source_ref,
            is_reused=True,
        )

    def keep(self, service: str, article: Fetched) -> Fetched:
        """See `Keeper`."""
        if article.content is None or article.status not in KEPT:
            return article
        sha256 = self._store.put(article.content)
        article = replace(article, content_sha256=sha256)
        self._execute(
            f"INSERT OR REPLACE INTO fetched (service, pmcid, version, {_COLUMNS}) VALUES ({', '.join('?' * 11)})",  # noqa: S608
            (
                service,
                article.pmcid,
                article.version or 0,
                article.status,
                article.reason,
                sha256,
                article.md5,
                article.article_type,
                article.license,
                article.license_class,
                article.source_ref,
            ),
        )
        return article

    def _execute(self, query: str, values: tuple[str | int, ...]) -> tuple[str | int, ...] | None:
        try:
            with self._lock:
                row = self._database.execute(query, values).fetchone()
        except sqlite3.Error as error:
            raise self._damaged(error) from None
        return tuple(row) if row is not None else None

    def _damaged(self, error: sqlite3.Error) -> DatasetError:
        return DatasetError(
            f"The list of fetched articles {self._path} cannot be used ({error}). "
            "Delete it and build again; articles are then fetched anew."
        )
