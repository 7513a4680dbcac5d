"""One loader of a corpus at a time: a lock that the server keeps for as long as a transaction of ours is open.

A loader that dies lets go of it. Who waits does so for a bounded time and is told by whom the lock is held.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kg_pipeline.graph.neo4j import bounds

if TYPE_CHECKING:
    from neo4j import Driver, Transaction

#: A load of ten million relations takes about ten minutes.
_WAIT_SECONDS = 900.0


@contextmanager
def locked(driver: Driver, database: str, corpus: str) -> Iterator[Transaction]:
    """The corpus's lock; commits the transaction at the end of the block, so what it wrote becomes visible then.

    Raises
    ------
    StoreUnavailable
        If another loader has held it for a quarter of an hour.

    """
    name = {"corpus": corpus}
    bounds.run(driver, database, "MERGE (g:Graph {corpus: $corpus})", name)
    holder = _holder(driver, database, corpus)
    told = {"loads": corpus, "process": f"{os.getpid()} on {socket.gethostname()}"}
    with driver.session(database=database) as session, session.begin_transaction(metadata=told) as lock:

        def take() -> object:
            return lock.run(
                "MATCH (g:Graph {corpus: $corpus}) SET g.lock = true REMOVE g.lock", name
            ).consume()

        # A timeout of the transaction would bound the load with the wait.
        bounds.within(_WAIT_SECONDS, take, driver.close, holder)
        yield lock
        bounds.within(bounds.STATEMENT_SECONDS, lock.commit, driver.close)


def _holder(driver: Driver, database: str, corpus: str) -> str:
    """Who loads the corpus now, as far as this user may see it."""
    records = driver.execute_query(
        "SHOW TRANSACTIONS YIELD metaData, startTime WHERE metaData.loads = $corpus "
        "RETURN metaData.process AS process ORDER BY startTime LIMIT 1",
        {"corpus": corpus},
        database_=database,
    ).records
    return f"process {records[0]['process']}, which loads corpus {corpus!r}" if records else ""
