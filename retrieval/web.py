"""Search services outside the graph, behind one interface, and the bundle that makes their answers repeatable.

Nothing here runs unless a method is given a channel. Every unit found is stored with its query, the time it was
retrieved, its address and the span that was taken, in a folder from which the same search replays without network
(section D.2 of the BioWeave paper).
"""

from __future__ import annotations

import html
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import httpx

from kg_pipeline.errors import KgError
from kg_pipeline.files import replacing
from kg_pipeline.fingerprint import short_digest
from retrieval.words.guard import addresses_reader

_TAG = re.compile(r"<[^>]{0,200}>")
_TRIAL = re.compile(r"NCT\d{8}\Z")
_RECORD = re.compile(r"[A-Z]{3}/[A-Za-z0-9]{1,20}\Z")
_LARGEST = 4 * 1024 * 1024  # bytes of one reply
_ATTEMPTS = 2
_LONGEST_TEXT = 6000  # characters kept of one record


class WebUnavailable(KgError):
    """A search service cannot be reached, refuses, or its answer is in no bundle."""


@dataclass(frozen=True, slots=True)
class WebUnit:
    """A record of a search service; `text[start:end]` is the span that counts as evidence."""

    channel: str
    query: str
    retrieved: str  # ISO 8601, UTC
    address: str
    record_id: str
    title: str
    text: str
    start: int
    end: int


class Channel(Protocol):
    """A search service."""

    @property
    def name(self) -> str:
        """What units of it say where they are from."""
        ...

    async def search(self, query: str, limit: int) -> list[WebUnit]:
        """At most `limit` units, best first; raises `WebUnavailable`."""
        ...


