"""Map a function over shards: in this process, spread over processes, or over machines that a Dask scheduler knows.

The function and its items must be picklable; results come back in the order of the items, whatever engine ran them.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Protocol, TypeVar

from kg_pipeline.errors import StageError

if TYPE_CHECKING:
    from distributed import Client

Item = TypeVar("Item")
Result = TypeVar("Result")
_CONNECT_SECONDS = 20


class Workers(Protocol):
    """Something that maps a function over items."""

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Yield `function(item)` for each item, in order; an exception of the function is raised here."""
        ...


@dataclass(frozen=True, slots=True)
class SerialWorkers:
    """Everything in this process: no start-up cost, for small corpora and tests."""

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Yield results one after the other."""
        return map(function, items)


class ProcessWorkers:
    """`processes` interpreters, started at the first use and kept until `close`, with the models they loaded."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._pool: ProcessPoolExecutor | None = None

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Yield results in the order of the items; pending work is dropped when one fails."""
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._processes, mp_context=context, initializer=_become_worker)
        futures = [self._pool.submit(function, item) for item in items]
        try:
            for future in futures:
                yield future.result()
        finally:
            for future in futures:
                future.cancel()

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def __enter__(self) -> ProcessWorkers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class DaskWorkers:
    """Workers of a Dask scheduler, on any number of machines that see the workspace or share an object store.

    A shard whose worker died is given to another one; stages write a shard whole or not at all, so nothing is lost
    or doubled. Needs the extra `dask`.
    """

    def __init__(self, scheduler: str) -> None:
        self._scheduler = scheduler
        self._client: Client | None = None

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Yield results in the order of the items; pending work is dropped when one fails.

        Raises
        ------
        StageError
            If the scheduler cannot be reached, or an item ended several workers.

        """
        from distributed import KilledWorker

        client = self._connected()
        # Not `pure`: the same shard may have to be made again after its inputs changed.
        futures = client.map(function, list(items), pure=False)
        try:
            for item, future in zip(items, futures, strict=True):
                try:
                    yield future.result()
                except KilledWorker as error:
                    raise StageError(
                        f"Shard {item} ended every worker that tried it. Look for its memory in the log of the workers."
                    ) from error
        finally:
            client.cancel(futures)

    def close(self) -> None:
        """Leave the scheduler; its workers stay."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _connected(self) -> Client:
        if self._client is None:
            try:
                from distributed import Client
            except ModuleNotFoundError:
                raise StageError(
                    "KG_SCHEDULER needs Dask. Install it: pip install 'kg-pipeline[dask]'"
                ) from None
            try:
                self._client = Client(self._scheduler, timeout=_CONNECT_SECONDS, set_as_default=False)
            except (OSError, ValueError) as error:
                raise StageError(
                    f"The Dask scheduler {self._scheduler} cannot be reached ({error}). "
                    "Start it, or unset KG_SCHEDULER to work on this machine."
                ) from error
        return self._client


def _become_worker() -> None:
    """Leave Ctrl-C to the parent, and end when the parent is gone, even if it was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
