"""A bound for everything that waits in Neo4j: the server waits without end for a transaction that somebody left open.

Its own timeouts pass over statements on the schema, and over locks that are taken when a transaction is committed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, TypeVar

from kg_pipeline.errors import StoreUnavailable

if TYPE_CHECKING:
    from neo4j import Driver, ManagedTransaction, Record

#: How long one statement over data may take. A batch takes seconds: by then it waits for somebody.
STATEMENT_SECONDS = 300.0
#: How long one over the schema may take, which for a constraint over millions of nodes is minutes.
SCHEMA_SECONDS = 3600.0

Result = TypeVar("Result")


def run(
    driver: Driver,
    database: str,
    query: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    seconds: float | None = None,
) -> list[Record]:
    """Records of one managed transaction, which the driver repeats after a deadlock or a lost connection.

    Parameters
    ----------
    driver, database
        Where to run it.
    query, parameters
        The statement; its text is built from checked parts only.
    seconds
        How long it may take, `STATEMENT_SECONDS` if not given.

    Raises
    ------
    StoreUnavailable
        If it was not done in time. Nothing else can be asked of the driver then.

    """
    given_up = Event()

    def work(transaction: ManagedTransaction) -> list[Record]:
        if given_up.is_set():  # a closed driver connects once more to repeat it
            raise StoreUnavailable("The statement was given up.")
        return list(transaction.run(query, dict(parameters or {})))

    def act() -> list[Record]:
        bookmarks = driver.execute_query_bookmark_manager
        with driver.session(database=database, bookmark_manager=bookmarks) as session:
            return session.execute_write(work)

    def give_up() -> None:
        given_up.set()
        driver.close()

    return within(STATEMENT_SECONDS if seconds is None else seconds, act, give_up)


def change(driver: Driver, database: str, statement: str) -> None:
    """Run a statement on the schema, which may take `SCHEMA_SECONDS`; raises StoreUnavailable like `run`."""
    run(driver, database, statement, seconds=SCHEMA_SECONDS)


def within(
    seconds: float, action: Callable[[], Result], give_up: Callable[[], None], holder: str = ""
) -> Result:
    """What `action` returns or raises; if it is not done in time, `give_up` is called and the action left to its end.

    `holder` is whom the action waits for, where that is known.

    Raises
    ------
    StoreUnavailable
        If the action was not done in time.

    """
    done: Future[Result] = Future()

    def act() -> None:
        try:
            done.set_result(action())
        except BaseException as error:  # noqa: BLE001 - raised where the result is asked for
            done.set_exception(error)

    # A thread of a pool would keep the interpreter from ending while it waits.
    Thread(target=act, daemon=True).start()
    try:
        return done.result(seconds)
    except TimeoutError:
        if done.done():  # it is the action's own
            raise
        give_up()
        raise StoreUnavailable(
            f"Neo4j did not finish a statement in {seconds:.0f} s. It waits for {holder or 'a transaction left open'} "
            "(SHOW TRANSACTIONS lists all), or it is overloaded. Try again when that has ended."
        ) from None