def utc_now() -> str:
    """The time to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class HttpChannel(ABC):
    """A JSON search over HTTP; what an adapter adds is the request and how a reply reads."""

    name = ""
    base_url = ""

    def __init__(
        self,
        base_url: str | None = None,
        *,
        timeout_seconds: float = 20,
        clock: Callable[[], str] = utc_now,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._base = (base_url or self.base_url).rstrip("/")
        self._timeout = timeout_seconds
        self._clock = clock
        self._transport = transport

    async def search(self, query: str, limit: int) -> list[WebUnit]:
        """At most `limit` units, best first."""
        path, parameters = self.request(" ".join(query.split()), limit)
        body = await self._get(f"{self._base}/{path}", parameters)
        retrieved = self._clock()
        units = []
        try:
            for record_id, address, title, text in self.records(body):
                kept = " ".join(text.split())[:_LONGEST_TEXT]
                if kept and not addresses_reader(kept):
                    units.append(
                        WebUnit(
                            self.name,
                            query,
                            retrieved,
                            address,
                            record_id,
                            " ".join(title.split()),
                            kept,
                            0,
                            len(kept),
                        )
                    )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise WebUnavailable(f"{self.name} answered with something unexpected ({error!r}).") from error
        return units[:limit]

    @abstractmethod
    def request(self, query: str, limit: int) -> tuple[str, dict[str, str]]:
        """Path under the base address and parameters of a search."""

    @abstractmethod
    def records(self, body: Mapping[str, Any]) -> Sequence[tuple[str, str, str, str]]:
        """Record id, address, title and text of each record of a reply."""

    async def _get(self, url: str, parameters: dict[str, str]) -> Mapping[str, Any]:
        problem = ""
        async with httpx.AsyncClient(timeout=self._timeout, transport=self._transport) as client:
            for _ in range(_ATTEMPTS):
                try:
                    async with client.stream("GET", url, params=parameters) as reply:
                        if reply.status_code == httpx.codes.OK:
                            return _read_json(await _bounded(reply), self.name)
                        problem = f"HTTP {reply.status_code}"
                        if reply.status_code < httpx.codes.INTERNAL_SERVER_ERROR:
                            break
                except httpx.HTTPError as error:
                    problem = str(error) or type(error).__name__
        raise WebUnavailable(f"{self.name} at {self._base} cannot be searched: {problem}. Try again later.")


async def _bounded(reply: httpx.Response) -> bytes:
    parts, size = [], 0
    async for part in reply.aiter_bytes():
        size += len(part)
        if size > _LARGEST:
            raise WebUnavailable(f"A reply of {reply.url.host} is larger than {_LARGEST} bytes.")
        parts.append(part)
    return b"".join(parts)


def _read_json(body: bytes, name: str) -> Mapping[str, Any]:
    try:
        read = json.loads(body)
    except ValueError as error:
        raise WebUnavailable(f"{name} answered with something that is no JSON.") from error
    if not isinstance(read, dict):
        raise WebUnavailable(f"{name} answered with JSON that is no object.")
    return read


class ClinicalTrials(HttpChannel):
    """Trial records of ClinicalTrials.gov, API version 2."""

    name = "ClinicalTrials.gov"
    base_url = "https://clinicaltrials.gov/api/v2"

    def request(self, query: str, limit: int) -> tuple[str, dict[str, str]]:
        """A search in all fields."""
        return "studies", {"query.term": plain_query(query), "pageSize": str(limit), "format": "json"}

    def records(self, body: Mapping[str, Any]) -> Sequence[tuple[str, str, str, str]]:
        """Title, summary, conditions, interventions, phase and status as sentences."""
        found = []
        for study in body.get("studies", []):
            section = study.get("protocolSection", {})
            identity = section.get("identificationModule", {})
            number = str(identity.get("nctId", ""))
            if not _TRIAL.match(number):
                continue
            interventions = section.get("armsInterventionsModule", {}).get("interventions", [])
            facts = (
                ("Conditions", section.get("conditionsModule", {}).get("conditions", [])),
                ("Interventions", [item.get("name", "") for item in interventions]),
                ("Phase", section.get("designModule", {}).get("phases", [])),
                ("Status", [section.get("statusModule", {}).get("overallStatus", "")]),
            )
            title = str(identity.get("briefTitle", ""))
            summary = str(section.get("descriptionModule", {}).get("briefSummary", ""))
            lines = [_sentence(title), _sentence(summary)]
            lines += [f"{label}: {', '.join(map(str, values))}." for label, values in facts if any(values)]
            found.append((number, f"https://clinicaltrials.gov/study/{number}", title, " ".join(lines)))
        return found


class EuropePmc(HttpChannel):
    """Abstracts of the Europe PMC search."""

    name = "Europe PMC"
    base_url = "https://www.ebi.ac.uk/europepmc/webservices/rest"

    def request(self, query: str, limit: int) -> tuple[str, dict[str, str]]:
        """A search with the abstracts in the reply."""
        return "search", {
            "query": plain_query(query),
            "format": "json",
            "resultType": "core",
            "pageSize": str(limit),
        }

    def records(self, body: Mapping[str, Any]) -> Sequence[tuple[str, str, str, str]]:
        """Title and abstract without markup; records without an abstract are left out."""
        found = []
        for result in body.get("resultList", {}).get("result", []):
            record = f"{result.get('source', '')}/{result.get('id', '')}"
            abstract = _unmarked(str(result.get("abstractText") or ""))
            if not _RECORD.match(record) or not abstract:
                continue
            title = _unmarked(str(result.get("title", "")))
            text = f"{_sentence(title)} {_sentence(abstract)}"
            found.append((record, f"https://europepmc.org/article/{record}", title, text))
        return found


def plain_query(query: str) -> str:
    """Words only: operators and field names of a search language have no place in a question."""
    return " ".join(re.findall(r"[^\W_]+(?:[-–][^\W_]+)*", query))


def _sentence(text: str) -> str:
    kept = text.strip()
    return kept if not kept or kept[-1] in ".!?" else kept + "."


def _unmarked(text: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", text)).split())


class Bundle:
    """A folder with one file for each search, by which the search replays."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, channel: str, query: str, limit: int) -> list[WebUnit] | None:
        """What the search found; None if it is not in the bundle."""
        path = self._path(channel, query, limit)
        if not path.is_file():
            return None
        return [WebUnit(**unit) for unit in json.loads(path.read_text(encoding="utf-8"))["units"]]

    def put(self, channel: str, query: str, limit: int, units: Sequence[WebUnit]) -> None:
        """Keep what a search found."""
        record = {
            "channel": channel,
            "query": query,
            "limit": limit,
            "units": [asdict(unit) for unit in units],
        }
        with replacing(self._path(channel, query, limit)) as aside:
            aside.write_text(
                json.dumps(record, ensure_ascii=False, indent=1, sort_keys=True), encoding="utf-8"
            )

    def _path(self, channel: str, query: str, limit: int) -> Path:
        return self.folder / f"{short_digest(channel, query, limit)}.json"


class Recorded:
    """A channel whose searches are kept in a bundle; without the channel the bundle alone answers."""

    def __init__(self, name: str, bundle: Bundle, channel: Channel | None = None) -> None:
        self.name = name
        self._bundle = bundle
        self._channel = channel

    async def search(self, query: str, limit: int) -> list[WebUnit]:
        """From the bundle, else live and into the bundle."""
        known = self._bundle.get(self.name, query, limit)
        if known is not None:
            return known
        if self._channel is None:
            raise WebUnavailable(
                f"The bundle {self._bundle.folder} has no search of {self.name} for {query!r}; record it first."
            )
        found = await self._channel.search(query, limit)
        self._bundle.put(self.name, query, limit, found)
        return found
