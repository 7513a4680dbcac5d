"""One builder of a corpus at a time, where machines share nothing but an object store.

A builder writes a claim, an object of its own, then lists the claims on the corpus, and withdraws if it sees one of
another machine that is alive. Stores list an object from the moment that it is written (S3, Google and Azure promise
it), so of two builders one at least sees the other, and two never hold. Conditional writes, which Arrow's filesystems
do not have, are not needed. Processes of one machine do not exclude each other: they have file locks for that.

A claim is on some shards of a corpus or on all of it, so that runs over different shards of one corpus, each in a pod of
its own, do not wait for each other.

A claim is written anew while its holder lives, and is dead when that did not happen for `Pace.expires` seconds by the
store's own clock. A holder that was stopped for so long finds its claim gone, and fails at the end of its block.
"""

from __future__ import annotations

import json
import logging
import os
import random
import secrets
import socket
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from kg_pipeline.errors import CorpusBusy, ObjectStoreError
from kg_pipeline.files import write_text
from kg_pipeline.fingerprint import short_digest
from kg_pipeline.object_store import ObjectStore

_FOLDER = "claims"
_ASKING, _HELD = "asking", "held"
_UNREADABLE: Mapping[str, object] = {"state": _ASKING, "host": "unknown", "process": "unknown"}
#: Builders that ask at the same time see each other and all withdraw; so often each asks again.
_TRIES = 6
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds between two writes of a claim, and without one until it is dead; and the longest wait to ask again."""

    renewed: float = 20.0
    expires: float = 90.0
    between_tries: float = 2.0


_PACE = Pace()


@dataclass(frozen=True, slots=True)
class _Claim:
    """The claim of one process; `machine` begins its name, so that a listing tells whose it is."""

    store: ObjectStore
    corpus: str
    machine: str
    token: str
    shards: frozenset[str]  # none: the whole corpus

    @property
    def name(self) -> str:
        return f"{_FOLDER}/{self.corpus}/{self.machine}-{self.token}"

    def write(self, state: str) -> None:
        told = {
            "host": socket.gethostname(),
            "process": os.getpid(),
            "state": state,
            "shards": sorted(self.shards),
        }
        self.store.write(self.name, json.dumps(told).encode())

    def rivals(self, expires: float) -> list[Mapping[str, object]]:
        """What living claims of other machines on the same shards say; dead ones are removed."""
        folder = f"{_FOLDER}/{self.corpus}"
        listed = self.store.list(folder)
        own = listed.get(Path(self.name).name)
        if own is None:  # taken for dead, since this machine stood still after it wrote
            return [_UNREADABLE]
        now = own[1]
        found: list[Mapping[str, object]] = []
        for name, (_, written) in listed.items():
            if name.startswith(f"{self.machine}-"):
                continue
            if now - written > expires * 1e9:
                self.store.delete(f"{folder}/{name}")
                continue
            try:
                rival = json.loads(self.store.read(f"{folder}/{name}"))
                if not isinstance(rival, dict):
                    raise ValueError(name)
                if self._meets(rival.get("shards")):
                    found.append(rival)
            except FileNotFoundError:
                continue  # withdrawn since it was listed
            except (ObjectStoreError, ValueError, RecursionError):  # being written anew, or not by us
                found.append(_UNREADABLE)
        return found

    def _meets(self, shards: object) -> bool:
        if not self.shards or not isinstance(shards, list) or not shards:
            return True
        return not self.shards.isdisjoint(map(str, shards))


@contextmanager
def claimed(
    store: ObjectStore | None,
    home: Path,
    corpus: str,
    shards: Collection[str] = (),
    *,
    pace: Pace = _PACE,
) -> Iterator[None]:
    """Let no other machine build the corpus, or these shards of it, while the block runs.

    Without a store or a corpus there is none to keep out.

    Raises
    ------
    CorpusBusy
        If another machine builds it, or took over at the end of the block because this one had stood still.
    ObjectStoreError
        If the store cannot be asked.

    """
    if store is None or not corpus:
        yield
        return
    machine = short_digest(socket.gethostname(), str(home), _id_of(home))
    claim = _Claim(store, corpus, machine, secrets.token_hex(4), frozenset(shards))
    try:
        _acquire(claim, pace)
        with _renewed(claim, pace) as lost:
            yield
        if lost.is_set():
            raise CorpusBusy(
                f"This machine stood still for more than {pace.expires:.0f} s, so that another one may build corpus "
                f"{corpus!r} now. Run the same command again; what was finished is kept."
            )
    finally:
        _withdraw(claim)


def _id_of(home: Path) -> str:
    """What tells this workspace from one of the same path on a machine of the same name; made at the first claim."""
    path = home / "locks" / "machine-id"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_name("machine-id.lock")):
            if not path.is_file():
                write_text(path, secrets.token_hex(8))
    return path.read_text(encoding="utf-8")


def _acquire(claim: _Claim, pace: Pace) -> None:
    for _ in range(_TRIES):
        claim.write(_ASKING)
        rivals = claim.rivals(pace.expires)
        if not rivals:
            claim.write(_HELD)
            return
        claim.store.delete(claim.name)
        holder = next((rival for rival in rivals if rival.get("state") == _HELD), None)
        if holder is not None:
            break
        time.sleep(random.uniform(0.1, 1) * pace.between_tries)  # noqa: S311 - only so that two do not keep step
    who = holder or rivals[0]
    raise CorpusBusy(
        f"Corpus {claim.corpus!r} is being built by another machine ({who.get('host')}, process {who.get('process')}) "
        f"in the same object store, {claim.store.address}. Wait for it to end, then run the same command again. "
        f"If that machine died, its claim ends within {pace.expires:.0f} s."
    )


@contextmanager
def _renewed(claim: _Claim, pace: Pace) -> Iterator[threading.Event]:
    """Write the claim anew while the block runs; the event tells that it was lost."""
    lost, over = threading.Event(), threading.Event()

    def renew() -> None:
        written = time.monotonic()
        while not over.wait(pace.renewed):
            try:
                if not claim.store.has(claim.name):
                    lost.set()
                    return
                claim.write(_HELD)
                if time.monotonic() - written > pace.expires:  # others took it for dead meanwhile
                    lost.set()
                    return
                written = time.monotonic()
            except ObjectStoreError as error:
                _log.warning("The claim on corpus %s could not be renewed: %s", claim.corpus, error)
                if time.monotonic() - written > pace.expires:
                    lost.set()
                    return

    thread = threading.Thread(target=renew, name=f"claim-{claim.corpus}", daemon=True)
    thread.start()
    try:
        yield lost
    finally:
        over.set()
        thread.join()


def _withdraw(claim: _Claim) -> None:
    try:
        claim.store.delete(claim.name)
    except ObjectStoreError as error:
        _log.warning("The claim on corpus %s stays until it expires: %s", claim.corpus, error)
